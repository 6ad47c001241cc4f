# SPDX-License-Identifier: GPL-3.0-or-later
"""What a card would have to be: peak memory, time and speed by offload mode, quantization and link.

  python bench-offload.py ASSAY MODEL [TOKENS]

Each row is one run of the default model on the virtual device: computing is this machine's, memory and transfers are those
of a card behind a link of that speed. The ratio is to the same quantization without offload, in the same sitting."""
import json
import os
import subprocess
import sys
import tempfile

GB = 1_000_000_000
LINKS = (3, 12, 25, 50)
MODES = (("none",), ("model",), ("group", "offload_granularity=4"), ("group", "offload_granularity=1"), ("sequential",))
QUANTIZATIONS = ("none", "Q8_0", "Q4_1", "nf4")


def run(assay, ledger, settings, prompt="Name three metals and say what each is used for."):
    command = [assay, "run", "--json", "--ledger", ledger, "--prompt", prompt]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)["burden"]


def number(burden, name):
    entry = burden.get(name)
    return entry["value"] if isinstance(entry, dict) else entry


def row(label, link, burden, fastest):
    tokens = number(burden, "generate_tokens_per_second")
    peak = number(burden, "peak_vram") / 2**20
    moved = number(burden, "link_pass_bytes") / 2**20
    stall = number(burden, "link_stall_seconds")
    print(f"{label:<24} {link:>7} {peak:>10.1f} {moved:>10.1f} {number(burden, 'prompt_seconds'):>9.3f} "
          f"{tokens:>9.1f} {stall:>9.3f} {tokens / fastest:>7.2f}×", flush=True)


def table(assay, model, tokens, folder, quantization):
    common = [f"model_path={model}", "device=virtual", f"quantization={quantization}", f"max_tokens={tokens}",
              "context_length=512", "dtype=float16", "weight_access=read"]
    fastest = None
    for mode in MODES:
        for link in LINKS:
            settings = common + [f"offload_mode={mode[0]}", f"link_bandwidth={link * GB}", *mode[1:]]
            burden = run(assay, os.path.join(folder, "bench.ledger.xml"), settings)
            fastest = fastest or number(burden, "generate_tokens_per_second")
            label = f"{quantization} {mode[0]}" + (f" of {mode[1].split('=')[1]}" if len(mode) > 1 else "")
            row(label, f"{link} GB/s", burden, fastest)
            if mode[0] == "none":
                break  # nothing moves while it runs


def overlap(assay, model, folder):
    """A link that takes as long as the computing: how much of it prefetching hides, over the chunks of a long prompt."""
    prompt = "An assay weighs the metal and judges its fineness, two trials written into one book. " * 48
    ledger = os.path.join(folder, "overlap.ledger.xml")
    common = [f"model_path={model}", "device=virtual", "max_tokens=1", "context_length=2048", "threads=1", "chat_format=raw"]
    modes = {"group of 1": ["offload_mode=group", "offload_granularity=1"], "sequential": ["offload_mode=sequential"]}
    compute = min(number(run(assay, ledger, common, prompt), "prompt_seconds") for _ in range(3))
    print(f"\na link as slow as the computing ({compute:.2f} s for a prompt): time over the larger of the two")
    for label, settings in modes.items():
        for prefetch in ("true", "false"):
            moved = number(run(assay, ledger, common + settings, prompt), "link_bytes")
            bandwidth = int(moved / compute)
            burden = run(assay, ledger, common + settings + [f"prefetch={prefetch}", f"link_bandwidth={bandwidth}"], prompt)
            link = moved / bandwidth
            print(f"{label:<14} prefetch {prefetch:<6} {bandwidth / GB:6.2f} GB/s  {number(burden, 'prompt_seconds'):6.2f} s"
                  f"  {number(burden, 'prompt_seconds') / max(compute, link):5.2f}×", flush=True)


def main():
    assay, model = sys.argv[1:3]
    tokens = int(sys.argv[3]) if len(sys.argv) > 3 else 24
    print(f"offload on the virtual device, {os.path.basename(model)}, {tokens} tokens, {os.cpu_count()} cores")
    print(f"{'':<24} {'link':>7} {'peak MiB':>10} {'MiB/pass':>10} {'prompt s':>9} {'tokens/s':>9} {'waited s':>9} {'of none':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for quantization in QUANTIZATIONS:
            table(assay, model, tokens, folder, quantization)
        overlap(assay, model, folder)


main()
