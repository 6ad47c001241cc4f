#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds up the cases of meson's test logs: says why any were skipped, then `N passed, N failed, N skipped`."""
import os
import sys
import xml.etree.ElementTree as ElementTree


def outcomes(build):
    log = os.path.join(build, "meson-logs", "testlog.junit.xml")
    for case in ElementTree.parse(log).getroot().iter("testcase"):
        name = f"{case.get('classname')}: {case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            yield "failed", name, ""
        elif (skipped := case.find("skipped")) is not None:
            yield "skipped", name, skipped.get("message") or (skipped.text or "").strip()
        else:
            yield "passed", name, ""


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for build in sys.argv[1:]:
        try:
            for outcome, name, reason in outcomes(build):
                counts[outcome] += 1
                if outcome != "passed":
                    print(f"{outcome}: {os.path.basename(build)}: {name}{': ' + reason if reason else ''}")
        except (OSError, ElementTree.ParseError) as error:
            print(f"failed: no test log in {build}: {error}")
            counts["failed"] += 1
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] or not counts["passed"] else 0


sys.exit(main())
