# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of the link's time prefetching hides behind computing.

  python bench-offload.py ASSAY MODEL"""
import json
import os
import subprocess
import sys
import tempfile

GB = 1_000_000_000


def run(assay, ledger, settings, prompt="Name three metals and say what each is used for."):
    command = [assay, "run", "--json", "--ledger", ledger, "--prompt", prompt]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{settings}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)["burden"]


def number(burden, name):
    entry = burden.get(name)
    return entry["value"] if isinstance(entry, dict) else entry


def overlap(assay, model, folder):
    """A link that takes as long as the computing: how much of it prefetching hides, over the chunks of a long prompt."""
    prompt = "An assay weighs the metal and judges its fineness, two trials written into one book. " * 48 + "So"
    ledger = os.path.join(folder, "overlap.ledger.xml")
    common = [f"model_path={model}", "device=virtual", "max_tokens=1", "context_length=2048", "threads=1", "chat_format=raw"]
    modes = {"group of 1": ["offload_mode=group", "offload_granularity=1"], "sequential": ["offload_mode=sequential"]}
    compute = min(number(run(assay, ledger, common, prompt), "prompt_seconds") for _ in range(3))
    print(f"a link as slow as the computing ({compute:.2f} s for a prompt): time over the larger of the two")
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
    with tempfile.TemporaryDirectory() as folder:
        overlap(assay, model, folder)


main()
