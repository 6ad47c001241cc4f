#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrows of the house, read from the includes: app -> ui -> engine -> kernels; engine and ui -> ledger. TAP."""
import os
import re
import sys

ROOT = sys.argv[1]
ALLOWED = {
    "kernels": {"kernels"},
    "ledger": {"ledger"},
    "engine": {"engine", "kernels", "ledger"},
    "ui": {"ui", "engine", "kernels", "ledger"},
    "app": {"app", "ui", "engine", "kernels", "ledger"},
}
# Libraries a folder must not know, by what its includes would name.
FORBIDDEN = {
    "kernels": r"<(glib|gio|gtk|libxml|json|adwaita|cairo)",
    "ledger": r"<(gtk|adwaita|gdk|cuda)",
    "engine": r"<(gtk|adwaita|gdk|libxml|cairo)",
    "ui": r"<(libxml|cuda)",
}


def sources(folder):
    for place, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in names:
            if name.endswith((".c", ".h", ".cu", ".cuh", ".def")):
                yield os.path.join(place, name)


def violations(folder, owner):
    for path in sources(folder):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                where = f"{os.path.relpath(path, ROOT)}:{number}: {line.strip()}"
                included = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
                if included:
                    target = owner.get(os.path.basename(included.group(1)))
                    if target is not None and target not in ALLOWED[folder]:
                        yield where
                elif re.match(r"\s*#\s*include\s*" + FORBIDDEN.get(folder, r"$^"), line):
                    yield where


def main():
    owner = {os.path.basename(p): f for f in ALLOWED for p in sources(f)}
    print(f"1..{len(ALLOWED)}")
    for number, folder in enumerate(ALLOWED, 1):
        found = list(violations(folder, owner))
        for line in found:
            print(f"# {line}")
        print(f"{'not ok' if found else 'ok'} {number} {folder} includes only what it may")


main()
