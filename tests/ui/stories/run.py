# SPDX-License-Identifier: GPL-3.0-or-later
"""The Run view: the chart by pointer and keys, progress, the ending; and a run's ends: stopped, closed upon, ended from
outside, killed."""
import os
import subprocess
import time

import harness
from harness import wait_for
from stories import ledgers
from stories.words import (NS, locked, runs_of, set_up, start_sample, status_of, validate, wait_runs,
                           wait_started)


def run_before(desk, *values):
    """A run on the virtual device, made without the window; its ledger is then opened on it."""
    desk.put_default_model()
    os.makedirs(desk.library)
    path = os.path.join(desk.library, "chart.ledger.xml")
    sets = ["model_path=" + harness.default_model(), "device=virtual", "max_tokens=8", *values]
    subprocess.run([desk.program, "run", "--ledger", path, "--prompt", "Which gas do plants take in?",
                    *[word for value in sets for word in ("--set", value)]], env=desk.env, capture_output=True)
    desk.start(path)
    desk.key("alt+2")
    return desk.need("image", contains="Memory over time.")


def has_focus(node):
    import pyatspi
    return node.getState().contains(pyatspi.STATE_FOCUSED)


def tab_to(desk, node):
    for _ in range(40):
        if has_focus(node):
            return
        desk.key("Tab")
    raise AssertionError("Tab does not reach “%s”" % node.name)


def story_chart_pointer(desk):
    """hovering reads out exact bytes, the wheel zooms, a double click shows the whole run again"""
    chart = run_before(desk)
    assert "Peak " in chart.name and " MiB of device memory in the phase " in chart.name, chart.name
    x, y = desk.settled_place(chart)
    desk.xdo("mousemove", str(x), str(y))
    wait_for("the readout", lambda: "VRAM, total: " in chart.description and " bytes)" in chart.description)
    desk.shot("chart-readout")
    desk.xdo("click", "--repeat", "4", "4")
    desk.xdo("mousemove", "2", "2")
    wait_for("a part of the run", lambda: chart.description.startswith("Shown: from "))
    desk.shot("chart-zoomed")
    desk.xdo("mousemove", str(x), str(y), "click", "--repeat", "2", "--delay", "60", "1")
    desk.xdo("mousemove", "2", "2")
    wait_for("the whole run", lambda: chart.description == "Shown: the whole run")


story_chart_pointer.needs_model = True


