# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the fixture of tests/unit/engine/test-quantize.c: what llama.cpp's quantizer loses of the default model.

  python quantize-model.py OUTDIR [OURS.gguf METHOD …]

The default model, found as the tests find it, as float32; of each method the file that llama.cpp (llama-cpp-python) makes
of it, every matrix in that one format, and of each matrix the format it got and the squared error that it brought,
dequantized by the gguf package. Files named after OUTDIR, with the method each was made by, are compared with these by
the same measure, and printed instead of written."""
import ctypes
import json
import os
import shutil
import sys
import tempfile

import gguf
import llama_cpp
import numpy as np

from logits import dequantized

METHODS = {"q4_0": "Q4_0", "q4_1": "Q4_1", "q5_0": "Q5_0", "q5_1": "Q5_1", "q8_0": "Q8_0", "q4_k": "Q4_K_S",
           "q5_k": "Q5_K_S", "q6_k": "Q6_K"}


def quantized(source, method, path):
    options = llama_cpp.llama_model_quantize_default_params()
    options.ftype = getattr(llama_cpp, "LLAMA_FTYPE_MOSTLY_" + METHODS[method])
    options.pure = True
    options.nthread = 2
    if llama_cpp.llama_model_quantize(source.encode(), path.encode(), ctypes.byref(options)) != 0:
        sys.exit(f"llama.cpp did not make {method}")


def errors(source, path):
    """Of each matrix: the format, and the sum of squared differences."""
    made = {t.name: t for t in gguf.GGUFReader(path).tensors}
    out = {}
    for t in gguf.GGUFReader(source).tensors:
        if len(t.shape) < 2:
            continue
        values = gguf.quants.dequantize(made[t.name].data, made[t.name].tensor_type).reshape(-1)
        error = float(((values - t.data.reshape(-1)).astype(np.float64) ** 2).sum())
        out[t.name] = (made[t.name].tensor_type.name, error)
    return out


def compare(ours, theirs):
    total = [sum(e for _, e in each.values()) for each in (ours, theirs)]
    ratios = sorted(((ours[n][1] / e) ** 0.5, n) for n, (_, e) in theirs.items() if e > 0)
    same = all(ours[n][0] == theirs[n][0] for n in theirs)
    print(f"RMSE {(total[0] / total[1]) ** 0.5 if total[1] else 1:.5f} of llama.cpp's, a matrix "
          + (f"{ratios[0][0]:.5f} to {ratios[-1][0]:.5f} ({ratios[-1][1]})" if ratios else "without loss")
          + f", formats {'the same' if same else 'differ'}")


def main():
    out, ours = sys.argv[1], dict(zip(sys.argv[3::2], sys.argv[2::2]))
    work = tempfile.mkdtemp()
    try:
        source = os.path.join(work, "float32.gguf")
        dequantized(os.environ["ASSAY_DEFAULT_MODEL"], source)
        theirs = {}
        for method in ours or METHODS:
            path = os.path.join(work, method + ".gguf")
            quantized(source, method, path)
            theirs[method] = errors(source, path)
            os.remove(path)
            if ours:
                print(method, end=": ")
                compare(errors(source, ours[method]), theirs[method])
        if ours:
            return
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        names = list(theirs["q8_0"])
        data = dict(versions={p.__name__: p.__version__ for p in (gguf_version(), llama_cpp, np)}, names=names,
                    methods={m: dict(formats=[e[n][0] for n in names], errors=[float(f"{e[n][1]:.6g}") for n in names])
                             for m, e in theirs.items()})
        with open(os.path.join(out, "errors.json"), "w", encoding="utf-8") as f:
            json.dump(data, f, separators=(",", ":"))
            f.write("\n")
    finally:
        shutil.rmtree(work)


def gguf_version():
    from importlib.metadata import version
    gguf.__version__ = version("gguf")
    return gguf


if __name__ == "__main__":
    main()
