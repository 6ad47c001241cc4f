# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for tests/unit/kernels/test-quantize.c: what other implementations make of the same numbers.

    python quantize.py OUTDIR

cases.txt: matrices of numbers, seeded or spelled out, and 64-bit FNV-1a hashes of the bytes that the format's owner
packs them into and of the float32 values it reads back: bitsandbytes on the CPU for NF4, FP4 (also with double
quantization) and INT8, ggml (the library within llama-cpp-python) for its blocks, numpy and torch for 16-bit floats.
Zeros are hashed without sign, since bitsandbytes reads FP4's code 8 as +0 or -0 depending on the shape. PyTorch runs
with one thread: with more, the mean of the magnitudes, hence codes, may change.

weights.f16: rows of the default model's embedding, found as the tests find it. ggml.txt: the error (root of the mean
square) that ggml's own quantizer leaves on them.
"""
import ctypes
import os
import pathlib
import sys
from importlib.metadata import version

import gguf
import llama_cpp
import numpy as np
import torch
from bitsandbytes import functional
from gguf import quants
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as T

from kernels import fnv1a

BLOCKS = ("Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1")
SEARCHED = ("Q4_K", "Q5_K", "Q6_K")
WHOLE = ("nf4", "fp4", "nf4-double", "fp4-double", "int8")
SHAPES = ((1, 1), (1, 64), (7, 1), (3, 70), (5, 129), (300, 100))  # rows, elements
LARGE = (1100, 511)  # more than 8192 blocks: every level of PyTorch's sum
SAMPLE = (48, 768)


def seeded(seed, count):
    """Four draws a number, times 1 to 7: no two neighbours of the same size."""
    out, state = [], seed
    for _ in range(count):
        total = -(1 << 25)
        for _ in range(4):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            total += state >> 8
        out.append(total)
    factors = (np.arange(count) % 7 + 1).astype(np.float32)
    return np.array(out, dtype=np.int64).astype(np.float32) * np.float32(2.0**-28) * factors


def around(values):
    values = np.asarray(values, dtype=np.float32)
    return np.concatenate([values, np.nextafter(values, np.float32(2)), np.nextafter(values, np.float32(-2))])


def padded(values, count):
    return np.concatenate([values, np.zeros(count - len(values))]).astype(np.float32)


def borders(quant_type):
    code = np.sort(functional.get_4bit_type(quant_type, device="cpu").numpy())
    return (code[:-1] + code[1:]) / np.float32(2)


def spelled_out():
    """name: (rows, elements, values)"""
    rng = np.random.default_rng(20260101)
    edges = np.concatenate([
        padded(np.concatenate([[1.0], around(borders("nf4"))]), 64),
        padded(np.concatenate([[-1.0], around(borders("fp4"))]), 64),
        padded([-0.0, 0.0, -0.0], 64),
        padded([1e-40, -1e-39, 2e-39, -0.0, 5e-40], 18)])
    ties = np.float32([127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 0, -127,
                       0, 0, 0, 0, 0, -0.0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 65504])
    blocks = np.zeros((6, 256), dtype=np.float32)
    blocks[1] = 0.125
    blocks[2] = -3.5
    blocks[3, ::2], blocks[3, 1::2] = 65504, -65504
    blocks[4] = rng.normal(0, 1e-6, 256)
    blocks[5, 77] = -19.0
    bits = rng.integers(0, 1 << 32, 4096, dtype=np.uint32).view(np.float32)
    bits = bits[np.abs(bits) <= 65504]
    halves = rng.integers(0, 0x7BFF, 256, dtype=np.uint16).view(np.float16).astype(np.float32)
    between = (halves + np.nextafter(halves.astype(np.float16), np.float16(60000)).astype(np.float32)) / np.float32(2)
    plain = np.concatenate([bits[:256], between[:255], [-0.0]]).astype(np.float32)
    return {"edges": (3, 70, edges), "ties": (3, 10, ties), "blocks": (6, 256, blocks.reshape(-1)),
            "plain": (2, 256, plain)}


def part(array):
    data = array.detach().numpy().tobytes()
    return data + bytes(-len(data) % 64)


def bitsandbytes_pack(name, x):
    weight = torch.from_numpy(x)
    if name == "int8":
        codes, scale, _ = functional.int8_vectorwise_quant(weight.half())
        return part(codes) + part(scale), functional.int8_vectorwise_dequant(codes, scale).numpy()
    quant_type, double = name[:3], name.endswith("double")
    codes, state = functional.quantize_4bit(weight, blocksize=64, quant_type=quant_type, compress_statistics=double)
    parts = [codes.flatten(), state.absmax]
    if double:
        parts += [state.state2.absmax, state.offset.reshape(1)]
    values = functional.dequantize_4bit(codes, state, quant_type=quant_type).numpy()
    return b"".join(part(p) for p in parts), values


def ggml_library():
    library = ctypes.CDLL(str(next((pathlib.Path(llama_cpp.__file__).parent / "lib").glob("libggml-base.so"))))
    library.ggml_quantize_chunk.restype = ctypes.c_size_t
    library.ggml_quantize_chunk.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p] + [ctypes.c_int64] * 3 + [
        ctypes.c_void_p]
    return library


def ggml_pack(name, x):
    elements, size = GGML_QUANT_SIZES[T[name]]
    x = np.ascontiguousarray(x)
    out = np.zeros(x.size // elements * size, dtype=np.uint8)
    ggml_library().ggml_quantize_chunk(int(T[name]), x.ctypes.data, out.ctypes.data, 0, *x.shape, None)
    return out.tobytes(), quants.dequantize(out.reshape(x.shape[0], -1), T[name])


def plain_pack(name, x):
    if name == "F32":
        return x.tobytes(), x
    cast = torch.from_numpy(x).to(torch.float16 if name == "F16" else torch.bfloat16)
    return cast.view(torch.int16).numpy().tobytes(), cast.float().numpy()


def pack(name, x):
    if name in WHOLE:
        return bitsandbytes_pack(name, x)
    return ggml_pack(name, x) if name in BLOCKS else plain_pack(name, x)


def case(name, rows, n, source, values):
    data, floats = pack(name, values.reshape(rows, n).copy())
    floats = np.ascontiguousarray(floats, dtype=np.float32) + np.float32(0)
    return f"case {name} {rows} {n} {source} {fnv1a(data):016x} {fnv1a(floats.tobytes()):016x}"


def write_cases(path):
    lines = [f"# bitsandbytes {version('bitsandbytes')}, torch {torch.__version__}, numpy {np.__version__}, "
             f"llama-cpp-python {version('llama-cpp-python')}, gguf {version('gguf')}"]
    for seed, (rows, n) in enumerate(SHAPES):
        values = seeded(seed, rows * n)
        lines += [case(name, rows, n, f"seed {seed}", values) for name in WHOLE]
    values = seeded(99, LARGE[0] * LARGE[1])
    lines.append(case("nf4-double", *LARGE, "seed 99", values))
    lines += [case(name, 5, 512, "seed 7", seeded(7, 5 * 512)) for name in BLOCKS + ("F32", "F16", "BF16")]
    for source, (rows, n, values) in spelled_out().items():
        lines.append(f"values {source} " + " ".join(f"{v:x}" for v in values.view(np.uint32)))
        names = {"blocks": BLOCKS, "plain": ("F32", "F16", "BF16")}.get(source, WHOLE)
        lines += [case(name, rows, n, f"values {source}", values) for name in names]
    path.write_text("\n".join(lines) + "\n")


def default_model_rows():
    reader = gguf.GGUFReader(os.environ["ASSAY_DEFAULT_MODEL"])
    tensor = next(t for t in reader.tensors if t.name == "token_embd.weight")
    rows = quants.dequantize(tensor.data[1000:1064], tensor.tensor_type)
    return np.ascontiguousarray(rows.astype(np.float16).reshape(SAMPLE))


def write_errors(path, sample):
    x = sample.astype(np.float32)
    lines = [f"# llama-cpp-python {version('llama-cpp-python')}, gguf {version('gguf')}, {SAMPLE[0]} {SAMPLE[1]}"]
    for name in BLOCKS + SEARCHED:
        _, values = ggml_pack(name, x)
        error = np.sqrt(np.mean((values.astype(np.float64) - x) ** 2))
        lines.append(f"{name} {error:.9g}")
    path.write_text("\n".join(lines) + "\n")


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    write_cases(out / "cases.txt")
    sample = default_model_rows()
    (out / "weights.f16").write_bytes(sample.tobytes())
    write_errors(out / "ggml.txt", sample)


if __name__ == "__main__":
    main()
