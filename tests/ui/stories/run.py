# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's ends: stopped, closed upon, ended from outside, killed."""
import time

from stories.words import runs_of, start_sample, status_of, validate, wait_runs, wait_started


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
