#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is handed on from the command line: the chain that leads to a run, and the report as PDF. TAP.

Usage: report-verbs.py ASSAY MAKE_TINY_MODEL SOURCE_ROOT"""
import os
import stat
import subprocess

from home import ASSAY, Skip, run_cases
from verbs import Bench

CASES = []


def case(function):
    CASES.append(function)
    return function


@case
def the_chain_leads_from_the_first_run_to_the_one_asked_for(b):
    b.run_trial("--prompt", "the cat")
    first = b.runs()[0]["run_id"]
    b.assay("run", "--ledger", b.ledger, "--from", first, "--set", "context_length=64")
    second = b.runs()[1]["run_id"]
    told = b.json("show", b.ledger, second, "--chain")
    assert told["problem"] is None and [s["run_id"] for s in told["steps"]] == [first, second], told
    step = told["steps"][1]
    assert step["axis"] == "context_length" and step["quality"] == "not judged" and not step["planned"], step
    text = b.assay("show", b.ledger, second, "--chain").stdout
    assert "1. " + first in text and "changed: " + step["change"] in text, text
    assert "2. " + second in b.assay("export", b.ledger, second, "--format", "md").stdout
    b.assay("show", b.ledger, "nobody", "--chain", expect=2)


@case
def a_report_is_one_pdf_whose_text_can_be_read(b):
    b.run_trial("--prompt", "한국어 中文 the cat")
    run = b.runs()[0]["run_id"]
    target = os.path.join(b.home, "report.pdf")
    b.assay("export", b.ledger, "--format", "pdf", "-o", target)
    b.assay("export", b.ledger, "--format", "pdf", "-o", os.path.join(b.home, "absent", "report.pdf"), expect=3)
    b.assay("export", b.ledger, "--format", "pdf", "-o", b.ledger, expect=2)
    b.assay("export", b.ledger, "nobody", "--format", "pdf", "-o", target, expect=2)
    text = subprocess.run(["pdftotext", "-enc", "UTF-8", target, "-"], capture_output=True, check=True).stdout.decode()
    for words in (run, "한국어 中文 the cat", "not judged: no review yet", "page 1", "peak_vram"):
        assert words in text, f"{words!r} is not in {text}"
    piped = subprocess.run([ASSAY, "export", b.ledger, run, "--format", "pdf"], env=b.environment, capture_output=True, timeout=60)
    assert piped.returncode == 0 and piped.stdout.startswith(b"%PDF-") and piped.stdout.rstrip().endswith(b"%%EOF"), piped.stderr
    with open("/dev/full", "wb") as full:
        done = subprocess.run([ASSAY, "export", b.ledger, "--format", "pdf"], env=b.environment, stdout=full,
                              stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 3 and b"could not be written" in done.stderr, done


@case
def an_export_into_a_pipe_or_a_device_leaves_it_what_it_is(b):
    b.run_trial("--prompt", "the cat")
    pipe = os.path.join(b.home, "pipe")
    os.mkfifo(pipe)
    for format, magic in (("md", b"# "), ("pdf", b"%PDF-")):
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
            b.assay("export", b.ledger, "--format", format, "-o", pipe)
            assert reader.communicate(timeout=60)[0].startswith(magic)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode), "a plain file took the pipe's place"
    link, behind = (os.path.join(b.home, name) for name in ("link.md", "behind.md"))
    open(behind, "w", encoding="utf-8").close()
    os.symlink(behind, link)
    b.assay("export", b.ledger, "--format", "md", "-o", link)
    assert os.path.islink(link) and os.path.getsize(behind) > 0


@case
def a_script_without_a_font_is_told_in_the_report(b):
    latin = "/usr/share/fonts/truetype/dejavu"
    if not os.path.isdir(latin):
        raise Skip("no fonts that are known to be Latin alone")
    config = os.path.join(b.home, "fonts.conf")
    with open(config, "w", encoding="utf-8") as file:
        file.write(f"<fontconfig><dir>{latin}</dir><cachedir>{b.home}/fonts</cachedir></fontconfig>")
    b.run_trial("--prompt", "한국어")
    target = os.path.join(b.home, "report.pdf")
    b.environment["FONTCONFIG_FILE"] = config
    b.assay("export", b.ledger, "--format", "pdf", "-o", target)
    text = subprocess.run(["pdftotext", "-enc", "UTF-8", target, "-"], capture_output=True, check=True).stdout.decode()
    assert "3 characters are drawn as boxes" in text.replace("\n", " "), text[-600:]


run_cases(CASES, Bench)
