# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the fixture of tests/unit/engine/test-quantize-folder.c: what Transformers with bitsandbytes saves.

  python quantize-folder.py OUTDIR

The tiny Mistral and GPT-2 (whose matrices are Conv1D's) of families.py, quantized while they are loaded, in each format,
and saved: of each tensor its format, shape and a hash of its bytes; of each quant_state what its text says."""
import hashlib
import json
import os
import shutil
import sys
import tempfile

import bitsandbytes
import torch
import transformers
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

from families import VERSIONS, random_model, specs, write, write_folder

MODELS = dict(mistral=torch.bfloat16, gpt2=torch.float16)  # as their files are stored
METHODS = ("nf4", "nf4-double", "fp4", "fp4-double", "int8")
NAMES = {torch.uint8: "U8", torch.int8: "I8", torch.float32: "F32", torch.bfloat16: "BF16", torch.float16: "F16"}


def config(method):
    if method == "int8":
        return BitsAndBytesConfig(load_in_8bit=True)
    return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=method[:3], bnb_4bit_compute_dtype=torch.bfloat16,
                              bnb_4bit_use_double_quant=method.endswith("double"))


def saved(source, method, dtype, work):
    model = AutoModelForCausalLM.from_pretrained(source, quantization_config=config(method), dtype=dtype,
                                                 device_map="cpu")
    folder = os.path.join(work, method)
    model.save_pretrained(folder)
    return load_file(os.path.join(folder, "model.safetensors"))


def described(tensors):
    out = {}
    for name, t in sorted(tensors.items()):
        raw = t.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        if ".quant_state." in name:
            out[name] = dict(state=json.loads(raw))
        else:
            out[name] = dict(dtype=NAMES[t.dtype], shape=list(t.shape), sha256=hashlib.sha256(raw).hexdigest()[:24])
    return out


def of_model(name, work):
    spec = next(s for s in specs() if s["name"] == name)
    source = os.path.join(work, name)
    write_folder(random_model(spec), spec, source)
    return {m: described(saved(source, m, MODELS[name], work)) for m in METHODS}


def main():
    out = sys.argv[1]
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    with tempfile.TemporaryDirectory() as work:
        models = {name: of_model(name, work) for name in MODELS}
    write(out, "bitsandbytes.json", dict(versions=dict(VERSIONS, bitsandbytes=bitsandbytes.__version__), models=models))


if __name__ == "__main__":
    main()
