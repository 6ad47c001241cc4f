# SPDX-License-Identifier: GPL-3.0-or-later
"""What several areas' stories say: reading the saved XML, common steps, and looking at controls."""
import os
import re
import subprocess
import time
import xml.etree.ElementTree as ET

from harness import wait_for

NS = "{urn:assay:ledger:1}"


def read_ledger(desk):
    paths = desk.ledgers()
    assert len(paths) == 1, "one ledger expected, found %s" % paths
    return ET.parse(paths[0]).getroot()


def runs_of(desk):
    return read_ledger(desk).findall(NS + "run")


def wait_runs(desk, n):
    """Until the file holds n runs: what is on screen is not yet what is saved."""
    wait_for("%d runs in the ledger" % n, lambda: desk.ledgers() and len(runs_of(desk)) == n, 180)
    return runs_of(desk)


def status_of(run):
    return run.find(NS + "outcome").find(NS + "status").text


def number(run, group, field):
    return float(run.find(NS + group).find(NS + field).text)


def validate(desk):
    schema = os.path.join(os.environ["ASSAY_SOURCE_ROOT"], "data", "ledger.rng")
    for path in desk.ledgers():
        done = subprocess.run(["xmllint", "--noout", "--relaxng", schema, path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def open_locks(desk):
    """Names of the fields that may be changed, seen by what stands beside each: the value it was."""
    return [item.name for item in desk.laid_out(lambda item: item.role == "label" and item.name.startswith("was "))]


def locked(desk):
    return desk.laid_out(lambda item: " is held fixed" in item.name, inner=True)


def start_sample(desk):
    desk.put_default_model()
    desk.start()
    desk.shot("start")
    desk.click("push button", "Try the Sample Experiment")


def finish_sample(desk):
    start_sample(desk)
    runs = wait_runs(desk, 1)
    assert status_of(runs[0]) == "completed", status_of(runs[0])
    desk.need("push button", "Plan the Next Trial")
    desk.shot("run-done")


def wait_started(desk):
    """Until the journal holds a run: it is there from before the start."""
    wait_for("a run in the journal", lambda: os.listdir(desk.path("state", "assay", "journal")))
    time.sleep(1)  # to look for Stop would take longer on a busy machine than the whole run


def set_up(desk):
    """A new baseline with the default model, one short question, on the virtual device."""
    desk.put_default_model()
    desk.start()
    desk.key("ctrl+n")
    desk.click(None, "Choose a model")
    desk.need("list item", contains="SmolLM2")
    desk.key("Return")
    wait_for("a forecast", lambda: foretold(desk).startswith("Fits: "))
    desk.choose("Device", "virtual")
    wait_for("the device's memory", lambda: "device memory" in foretold(desk))
    desk.enter("Prompt", "Which gas do plants take in?")
    desk.enter("Longest answer", "8")


def foretold(desk):
    """The forecast's headline, or nothing."""
    return next((t for t in desk.texts() if t.startswith(("Fits: ", "Does not fit by "))), "")


def is_sensitive(desk, field):
    import pyatspi
    return desk.need("combo box", field).getState().contains(pyatspi.STATE_SENSITIVE)


def sensitive_text(desk, field):
    import pyatspi
    return desk.need("text", field).getState().contains(pyatspi.STATE_SENSITIVE)


CONTROLS = ("push button", "toggle button", "radio button", "check box", "combo box", "text", "entry", "list item",
            "menu item", "page tab", "table row", "slider", "spin button", "link", "expander")


def is_badly_named(name):
    half = name[:len(name) // 2]
    return (not name.strip() or name.startswith(("Gtk", "Adw", "Assay")) or re.search(r"(^|\s)_", name) or
            (half and name == half + " " + half))


def badly_named(desk):
    """Controls that a screen reader cannot tell apart: no name, the type's name, a mnemonic, the same words twice."""
    return ["%s “%s”" % (item.role, item.name)
            for item in desk.laid_out(lambda item: item.role in CONTROLS and is_badly_named(item.name), inner=True)]
