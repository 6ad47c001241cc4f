#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests/unit/text, from other implementations.

  python text.py OUTDIR                 writes the fixtures (tests/data/text)
  python text.py --unicode FILE.c       writes engine/text/assay-unicode-table.c

Needs tokenizers, regex, sentencepiece, transformers, and for smollm2.json the default model's file, named by
ASSAY_DEFAULT_MODEL. Seeded: the same versions write the same bytes.
"""
import gzip
import os
import random
import sys

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def matching(pattern):
    """The code points that a one-character pattern matches in the reference's regex engine."""
    from tokenizers import Regex, pre_tokenizers
    split = pre_tokenizers.Split(Regex(pattern), behavior="removed", invert=True)
    found = set()
    for i in range(0, len(CODE_POINTS), 4096):
        batch = CODE_POINTS[i:i + 4096]
        for _, (start, end) in split.pre_tokenize_str("".join(map(chr, batch))):
            found.update(batch[start:end])
    return found


def digits_of_splitter():
    from tokenizers import pre_tokenizers
    split = pre_tokenizers.Digits(individual_digits=True)
    return {c for c in CODE_POINTS if len(split.pre_tokenize_str("a" + chr(c) + "a")) == 3}


def unicode_classes():
    classes = bytearray(0x110000)
    for value, name in [(2, "Lu"), (3, "Ll"), (4, "Lt"), (5, "Lm"), (6, "Lo"), (7, "M"), (8, "N"), (9, "P"), (10, "S")]:
        for c in matching(r"\p{%s}" % name):
            assert classes[c] == 0
            classes[c] = value
    for c in matching(r"\s"):
        assert classes[c] == 0
        classes[c] = 1
    for c in digits_of_splitter():
        if classes[c] != 8:
            assert classes[c] == 0, hex(c)
            classes[c] = 11
    return classes


def write_unicode(path):
    import tokenizers
    classes = unicode_classes()
    starts = [c << 4 | classes[c] for c in range(0x110000) if c == 0 or classes[c] != classes[c - 1]]
    with open(path, "w") as out:
        out.write("/* SPDX-License-Identifier: GPL-3.0-or-later */\n"
                  "/* engine/text/assay-unicode-table.c: made by tests/reference/text.py --unicode, from tokenizers %s;\n"
                  " * do not edit. */\n"
                  '#include "assay-unicode.h"\n\nconst guint32 assay_unicode_starts[] = {\n' % tokenizers.__version__)
        for i in range(0, len(starts), 10):
            out.write("  " + " ".join("0x%06X," % s for s in starts[i:i + 10]) + "\n")
        out.write("};\nconst guint assay_unicode_n_starts = G_N_ELEMENTS (assay_unicode_starts);\n")



# ---- strings ----

WORDS = ("the of and a memory model layer runs token weight it's don't we'll I'd they've you're cannot offload budget "
         "quantization 4-bit GPU CPU NaN foo_bar fooBar FooBAR HTTPServer x86_64 naïve café Ångström straße résumé "
         "Привет мир память модель Ελλάδα γλώσσα שלום עולם مرحبا بالعالم हिन्दी भाषा ไทยภาษา 漢字 记忆 模型 显存 ひらがな "
         "カタカナ メモリ・モデル 한국어 메모리 모델 ქართული հայերեն ʰaʰ ǅungla Ⅻ ½ ² ٣٤٥ १२३ 𝒳𝓎 ﬁ").split()
EMOJI = ["😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "❤️", "🇰🇷", "🧠", "☃"]
CODE = ["if (x == 0) {\n\treturn -1;\n}\n", "for i in range(10):\n    print(f\"{i:>3}\")\n", "#include <stdio.h>\r\n",
        "a->b[i++] += c/*d*/;//e\n", "SELECT * FROM t WHERE a>='1';", "<div class=\"x\">&nbsp;</div>", "git commit -m 'x'",
        "\\frac{1}{2}", "https://example.org/a?b=c&d=%20#e", "$x = @{y};`z`", "|a|b|\n|-|-|\n", "{\"k\": [1, 2.5e-3, null]}"]
BLANKS = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\r", " \n", "\n ", "\t\t", "\u00a0", "\u2003", "\u3000", "\u2028", "\u0085",
          " \t ", "        ", "\v", "\f", "\u200b", "\u1680"]
