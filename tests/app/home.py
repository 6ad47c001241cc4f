# SPDX-License-Identifier: GPL-3.0-or-later
"""What every test of the command line starts from: a fresh home, the program called in it, and cases told as TAP.

The program is the first argument, the source folder the last."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

ASSAY, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[-1])


class Skip(Exception):
    pass


class Home:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="assay-app-")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8", "G_DEBUG": "fatal-criticals",
            "ASSAY_DATA_DIR": os.path.join(SOURCE, "data"),
            **{k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_", "ASSAY_MODULE"))},
        }
        self.ledger = os.path.join(self.home, "book.ledger.xml")

    def close(self):
        shutil.rmtree(self.home)

    def assay(self, *arguments, expect=0, stdin=None):
        done = subprocess.run([ASSAY, *arguments], env=self.environment, capture_output=True, text=True, input=stdin,
                              timeout=120, cwd=self.home)
        assert done.returncode == expect, f"{arguments}: exit {done.returncode}, not {expect}\n{done.stdout}\n{done.stderr}"
        return done

    def json(self, *arguments, expect=0):
        return json.loads(self.assay(*arguments, "--json", expect=expect).stdout)


def run_cases(cases, make):
    """Each with a home of its own, which `make` makes."""
    print(f"1..{len(cases)}")
    for number, function in enumerate(cases, 1):
        name = function.__name__.replace("_", " ")
        home = make()
        try:
            function(home)
            print(f"ok {number} {name}")
        except Skip as reason:
            print(f"ok {number} {name} # SKIP {reason}")
        except Exception:
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            print(f"not ok {number} {name}")
        finally:
            home.close()
        sys.stdout.flush()
