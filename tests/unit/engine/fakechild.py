#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A child process that behaves as its prompt says: the name of a function below. Standard library only."""
import ctypes
import os
import signal
import struct
import sys
import time
import warnings
import zlib

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.environ["ASSAY_SOURCE_ROOT"], "data", "runtimes"))
RAW = os.dup(1)
import assay_protocol as assay  # noqa: E402

os.dup2(RAW, 1)  # these children speak for themselves
MIB = 1 << 20


def say(*lines):
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def hold(mebibytes):
    """Anonymous memory that is really there."""
    block = bytearray(mebibytes * MIB)
    for i in range(0, len(block), 4096):
        block[i] = 1
    return block


def png(path, width, height, pixel):
    rows = b"".join(b"\0" + b"".join(pixel(x, y) for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        packed = zlib.compress(rows)
        for i in range(0, len(packed), 1000):
            file.write(chunk(b"IDAT", packed[i:i + 1000]))
        file.write(chunk(b"IEND", b""))


def well(told, questions):
    say("version: fake 1.0", "phase: load", "context_length: 32", "generator_device: cpu", "seed: 7")
    for name, text in questions:
        say(f"question: {name}", "phase: prompt", "input_tokens: 5", "phase: generate")
        for step, piece in enumerate(["Weighed", " and\\nfound", " " + assay.escape(text)], 1):
            say(f"step: {step}", "text: " + piece)
        say("output_tokens: 3", "finish: length", "progress: 0.5")


def echo(told, questions):
    say(*(assay.escape(f"text: {key}={told.get(key)};") for key in ("model_path", "max_tokens", "run_id", "system_prompt", "prompt")))


def grow(told, questions):
    say("phase: load", "vram_allocated: 5000", "phase: generate", "vram_allocated: 900", "vram_allocated: 1200", "text: x")


def moved_first(told, questions):
    say("phase: load", "offload_api: to_cuda", "pipeline_moved_to_cuda: true", "offload_api: enable_sequential_cpu_offload",
        "phase: generate", "text: x")


def three_memories(told, questions):
    say("memory_source: torch 2.9", "peak_vram: 0", "peak_vram_reserved: 11.6 GiB", "peak_vram_process: 12.4 GiB", "text: x")


def units(told, questions):
    say("peak_vram: 15006 MiB", "peak_vram_reserved: 16726 MB", "peak_vram_process: 1,5 GB", "peak_vram_device: 4096", "text: x")


def family(told, questions):
    """Three that have 96 MiB each, one after another, and keep 16 of them until the last has had its turn."""
    turn, over, end = os.pipe(), os.pipe(), os.pipe()
    os.write(turn[1], b"t")
    pids = []
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            os.close(end[1])
            os.read(turn[0], 1)
            block = hold(96)
            time.sleep(0.3)
            del block
            small = hold(16)
            os.write(turn[1], b"t")
            os.write(over[1], b"o")
            os.read(end[0], 1)
            os._exit(len(small) & 0)
        pids.append(pid)
    mine = hold(16)
    for _ in pids:
        os.read(over[0], 1)
    os.close(end[1])
    for pid in pids:
        os.waitpid(pid, 0)
    say("phase: generate", f"text: {len(mine)}")


def runs_out_of_device(told, questions):
    say("phase: load", "phase: generate", "step: 1")
    sys.stderr.write("Traceback (most recent call last):\n  File x\n"
                     "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 is full.\n"
                     "Access to model is restricted? Log in with a token.\n")
    sys.exit(1)


def tells_why(told, questions):
    say("phase: load", "status: oom_device", "error: 11.6 GiB were not enough", "failed_request: 2 GiB")
    sys.exit(0)


def takes_too_much(told, questions):
    with open("/proc/self/cgroup", encoding="ascii") as file:
        say("warning: " + file.read().replace("\n", " "))
    say("phase: load")
    held = []
    while True:
        held.append(hold(8))


def black(told, questions):
    sys.stderr.write("image_processor.py:147: RuntimeWarning: invalid value encountered in cast\n")
    png(os.path.join(told["output_folder"], "out.png"), 1024, 1024, lambda x, y: b"\0\0\0")
    say("phase: denoise", "step: 20", "image: out.png")


def picture(told, questions):
    png("out.png", 64, 48, lambda x, y: bytes((x, y, 200)))  # its working folder is the output folder
    say("phase: denoise", "image: out.png")


def half_a_picture(told, questions):
    png("whole.png", 64, 48, lambda x, y: b"\1\2\3")
    with open("whole.png", "rb") as whole, open("out.png", "wb") as out:
        out.write(whole.read()[:60])
    say("image: out.png")


def someone_elses_picture(told, questions):
    say("image: ../secret.png")


def repeats(told, questions):
    say("phase: generate", "text: " + "G" * 100)


def floods(told, questions):
    block = b"\xff\xfe nothing that anybody asked for \x00 ....................................\n" * 1000
    for _ in range(800):
        os.write(1, block)
    say("text: still here")


def endless_line(told, questions):
    for _ in range(600):
        os.write(1, b"x" * 65536)
    say("", "text: after it")


def speaks_to_stderr_first(told, questions):
    os.write(2, b"e" * 70000 + b"\n")
    os.write(1, b"text: one\r\ntext:  two\\\\\ntext: \x00\xff\x1b[31mred\ntext: half a li")


def nothing(told, questions):
    pass


def answers_half(told, questions):
    say(f"question: {questions[0][0]}", "text: only this")


def closes_early(told, questions):
    say("text: closed")
    os.close(1)
    os.close(2)
    time.sleep(0.5)
    sys.stdout = sys.stderr = None
    os._exit(0)


def never_ends(told, questions):
    say("phase: generate", "text: begun")
    while True:
        time.sleep(60)


def will_not_end(told, questions):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    never_ends(told, questions)


def leaves_somebody(told, questions):
    """Forks twice, with a session of its own, and lets the last one hold the pipes."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            ctypes.CDLL(None).prctl(15, b"VLLM::Engine", 0, 0, 0)
            time.sleep(600)
        os._exit(0)
    time.sleep(0.2)
    say("text: gone")


def leaves_somebody_and_stays(told, questions):
    pid = os.fork()
    if pid == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    with open(os.environ["ASSAY_TEST_MARK"] + ".new", "w", encoding="ascii") as file:
        file.write(f"{os.getpid()} {pid}")
    os.rename(os.environ["ASSAY_TEST_MARK"] + ".new", os.environ["ASSAY_TEST_MARK"])
    time.sleep(600)


def fails(told, questions):
    say("phase: generate", "text: partly")
    for i in range(80):
        sys.stderr.write(f"line {i}\n")
    sys.stderr.write("dotnet not found\n")
    sys.exit(3)


def breaks(told, questions):
    say("phase: generate", "text: a table")
    os.kill(os.getpid(), signal.SIGSEGV)


def prints_a_secret(told, questions):
    sys.stderr.write("warning: using " + os.environ["HF_TOKEN"] + "\n")
    say("text: ok")


warnings.simplefilter("ignore")
TOLD = assay.Told()
globals()[TOLD.questions[0][1].split()[0]](TOLD.values, TOLD.questions)