MARKS = ["e\u0301", "n\u0303", "\u0301", "a\u0308\u0323", "\u0e31", "\u093f", "\u20dd", "\u3099", "ǆ\u0301A", "Z\u0351\u036b"]
PUNCT = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + ["...", "!!!", "?!", "—", "“", "”", "…", "。", "、", "！", "¿", "'", "''", "--", "=>", "€",
                                                       "©", "×", "÷", "∑", "→", "・", "゠", "'s", "'S", "'\u017f", "'ll", "'Re", "'D"]
CONTROLS = ["\x00", "\x01", "\x04", "\x1b[31m", "\x7f", "\x9f", "\ufeff", "\u200d", "\ue000", "\U000f0000", "\ufffd", "\u0378", "\x1d", "\u00ad"]


def random_code_point(rng):
    top = rng.choice([0x80, 0x800, 0x3000, 0xA000, 0x10000, 0x20000, 0x30000])
    while True:
        c = rng.randrange(1, top)
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def random_piece(rng):
    kind = rng.randrange(12)
    if kind < 4:
        return rng.choice([" ", "", " "]) + rng.choice(WORDS)
    if kind == 4:
        return rng.choice(EMOJI)
    if kind == 5:
        return rng.choice(CODE)
    if kind == 6:
        return rng.choice(BLANKS)
    if kind == 7:
        return rng.choice(MARKS)
    if kind == 8:
        return rng.choice(PUNCT) * rng.choice([1, 1, 1, 2, 5])
    if kind == 9:
        return "".join(rng.choice("0123456789") for _ in range(rng.choice([1, 2, 3, 4, 7, 20])))
    if kind == 10:
        return rng.choice(CONTROLS)
    return "".join(random_code_point(rng) for _ in range(rng.randrange(1, 4)))


SPECIAL_STRINGS = ["", " ", "Hello  world", "I'LL pay $12345.67 now", "a\n\n  b", "x = y;\n\treturn", "it's\u00a0é", "tabs\t\tx", "a\r\nb",
                   "end   ", "don't!!!\n\nOK", "3.14 don't", "<|im_start|>user\nhi<|im_end|>", "<s>[INST] x [/INST]</s>",
                   "<0x41><0x0A>", "▁▁a ▁", "a" * 300, " " * 200, "1" * 100, "ab" * 150 + "\n" * 40, "é" * 90, "ʰʰAAʰA", "AAAaaaAAA",
                   "\u0301\u0301", "\x01\x02a", "  5  6", "12 345 6789", "𑷠𑷡x!𑷢"]


def strings():
    rng = random.Random(20261130)
    out = list(SPECIAL_STRINGS)
    while len(out) < 2000:
        out.append("".join(random_piece(rng) for _ in range(rng.randrange(1, 12))))
    return out


# ---- files: gzip, one line that says what made them, then records of little-endian u32 counts and values ----

def u32s(values):
    return b"".join(v.to_bytes(4, "little") for v in values)


def text_record(data):
    return u32s([len(data)]) + data


def list_record(values):
    return u32s([len(values)] + list(values))


def write(path, made_by, records):
    with open(path, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=9, mtime=0) as out:
        out.write((made_by + "\n").encode())
        for record in records:
            out.write(record)


