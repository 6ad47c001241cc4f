# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for tests/unit/kernels/test-vectorwise.c: linear layers as bitsandbytes' LLM.int8() computes them.

    python int8.py OUTDIR                    writes OUTDIR/int8.txt

Each case is a layer of seeded weights and some tokens, with planted outliers; hexadecimal words throughout:
the int8 codes and scales that bitsandbytes makes of the weights, the activations, bias and result as float32,
and beside them the result of the same layer in float64.
"""
import pathlib
import sys
from importlib.metadata import version

import bitsandbytes
import numpy as np
import torch

SEED = 20260214
THRESHOLD = 6.0
TYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32}
# n, rows, tokens, and the planted outliers: (token, column, value)
CASES = [
    (64, 8, 1, []),
    (67, 37, 3, []),
    (67, 5, 1, [(0, 3, 9.5)]),
    (160, 21, 9, [(0, 5, 40.0), (4, 5, -7.25), (8, 100, 6.0), (3, 159, -5.998), (2, 7, 5.99)]),
    (96, 12, 6, [(t, c, 20.0 + t + c) for t in (1, 4) for c in range(3, 80, 2)]),
    (130, 9, 70, [(66, 129, -300.0)]),
]


def words(tensor):
    return tensor.to(torch.float32).contiguous().numpy().view(np.uint32).tobytes().hex()


def make_case(generator, name, n, rows, tokens, outliers):
    dtype = TYPES[name]
    weight = (torch.randn(rows, n, generator=generator) * 0.08).to(torch.float16)
    bias = (torch.randn(rows, generator=generator) * 0.5).to(dtype)
    x = torch.randn(tokens, n, generator=generator).clamp(-5, 5)
    for token, column, value in outliers:
        x[token, column] = value
    x = x.to(dtype)
    state = bitsandbytes.MatmulLtState()
    state.threshold = THRESHOLD
    state.has_fp16_weights = False
    state.is_training = False
    codes, scales, _ = bitsandbytes.functional.int8_vectorwise_quant(weight)
    state.CB, state.SCB = codes, scales
    with torch.no_grad():
        y = bitsandbytes.matmul(x, codes, state=state, bias=bias)
    exact = x.double() @ weight.double().t() + bias.double()
    found = 0 if state.idx is None else state.idx.numel()
    return [f"case {name} {n} {rows} {tokens} {found}", "codes " + codes.numpy().tobytes().hex(),
            "scales " + words(scales), "bias " + words(bias), "x " + words(x), "y " + words(y),
            "exact " + words(exact)]


def main():
    outdir = pathlib.Path(sys.argv[1])
    outdir.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(SEED)
    lines = [f"# bitsandbytes {version('bitsandbytes')}, torch {version('torch')}, seed {SEED}"]
    for name in TYPES:
        for case in CASES:
            lines += make_case(generator, name, *case)
    (outdir / "int8.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
