# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the fixtures of tests/unit/engine/test-bnb-folder.c: folders that Transformers saved with matrices quantized by
bitsandbytes, and what it computes with them.

  python bnb-folder.py OUTDIR

Of tiny models of families.py, quantized while they are loaded and saved: the folder; a hash of each matrix as
bitsandbytes' own operations dequantize it to float32; and the logits of the last token that the
unquantized class computes in float32 with those matrices. GPT-2's are stored turned, Phi-3's are several in one."""
import hashlib
import os
import shutil
import sys
import tempfile

import bitsandbytes as bnb
import torch
import transformers
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

from families import VERSIONS, logits_of, prompt_ids, random_model, specs, write, write_folder, write_tokenizer

CASES = (("mistral", "nf4"), ("mistral", "nf4-double"), ("mistral", "fp4-double"), ("mistral", "int8"), ("gpt2", "nf4"),
         ("phi3", "fp4"), ("phi3", "nf4-double"), ("phi3", "int8"), ("llama", "nf4"))
KEPT = ("config.json", "model.safetensors")


def config(method):
    if method == "int8":
        return BitsAndBytesConfig(load_in_8bit=True)
    return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=method[:3],
                              bnb_4bit_compute_dtype=torch.bfloat16,
                              bnb_4bit_use_double_quant=method.endswith("double"))


def save(source, method, folder):
    model = AutoModelForCausalLM.from_pretrained(source, quantization_config=config(method), dtype=torch.bfloat16,
                                                 device_map="cpu")
    model.save_pretrained(folder)
    for extra in set(os.listdir(folder)) - set(KEPT):
        os.remove(os.path.join(folder, extra))
    write_tokenizer(folder)


def dequantized(tensors):
    """P.weight → float32, of the quantized ones."""
    out = {}
    for name, t in tensors.items():
        if ".quant_state." in name:
            owner = name[:name.index(".quant_state.")]
            parts = {k[len(owner) + 1:]: v for k, v in tensors.items() if k.startswith(owner + ".")}
            state = bnb.functional.QuantState.from_dict(parts, device=torch.device("cpu"))
            # As one row: by rows, the CPU's kernel takes the wrong absmax where blocks cross their borders.
            shape, state.dtype, state.shape = state.shape, torch.float32, torch.Size((1, state.shape.numel()))
            out[owner] = bnb.functional.dequantize_4bit(tensors[owner], state).reshape(shape)
        elif name.endswith(".SCB"):
            owner = name[:-len("SCB")] + "weight"
            out[owner] = bnb.functional.int8_vectorwise_dequant(tensors[owner], t)
    return out


def computed(spec, tensors, matrices):
    """The logits of the plain class with these matrices."""
    model = spec["model"](spec["config"]).float().eval()
    values = {k: v for k, v in tensors.items() if v.is_floating_point() and ".weight." not in k and not k.endswith(".SCB")}
    values.update({k: v.T if spec["arch"] == "gpt2" else v for k, v in matrices.items()})
    missing, unexpected = model.load_state_dict({k: v.float() for k, v in values.items()}, strict=False)
    assert not unexpected and set(missing) <= {"lm_head.weight"}, (missing, unexpected)
    model.tie_weights()
    return logits_of(model, prompt_ids())


def sha(t):
    return hashlib.sha256((t.float() + 0.0).contiguous().numpy().tobytes()).hexdigest()[:24]


def main():
    out = sys.argv[1]
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    cases = []
    with tempfile.TemporaryDirectory() as work:
        for family, method in CASES:
            spec = next(s for s in specs() if s["name"] == family)
            source, name = os.path.join(work, family), f"{family}-{method}"
            write_folder(random_model(spec), spec, source)
            folder = os.path.join(out, name)
            save(source, method, folder)
            tensors = load_file(os.path.join(folder, "model.safetensors"))
            matrices = dequantized(tensors)
            cases.append(dict(name=name, family=family, method=method, at=computed(spec, tensors, matrices),
                              matrices={k: sha(v) for k, v in sorted(matrices.items())}))
    write(out, "bnb-folder.json", dict(versions=dict(VERSIONS, bitsandbytes=bnb.__version__), ids=prompt_ids(),
                                         cases=cases))


if __name__ == "__main__":
    main()