# ---- pre-tokenizers ----

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")
QWEN35 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
HEAD, TAIL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
TEKKEN = (r"[^\r\n\p{L}\p{N}]?" + HEAD + "*" + TAIL + r"+|[^\r\n\p{L}\p{N}]?" + HEAD + "+" + TAIL + r"*|\p{N}" + REST)
SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
GPT4O = (r"[^\r\n\p{L}\p{N}]?" + HEAD + "*" + TAIL + "+" + SUFFIX + r"|[^\r\n\p{L}\p{N}]?" + HEAD + "+" + TAIL + "*" + SUFFIX
         + r"|\p{N}{1,3}" + REST)
DEEPSEEK = [r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+",
            r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
            r"|\s*[\r\n]+|\s+(?!\S)|\s+"]
RULES = [("gpt-2", [GPT2]), ("smollm", ["digits", GPT2]), ("llama-bpe", [LLAMA3]), ("smaug-bpe", [LLAMA3]), ("qwen2", [QWEN2]),
         ("qwen35", [QWEN35]), ("tekken", [TEKKEN]), ("gpt-4o", [GPT4O]), ("deepseek-v3", DEEPSEEK)]


def split_of(patterns):
    from tokenizers import Regex, pre_tokenizers
    steps = [pre_tokenizers.Digits(individual_digits=True) if p == "digits"
             else pre_tokenizers.Split(Regex(p), behavior="isolated") for p in patterns]
    return pre_tokenizers.Sequence(steps)


def split_with_regex(patterns, text):
    """The same cuts by another regex engine, in which no pattern matches nothing."""
    import regex
    parts = [text]
    for pattern in patterns:
        cut = []
        for part in parts:
            at = 0
            for m in regex.finditer(r"\p{N}" if pattern == "digits" else pattern, part):
                cut += [part[at:m.start()]] * (m.start() > at) + [m.group()]
                at = m.end()
            cut += [part[at:]] * (at < len(part))
        parts = cut
    return parts


def write_splits(outdir, texts):
    import regex
    import tokenizers
    newer = set()
    for name in ("L", "N", "M", "P", "S", "Lu", "Ll", "Lo", "Lm"):
        r = regex.compile(r"\p{%s}" % name)
        newer |= {chr(c) for c in CODE_POINTS if r.match(chr(c))} ^ {chr(c) for c in matching(r"\p{%s}" % name)}
    records, checked = [], 0
    for name, patterns in RULES:
        split = split_of(patterns)
        records.append(text_record(name.encode()))
        for text in texts:
            words = [w for w, _ in split.pre_tokenize_str(text)]
            assert "".join(words) == text
            if not newer & set(text):
                assert words == split_with_regex(patterns, text), (name, text, words, split_with_regex(patterns, text))
                checked += 1
            records.append(list_record([len(w.encode()) for w in words]))
    print("splits: %d of %d also agree with regex %s" % (checked, len(RULES) * len(texts), regex.__version__))
    write(os.path.join(outdir, "splits.gz"), "tokenizers %s, regex %s; %d rules" % (tokenizers.__version__,
          regex.__version__, len(RULES)), [u32s([len(RULES)])] + records)


# ---- the default model's tokenizer ----

def smollm2(path):
    import gguf
    from tokenizers import Tokenizer, models, pre_tokenizers
    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                                       pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    return tokenizer


def write_smollm2(outdir, texts):
    import llama_cpp
    import tokenizers
    path = os.environ.get("ASSAY_DEFAULT_MODEL")
    if path is None:
        print("smollm2: left as it is, ASSAY_DEFAULT_MODEL is not set")
        return
    tokenizer = smollm2(path)
    ids = [tokenizer.encode(t, add_special_tokens=False).ids for t in texts]
    second = llama_cpp.Llama(model_path=path, vocab_only=True, verbose=False)
    differ = [t for t, i in zip(texts, ids) if second.tokenize(t.encode(), add_bos=False, special=False) != i]
    print("smollm2: llama_cpp %s differs on %d of %d:" % (llama_cpp.__version__, len(differ), len(texts)))
    for t in differ:
        print("  %r" % t)
    write(os.path.join(outdir, "smollm2.gz"), "tokenizers %s; llama_cpp %s differs on %d" %
          (tokenizers.__version__, llama_cpp.__version__, len(differ)), [list_record(i) for i in ids])


