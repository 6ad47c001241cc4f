# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for tests/unit/kernels, made with the `gguf` and `numpy` packages.

    python kernels.py OUTDIR                 writes OUTDIR/dequantize.txt
    python kernels.py OUTDIR --grids FILE    also writes the codebooks of the IQ formats as a C header

dequantize.txt: for every format some blocks of seeded random bytes with usable scales, some of edge bytes,
the bits of the float32 values of the first one, and a 64-bit FNV-1a hash over the bits of all of them.
"""
import argparse
import pathlib

import gguf
import numpy as np
from gguf import quants
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as T

SEED = 20260101
RANDOM_BLOCKS = 6

# Where a block keeps the half-precision numbers that scale it.
HALVES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82],
    "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ2_XXS": [0], "IQ2_XS": [0],
    "IQ2_S": [0], "IQ3_XXS": [0], "IQ3_S": [0], "IQ1_S": [0], "IQ4_NL": [0], "IQ4_XS": [0],
    "TQ1_0": [52], "TQ2_0": [64],
}
TYPES = ["F16", "BF16"] + list(HALVES) + ["IQ1_M", "MXFP4", "NVFP4"]


def set_scale(name, block, value):
    half = np.frombuffer(np.float16(value).tobytes(), dtype=np.uint8)
    for at in HALVES.get(name, []):
        block[at:at + 2] = half
    if name == "IQ1_M":  # a nibble in the top of each of four 16-bit scales
        bits = int(np.float16(value).view(np.uint16))
        for i in range(4):
            block[48 + 2 * i + 1] = (block[48 + 2 * i + 1] & 0x0F) | ((bits >> (4 * i) & 15) << 4)


def make_blocks(name, rng):
    elements, size = GGML_QUANT_SIZES[T[name]]
    if elements == 1:  # every half: 65536 values, NaN left out, whose payload is nobody's business
        values = np.arange(65536, dtype=np.uint16)
        with np.errstate(invalid="ignore"):
            floats = quants.dequantize(values.view(np.uint8), T[name]).reshape(-1)
        return values[~np.isnan(floats)].view(np.uint8).reshape(1, -1)
    blocks = [rng.integers(0, 256, size, dtype=np.uint8) for _ in range(RANDOM_BLOCKS)]
    for block in blocks:
        set_scale(name, block, rng.uniform(-2.0, 2.0))
    for byte, scale in ((0x00, 1.0), (0xFF, -0.333), (0x80, 6e-8), (0x7F, 65504.0), (0x0F, -0.0)):
        block = np.full(size, byte, dtype=np.uint8)
        set_scale(name, block, scale)
        blocks.append(block)
    return np.stack(blocks)


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def write_dequantize(path):
    rng = np.random.default_rng(SEED)
    lines = [f"# gguf {gguf_version()}, numpy {np.__version__}, seed {SEED}"]
    for name in TYPES:
        blocks = make_blocks(name, rng)
        floats = quants.dequantize(blocks, T[name]).astype(np.float32).reshape(blocks.shape[0], -1)
        elements, _ = GGML_QUANT_SIZES[T[name]]
        shown = floats.reshape(-1)[:elements if elements > 1 else 64]
        lines.append(f"type {name} {floats.size}")
        # All the halves need not be written down: the test counts through them too.
        lines.append("bytes " + (blocks.tobytes().hex() if elements > 1 else "all"))
        lines.append("floats " + " ".join(f"{v:x}" for v in shown.view(np.uint32)))
        lines.append(f"hash {fnv1a(floats.tobytes()):016x}")
    path.write_text("\n".join(lines) + "\n")


def gguf_version():
    from importlib.metadata import version
    return version("gguf")


def grid_words(name, bits):
    cls = getattr(quants, name)
    cls.init_grid()
    order = {value: code for code, value in enumerate(cls.grid_map)}
    rows = cls.grid.reshape(cls.grid_shape)
    return [sum(order[int(v)] << (bits * i) for i, v in enumerate(row)) for row in rows]


def write_grids(path):
    out = ["/* SPDX-License-Identifier: GPL-3.0-or-later */",
           "/* kernels/shared/iq-grids.h: the codebooks of the IQ formats, facts of the format. Written by",
           " * tests/reference/kernels.py. An entry packs eight codes of 2 bits, or four of 4, the first one",
           " * lowest; a code picks from the short list of values named beside its table. */",
           "#pragma once", "", '#include "portable.h"', "", "#include <stdint.h>", ""]
    for name in ("IQ1_S", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S"):
        words = grid_words(name, 4 if name.startswith("IQ3") else 2)
        values = ", ".join(str(v) for v in getattr(quants, name).grid_map)
        out.append(f"/* {values} */")
        out.append(f"ASSAY_TABLE uint16_t {name.lower()}_grid[{len(words)}] = {{")
        for i in range(0, len(words), 12):
            out.append("  " + " ".join(f"0x{w:04x}," for w in words[i:i + 12]))
        out.append("};")
        out.append("")
    path.write_text("\n".join(out[:-1]) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("--grids", type=pathlib.Path)
    args = parser.parse_args()
    args.outdir.mkdir(parents=True, exist_ok=True)
    write_dequantize(args.outdir / "dequantize.txt")
    if args.grids:
        write_grids(args.grids)


if __name__ == "__main__":
    main()
