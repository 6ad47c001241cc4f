#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What transformers' classes make of a config.json, and what the gguf package calls their tensors.

  python hf-config.py OUTDIR            writes the fixtures (tests/data/hf-config)

Needs transformers, torch and gguf. Deterministic. cases.json: texts of config.json, in the form of transformers 4, of 5, and
with defaults left out; beside each, the GGUF keys and values that follow from the attributes of the class that read it.
names.json: of a tiny model of each class, the names it saves, GGUF's names, which are stored transposed (Conv1D) and which
norms stand for 1 + w.
"""
import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ["TRANSFORMERS_VERBOSITY"] = "error"

import gguf
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM, Gemma3ForConditionalGeneration
from transformers.pytorch_utils import Conv1D

ARCHITECTURES = {"llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "gemma2": "gemma2", "gemma3_text": "gemma3",
                 "gemma3": "gemma3", "gpt2": "gpt2", "phi3": "phi3"}
LLAMA31 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
SHORT, LONG = [1.0 + i / 10 for i in range(48)], [1.5 + i for i in range(48)]
PHI3 = {"model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "max_position_embeddings": 131072,
        "original_max_position_embeddings": 4096}
CASES = [
    ("llama-defaults", {"model_type": "llama"}),
    ("llama-2-7b", {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 11008,
                    "num_attention_heads": 32, "num_hidden_layers": 32, "max_position_embeddings": 4096, "rms_norm_eps": 1e-05,
                    "rope_scaling": None, "vocab_size": 32000, "torch_dtype": "float16", "pretraining_tp": 1}),
    ("llama-3.1-v4", {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "rope_theta": 500000.0,
                      "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", **LLAMA31}}),
    ("llama-3.2-v5", {"model_type": "llama", "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64,
                      "max_position_embeddings": 131072, "tie_word_embeddings": True,
                      "rope_parameters": {"rope_type": "llama3", "rope_theta": 500000.0, **LLAMA31, "factor": 32.0}}),
    ("llama-linear", {"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 4.0}}),
    ("llama-dynamic", {"model_type": "llama", "rope_scaling": {"type": "dynamic", "factor": 2.0}}),
    ("llama-yarn", {"model_type": "llama", "max_position_embeddings": 65536, "rope_scaling": {"rope_type": "yarn", "factor": 16.0,
                    "original_max_position_embeddings": 4096, "beta_fast": 16, "beta_slow": 2, "truncate": False}}),
    ("llama-yarn-mscale", {"model_type": "llama", "max_position_embeddings": 163840, "rope_scaling": {"type": "yarn", "factor": 40,
                           "original_max_position_embeddings": 4096, "mscale": 0.707, "mscale_all_dim": 1.0}}),
    ("llama-yarn-factor", {"model_type": "llama", "max_position_embeddings": 8192, "rope_scaling": {"type": "yarn", "factor": 4.0,
                           "original_max_position_embeddings": 2048, "attention_factor": 1.25}}),
    ("mistral-defaults", {"model_type": "mistral"}),
    ("mistral-no-window", {"model_type": "mistral", "sliding_window": None, "rope_theta": 1000000.0, "head_dim": 160, "vocab_size": 32768}),
    ("qwen2-defaults", {"model_type": "qwen2"}),
    ("qwen2.5-0.5b", {"model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "max_window_layers": 21, "num_attention_heads": 14,
                      "num_hidden_layers": 24, "num_key_value_heads": 2, "rope_theta": 1000000.0, "sliding_window": 32768,
                      "tie_word_embeddings": True, "use_mrope": False, "use_sliding_window": False}),
    ("qwen2-sliding", {"model_type": "qwen2", "num_hidden_layers": 6, "use_sliding_window": True, "sliding_window": 512, "max_window_layers": 4}),
    ("qwen2-types", {"model_type": "qwen2", "num_hidden_layers": 3, "use_sliding_window": True, "sliding_window": 256,
                     "layer_types": ["full_attention", "sliding_attention", "full_attention"]}),
    ("qwen3-defaults", {"model_type": "qwen3"}),
    ("qwen3-0.6b", {"model_type": "qwen3", "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
                    "max_position_embeddings": 40960, "rope_theta": 1000000, "rope_scaling": None}),
    ("qwen3-yarn", {"model_type": "qwen3", "max_position_embeddings": 40960,
                    "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}}),
    ("gemma2-defaults", {"model_type": "gemma2"}),
    ("gemma2-27b", {"model_type": "gemma2", "hidden_size": 4608, "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128,
                    "num_hidden_layers": 46, "query_pre_attn_scalar": 144, "hidden_act": "gelu_pytorch_tanh", "cache_implementation": "hybrid"}),
    ("gemma2-no-caps", {"model_type": "gemma2", "num_hidden_layers": 2, "attn_logit_softcapping": None, "final_logit_softcapping": None,
                        "layer_types": ["full_attention", "sliding_attention"], "sliding_window": 128}),
    ("gemma3-1b", {"model_type": "gemma3_text", "hidden_size": 1152, "intermediate_size": 6912, "num_hidden_layers": 26, "num_attention_heads": 4,
                   "num_key_value_heads": 1, "head_dim": 256, "rope_local_base_freq": 10000, "rope_theta": 1000000, "rope_scaling": None,
                   "sliding_window": 512, "sliding_window_pattern": 6, "vocab_size": 262144, "final_logit_softcapping": None}),
    ("gemma3-pattern", {"model_type": "gemma3_text", "num_hidden_layers": 7, "sliding_window_pattern": 3, "final_logit_softcapping": 30.0}),
    ("gemma3-4b", {"model_type": "gemma3", "eos_token_id": [1, 106], "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
                   "model_type": "gemma3_text", "num_hidden_layers": 34, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
                   "sliding_window": 1024}, "vision_config": {"hidden_size": 1152, "model_type": "siglip_vision_model"}}),
    ("gemma3-v5", {"model_type": "gemma3_text", "num_hidden_layers": 6, "rope_parameters": {
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 2000000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 20000.0}}}),
    ("gpt2-defaults", {"model_type": "gpt2"}),
    ("gpt2-odd", {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 3, "n_inner": 100, "n_positions": 128, "n_ctx": 128,
                  "layer_norm_epsilon": 1e-6, "scale_attn_weights": False, "activation_function": "gelu_new"}),
    ("phi3-defaults", {"model_type": "phi3"}),
    ("phi3-4k", {"model_type": "phi3", "sliding_window": 2047, "num_key_value_heads": 32, "rope_scaling": None, "auto_map": {"AutoConfig": "x.Y"}}),
    ("phi3-128k", {**PHI3, "sliding_window": 262144, "rope_scaling": {"long_factor": LONG, "short_factor": SHORT, "type": "longrope"}}),
    ("phi4-mini", {**PHI3, "num_attention_heads": 24, "num_key_value_heads": 8, "partial_rotary_factor": 0.75,
                   "rope_scaling": {"long_factor": LONG, "short_factor": SHORT, "type": "longrope"}}),
]


def rope_keys(config, text, arch, head_dim):
    parameters = text.rope_parameters
    own = {}
    if arch == "gemma3":
        own[arch + ".rope.freq_base_swa"] = parameters["sliding_attention"]["rope_theta"]
        parameters = parameters["full_attention"]
    kind = parameters["rope_type"]
    own[arch + ".rope.freq_base"] = parameters["rope_theta"]
    own[arch + ".rope.dimension_count"] = int(head_dim * parameters.get("partial_rotary_factor", 1.0))
    own["assay.rope.half_split"] = True if arch == "llama" else None
    if kind in ("default", "dynamic"):
        return {**own, arch + ".rope.scaling.type": None}, text.max_position_embeddings
    original = parameters.get("original_max_position_embeddings")
    factor = parameters.get("factor") or text.max_position_embeddings / original
    own[arch + ".rope.scaling.type"] = kind
    own[arch + ".rope.scaling.factor"] = factor
    own[arch + ".rope.scaling.original_context_length"] = original
    for ours, theirs in (("assay.rope.low_freq_factor", "low_freq_factor"), ("assay.rope.high_freq_factor", "high_freq_factor"),
                         ("assay.rope.short_factor", "short_factor"), ("assay.rope.long_factor", "long_factor"),
                         (arch + ".rope.scaling.yarn_beta_fast", "beta_fast"), (arch + ".rope.scaling.yarn_beta_slow", "beta_slow"),
                         ("assay.rope.truncate", "truncate")):
        own[ours] = parameters.get(theirs)
    if parameters.get("attention_factor") or parameters.get("mscale"):
        _, magnitude = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS[kind](text, "cpu")
        own["assay.rope.attention_factor"] = magnitude
    return own, max(text.max_position_embeddings, int(original * factor)) if kind == "yarn" else text.max_position_embeddings


def window_keys(text, arch):
    window, types = getattr(text, "sliding_window", None), getattr(text, "layer_types", None)
    if text.model_type in ("llama", "gpt2"):
        window = None
    if types is None or text.model_type in ("mistral", "phi3"):
        return {arch + ".attention.sliding_window": window, arch + ".attention.sliding_window_pattern": None}
    slides = [t == "sliding_attention" for t in types]
    if not any(slides):
        return {arch + ".attention.sliding_window_pattern": None}
    return {arch + ".attention.sliding_window": window, arch + ".attention.sliding_window_pattern": slides}


def expected(written):
    config = AutoConfig.for_model(written["model_type"]).__class__.from_dict(written)
    text = config.get_text_config()
    arch = ARCHITECTURES[written["model_type"]]
    head_dim = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    keys = {"general.architecture": arch, arch + ".block_count": text.num_hidden_layers, arch + ".embedding_length": text.hidden_size,
            arch + ".attention.head_count": text.num_attention_heads, arch + ".vocab_size": text.vocab_size, **window_keys(text, arch)}
    if arch == "gpt2":
        keys.update({"gpt2.feed_forward_length": text.n_inner or 4 * text.n_embd, "gpt2.context_length": text.n_positions,
                     "gpt2.attention.layer_norm_epsilon": text.layer_norm_epsilon,
                     "gpt2.attention.scale": None if text.scale_attn_weights else 1.0, "gpt2.rope.freq_base": None})
        return keys
    rope, context = rope_keys(config, text, arch, head_dim)
    keys.update({arch + ".feed_forward_length": text.intermediate_size, arch + ".context_length": context,
                 arch + ".attention.layer_norm_rms_epsilon": text.rms_norm_eps, arch + ".attention.head_count_kv": text.num_key_value_heads,
                 arch + ".attention.key_length": head_dim, arch + ".attention.value_length": head_dim, **rope})
    if arch.startswith("gemma"):
        none = 0.0 if arch == "gemma2" else None
        keys.update({arch + ".attention.scale": text.query_pre_attn_scalar ** -0.5,
                     arch + ".attn_logit_softcapping": text.attn_logit_softcapping or none,
                     arch + ".final_logit_softcapping": text.final_logit_softcapping or none})
    return keys


def cases():
    for name, written in CASES:
        yield name, written
        # as today's transformers saves what it read
        config = AutoConfig.for_model(written["model_type"]).__class__.from_dict(written)
        yield name + "-saved", json.loads(config.to_json_string(use_diff=True))


TINY = {"hidden_size": 16, "intermediate_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 8,
        "head_dim": 8, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
VISION = {"hidden_size": 16, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 28, "patch_size": 14}


def models():
    for model_type in ("llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3_text", "phi3"):
        more = {"attention_bias": True, "mlp_bias": True} if model_type == "llama" else {}
        yield model_type, AutoModelForCausalLM.from_config(AutoConfig.for_model(model_type, **TINY, **more))
    yield "gpt2", AutoModelForCausalLM.from_config(AutoConfig.for_model("gpt2", n_embd=16, n_layer=2, n_head=2, vocab_size=8, n_positions=8))
    yield "gemma3", Gemma3ForConditionalGeneration(AutoConfig.for_model("gemma3", text_config=TINY, vision_config=VISION, mm_tokens_per_image=1))


def names_of(model_type, model):
    arch = ARCHITECTURES[model_type]
    number = next(a for a, n in gguf.MODEL_ARCH_NAMES.items() if n == arch)
    known = gguf.get_tensor_name_map(number, 2)
    modules = dict(model.named_modules())
    rows = []
    for name in sorted(model.state_dict()):
        if name == "lm_head.weight" and model.config.get_text_config().tie_word_embeddings:
            continue  # is not saved
        # gguf knows the names of the model alone
        bare = name.replace("model.language_model.", "model.")
        canonical = known.get_name(bare, try_suffixes=(".weight", ".bias"))
        module = modules[name.rsplit(".", 1)[0]]
        weight = name.endswith(".weight")
        rows.append([name, "" if "vision_tower" in name or "multi_modal" in name else canonical,
                     bool(weight and isinstance(module, Conv1D)), bool(weight and type(module).__name__ in ("Gemma2RMSNorm", "Gemma3RMSNorm"))])
    return {"model_type": model_type, "tensors": rows}


def main(outdir):
    made_by = "transformers %s, gguf 0.19.0, torch %s" % (transformers.__version__, torch.__version__)
    with open(os.path.join(outdir, "cases.json"), "w") as out:
        rows = [{"name": name, "config": written, "expected": expected(written)} for name, written in cases()]
        out.write("{\"made_by\": %s, \"cases\": [\n%s\n]}\n" % (json.dumps(made_by), ",\n".join(json.dumps(r, sort_keys=True) for r in rows)))
    with open(os.path.join(outdir, "names.json"), "w") as out:
        with torch.device("meta"):
            rows = [names_of(*pair) for pair in models()]
        out.write("{\"made_by\": %s, \"models\": [\n%s\n]}\n" % (json.dumps(made_by), ",\n".join(json.dumps(r) for r in rows)))


if __name__ == "__main__":
    main(sys.argv[1])