# ---- a vocabulary by score, trained for the test ----

USER_DEFINED = ["<turn>", "[X]", "\n\n\n", "\n\n"]


def train(folder):
    import sentencepiece
    rng = random.Random(7)
    lines = []
    for _ in range(6000):
        lines.append(" ".join(rng.choice(WORDS + ["a", "the", "of"] * 8) + rng.choice(["", "", "", ",", ".", "s", "ed"])
                              for _ in range(rng.randrange(3, 14))))
    corpus = os.path.join(folder, "corpus.txt")
    with open(corpus, "w") as out:
        out.write("\n".join(lines))
    sentencepiece.SentencePieceTrainer.train(
        input=corpus, model_prefix=os.path.join(folder, "spm"), vocab_size=1000, model_type="bpe", byte_fallback=True,
        character_coverage=0.995, normalization_rule_name="identity", remove_extra_whitespaces=False, split_digits=True,
        allow_whitespace_only_pieces=True, user_defined_symbols=USER_DEFINED, num_threads=1, minloglevel=2)
    return sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "spm.model"))


def write_vocabulary(path, spm):
    import gguf
    n = spm.get_piece_size()
    types = []
    for i in range(n):
        piece = spm.id_to_piece(i)
        types.append(2 if spm.is_unknown(i) else 3 if spm.is_control(i) else 6 if spm.is_byte(i)
                     else 4 if piece in USER_DEFINED else 1)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(64)
    writer.add_block_count(1)
    writer.add_feed_forward_length(64)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(n)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([spm.id_to_piece(i).encode() for i in range(n)])
    writer.add_token_scores([spm.get_score(i) for i in range(n)])
    writer.add_token_types(types)
    writer.add_bos_token_id(spm.bos_id())
    writer.add_eos_token_id(spm.eos_id())
    writer.add_unk_token_id(spm.unk_id())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_scores(outdir, texts):
    import tempfile
    import llama_cpp
    import sentencepiece
    with tempfile.TemporaryDirectory() as folder:
        spm = train(folder)
        path = os.path.join(folder, "vocabulary.gguf")
        write_vocabulary(path, spm)
        second = llama_cpp.Llama(model_path=path, vocab_only=True, verbose=False)
        ids, from_second, differ = [], 0, 0
        for t in texts:
            other = second.tokenize(t.encode(), add_bos=False, special=False)
            own = spm.encode(t)
            if any(u in t for u in USER_DEFINED): # a space goes before the text after such a token; not so in sentencepiece
                own = other
                from_second += 1
            elif own != other:
                differ += 1
                print("  %r" % t, own[:20], other[:20])
            ids.append(own)
        print("scores: %d of %d from llama_cpp; it differs on %d of the others" % (from_second, len(texts), differ))
        made_by = "sentencepiece %s, llama_cpp %s" % (sentencepiece.__version__, llama_cpp.__version__)
        write(os.path.join(outdir, "scores.gz"), made_by, [list_record(i) for i in ids])
        with open(path, "rb") as vocabulary, open(os.path.join(outdir, "scores.gguf.gz"), "wb") as raw, \
                gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=9, mtime=0) as out:
            out.write(vocabulary.read())


# ---- chat templates: the families' own, as their models publish them ----

CHATML_PLAIN = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
                "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
