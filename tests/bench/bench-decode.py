# SPDX-License-Identifier: GPL-3.0-or-later
"""Prompt and decode speed beside llama.cpp: the same file, threads, token ids and sitting, in turns.

  python bench-decode.py BENCH_DECODE MODEL.gguf [THREADS [ROUNDS]]

Without llama-cpp-python it prints this engine's speed alone. Each figure is the median over the rounds; the ratio is the
median of the rounds' ratios, for the machine drifts more between rounds than within one."""
import os
import statistics
import subprocess
import sys
import time

PROMPT, DECODE = 512, 96


class Assay:
    def __init__(self, program, model, threads, *extra):
        self.child = subprocess.Popen([program, model, str(threads), str(PROMPT), str(DECODE), *extra], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.name = "assay (" + self.child.stdout.readline().strip() + ")"

    def round(self):
        self.child.stdin.write("go\n")
        self.child.stdin.flush()
        return tuple(float(x) for x in self.child.stdout.readline().split())

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class LlamaCpp:
    def __init__(self, model, threads):
        import ctypes
        import llama_cpp
        self.api = llama_cpp
        self.name = f"llama.cpp (llama-cpp-python {llama_cpp.__version__})"
        self.llama = llama_cpp.Llama(model, n_ctx=PROMPT + DECODE, n_batch=PROMPT, n_ubatch=PROMPT, n_threads=threads,
                                     n_threads_batch=threads, flash_attn=True, verbose=False)
        n_vocab = self.llama.n_vocab()
        ids = [1000 + i * 7919 % (n_vocab - 1000) for i in range(PROMPT + DECODE)]
        self.tokens = (ctypes.c_int32 * len(ids))(*ids)
        self.one = [(ctypes.c_int32 * 1)(i) for i in ids]

    def decode(self, tokens, n):
        if self.api.llama_decode(self.llama.ctx, self.api.llama_batch_get_one(tokens, n)) != 0:
            sys.exit("llama_decode failed")
        self.api.llama_get_logits_ith(self.llama.ctx, -1)   # waits for the result

    def forget(self):
        self.api.llama_memory_clear(self.api.llama_get_memory(self.llama.ctx), True)

    def round(self):
        self.forget()
        start = time.perf_counter()
        self.decode(self.tokens, PROMPT)
        prompt = PROMPT / (time.perf_counter() - start)
        self.forget()
        start = time.perf_counter()
        for i in range(DECODE):
            self.decode(self.one[i], 1)
        return prompt, DECODE / (time.perf_counter() - start)

    def close(self):
        self.llama.close()


def main():
    program, model = sys.argv[1:3]
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else len(os.sched_getaffinity(0))
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 7
    engines = [Assay(program, model, threads)]
    try:
        engines.append(LlamaCpp(model, threads))
    except ImportError:
        print("llama-cpp-python is not here (give its Python as REFERENCE_PYTHON): this engine alone")
    for e in engines:
        e.round()                                            # warm-up: pages, caches, clocks
    results = [[] for _ in engines]
    for _ in range(rounds):
        for e, r in zip(engines, results):
            r.append(e.round())
    print(f"{os.path.basename(model)}, {threads} threads, {rounds} rounds in turns")
    for what, at in (("prompt", 0), ("decode", 1)):
        n = PROMPT if at == 0 else DECODE
        for e, r in zip(engines, results):
            values = [x[at] for x in r]
            print(f"{what} {n:4d} tokens {statistics.median(values):9.1f} tok/s "
                  f"({min(values):.1f} to {max(values):.1f})  {e.name}")
        if len(engines) > 1:
            ratio = statistics.median(a[at] / b[at] for a, b in zip(*results))
            print(f"{what} ratio {ratio:.2f}")
    for e in engines:
        e.close()


main()
