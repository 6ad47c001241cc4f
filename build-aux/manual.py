#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual page's verbs and options, from the program itself: manual.py update|check PROGRAM

update writes them between the two marks in data/man/assay.1; check speaks TAP and says where the page is not true.
"""
import difflib
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "data", "man", "assay.1")
BEGIN, END = '.\\" begin: build-aux/manual.py\n', '.\\" end: build-aux/manual.py\n'


def ask(program, *words):
    environment = dict(os.environ, ASSAY_DATA_DIR=os.path.join(ROOT, "data"), LC_ALL="C.UTF-8", LANGUAGE="en", COLUMNS="999")
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True, env=environment).stdout


def roff(text):
    for plain, code in (("\\", "\\e"), ("-", "\\-"), ("…", "\\&..."), ("‘", "\\(oq"), ("’", "\\(cq")):
        text = text.replace(plain, code)
    return text


def option_lines(told):
    """A verb's own options; --json and --help are said once for all."""
    for line in told[told.find("Application Options"):].splitlines()[1:]:
        option = re.match(r"  (?:-(\w), )?--([\w-]+)(?:=(\S+))?\s+(.*)", line)
        if option and option.group(2) != "json":
            short, name, value, words = option.groups()
            yield ".TP"
            yield ((f"\\fB\\-{short}\\fR, " if short else "") + f"\\fB\\-\\-{roff(name)}\\fR" +
                   (f"=\\fI{roff(value)}\\fR" if value else ""))
            yield roff(words) + "."


def verbs(program):
    for verb, arguments, summary in re.findall(r"^  assay (\w+) ?(.*)\n      (.*)$", ask(program), re.MULTILINE):
        yield ".TP"
        yield f"\\fBassay {verb}\\fR {roff(arguments)}".rstrip()
        yield roff(summary[0].upper() + summary[1:]) + "."
        options = list(option_lines(ask(program, verb)))
        if options:
            yield from [".RS", *options, ".RE"]


def main(what, program):
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    true = before + BEGIN + "".join(line + "\n" for line in verbs(program)) + END + after
    if what == "update":
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(true)
        return
    print("1..1")
    for line in difflib.unified_diff(page.splitlines(), true.splitlines(), "data/man/assay.1", "assay --help", lineterm="", n=0):
        print("# " + line)
    print(("ok" if page == true else "not ok") + " 1 the manual page says what assay --help says")
    sys.exit(page != true)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("update", "check"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
