# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the fixtures of the adapters' tests: LoRA adapters for the tiny models of families.py, and what transformers
with PEFT computes with them.

  python lora.py OUTDIR

Each adapter is saved by PEFT, as a folder, and where its settings can be said there (one alpha for all modules) as a
GGUF file, as the public converter writes it: names by the gguf package's own table, rows of B for llama's q and k in the
order that the model's rows have there. A's and B's are random, B's large enough that logits move by a tenth and more.

Logits are those of families.py's prompts, in float32. Seeded and single threaded; the versions of the packages are
written into the fixtures."""
import os
import shutil
import sys

import gguf
import numpy as np
import peft
import torch
import transformers
from peft import LoraConfig, get_peft_model

from families import VERSIONS, logits_of, permute, prompt_ids, random_model, specs, write

LLAMA_MODULES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
ADAPTERS = (
    dict(name="llama-plain", base="llama", gguf=True,
         config=dict(r=4, lora_alpha=8, target_modules=LLAMA_MODULES,
                     rank_pattern={"model.layers.1.self_attn.q_proj": 2, "down_proj": 6})),
    # alpha / sqrt (r), and patterns: a name, and an expression
    dict(name="llama-tuned", base="llama", gguf=False,
         config=dict(r=3, lora_alpha=2, use_rslora=True, target_modules=["q_proj", "v_proj", "o_proj"],
                     rank_pattern={r"layers\.0\.self_attn\.[qv]_proj": 5},
                     alpha_pattern={"^model.layers.1.self_attn.o_proj": 1})),
    dict(name="qwen2-plain", base="qwen2", gguf=True,
         config=dict(r=2, lora_alpha=3, target_modules=["q_proj", "k_proj", "gate_proj", "down_proj"])),
    dict(name="gpt2-plain", base="gpt2", gguf=True,
         config=dict(r=2, lora_alpha=4, target_modules=["c_attn", "c_proj", "c_fc"], fan_in_fan_out=True)),
    dict(name="phi3-plain", base="phi3", gguf=True,
         config=dict(r=2, lora_alpha=4, target_modules=["qkv_proj", "o_proj", "gate_up_proj", "down_proj"])),
)
CASES = (
    dict(base="llama", adapters=[("llama-plain", 1.0)]),
    dict(base="llama", adapters=[("llama-plain", -0.5)]),
    dict(base="llama", adapters=[("llama-tuned", 1.0)]),
    dict(base="llama", adapters=[("llama-plain", 0.75), ("llama-tuned", -1.5)]),
    dict(base="qwen2", adapters=[("qwen2-plain", 1.0)]),
    dict(base="gpt2", adapters=[("gpt2-plain", 1.0)]),
    dict(base="phi3", adapters=[("phi3-plain", 1.0)]),
)


def adapted(spec, names):
    """The base with these adapters beside it, none of them at work yet."""
    model = random_model(spec)
    for i, name in enumerate(names):
        config = LoraConfig(task_type="CAUSAL_LM", **next(a for a in ADAPTERS if a["name"] == name)["config"])
        if i == 0:
            model = get_peft_model(model, config, adapter_name=name)
        else:
            model.add_adapter(name, config)
    for name in names:
        generator = torch.Generator().manual_seed(sum(map(ord, name)))
        with torch.no_grad():
            for key, p in sorted(model.named_parameters()):
                if f".{name}." in key:
                    spread = 0.5 if "lora_B" in key else 1.0 / p.shape[-1] ** 0.5
                    p.copy_(torch.randn(p.shape, generator=generator) * spread)
    return model.eval()


def save_folder(model, name, out):
    model.save_pretrained(out, selected_adapters=[name])
    made = os.path.join(out, name)
    for extra in set(os.listdir(made)) - {"adapter_config.json", "adapter_model.safetensors"}:
        os.remove(os.path.join(made, extra))
    left = os.path.join(out, "README.md")
    if os.path.exists(left):
        os.remove(left)


def save_gguf(model, spec, adapter, path):
    architecture = {v: k for k, v in gguf.MODEL_ARCH_NAMES.items()}[spec["arch"]]
    names = gguf.get_tensor_name_map(architecture, spec["config"].num_hidden_layers)
    writer = gguf.GGUFWriter(path, spec["arch"])
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, float(adapter["config"]["lora_alpha"]))
    for key, p in model.named_parameters():
        if f".{adapter['name']}." not in key:
            continue
        module, which = key.removeprefix("base_model.model.").split(".lora_")
        array = p.detach().numpy().copy()
        if which.startswith("B") and spec["arch"] == "llama" and module.endswith(("q_proj", "k_proj")):
            c = spec["config"]
            array = permute(array, c.num_attention_heads if module.endswith("q_proj") else c.num_key_value_heads)
        writer.add_tensor(f"{names.get_name(module)}.weight.lora_{which[0].lower()}", array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def case_logits(spec, case, ids):
    names = [name for name, _ in case["adapters"]]
    plain = logits_of(random_model(spec), ids)
    model = adapted(spec, names)
    for module in model.modules():
        for name, scale in case["adapters"]:
            if isinstance(getattr(module, "scaling", None), dict) and name in module.scaling:
                module.scaling[name] *= scale
    model.base_model.set_adapter(names)
    at = logits_of(model, ids)
    for a, b in zip(plain, at):
        moved = np.linalg.norm(np.subtract(a["logits"], b["logits"])) / np.linalg.norm(a["logits"])
        assert moved > 0.1, (names, moved)
    return at


def main():
    out = sys.argv[1]
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    transformers.logging.set_verbosity_error()
    by_name = {spec["name"]: spec for spec in specs()}
    for adapter in ADAPTERS:
        spec = by_name[adapter["base"]]
        model = adapted(spec, [adapter["name"]])
        save_folder(model, adapter["name"], out)
        if adapter["gguf"]:
            save_gguf(model, spec, adapter, os.path.join(out, adapter["name"] + ".gguf"))
    ids = prompt_ids()
    cases = [dict(base=c["base"], adapters=[dict(name=n, scale=s, gguf=next(a for a in ADAPTERS if a["name"] == n)["gguf"])
                                            for n, s in c["adapters"]],
                  at=case_logits(by_name[c["base"]], c, ids)) for c in CASES]
    write(out, "lora.json", dict(versions=dict(VERSIONS, peft=peft.__version__), ids=ids, cases=cases))


if __name__ == "__main__":
    main()