CHATML_SMOLLM2 = ("{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n"
                  "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}"
                  "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
                  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
CHATML_QWEN25 = r"""{%- if tools %}
    {{- '<|im_start|>system\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] }}
    {%- else %}
        {{- 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.' }}
    {%- endif %}
    {{- "\n\n# Tools\n" }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\n' + messages[0]['content'] + '<|im_end|>\n' }}
    {%- else %}
        {{- '<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
"""
CHATML_THOUGHT = (r"{%- for message in messages %}{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}"
                  r"{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n<think>\n' }}{%- endif %}")
LLAMA2 = ("{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system_message = messages[0]['content'] %}"
          "{% else %}{% set loop_messages = messages %}{% set system_message = false %}{% endif %}{% for message in loop_messages %}"
          "{% if loop.index0 == 0 and system_message != false %}{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}"
          "{% else %}{% set content = message['content'] %}{% endif %}{% if message['role'] == 'user' %}"
          "{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}{% elif message['role'] == 'assistant' %}"
          "{{ ' '  + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}")
LLAMA3 = ("{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + message['role'] + "
          "'<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}"
          "{% endif %}{{ content }}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}")
MISTRAL_V1 = ("{{ bos_token }}{% for message in messages %}{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}"
              "{% elif message['role'] == 'assistant' %}{{ message['content'] + eos_token}}{% endif %}{% endfor %}")
MISTRAL_V1_SYSTEM = ("{%- if messages[0]['role'] == 'system' %}{%- set system_message = messages[0]['content'] %}{%- set loop_messages = messages[1:] %}"
                     "{%- else %}{%- set loop_messages = messages %}{%- endif %}{{- bos_token }}{%- for message in loop_messages %}"
                     "{%- if message['role'] == 'user' %}{%- if loop.first and system_message is defined %}"
                     "{{- ' [INST] ' + system_message + '\\n\\n' + message['content'] + ' [/INST]' }}{%- else %}"
                     "{{- ' [INST] ' + message['content'] + ' [/INST]' }}{%- endif %}{%- endif %}{%- endfor %}")
MISTRAL_V3 = ("{%- if messages[0][\"role\"] == \"system\" %}{%- set system_message = messages[0][\"content\"] %}{%- set loop_messages = messages[1:] %}"
              "{%- else %}{%- set loop_messages = messages %}{%- endif %}{{- bos_token }}{%- for message in loop_messages %}"
              "{%- if message[\"role\"] == \"user\" %}{%- if loop.last and system_message is defined %}"
              "{{- \"[INST] \" + system_message + \"\\n\\n\" + message[\"content\"] + \"[/INST]\" }}{%- else %}"
              "{{- \"[INST] \" + message[\"content\"] + \"[/INST]\" }}{%- endif %}{%- endif %}{%- endfor %}")
MISTRAL_V3_TEKKEN = MISTRAL_V3.replace("[INST] ", "[INST]")
GEMMA3 = ("{{ bos_token }}\n{%- if messages[0]['role'] == 'system' -%}\n    {%- set first_user_prefix = messages[0]['content'] + '\n\n' -%}\n"
          "    {%- set loop_messages = messages[1:] -%}\n{%- else -%}\n    {%- set first_user_prefix = \"\" -%}\n"
          "    {%- set loop_messages = messages -%}\n{%- endif -%}\n{%- for message in loop_messages -%}\n"
          "    {%- if (message['role'] == 'assistant') -%}\n        {%- set role = \"model\" -%}\n    {%- else -%}\n"
          "        {%- set role = message['role'] -%}\n    {%- endif -%}\n"
          "    {{ '<start_of_turn>' + role + '\n' + (first_user_prefix if loop.first else \"\") }}\n"
          "    {%- if message['content'] is string -%}\n        {{ message['content'] | trim }}\n    {%- endif -%}\n"
          "    {{ '<end_of_turn>\n' }}\n{%- endfor -%}\n"
          "{%- if add_generation_prompt -%}\n    {{'<start_of_turn>model\n'}}\n{%- endif -%}\n")
GEMMA2 = ("{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
          "{% for message in messages %}{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}"
          "{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}"
          "{% endfor %}{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}")
PHI3 = ("{% for message in messages %}{% if message['role'] == 'system' %}{{'<|system|>\n' + message['content'] + '<|end|>\n'}}"
        "{% elif message['role'] == 'user' %}{{'<|user|>\n' + message['content'] + '<|end|>\n'}}{% elif message['role'] == 'assistant' %}"
        "{{'<|assistant|>\n' + message['content'] + '<|end|>\n'}}{% endif %}{% endfor %}{% if add_generation_prompt %}"
        "{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}")
PHI3_FIRST = ("{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') %}{{'<|user|>' + '\n' + message['content'] + '<|end|>' + '\n'"
              " + '<|assistant|>' + '\n'}}{% elif (message['role'] == 'assistant') %}{{message['content'] + '<|end|>' + '\n'}}{% endif %}{% endfor %}")
PHI4_MINI = ("{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
             "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% else %}{{ eos_token }}{% endif %}")
ZEPHYR = ("{% for message in messages %}\n{% if message['role'] == 'user' %}\n{{ '<|user|>\n' + message['content'] + eos_token }}\n"
          "{% elif message['role'] == 'system' %}\n{{ '<|system|>\n' + message['content'] + eos_token }}\n"
          "{% elif message['role'] == 'assistant' %}\n{{ '<|assistant|>\n'  + message['content'] + eos_token }}\n{% endif %}\n"
          "{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}")
# name, family, template, takes a system message
TEMPLATES = [
    ("chatml", "chatml", CHATML_PLAIN, True), ("smollm2", "chatml", CHATML_SMOLLM2, True), ("qwen2.5", "chatml", CHATML_QWEN25, True),
    ("thought", "chatml", CHATML_THOUGHT, True), ("llama-2", "llama2", LLAMA2, True), ("llama-3", "llama3", LLAMA3, True),
    ("mistral-v1", "mistral", MISTRAL_V1, False), ("mistral-v1-system", "mistral", MISTRAL_V1_SYSTEM, True),
    ("mistral-v3", "mistral", MISTRAL_V3, True), ("mistral-v3-tekken", "mistral", MISTRAL_V3_TEKKEN, True),
    ("gemma-2", "gemma", GEMMA2, False), ("gemma-3", "gemma", GEMMA3, True), ("phi-3", "phi", PHI3, True),
    ("phi-3-first", "phi", PHI3_FIRST, False), ("phi-4-mini", "phi", PHI4_MINI, True), ("zephyr", "zephyr", ZEPHYR, True),
]
CHATS = [(None, "Hi"), (None, "  two lines\n here \n\n"), ("Answer in one word.", "What is 2 + 2?"), (" padded ", "\u3000x\u3000"),
         (None, "<|im_start|>system\nno<|im_end|><|eot_id|><end_of_turn></s>[INST] <|end|>")]


def write_chats(outdir):
    import transformers
    from tokenizers import Tokenizer, models
    records = [u32s([len(TEMPLATES)])]
    for name, family, template, takes_system in TEMPLATES:
        tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), bos_token="<s>", eos_token="</s>")
        tokenizer.chat_template = template
        cases = []
        for system, user in CHATS:
            if system is not None and not takes_system:
                continue
            messages = ([] if system is None else [{"role": "system", "content": system}]) + [{"role": "user", "content": user}]
            expected = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
            cases += [text_record(b"" if system is None else system.encode()), text_record(user.encode()), text_record(expected.encode())]
        records += [text_record(name.encode()), text_record(family.encode()), text_record(template.encode()), u32s([len(cases) // 3])] + cases
    write(os.path.join(outdir, "chats.gz"), "transformers %s" % transformers.__version__, records)


def main(outdir):
    texts = strings()
    write(os.path.join(outdir, "strings.gz"), "%d strings" % len(texts), [u32s([len(texts)])] + [text_record(t.encode()) for t in texts])
    write_splits(outdir, texts)
    write_smollm2(outdir, texts)
    write_scores(outdir, texts)
    write_chats(outdir)


if __name__ == "__main__":
    if sys.argv[1] == "--unicode":
        write_unicode(sys.argv[2])
    else:
        main(sys.argv[1])
