# SPDX-License-Identifier: GPL-3.0-or-later
"""The first minutes: sample, review, plan, second run; without a model."""
import os

from harness import wait_for
from stories.words import NS, finish_sample, locked, open_locks, runs_of, validate, wait_runs


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
    desk.click("push button", "Save")
    desk.click("push button", "Save Anyway")  # eleven answers are not rated
    wait_for("the review in the file", lambda: runs_of(desk)[0].findall(NS + "review"))


def plan(desk):
    """The quality is missed and one answer turns in a circle, for which another device is proposed: a person changes the
    system prompt instead."""
    desk.key("alt+2")
    desk.click("push button", "Plan the Next Trial")
    desk.need("list item", contains="Device: cpu → ")
    desk.shot("plan")
    desk.click_at(*desk.reveal(desk.need("label", "Change Something Else…")))
    desk.choose("What to change", "System prompt")
    desk.enter("Its new value", "Answer with one word.")
    desk.click_at(*desk.reveal(desk.need("push button", "Choose this change", sensitive=True)))
    wait_for("the plan in the file", lambda: runs_of(desk)[0].findall(NS + "next_trial"))
    desk.need("push button", "Start a New Baseline")


def story_first_start_to_second_run(desk):
    """from first start to a reviewed run, a plan, and a second run with one unlocked field"""
    finish_sample(desk)
    desk.key("alt+3")
    desk.need("push button", "Next Answer")
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


story_first_start_to_second_run.needs_model = True


def story_no_model(desk):
    """without the sample model the window says where it belongs and how to go on"""
    desk.start()
    desk.click("push button", "Try the Sample Experiment")
    desk.need(contains="make run")
    desk.shot("no-model")
    desk.alive()
