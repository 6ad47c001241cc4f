#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults planted in copies of the CUDA sources, which the device tests must see. TAP.

Each is a line or two changed in one file; that file is compiled as the build compiles it, linked before the archive
that holds the right one, and the test named beside it must fail. A change that no longer applies is a failure too:
then the fault is to be planted anew.

    mutations.py BUILD SOURCE [NAME...]
"""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

# name, file to change, from, to, file to compile, test that must fail
MUTATIONS = [
    ("a removed barrier before a block's sum", "device.cuh",
     "    partial[warp] = value;\n  __syncthreads ();\n  return warp_sum (",
     "    partial[warp] = value;\n  return warp_sum (",
     "norm.cu", "rows"),
    ("a removed barrier between tiles of attention", "attention.cu",
     "      __syncthreads ();\n      attention_unpack (tile.chunk, job.v,",
     "      attention_unpack (tile.chunk, job.v,",
     "attention.cu", "attention"),
    ("a removed event wait of compute for a copy", "link.cu",
     '  CUDA_TRY (cuda_check (b, cudaStreamWaitEvent (self->compute_stream, copy->end, 0), "wait for a copy"));\n',
     "",
     "link.cu", "link"),
    ("a removed event wait of a copy for compute", "link.cu",
     '  CUDA_TRY (cuda_check (b, cudaStreamWaitEvent (self->copy_stream, copy->fence, 0), "copy"));\n',
     "",
     "link.cu", "link"),
    ("a bound one too far", "elementwise.cu",
     "threadIdx.x; i < n; i += stride)\n    y[i] += scale * x[i];",
     "threadIdx.x; i <= n; i += stride)\n    y[i] += scale * x[i];",
     "elementwise.cu", "rows"),
    ("an element left unwritten", "rows.cu",
     "      if (k < count)\n        y[k]",
     "      if (k + 1 < count)\n        y[k]",
     "rows.cu", "weights"),
    ("a scale wrong by a thousandth", "attention.cu",
     "  score *= job.scale;",
     "  score *= job.scale * 1.001f;",
     "attention.cu", "attention"),
]
CONTROL = ("no change at all", "norm.cu", "", "", "norm.cu", "rows")


class Broken(Exception):
    """The mutation cannot be made."""


def compile_command(build, unit):
    """As the build compiles the unit, from its own list."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            if entry["file"].endswith(unit) and "assay-cuda-emulated" in entry["output"]:
                return shlex.split(entry["command"])
    raise Broken(f"the build does not compile {unit}")


def link_command(build, test):
    """The last of ninja's commands for the test."""
    ninja = os.environ.get("NINJA", "ninja")
    target = f"tests/device/test-device-{test}"
    listed = subprocess.run([ninja, "-C", build, "-t", "commands", target], capture_output=True, text=True, check=True)
    return shlex.split(listed.stdout.strip().splitlines()[-1])


def replace_after(command, option, value):
    command[command.index(option) + 1] = value


def without_depfile(command):
    """Leaves the build's own dependency files alone."""
    kept, skip = [], False
    for word in command:
        if skip:
            skip = False
        elif word in ("-MQ", "-MF"):
            skip = True
        elif word != "-MD":
            kept.append(word)
    return kept


def change(folder, name, before, after):
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if before and text.count(before) != 1:
        raise Broken(f"{name} has {text.count(before)} places of:\n{before}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(before, after) if before else text)


def run(command, build):
    done = subprocess.run(command, cwd=build, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise Broken(done.stdout + done.stderr)


def mutate(build, source, folder, mutation):
    """Returns the finished run of the test with the fault in it."""
    _, file, before, after, unit, test = mutation
    shutil.copytree(os.path.join(source, "kernels", "cuda"), folder)
    change(folder, file, before, after)
    wrapper, built, program = (os.path.join(folder, name) for name in ("unit.cc", "unit.o", "test"))
    with open(wrapper, "w", encoding="utf-8") as out:
        out.write(f'#include "{os.path.join(folder, unit)}"\n')
    compiling = without_depfile(compile_command(build, f"unit-{os.path.splitext(unit)[0]}.cc"))
    replace_after(compiling, "-o", built)
    replace_after(compiling, "-c", wrapper)
    run(compiling, build)
    linking = link_command(build, test)
    replace_after(linking, "-o", program)
    linking.insert(linking.index("-o") + 2, built)
    run(linking, build)
    return subprocess.run([program, "--tap"], cwd=build, capture_output=True, text=True, timeout=300, check=False)


def outcome(build, source, mutation):
    """Whether the test failed as a test does; what it said."""
    with tempfile.TemporaryDirectory(prefix="assay-mutation-") as place:
        done = mutate(build, source, os.path.join(place, "cuda"), mutation)
    said = [line for line in (done.stdout + done.stderr).splitlines()
            if line.startswith(("not ok", "Bail out!", "# emulated device:"))]
    if (done.returncode != 0) != bool(said):
        raise Broken(f"the test ended with {done.returncode} and said:\n{done.stdout}{done.stderr}")
    return done.returncode != 0, said


def report(number, name, expected, build, source, mutation):
    try:
        failed, said = outcome(build, source, mutation)
    except (Broken, OSError, subprocess.SubprocessError) as error:
        failed, said = None, str(error).splitlines()
    for line in said[:12]:
        print(f"#   {line}")
    print(f"{'ok' if failed is expected else 'not ok'} {number} {name}", flush=True)
    return failed is expected


def main():
    build, source, wanted = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    cases = [(f"{CONTROL[0]} passes", False, CONTROL)] + [(f"{m[0]} is seen", True, m) for m in MUTATIONS]
    cases = [case for case in cases if not wanted or any(word in case[0] for word in wanted)]
    print(f"1..{len(cases)}", flush=True)
    right = [report(n, name, expected, build, source, m) for n, (name, expected, m) in enumerate(cases, 1)]
    return 0 if all(right) else 1


sys.exit(main())
