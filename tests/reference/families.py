# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the fixtures of the families' tests: tiny random models and what transformers computes with them.

  python families.py OUTDIR

Of each model the same weights as a GGUF file, written as the public converter writes that architecture (names by the
gguf package's own table), and as a folder in Hugging Face's layout, saved by transformers; and the logits of the last
token for prompts of three lengths, in float32. Windows hold 8 tokens, so that two of the prompts pass them; scaled
rotations begin at 32 tokens, so that the longest does. Besides, divisors and magnitudes by transformers' own
ROPE_INIT_FUNCTIONS.

Seeded and single threaded; the versions of the packages are written into the fixtures. The models are given ids."""
import json
import math
import os
import random
import shutil
import sys

import gguf
import numpy as np
import safetensors
import tokenizers
import torch
import transformers
from transformers import (Gemma2Config, Gemma2ForCausalLM, Gemma3ForCausalLM, Gemma3TextConfig, GPT2Config,
                          GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM, Phi3Config,
                          Phi3ForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM)
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

VOCAB, EMBD, FF, WINDOW, CONTEXT, ORIGINAL = 64, 32, 36, 8, 128, 32
PROMPTS = (3, 20, 70)
VERSIONS = {p.__name__: p.__version__ for p in (np, safetensors, tokenizers, torch, transformers)}
KINDS = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32}

COMMON = dict(vocab_size=VOCAB, hidden_size=EMBD, intermediate_size=FF, num_attention_heads=4, num_key_value_heads=2,
              max_position_embeddings=CONTEXT, attn_implementation="eager")
LLAMA3 = dict(rope_type="llama3", factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=ORIGINAL)
YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=ORIGINAL)
YARN_OWN = dict(YARN, beta_fast=6.0, beta_slow=0.5, attention_factor=1.3, truncate=False)
LONG = dict(rope_type="longrope", original_max_position_embeddings=ORIGINAL)


def factors(n, start, step):
    return [round(start + step * i, 3) for i in range(n)]


def rope(base=10000.0, **scaling):
    return dict(dict(rope_type="default"), rope_theta=base, **scaling)


def llama(name, scaling=None, layers=1, **more):
    parameters = dict(scaling or dict(rope_type="default"), rope_theta=10000.0)
    config = LlamaConfig(**COMMON, num_hidden_layers=layers, head_dim=12, rms_norm_eps=1e-5, tie_word_embeddings=True,
                         rope_parameters=parameters)
    return dict(dict(name=name, arch="llama", kind="F16", config=config, model=LlamaForCausalLM), **more)


def specs():
    # q and k wider than the hidden size; in the others only the rotation differs
    yield llama("llama", layers=2)
    yield llama("llama-linear", dict(rope_type="linear", factor=4.0))
    yield llama("llama-llama3", LLAMA3)
    yield llama("llama-yarn", YARN)
    yield llama("llama-yarn-own", YARN_OWN, gguf=False)    # GGUF has no word for `truncate`
    yield llama("llama-longrope", dict(LONG, factor=4.0, short_factor=factors(6, 1.0, 0.1),
                                       long_factor=factors(6, 1.5, 0.9)))
    yield dict(name="mistral", arch="llama", kind="BF16", model=MistralForCausalLM,
               config=MistralConfig(**COMMON, num_hidden_layers=2, head_dim=12, rms_norm_eps=1e-5,
                                    tie_word_embeddings=False, sliding_window=WINDOW, rope_parameters=rope()))
    # the upper two of three layers slide
    yield dict(name="qwen2", arch="qwen2", kind="BF16", model=Qwen2ForCausalLM,
               config=Qwen2Config(**COMMON, num_hidden_layers=3, rms_norm_eps=1e-6, tie_word_embeddings=True,
                                  use_sliding_window=True, sliding_window=WINDOW, max_window_layers=1,
                                  rope_parameters=rope(1e6)))
    # a window that is written down, and off
    yield dict(name="qwen3", arch="qwen3", kind="BF16", model=Qwen3ForCausalLM,
               config=Qwen3Config(**COMMON, num_hidden_layers=2, head_dim=16, rms_norm_eps=1e-6,
                                  tie_word_embeddings=False, use_sliding_window=False, sliding_window=WINDOW,
                                  rope_parameters=rope(1e6)))
    # caps so low that they matter, and a scale that is not the head's
    yield dict(name="gemma2", arch="gemma2", kind="BF16", model=Gemma2ForCausalLM,
               config=Gemma2Config(**COMMON, num_hidden_layers=2, head_dim=12, rms_norm_eps=1e-6,
                                   query_pre_attn_scalar=20, sliding_window=WINDOW, attn_logit_softcapping=2.0,
                                   final_logit_softcapping=3.0, rope_parameters=rope()))
    # seven layers, so that the sixth sees everything; narrow, so that they are small
    yield dict(name="gemma3", arch="gemma3", kind="F16", model=Gemma3ForCausalLM,
               config=Gemma3TextConfig(**dict(COMMON, hidden_size=24, intermediate_size=28, num_attention_heads=2,
                                              num_key_value_heads=1), num_hidden_layers=7, head_dim=8,
                                       rms_norm_eps=1e-6, query_pre_attn_scalar=8, sliding_window=WINDOW,
                                       rope_parameters=dict(
                                           sliding_attention=rope(100.0),
                                           full_attention=rope(1e4, rope_type="linear", factor=8.0))))
    yield dict(name="gpt2", arch="gpt2", kind="F16", model=GPT2LMHeadModel,
               config=GPT2Config(vocab_size=VOCAB, n_embd=24, n_layer=2, n_head=4, n_positions=CONTEXT, n_inner=None,
                                 bos_token_id=1, eos_token_id=2, attn_implementation="eager"))
    yield dict(name="phi3", arch="phi3", kind="BF16", model=Phi3ForCausalLM,
               config=Phi3Config(**COMMON, num_hidden_layers=2, rms_norm_eps=1e-5, tie_word_embeddings=False,
                                 sliding_window=40, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                                 original_max_position_embeddings=ORIGINAL,
                                 rope_parameters=dict(LONG, rope_theta=10000.0, partial_rotary_factor=0.75,
                                                      short_factor=factors(3, 1.0, 0.2),
                                                      long_factor=factors(3, 1.5, 0.9))))


def numbers(array):
    """Nine significant digits hold a float32 exactly."""
    return [float(f"{x:.9g}") for x in np.asarray(array, dtype=np.float32)]


def random_model(spec):
    """Weights as the files hold them: rounded to the spec's format, and computed with in float32."""
    kind = KINDS[spec["kind"]]
    model = spec["model"](spec["config"]).float().eval()
    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for name, p in model.named_parameters():
            is_norm = "norm" in name or ".ln_" in name
            middle = 1.0 if is_norm and name.endswith("weight") and not spec["arch"].startswith("gemma") else 0.0
            fan_in = p.shape[0] if spec["arch"] == "gpt2" and ".h." in name else p.shape[-1]
            spread = 0.3 if p.dim() == 1 else 1.2 / fan_in ** 0.5
            p.copy_((torch.randn(p.shape, generator=generator) * spread + middle).to(kind).float())
    return model


def permute(w, n_heads):
    """Rows of q and k in GGUF's order for llama: rotation acts on neighbours instead of halves."""
    return w.reshape(n_heads, 2, w.shape[0] // n_heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def converted(spec, name, array):
    c = spec["config"]
    if spec["arch"] == "llama" and ("q_proj" in name or "k_proj" in name):
        return permute(array, c.num_attention_heads if "q_proj" in name else c.num_key_value_heads)
    if spec["arch"].startswith("gemma") and "norm" in name:
        return array + np.float32(1)
    if spec["arch"] == "gpt2" and ".h." in name and array.ndim == 2:
        return np.ascontiguousarray(array.T)
    return array


def write_rope(writer, spec):
    c = spec["config"]
    scaling = c.rope_parameters
    if spec["arch"] == "gemma3":
        scaling = scaling["full_attention"]
    head = getattr(c, "head_dim", None) or c.hidden_size // c.num_attention_heads
    n_dims = int(head * scaling.get("partial_rotary_factor", 1.0))
    writer.add_rope_dimension_count(n_dims)
    writer.add_rope_freq_base(scaling["rope_theta"])
    kind = scaling["rope_type"]
    if kind == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(scaling["factor"])
    if kind == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(scaling["factor"])
        writer.add_rope_scaling_orig_ctx_len(scaling["original_max_position_embeddings"])
    if kind == "llama3":    # the converter stores divisors
        inverse, _ = ROPE_INIT_FUNCTIONS["llama3"](c, "cpu")
        plain = 1.0 / scaling["rope_theta"] ** (torch.arange(0, n_dims, 2).float() / n_dims)
        writer.add_tensor("rope_freqs.weight", (plain / inverse).numpy().astype(np.float32))
    if kind == "longrope":
        original = scaling["original_max_position_embeddings"]
        stretch = scaling.get("factor") or CONTEXT / original
        writer.add_rope_scaling_orig_ctx_len(original)
        writer.add_rope_scaling_attn_factors(math.sqrt(1 + math.log(stretch) / math.log(original)))
        for which in ("long", "short"):
            writer.add_tensor(f"rope_factors_{which}.weight", np.array(scaling[which + "_factor"], dtype=np.float32))


def write_window(writer, spec):
    c = spec["config"]
    if spec["arch"] == "qwen2":
        writer.add_sliding_window(c.sliding_window)
        writer.add_array("qwen2.attention.sliding_window_pattern", [t == "sliding_attention" for t in c.layer_types])
    elif spec["arch"] != "qwen3" and getattr(c, "sliding_window", None):
        writer.add_sliding_window(c.sliding_window)


def write_numbers(writer, spec):
    c, arch = spec["config"], spec["arch"]
    writer.add_name(spec["name"])
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(c.hidden_size)
    writer.add_block_count(c.num_hidden_layers)
    writer.add_head_count(c.num_attention_heads)
    writer.add_vocab_size(VOCAB)
    if arch == "gpt2":
        writer.add_feed_forward_length(4 * c.n_embd)
        writer.add_layer_norm_eps(c.layer_norm_epsilon)
        return
    writer.add_feed_forward_length(c.intermediate_size)
    writer.add_head_count_kv(c.num_key_value_heads)
    writer.add_layer_norm_rms_eps(c.rms_norm_eps)
    if getattr(c, "head_dim", None):
        writer.add_key_length(c.head_dim)
        writer.add_value_length(c.head_dim)
    if arch == "gemma2":
        writer.add_attn_logit_softcapping(c.attn_logit_softcapping)
        writer.add_final_logit_softcapping(c.final_logit_softcapping)
        writer.add_attention_scale(c.query_pre_attn_scalar ** -0.5)
    if arch == "gemma3":
        writer.add_float32("gemma3.rope.freq_base_swa", c.rope_parameters["sliding_attention"]["rope_theta"])
    write_window(writer, spec)
    write_rope(writer, spec)


def write_gguf(model, spec, path, more=lambda writer: None):
    architecture = {v: k for k, v in gguf.MODEL_ARCH_NAMES.items()}[spec["arch"]]
    names = gguf.get_tensor_name_map(architecture, spec["config"].num_hidden_layers)
    kind = getattr(gguf.GGMLQuantizationType, spec["kind"])
    writer = gguf.GGUFWriter(path, spec["arch"])
    write_numbers(writer, spec)
    more(writer)
    for name, p in model.named_parameters():
        array = converted(spec, name, p.detach().numpy().copy())
        target = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if array.ndim == 1:
            writer.add_tensor(target, array)
        else:
            writer.add_tensor(target, gguf.quants.quantize(array, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_folder(model, spec, path):
    kind = KINDS[spec["kind"]]
    saved = spec["model"](spec["config"]).to(kind)
    saved.load_state_dict({k: v.to(kind) for k, v in model.state_dict().items()})
    saved.save_pretrained(path)
    for extra in set(os.listdir(path)) - {"config.json", "model.safetensors"}:
        os.remove(os.path.join(path, extra))
    write_tokenizer(path)


def write_tokenizer(path):
    """No test asks it; a folder is read as a whole."""
    pieces = ["<unk>", "<s>", "</s>", "▁"] + [chr(ord("0") + i) for i in range(VOCAB - 4)]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({p: i for i, p in enumerate(pieces)}, [], unk_token="<unk>",
                                                           fuse_unk=True))
    tokenizer.normalizer = tokenizers.normalizers.Sequence([tokenizers.normalizers.Prepend("▁"),
                                                            tokenizers.normalizers.Replace(" ", "▁")])
    tokenizer.decoder = tokenizers.decoders.Sequence([tokenizers.decoders.Replace("▁", " "),
                                                      tokenizers.decoders.Fuse(),
                                                      tokenizers.decoders.Strip(" ", 1, 0)])
    tokenizer.add_special_tokens(pieces[:3])
    tokenizer.save(os.path.join(path, "tokenizer.json"), pretty=False)


def prompt_ids():
    rng = random.Random(3)
    return [rng.randrange(3, VOCAB) for _ in range(max(PROMPTS))]


def logits_of(model, ids):
    """Each prompt by itself: longrope chooses by the length of what is run."""
    with torch.no_grad():
        return [dict(n=n, logits=numbers(model(torch.tensor([ids[:n]])).logits[0, -1])) for n in PROMPTS]


def write_adapter(model, spec, path):
    """Low-rank parts of the first layer's fused matrices, as llama.cpp's converter writes them; merged into the model
    besides."""
    rank, alpha = 3, 6.0
    architecture = {v: k for k, v in gguf.MODEL_ARCH_NAMES.items()}[spec["arch"]]
    names = gguf.get_tensor_name_map(architecture, spec["config"].num_hidden_layers)
    generator = torch.Generator().manual_seed(13)
    writer = gguf.GGUFWriter(path, spec["arch"])
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, alpha)
    for name, p in model.named_parameters():
        if ".0." not in name or not name.endswith(("qkv_proj.weight", "gate_up_proj.weight", "c_attn.weight")):
            continue
        w = p.data.T if spec["arch"] == "gpt2" else p.data    # [out, in]
        a = torch.randn(rank, w.shape[1], generator=generator) * 0.3
        b = torch.randn(w.shape[0], rank, generator=generator) * 0.3
        w += alpha / rank * (b @ a)
        target = names.get_name(name, try_suffixes=(".weight",))
        writer.add_tensor(target + ".lora_a", a.numpy())
        writer.add_tensor(target + ".lora_b", b.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write(out, name, data):
    with open(os.path.join(out, name), "w", encoding="utf-8") as f:
        json.dump(data, f, separators=(",", ":"), ensure_ascii=True)
        f.write("\n")


def write_models(out):
    ids, cases, adapters = prompt_ids(), [], []
    for spec in specs():
        model = random_model(spec)
        if spec.get("gguf", True):
            write_gguf(model, spec, os.path.join(out, spec["name"] + ".gguf"))
        write_folder(model, spec, os.path.join(out, spec["name"]))
        cases.append(dict(name=spec["name"], architecture=spec["arch"], gguf=spec.get("gguf", True),
                          at=logits_of(model, ids)))
        if spec["arch"] in ("gpt2", "phi3"):
            write_adapter(model, spec, os.path.join(out, spec["name"] + "-lora.gguf"))
            adapters.append(dict(name=spec["name"], at=logits_of(model, ids)))
    write(out, "families.json", dict(versions=VERSIONS, ids=ids, cases=cases, adapters=adapters))


def rope_cases():
    qwen = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=32768)
    llama31 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                   original_max_position_embeddings=8192)
    yield "llama 3.1", 128, 5e5, llama31
    yield "llama 3.2", 64, 5e5, dict(llama31, factor=32.0)
    yield "qwen 2.5", 128, 1e6, qwen
    yield "qwen 2.5, fractions", 128, 1e6, dict(qwen, truncate=False)
    yield "narrow betas", 64, 1e4, dict(qwen, beta_fast=4.0, beta_slow=2.0, factor=16.0)
    yield "betas alike", 64, 1e4, dict(qwen, beta_fast=3.0, beta_slow=3.0, truncate=False)
    yield "given magnitude", 64, 1e4, dict(qwen, attention_factor=0.75)
    yield "short original", 32, 1e4, dict(qwen, original_max_position_embeddings=16, factor=2.0)
    yield "factor below one", 64, 1e4, dict(qwen, factor=0.5)
    yield "longrope", 8, 1e4, dict(rope_type="longrope", factor=32.0, original_max_position_embeddings=4096,
                                   short_factor=[1.0] * 4, long_factor=[1.0] * 4)


def write_rope_fixture(out):
    cases = []
    for name, n_dims, base, scaling in rope_cases():
        original = scaling["original_max_position_embeddings"]
        config = LlamaConfig(hidden_size=n_dims * 2, num_attention_heads=2, head_dim=n_dims,
                             max_position_embeddings=int(original * scaling["factor"]),
                             rope_parameters=dict(scaling, rope_theta=base))
        inverse, magnitude = ROPE_INIT_FUNCTIONS[scaling["rope_type"]](config, "cpu")
        plain = 1.0 / base ** (torch.arange(0, n_dims, 2).float() / n_dims)
        cases.append(dict(name=name, n_dims=n_dims, base=base, scaling=scaling, magnitude=float(magnitude),
                          divisors=numbers(plain / inverse)))
    write(out, "rope.json", dict(versions=VERSIONS, cases=cases))


def main():
    out = sys.argv[1]
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    write_models(out)
    write_rope_fixture(out)


if __name__ == "__main__":
    main()
