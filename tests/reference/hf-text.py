#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small tokenizers in Hugging Face's layout, and what the library of the same name makes of texts with them.

  python hf-text.py OUTDIR              writes the fixtures (tests/data/hf-text)

Needs tokenizers. Seeded: the same version writes the same bytes. Each fixture: a line that says what made it; the texts of
tokenizer.json and tokenizer_config.json; the architecture; then for each string the ids without and with the tokens around
it, and what the first decode to, with and without special tokens.
"""
import json
import os
import random
import sys

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from text import CODE, RULES, SPECIAL_STRINGS, WORDS, list_record, random_piece, text_record, u32s, write

MARK = "\u2581"
PATTERNS = {name: [p.replace('\\"', '"') for p in patterns] for name, patterns in RULES}  # as the files have it


def strings(extra):
    """Nasty ones, and the same with the tokenizer's own special tokens strewn in."""
    rng = random.Random(300)
    out = SPECIAL_STRINGS + [" cannotbemerged", "cannotbemerged a b  b c dc d", "a b", "aab a bb", "abc", "abcab bcabc"]
    while len(out) < 220:
        out.append("".join(random_piece(rng) for _ in range(rng.randrange(1, 9))))
    glue = ["", " ", "  ", "\n", "a", "é", " b ", "_", "7", "e\u0301", MARK, "\u3000"]
    while extra and len(out) < 330:
        out.append("".join(rng.choice(extra + glue * 2 + [random_piece(rng)]) for _ in range(rng.randrange(2, 9))))
    return out


def corpus():
    rng = random.Random(11)
    lines = list(CODE)
    for _ in range(1500):
        lines.append(" ".join(rng.choice(WORDS + ["a", "the", "of", "it's", "1234", "e\u0301t\u00e9"] * 6) + rng.choice(["", "", "", ",", ".", "s", "\n"])
                              for _ in range(rng.randrange(2, 10))))
    return lines


def byte_level(pre, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=700, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(corpus(), trainer)
    return tokenizer


def bytes_after(rule, behavior="isolated", invert=False):
    steps = [pre_tokenizers.Split(Regex(p), behavior, invert) for p in PATTERNS[rule]]
    return pre_tokenizers.Sequence(steps + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def template(tokenizer, bos, eos=None):
    pieces = ([bos] if bos else []) + ["$A"] + ([eos] if eos else [])
    return processors.TemplateProcessing(single=" ".join(pieces), special_tokens=[(t, tokenizer.token_to_id(t)) for t in (bos, eos) if t])


def special(text, **more):
    return AddedToken(text, **{"special": True, "normalized": False, **more})


def make_gpt2():
    tokenizer = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.add_tokens([special("<|endoftext|>")])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer, {"eos_token": "<|endoftext|>"}, "gpt2"


def make_prefix_space():
    tokenizer = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=True))
    tokenizer.add_tokens([special("<s>"), special("</s>"), special("<mask>", lstrip=True)])
    tokenizer.post_processor = template(tokenizer, "<s>", "</s>")
    return tokenizer, {"bos_token": "<s>", "eos_token": {"content": "</s>"}}, "llama"


def make_llama3():
    trained = byte_level(bytes_after("llama-bpe"), ignore_merges=True)
    # a whole word that no merge reaches: only a model that ignores merges finds it
    data = json.loads(trained.to_str())
    data["model"]["vocab"]["\u0120cannotbemerged"] = trained.get_vocab_size()
    tokenizer = Tokenizer.from_str(json.dumps(data))
    assert tokenizer.encode(" cannotbemerged").tokens == ["\u0120cannotbemerged"]
    tokenizer.add_tokens([special(t) for t in ("<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>")])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template(tokenizer, "<|begin_of_text|>")])
    return tokenizer, {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"}, "llama"


def make_dbrx():
    return byte_level(bytes_after("llama-bpe", behavior="removed", invert=True)), {}, "llama"


def make_qwen2():
    tokenizer = byte_level(bytes_after("qwen2"))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.add_tokens([special("<|endoftext|>"), special("<|im_start|>"), special("<|im_end|>"), AddedToken("<tool_call>", normalized=False),
                          AddedToken("word", single_word=True), AddedToken("e\u0301t\u00e9!", normalized=True),
                          AddedToken("[R]", rstrip=True, normalized=False), AddedToken("[L]", lstrip=True, normalized=True),
                          AddedToken("[LR]", lstrip=True, rstrip=True, normalized=False)])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer, {"eos_token": "<|im_end|>", "add_bos_token": False}, "qwen2"


def make_smollm():
    tokenizer = byte_level(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]))
    tokenizer.add_tokens([special("<|im_start|>"), special("<|im_end|>")])
    return tokenizer, {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"}, "llama"


def make_gpt4o():
    return byte_level(bytes_after("gpt-4o", behavior="removed", invert=True)), {}, "phi3"


def make_tekken():
    return byte_level(bytes_after("tekken"), ignore_merges=True), {}, "mistral"


def make_deepseek():
    return byte_level(bytes_after("deepseek-v3")), {}, "llama"


def marked(normalizer, pre, byte_fallback, vocab_size=900, unknown="<unk>"):
    """BPE as SentencePiece writes it: specials, bytes, then what was learned, its ids shuffled."""
    trained = Tokenizer(models.BPE())
    trained.normalizer = normalizer
    if pre is not None:
        trained.pre_tokenizer = pre
    lines = [line for line in corpus() if len(line) < 200]
    trained.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False))
    learned = json.loads(trained.to_str())["model"]
    pieces = [p for p, _ in sorted(learned["vocab"].items(), key=lambda item: item[1])]
    # characters that only bytes can stand for
    missing = set("漢字ʰǅ𝒳") if byte_fallback else set("漢字ʰǅ𝒳é")
    pieces = [p for p in pieces if not missing & set(p)]
    merges = [tuple(m) if isinstance(m, list) else tuple(m.split(" ")) for m in learned["merges"]]
    merges = [m for m in merges if not missing & set("".join(m))]
    random.Random(5).shuffle(pieces)
    first = [unknown, "<s>", "</s>"] + (["<0x%02X>" % b for b in range(256)] if byte_fallback else [])
    vocab = {p: i for i, p in enumerate(first + pieces)}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token=unknown, fuse_unk=True, byte_fallback=byte_fallback))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pre is not None:
        tokenizer.pre_tokenizer = pre
    tokenizer.add_special_tokens([special(t) for t in (unknown, "<s>", "</s>")])
    return tokenizer


