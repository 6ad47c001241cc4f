#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stories of the window, by clicks and keys only."""
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from harness import wait_for  # noqa: E402

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


def validate(desk):
    schema = os.path.join(os.environ["ASSAY_SOURCE_ROOT"], "data", "ledger.rng")
    for path in desk.ledgers():
        done = subprocess.run(["xmllint", "--noout", "--relaxng", schema, path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


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


def open_locks(desk):
    """Names of the fields that may be changed, seen by what stands beside each: the value it was."""
    return [node.name for node in desk.find_all("label") if (node.name or "").startswith("was ")]


def locked(desk):
    return [n for n in desk.find_all(contains=" is held fixed")]


def story_first_start_to_second_run(desk):
    """from first start to a reviewed run, a plan, and a second run with one unlocked field"""
    finish_sample(desk)
    desk.key("alt+3")
    desk.need("push button", "Save and Next")
    review(desk)
    plan(desk)
    wait_for("the padlocks", lambda: len(locked(desk)) > 20)
    desk.shot("setup-child")
    assert len(open_locks(desk)) == 1, open_locks(desk)
    desk.need("push button", "Run", sensitive=True)
    desk.key("F5")
    runs = wait_runs(desk, 2)
    first, second = runs
    assert second.get("parent") == first.get("id"), second.attrib
    assert second.get("changed") == "system_prompt", second.attrib
    assert second.find(NS + "conditions").find(NS + "system_prompt").text == "Answer with one word."
    assert len(first.findall(NS + "review")) == 1
    assert len(first.findall(NS + "next_trial")) == 1
    desk.shot("second-run")
    desk.key("ctrl+w")
    desk.wait_end()
    validate(desk)
    left = [f for _, _, files in os.walk(desk.path("state")) for f in files if "20" in f and f.endswith(".xml")]
    assert not left, "the recovery journal still holds %s" % left


def review(desk):
    """Scores, verdict, a note, a name; saved by the button."""
    for score in ("Expected answer seen: No", "Groundedness: 2"):
        desk.click(None, score)
    desk.click(None, "Fail")
    desk.click("text", "Quality note")
    desk.type("Answers in Chinese stay empty.")
    desk.click(None, "Reviewer")
    desk.type("Ada")
    desk.shot("review")
    desk.click("push button", "Save and Next")
    wait_for("the review in the file", lambda: runs_of(desk)[0].findall(NS + "review"))


def plan(desk):
    """Misses the quality criterion: a system prompt is the one thing to change."""
    desk.key("alt+2")
    desk.click("push button", "Plan the Next Trial")
    desk.need(None, "New value of system_prompt")
    desk.shot("plan")
    desk.click(None, "New value of system_prompt")
    desk.type("Answer with one word.")
    desk.click("push button", contains="Choose system_prompt: ")
    wait_for("the plan in the file", lambda: runs_of(desk)[0].findall(NS + "next_trial"))
    desk.need("push button", "Start a New Baseline")


story_first_start_to_second_run.needs_model = True


def wait_started(desk):
    """Until the journal holds a run: it is there from before the start."""
    wait_for("a run in the journal", lambda: [f for _, _, files in os.walk(desk.path("state")) for f in files])
    time.sleep(1)  # to look for Stop would take longer on a busy machine than the whole run


def story_cancel(desk):
    """Stop answers at once and leaves a cancelled run; so does Escape, once asked"""
    desk.put_default_model()
    desk.start()
    stop = desk.place(desk.need("push button", "Run"))  # Stop takes the place of Run
    desk.click("push button", "Try the Sample Experiment")
    wait_started(desk)
    before = time.monotonic()
    desk.click_at(*stop)
    runs = wait_runs(desk, 1)
    assert time.monotonic() - before < 10, "%.1f s until it was saved" % (time.monotonic() - before)
    assert status_of(runs[0]) == "cancelled", status_of(runs[0])
    desk.need("push button", "Plan the Next Trial")
    desk.shot("cancelled")
    desk.key("F5")
    wait_started(desk)
    desk.key("Escape")
    desk.click_at(*desk.place(desk.need_in_dialog("push button", "Stop")))
    runs = wait_runs(desk, 2)
    assert status_of(runs[1]) == "cancelled", status_of(runs[1])


story_cancel.needs_model = True


def story_close_while_running(desk):
    """closing while a run goes on asks, then leaves an honest record"""
    start_sample(desk)
    wait_started(desk)
    desk.key("ctrl+w")
    desk.need_in_dialog("push button", "Stay")
    desk.shot("close-asks")
    desk.key("Escape")
    desk.alive()
    desk.key("ctrl+w")
    desk.click_at(*desk.place(desk.need_in_dialog("push button", "Stop and Close")))
    desk.wait_end()
    runs = runs_of(desk)
    assert [status_of(r) for r in runs] == ["cancelled"], [status_of(r) for r in runs]
    validate(desk)


story_close_while_running.needs_model = True


def story_end_from_outside(desk):
    """ending the session stops the run and records it"""
    start_sample(desk)
    wait_started(desk)
    desk.signal_end()
    desk.wait_end()
    assert [status_of(r) for r in runs_of(desk)] == ["cancelled"]


story_end_from_outside.needs_model = True


def story_killed(desk):
    """a killed program's run is offered at the next start and added as interrupted"""
    start_sample(desk)
    wait_started(desk)
    desk.app.kill()
    desk.app.wait()
    desk.start()
    desk.shot("recovery")
    desk.click("push button", "Add It to Its Ledger")
    runs = wait_runs(desk, 1)
    assert status_of(runs[0]) == "interrupted", status_of(runs[0])
    desk.gone("push button", "Add It to Its Ledger")


story_killed.needs_model = True


def story_broken_ledger(desk):
    """a broken ledger is listed with its reason, refused inline, and left as it was"""
    os.makedirs(desk.library)
    path = os.path.join(desk.library, "broken.ledger.xml")
    text = b'<?xml version="1.0"?>\n<!DOCTYPE ledger [<!ENTITY x "y">]>\n<ledger/>\n'
    with open(path, "wb") as file:
        file.write(text)
    desk.start()
    row = desk.need("list item", "broken")
    desk.shot("broken-listed")
    desk.click_at(*desk.place(row))
    desk.need("push button", "Dismiss")
    desk.shot("broken-opened")
    with open(path, "rb") as file:
        assert file.read() == text
    desk.click("push button", "Dismiss")
    desk.gone("push button", "Dismiss")
    desk.alive()


def story_no_model(desk):
    """without the sample model the window says where it belongs and how to go on"""
    desk.start()
    desk.click("push button", "Try the Sample Experiment")
    desk.need(contains="make run")
    desk.shot("no-model")
    desk.alive()


def story_keyboard(desk):
    """every view, the search, the menu, preferences and shortcuts open by keys alone"""
    desk.start()
    desk.key("ctrl+n")
    desk.need("push button", "Choose a Model…")
    for key in ("alt+2", "alt+3", "alt+4", "alt+1", "ctrl+Next", "ctrl+Prior", "F9", "F9", "ctrl+f", "Escape"):
        desk.key(key)
        desk.alive()
    desk.key("F10")
    desk.need("menu item", contains="Preferences")
    desk.shot("menu")
    desk.key("Escape")
    desk.key("ctrl+comma")
    desk.need(contains="Folder of the ledgers")
    desk.shot("preferences")
    desk.key("Escape")
    desk.key("ctrl+question")
    desk.shot("shortcuts")
    desk.key("Escape")
    desk.key("ctrl+shift+n")
    desk.key("ctrl+q")
    desk.wait_end()


def story_invalid_values(desk):
    """a value that breaks a rule says so beside its field, and the trial cannot run"""
    desk.start()
    desk.key("ctrl+n")
    entry = desk.need("text", "Budget") if desk.find("text", "Budget") else desk.need("entry", "Budget")
    desk.click_at(*desk.place(entry))
    desk.type("much")
    desk.need(contains="vram_budget")
    wait_for("the error beside the field", lambda: [t for t in desk.texts() if "vram_budget" in t and "much" in t])
    desk.shot("invalid-value")
    desk.alive()


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


def number(run, group, field):
    return float(run.find(NS + group).find(NS + field).text)


def story_virtual_device(desk):
    """a virtual device is chosen and offloaded to, foretold, run, and the record holds both figures"""
    set_up(desk)
    desk.choose("Offload mode", "group")
    wait_for("what each pass moves", lambda: [t for t in desk.texts() if "over the link in each pass" in t])
    desk.enter("Link bandwidth", "3000000000")
    wait_for("the bound", lambda: [t for t in desk.texts() if "the link alone takes at least" in t])
    desk.enter("Budget", "8MiB")
    wait_for("a forecast that does not fit", lambda: foretold(desk).startswith("Does not fit by "))
    desk.need(None, "It does not fit")
    desk.shot("forecast-over")
    desk.enter("Budget", "1GiB")
    wait_for("a forecast that fits", lambda: "where 1.00 GiB may be used" in foretold(desk))
    desk.need(None, "It fits")
    lanes = [t for t in desk.texts() if "foretold, each at its own peak" in t]
    assert len(lanes) == 2 and all("together at most" in lane for lane in lanes), lanes
    assert "Weights: " in lanes[0] and "budget: 1.00 GiB" in lanes[0], lanes[0]
    desk.shot("forecast-fits")
    desk.key("F5")
    run, = wait_runs(desk, 1)
    assert status_of(run) == "completed", status_of(run)
    for field in ("link_bytes", "link_pass_bytes", "predicted_peak_vram", "predicted_weights", "predicted_link_bytes",
                  "predicted_seconds"):
        assert number(run, "burden", field) > 0, field
    assert number(run, "burden", "predicted_peak_ram") == 0  # weights that wait are pages of the file
    predicted, measured = number(run, "burden", "predicted_peak_vram"), number(run, "burden", "peak_vram")
    assert abs(measured - predicted) <= 0.005 * measured, (predicted, measured)
    conditions = run.find(NS + "conditions")
    assert conditions.find(NS + "device").text == "virtual" and conditions.find(NS + "offload_mode").text == "group"
    desk.key("alt+1")
    desk.need(contains="1 earlier forecast, not contradicted")
    validate(desk)


story_virtual_device.needs_model = True


def story_out_of_memory(desk):
    """what ran out of memory is advised on with foretold peaks; the chosen change alone is made, and it completes"""
    set_up(desk)
    desk.enter("Budget", "120MiB")
    wait_for("a forecast that does not fit", lambda: foretold(desk).startswith("Does not fit by "))
    desk.key("F5")
    run, = wait_runs(desk, 1)
    assert status_of(run) == "oom_device", status_of(run)
    desk.click("push button", "Plan the Next Trial")
    wait_for("foretold changes", lambda: [t for t in desk.texts() if "✓ fits · predicted peak VRAM" in t])
    desk.gone(contains="being foretold…")
    desk.need(contains="Stays fixed, and is checked: ")
    desk.shot("next-foretold")
    desk.click_at(*desk.reveal(desk.need("push button", contains="Choose offload_mode: none → ")))
    wait_for("the plan in the file", lambda: runs_of(desk)[0].findall(NS + "next_trial"))
    wait_for("the padlocks", lambda: len(locked(desk)) > 20)
    assert len(open_locks(desk)) == 1, open_locks(desk)
    wait_for("a forecast that fits", lambda: foretold(desk).startswith("Fits: "))
    desk.shot("setup-offload-child")
    desk.key("F5")
    parent, child = wait_runs(desk, 2)
    assert child.get("parent") == parent.get("id") and child.get("changed") == "offload_mode", child.attrib
    assert status_of(child) == "completed", status_of(child)
    assert number(child, "burden", "peak_vram") <= 120 * 1024 * 1024
    desk.click("push button", "Plan the Next Trial")
    desk.need(contains="✓ offload_mode moved as planned (none → ")
    desk.shot("child-verdict")
    validate(desk)


story_out_of_memory.needs_model = True


def is_sensitive(desk, field):
    import pyatspi
    return desk.need("combo box", field).getState().contains(pyatspi.STATE_SENSITIVE)


def story_rules(desk):
    """what the rules of placement forbid cannot be clicked, and the rule stands beside it"""
    set_up(desk)
    assert is_sensitive(desk, "Offload mode") and is_sensitive(desk, "Moved to the GPU")
    desk.choose("Offload mode", "model")
    desk.need(contains="one offload mode is enabled, once")  # the calls are derived: no second one can be added
    desk.need("label", "enable_model_cpu_offload")
    desk.need(contains="With an offload mode the whole model must never be moved to the device")
    assert not is_sensitive(desk, "Moved to the GPU")
    desk.need(contains="A model has one placement, a device map or an offload mode")
    assert not desk.find("text", "Device map") or not sensitive_text(desk, "Device map")
    box = desk.need("combo box", "Device")
    desk.click_at(*desk.reveal(box))
    desk.choices(box)
    wait_for("why cpu cannot be taken", lambda: [n for n in desk.find_all("label", within=box)
                                                 if "on the cpu device there is nowhere to offload to" in n.name])
    desk.key("Home", "Down", "Return")  # cpu: nothing is taken
    desk.key("Escape")
    desk.shot("rules-offload")
    assert desk.find_all("label", "virtual", within=box)
    desk.choose("Offload mode", "none")
    desk.enter("Device map", "embedding=device, decoder=cpu, head=device")
    desk.need(contains="which must be reset before an offload mode is enabled")
    assert not is_sensitive(desk, "Offload mode")
    desk.shot("rules-map")
    desk.enter("Device map", "none")
    wait_for("offload modes again", lambda: is_sensitive(desk, "Offload mode"))
    desk.choose("Device", "cpu")
    desk.need(contains="On the cpu device there is nowhere to offload to")
    assert not is_sensitive(desk, "Offload mode") and not is_sensitive(desk, "Moved to the GPU")


def sensitive_text(desk, field):
    import pyatspi
    return desk.need("text", field).getState().contains(pyatspi.STATE_SENSITIVE)


story_rules.needs_model = True


CONTROLS = ("push button", "toggle button", "radio button", "check box", "combo box", "text", "entry", "list item",
            "menu item", "page tab", "table row", "slider", "spin button", "link", "expander")


def is_laid_out(node):
    import pyatspi
    return node.queryComponent().getExtents(pyatspi.WINDOW_COORDS).width > 0


def badly_named(desk):
    """Controls that a screen reader cannot tell apart: no name, the type's name, a mnemonic, the same words twice."""
    bad = []
    for node in desk.walk():
        name, role = node.name or "", node.getRoleName()
        half = name[:len(name) // 2]
        if role in CONTROLS and is_laid_out(node) and (not name.strip() or name.startswith(("Gtk", "Adw", "Assay")) or
                                 re.search(r"(^|\s)_", name) or (half and name == half + " " + half)):
            bad.append("%s “%s”" % (role, name))
    return bad


def story_names(desk):
    """every control of every view has one clean name"""
    samples = os.path.join(os.environ["ASSAY_SOURCE_ROOT"], "data", "samples", "sample.ledger.xml")
    os.makedirs(desk.library)
    shutil.copy(samples, desk.library)
    desk.start(os.path.join(desk.library, "sample.ledger.xml"))
    desk.need("list item", contains="baseline, ")
    for key in ("alt+1", "alt+2", "alt+3", "alt+4"):
        desk.key(key)
        assert not badly_named(desk), (key, badly_named(desk))
    desk.key("alt+2")
    desk.click("push button", "Plan the Next Trial")
    desk.need("push button", "Review It First")
    assert not badly_named(desk), badly_named(desk)
    desk.click("push button", "Review It First")
    desk.need("push button", "Save and Next")
    desk.key("ctrl+comma")
    desk.need(contains="Folder of the ledgers")
    bad = [b for b in badly_named(desk) if not b.startswith("page tab")]  # that window's own, hidden switcher
    assert not bad, bad


if __name__ == "__main__":
    harness.run_stories([
        story_first_start_to_second_run,
        story_cancel,
        story_close_while_running,
        story_end_from_outside,
        story_killed,
        story_broken_ledger,
        story_no_model,
        story_keyboard,
        story_invalid_values,
        story_virtual_device,
        story_out_of_memory,
        story_rules,
        story_names,
    ])
