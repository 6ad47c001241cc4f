# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the fixtures of tests/unit/engine/test-logits.c: what other implementations compute.

  python logits.py OUTDIR

Tiny random models (GGUF) and their logits by transformers in float32. Of the default model, found as the tests find it,
the logits by transformers reading the same GGUF in float32 (which needs accelerate), and the greedy text of llama.cpp
(llama-cpp-python).

llama.cpp gets the model's very weights, but dequantized to float32: from the quantized file it rounds activations to
eight bits, which moves this model's logits by 3e-2 in the mean and up to 1e-1 (relative, L2), so that its texts from the
two files agree in 8 of 20 cases only, and differ first at gaps of up to 0.2. That noise is not what the text is to be
judged by.

Seeded and single threaded where it matters; the versions of the packages are written into the fixtures. The tiny models
hold just enough of a SentencePiece vocabulary (byte tokens) to be run as a whole trial."""
import json
import os
import random
import sys
import tempfile

import gguf
import numpy as np
import torch
import transformers
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM

VOCAB, EMBD, FF, HEADS, KV_HEADS, LAYERS, CONTEXT = 288, 32, 64, 4, 2, 2, 256
HEAD_DIM = EMBD // HEADS
SEQUENCE = 40
SHOWN = (1, 2, 17, 40)
SUBSET = 512
GREEDY = 48
VERSIONS = {p.__name__: p.__version__ for p in (np, torch, transformers)}

# name, storage of the matrices, and what makes this model different
TINY = (
    dict(name="tiny-f32", store="F32", tied=False, scaling={"rope_type": "linear", "factor": 2.0}),
    dict(name="tiny-f16", store="F16", tied=True, scaling={"rope_type": "llama3", "factor": 8.0,
         "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}),
    dict(name="tiny-q8", store="Q8_0", tied=False, scaling=None, bias=True),
)

SENTENCES = (
    "The assayer weighs the metal and judges its fineness, and writes both into one book.",
    "def mean(values):\n    return sum(values) / len(values)\n\nprint(mean([1, 2, 3]))",
    "Once upon a time there was a small lighthouse that nobody had visited for years.",
    "Water boils at 100 degrees Celsius at sea level; on a high mountain it boils sooner.",
    "기억 장치가 모자라면 모델의 일부를 다른 곳에 두어야 한다.",
    "内存不够的时候，可以一次只改变一个条件，然后比较结果。",
    "What is the capital of France? The capital of France is",
    "1, 1, 2, 3, 5, 8, 13, 21, 34,",
    "Dear Madam or Sir, I am writing to ask about the position that was advertised last week.",
    "Der schnelle braune Fuchs springt über den faulen Hund, und niemand wundert sich.",
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
    "SELECT name, COUNT(*) FROM runs WHERE status = 'completed' GROUP BY name ORDER BY 2 DESC;",
    "Q: A train leaves at noon and travels at 80 km/h for three hours. How far does it go?\nA:",
    "- eggs\n- flour\n- butter\n- sugar\n\nMix the butter and the sugar first, then",
    "The quick answer is no. The longer answer depends on what you mean by memory.",
    "Les chats dorment seize heures par jour, ce qui explique beaucoup de choses.",
    "😀 emoji, tabs\tand   runs of blanks, and a number: 3.14159265358979",
    "In 1969 two people walked on the Moon while a third one circled above them.",
    "static int add (int a, int b)\n{\n  return a + b;\n}\n",
    "Roses are red, violets are blue, the budget is tight, and the context is too.",
)
LENGTHS = (1, 3, 8, 20, 31, 32, 33, 48, 64, 65, 90, 100, 127, 128, 129, 150, 200, 256, 380, 500)


def numbers(array):
    """Nine significant digits hold a float32 exactly."""
    return [float(f"{x:.9g}") for x in np.asarray(array, dtype=np.float32)]


def permute(w, n_heads):
    """Rows of q and k in GGUF's order: rotation acts on neighbours instead of halves."""
    return w.reshape(n_heads, 2, w.shape[0] // n_heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def stored(array, store):
    """The tensor as the file holds it, and what a reader makes of it."""
    kind = getattr(gguf.GGMLQuantizationType, store)
    packed = gguf.quants.quantize(array, kind)
    return packed, kind, gguf.quants.dequantize(packed, kind).reshape(array.shape).astype(np.float32)


def tokenizer(writer):
    pieces = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{i:02X}>".encode() for i in range(256)]
    kinds = [2, 3, 3] + [6] * 256
    for i in range(len(pieces), VOCAB):
        pieces.append("▁".encode() if i == 259 else b"tok%d" % i)
        kinds.append(1)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(pieces)
    writer.add_token_scores([0.0] * 259 + [-float(i) for i in range(VOCAB - 259)])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)