def sentencepiece_decoder(strip=True):
    steps = [decoders.Replace(MARK, " "), decoders.ByteFallback(), decoders.Fuse()]
    return decoders.Sequence(steps + ([decoders.Strip(content=" ", left=1, right=0)] if strip else []))


def make_llama2():
    tokenizer = marked(normalizers.Sequence([normalizers.Prepend(MARK), normalizers.Replace(" ", MARK)]), None, True)
    tokenizer.decoder = sentencepiece_decoder()
    tokenizer.add_tokens([special("<|assistant|>", rstrip=True), AddedToken("<late>", normalized=True), AddedToken("[early]", normalized=False)])
    tokenizer.post_processor = template(tokenizer, "<s>")
    return tokenizer, {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "add_bos_token": True, "add_eos_token": False}, "llama"


def make_mistral():
    tokenizer = marked(None, pre_tokenizers.Metaspace(prepend_scheme="first", split=False), True)
    tokenizer.decoder = sentencepiece_decoder()
    tokenizer.add_tokens([special("[INST]"), special("[/INST]"), AddedToken("<late>", normalized=True)])
    tokenizer.post_processor = template(tokenizer, "<s>")
    return tokenizer, {"bos_token": "<s>", "eos_token": "</s>"}, "mistral"


def make_words():
    """Spaces cut words, and what is not in the vocabulary is unknown."""
    tokenizer = marked(None, pre_tokenizers.Metaspace(prepend_scheme="always", split=True), False)
    tokenizer.decoder = sentencepiece_decoder()
    tokenizer.post_processor = template(tokenizer, "<s>", "</s>")
    return tokenizer, {"bos_token": "<s>", "eos_token": "</s>"}, "llama"


def make_gemma():
    tokenizer = marked(normalizers.Replace(" ", MARK), None, True)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = sentencepiece_decoder(strip=False)
    tokenizer.add_tokens([AddedToken("\n\n", normalized=False), AddedToken(MARK * 2, normalized=False), special("<start_of_turn>"), special("<end_of_turn>")])
    tokenizer.post_processor = template(tokenizer, "<s>")
    return tokenizer, {"bos_token": "<s>", "eos_token": "</s>"}, "gemma2"


def make_spaces():
    """Pieces with spaces in them, which only pairs can say."""
    vocab = {c: i for i, c in enumerate(["<unk>", MARK, "a", "b", " ", "a b", " b", MARK + "a", "aa", "c d", "c", "d", " d", "ab"])}
    merges = [(" ", "b"), ("a", " b"), (" ", "d"), ("c", " d"), (MARK, "a"), ("a", "a"), ("a", "b")]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", fuse_unk=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    tokenizer.decoder = sentencepiece_decoder(strip=False)
    return tokenizer, {}, "llama"


def make_twice():
    """A merge that is listed twice has the later rank."""
    vocab = {c: i for i, c in enumerate(["a", "b", "c", "ab", "bc", "abc", MARK])}
    merges = [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "b")]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    tokenizer.decoder = sentencepiece_decoder(strip=False)
    return tokenizer, {}, "llama"


def write_tokenizer(outdir, name, tokenizer, config, architecture, spare=0):
    data = tokenizer.to_str()
    added = [t["content"] for t in json.loads(data)["added_tokens"]]
    texts = strings(added)
    records = [text_record(data.encode()), text_record(json.dumps(config).encode()), text_record(architecture.encode()),
               u32s([max(tokenizer.get_vocab(with_added_tokens=True).values()) + 1 + spare, len(texts)])]
    for t in texts:
        ids = tokenizer.encode(t, add_special_tokens=False).ids
        records += [text_record(t.encode()), list_record(ids), list_record(tokenizer.encode(t).ids),
                    text_record(tokenizer.decode(ids, skip_special_tokens=False).encode()), text_record(tokenizer.decode(ids).encode())]
    write(os.path.join(outdir, name + ".gz"), "tokenizers %s" % tokenizers.__version__, records)


def main(outdir):
    for name, make in sorted(globals().items()):
        if name.startswith("make_"):
            write_tokenizer(outdir, name[5:].replace("_", "-"), *make())


if __name__ == "__main__":
    main(sys.argv[1])