def story_chart_keys(desk):
    """by keys alone the chart is zoomed, panned, read out and saved as a picture"""
    chart = run_before(desk)
    desk.xdo("mousemove", "2", "2")
    tab_to(desk, chart)
    desk.shot("chart-focused")
    desk.key("plus", "plus")
    wait_for("a part of the run", lambda: chart.description.startswith("Shown: from "))
    before = chart.description
    desk.key("shift+Right")
    wait_for("another part", lambda: chart.description.startswith("Shown: from ") and chart.description != before)
    desk.key("0")
    wait_for("the whole run", lambda: chart.description == "Shown: the whole run")
    desk.key("Right")
    wait_for("the peak's figures", lambda: "VRAM, total: " in chart.description)
    desk.key("shift+F10")
    desk.need(None, contains="Save as ")
    desk.key("Return")  # the first: PNG
    desk.need_in_dialog("push button", "Save")
    desk.key("ctrl+a")
    path = desk.path("saved.png")
    desk.type(path)
    desk.key("Return")
    wait_for("the file", lambda: os.path.exists(path) and os.path.getsize(path) > 5000)
    with open(path, "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


story_chart_keys.needs_model = True


def story_failed_ending(desk):
    """out of memory: the ending says why in plain words, once, and the plan opens by keyboard"""
    run_before(desk, "vram_budget=100MiB")
    desk.need("label", "The device's memory did not suffice")
    desk.need("label", contains="It did not pass the feasibility gate")
    assert len([t for t in desk.texts() if "asked for " in t]) == 1, desk.texts()
    tab_to(desk, desk.need("push button", "Plan the Next Trial"))
    desk.key("space")
    desk.need("push button", "Close the plan")
    wait_for("the evidence in one place", lambda: len([t for t in desk.texts() if "asked for " in t]) == 1)
    words = " ".join(desk.texts()).lower()
    assert "quality gate" not in words, words
    desk.shot("failed-plan")


story_failed_ending.needs_model = True


def story_progress(desk):
    """while it runs, its phase and the time left stand there in words; after Stop the keyboard is at the ending"""
    set_up(desk)
    desk.choose("Offload mode", "group")
    desk.enter("Link bandwidth", "100000000")  # near a second a token: it goes on until it is stopped
    desk.enter("Longest answer", "2000")
    desk.key("F5")
    wait_for("the time left", lambda: [t for t in desk.texts() if t.startswith("generate") and t.endswith(" left")])
    desk.shot("running")
    desk.need("label", "over the link")
    desk.click("push button", "Stop")
    run, = wait_runs(desk, 1)
    assert status_of(run) == "cancelled", status_of(run)
    wait_for("the keyboard at the ending", lambda: has_focus(desk.need("push button", "Plan the Next Trial")))
    ending = [t for t in desk.texts() if "cancelled" in t and "·" in t and "Run" not in t]
    assert len(ending) <= 2, ending  # the ending's evidence, and the row of the library
    desk.shot("stopped")


story_progress.needs_model = True


def story_new_trial_of_a_stopped_run(desk):
    """a run that was stopped is copied with every field open, or continued by name; Run elsewhere shows first what it runs"""
    set_up(desk)
    desk.choose("Offload mode", "group")
    desk.enter("Link bandwidth", "100000000")
    desk.enter("Longest answer", "2000")
    desk.key("F5")
    wait_started(desk)
    desk.click("push button", "Stop")
    wait_runs(desk, 1)
    desk.key("ctrl+n")
    desk.need(contains="copy of it with every field open")
    assert not locked(desk), locked(desk)
    desk.need(None, "Choose a model", sensitive=True)
    desk.shot("new-trial-open")
    desk.key("alt+4", "F5")  # from a view that does not show what would run
    desk.need(contains="Press Run again to start it")
    desk.need("combo box", "Offload mode")
    desk.gone("push button", "Stop")
    assert len(runs_of(desk)) == 1
    desk.key("alt+2")
    desk.gone(contains="Press Run again to start it")
    desk.key("alt+1")
    desk.click("push button", "Continue It with One Change")
    wait_for("the padlocks", lambda: len(locked(desk)) > 20)
    desk.need("label", contains="The model is held fixed, since this trial changes another thing: ")
    desk.gone(contains="copy of it with every field open")
    desk.key("alt+4", "F5")  # nothing changes yet: it cannot run, and says so
    desk.need(contains="This trial cannot run yet. ")
    desk.click(None, "Ways to set up a trial")
    desk.pick("Start a New Baseline")
    wait_for("no padlocks", lambda: not locked(desk))


story_new_trial_of_a_stopped_run.needs_model = True


def story_measures(desk):
    """the run's own peak stands first; the others say what they count, and mapped weights are set beside no forecast"""
    run_before(desk, "device=cpu")
    desk.need("label", "Peak RAM of the engine")
    assert not [t for t in desk.texts() if "Peak VRAM" in t]
    desk.click(None, "Other Measures")
    desk.need("label", "no device memory: runs on the CPU")
    desk.need("label", contains="file-backed, process tree, counted by: ")
    desk.shot("other-measures")
    desk.key("Escape")
    desk.click(None, "Foretold and Measured")
    desk.need("label", contains=" of weights are mapped from the file")
    assert not [t for t in desk.texts() if t == "+100.0 %"]
    desk.key("Escape")


story_measures.needs_model = True


def story_readout_goes_with_the_view(desk):
    """whoever turns to another view by keys finds no readout of the pointer when coming back"""
    chart = run_before(desk)
    x, y = desk.settled_place(chart)
    desk.xdo("mousemove", str(x), str(y))
    wait_for("the readout", lambda: "VRAM, total: " in chart.description)
    desk.key("alt+1")
    desk.xdo("mousemove", "2", "2")
    desk.key("alt+2")
    wait_for("no readout", lambda: chart.description == "Shown: the whole run")


story_readout_goes_with_the_view.needs_model = True


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


def go_to(desk, name, key="Tab", most=40):
    """By one key, until a control whose name begins so has the focus."""
    for _ in range(most):
        if any(item.focused and item.name.startswith(name) for item in desk.tree().walk()):
            return
        desk.key(key)
    raise AssertionError("%s does not reach “%s”" % (key, name))


def story_plan_another_model(desk):
    """another model is planned by choosing its file in the form, with that one lock open; nothing is typed and dropped"""
    desk.start(ledgers.put(desk, ledgers.run(1)))
    desk.need("list item", contains="baseline, ")
    desk.key("alt+2", "ctrl+t")
    desk.click_at(*desk.reveal(desk.need("label", "Change Something Else…")))
    desk.choose("What to change", "Model")
    desk.need("label", contains="Another one comes with another model file, which is chosen in Set Up.")
    assert not desk.find("text", "Its new value")
    desk.need("label", contains="took 10.00 s")  # an open plan leaves what the run took
    desk.shot("plan-model")
    desk.click_at(*desk.reveal(desk.need("push button", "Choose this change", sensitive=True)))
    wait_for("the padlocks", lambda: len(locked(desk)) > 20)
    desk.need("label", contains="One thing changes: Model, by choosing another model file.")
    wait_for("the list of models", lambda: desk.find(None, "Models on this machine") or desk.find("push button", "Choose a File…"))
    desk.key("Escape")
    assert runs_of(desk)[0].find(NS + "next_trial") is None


def story_plan_by_keys(desk):
    """the plan opens under the keyboard, is walked both ways, closed by Escape and by another view, and chosen from"""
    reason = " within 4.00 GiB"  # what a run that passed took stays in sight beside its plan
    desk.start(ledgers.put(desk, ledgers.run(1), ledgers.run(2, "model", 700, 12)))
    desk.need("list item", contains="baseline, ")
    desk.key("alt+3")
    desk.click("push button", "Review by Name")
    desk.need("push button", "Next Answer")
    desk.key("y", "ctrl+Return", "n", "Tab", "2")
    go_to(desk, "Reviewer")
    desk.type("Ada")
    desk.key("shift+Tab", "space")  # Fail; in a name that kept the focus, selected, it would wipe the name
    desk.key("ctrl+Return")
    review, = wait_for("the review", lambda: runs_of(desk)[1].findall(NS + "review"))
    assert review.get("reviewer") == "Ada" and review.find(NS + "verdict").text == "fail", review.attrib
    desk.key("alt+2")
    go_to(desk, "Plan the Next Trial")
    go_to(desk, "New Trial", "shift+Tab")  # out of the ending, backwards
    go_to(desk, "Plan the Next Trial")
    desk.key("space")
    wait_for("the first control of the plan", lambda: has_focus(desk.need("push button", "Review It First")))
    desk.need("label", contains=reason)
    desk.shot("plan-focused")
    go_to(desk, "Choose")
    go_to(desk, "Note")
    go_to(desk, "Choose", "shift+Tab")
    go_to(desk, "Close the plan", "shift+Tab")
    go_to(desk, "Plan the Next Trial", "shift+Tab")
    go_to(desk, "Choose")
    desk.key("Escape")
    wait_for("the focus back", lambda: has_focus(desk.need("push button", "Plan the Next Trial")))
    desk.need("label", contains=reason)
    desk.key("alt+p")
    desk.need("label", contains=reason)
    desk.key("alt+3", "alt+2")
    desk.need("label", contains=reason)
    desk.key("alt+p")
    go_to(desk, "Choose")
    desk.key("Return")
    wait_for("the plan in the file", lambda: [r for r in runs_of(desk) if r.find(NS + "next_trial") is not None])