def llama3_divisors(scaling, base=10000.0):
    low = scaling["original_max_position_embeddings"] / scaling["low_freq_factor"]
    high = scaling["original_max_position_embeddings"] / scaling["high_freq_factor"]
    out = []
    for i in range(HEAD_DIM // 2):
        wave = 2 * np.pi * base ** (2 * i / HEAD_DIM)
        smooth = (scaling["original_max_position_embeddings"] / wave - scaling["low_freq_factor"]) \
            / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
        out.append(1.0 if wave < high else scaling["factor"] if wave > low
                   else 1 / ((1 - smooth) / scaling["factor"] + smooth))
    return np.array(out, dtype=np.float32)


def tiny_model(spec):
    rope = dict(spec["scaling"] or {"rope_type": "default"}, rope_theta=10000.0)
    config = LlamaConfig(vocab_size=VOCAB, hidden_size=EMBD, intermediate_size=FF, num_hidden_layers=LAYERS,
                         num_attention_heads=HEADS, num_key_value_heads=KV_HEADS, max_position_embeddings=CONTEXT,
                         rms_norm_eps=1e-5, tie_word_embeddings=spec["tied"], attention_bias=spec.get("bias", False),
                         rope_parameters=rope, attn_implementation="eager")
    torch.manual_seed(7)
    model = LlamaForCausalLM(config).float().eval()
    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for name, p in model.named_parameters():
            spread = 0.3 if p.dim() == 1 else 1.2 / p.shape[-1] ** 0.5
            p.copy_(torch.randn(p.shape, generator=generator) * spread + (1.0 if "norm" in name else 0.0))
            if name.endswith("o_proj.bias"):   # transformers has it as soon as q, k and v have theirs; real files do not
                p.zero_()
    return model


def gguf_name(name):
    if name == "model.embed_tokens.weight":
        return "token_embd.weight"
    if name == "model.norm.weight":
        return "output_norm.weight"
    if name == "lm_head.weight":
        return "output.weight"
    _, _, layer, rest = name.split(".", 3)
    parts = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
             "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
             "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
    module, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{parts[module]}.{kind}"


def write_tiny(model, spec, path):
    """Writes the GGUF and puts what a reader will see back into the model."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name(spec["name"])
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBD)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FF)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(HEAD_DIM)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(VOCAB)
    tokenizer(writer)
    scaling = spec["scaling"] or {}
    if scaling.get("rope_type") == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(scaling["factor"])
    if scaling.get("rope_type") == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_divisors(scaling))
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name.endswith("o_proj.bias"):
                continue
            array = p.numpy().copy()
            if p.dim() == 2:
                packed, kind, seen = stored(array, spec["store"])
            elif spec["store"] == "F16" and "norm" in name:   # norms in half precision, as some converters leave them
                packed, kind, seen = stored(array, "F16")
            else:
                packed, kind, seen = array, gguf.GGMLQuantizationType.F32, array
            p.copy_(torch.from_numpy(seen))
            heads = HEADS if "q_proj" in name else KV_HEADS if "k_proj" in name else 0
            writer.add_tensor(gguf_name(name), permute(packed, heads) if heads else packed, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def windowed(model, window):
    """The same weights with a sliding window."""
    c = model.config
    config = MistralConfig(vocab_size=VOCAB, hidden_size=EMBD, intermediate_size=FF, num_hidden_layers=LAYERS,
                           num_attention_heads=HEADS, num_key_value_heads=KV_HEADS, head_dim=HEAD_DIM,
                           max_position_embeddings=CONTEXT, rms_norm_eps=1e-5, tie_word_embeddings=False,
                           sliding_window=window, rope_parameters=c.rope_parameters, attn_implementation="eager")
    other = MistralForCausalLM(config).float().eval()
    other.load_state_dict(model.state_dict())
    return other


def tiny_case(name, file, model, ids, window=0):
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0]
    return dict(name=name, file=file, window=window, ids=ids,
                at=[dict(n=n, logits=numbers(logits[n - 1])) for n in SHOWN])


def write_tiny_models(out):
    ids = [1] + [random.Random(3).randrange(3, VOCAB) for _ in range(SEQUENCE - 1)]
    cases = []
    for spec in TINY:
        model = tiny_model(spec)
        file = spec["name"] + ".gguf"
        write_tiny(model, spec, os.path.join(out, file))
        cases.append(tiny_case(spec["name"], file, model, ids))
        if spec["name"] == "tiny-f32":
            cases.append(tiny_case("tiny-window", file, windowed(model, 8), ids, window=8))
    write(out, "tiny.json", dict(versions=VERSIONS, cases=cases))


def write(out, name, data):
    with open(os.path.join(out, name), "w", encoding="utf-8") as f:
        json.dump(data, f, separators=(",", ":"), ensure_ascii=True)
        f.write("\n")


def prompts(tokenize):
    rng = random.Random(20)
    texts = []
    for i, n in enumerate(LENGTHS):
        order = list(SENTENCES)
        rng.shuffle(order)
        text = "\n\n".join([SENTENCES[i]] + order)
        texts.append(tokenize(text)[:n])
    return texts


def dequantized(path, out):
    """The same model with every weight as float32."""
    reader = gguf.GGUFReader(path)
    writer = gguf.GGUFWriter(out, "llama")
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name not in ("general.architecture", "general.file_type"):
            kind = field.types[0]
            writer.add_key_value(name, field.contents(), kind,
                                 field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)
    for t in reader.tensors:
        weights = gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32)
        writer.add_tensor(t.name, weights.reshape(t.shape[::-1]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_greedy(out, path, work):
    from llama_cpp import Llama, __version__ as llama_version
    exact = os.path.join(work, "float32.gguf")
    dequantized(path, exact)
    llama = Llama(exact, n_ctx=1024, n_threads=2, n_threads_batch=2, verbose=False, logits_all=True, seed=1)

    def tokenize(text):
        return llama.tokenize(text.encode(), add_bos=False, special=False)

    ids = prompts(tokenize)
    greedy = []
    for sentence in SENTENCES:
        prompt = tokenize(sentence)
        llama.reset()
        llama.eval(prompt)
        tokens, gaps = [], []
        for _ in range(GREEDY):
            row = np.array(llama.scores[llama.n_tokens - 1], dtype=np.float32)
            best = np.argsort(-row, kind="stable")[:2]
            tokens.append(int(best[0]))
            gaps.append(float(f"{row[best[0]] - row[best[1]]:.4g}"))
            llama.eval([tokens[-1]])
        greedy.append(dict(prompt=prompt, tokens=tokens, gaps=gaps))
    write(out, "default-greedy.json", dict(versions=dict(VERSIONS, llama_cpp=llama_version),
                                           model=os.path.basename(path), cases=greedy))
    return ids


def write_logits(out, path, ids):
    folder, name = os.path.split(path)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()
    subset = sorted(random.Random(5).sample(range(model.config.vocab_size), SUBSET))
    cases = []
    for tokens in ids:
        with torch.no_grad():
            row = model(torch.tensor([tokens])).logits[0, -1].numpy()
        cases.append(dict(ids=tokens, norm=float(np.linalg.norm(row.astype(np.float64))),
                          logits=numbers(row[subset])))
    write(out, "default-logits.json", dict(versions=VERSIONS, model=name, subset=subset, cases=cases))


def default_model():
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.environ.get("ASSAY_DEFAULT_MODEL") \
        or os.path.join(home, "assay", "models", "SmolLM2-135M-Instruct.Q4_1.gguf")


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    torch.use_deterministic_algorithms(True)
    write_tiny_models(out)
    path = default_model()
    with tempfile.TemporaryDirectory() as work:
        ids = write_greedy(out, path, work)
    write_logits(out, path, ids)


if __name__ == "__main__":
    main()
