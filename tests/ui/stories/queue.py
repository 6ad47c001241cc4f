# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned trials in the window: a sweep, their order, running them one after another, what they wait for, and a crash."""
import json
import os
import subprocess
import xml.etree.ElementTree as ET

import harness
from harness import wait_for
from stories.words import NS, read_ledger, runs_of, status_of, validate, wait_runs

MORE = "Run it later, or at several values"


def cli(desk, *arguments):
    return subprocess.run([desk.program, *arguments], env=desk.env, capture_output=True, text=True)


def put_run(desk, *values):
    """A run made without the window, that the queue continues. Returns the ledger's path and its id."""
    desk.put_default_model()
    os.makedirs(desk.library)
    path = os.path.join(desk.library, "queue.ledger.xml")
    sets = ["model_path=" + harness.default_model(), "device=virtual", "max_tokens=4", "context_length=512", *values]
    done = cli(desk, "run", "--ledger", path, "--prompt", "Which gas do plants take in?",
               *[word for value in sets for word in ("--set", value)])
    assert done.returncode == 0, done.stderr
    return path, ET.parse(path).getroot().find(NS + "run").get("id")


def put_queue(desk, sweep, *values):
    path, run = put_run(desk, *values)
    done = cli(desk, "run", "--ledger", path, "--from", run, "--sweep", sweep, "--later")
    assert done.returncode == 0, done.stderr
    return path


def planned(desk, name):
    """What is left to do in the file: the values that the trials change."""
    return [p.find(NS + "conditions/" + NS + name).text for p in read_ledger(desk).findall(NS + "planned")]


def wait_planned(desk, name, *values):
    wait_for("%s planned as %s" % (name, values), lambda: planned(desk, name) == list(values))


def plan_field(desk, path, run, field, value):
    """The next trial of the run changes this field: so the form opens on it."""
    advice = json.loads(cli(desk, "next", path, run, "--json").stdout)
    number = next(k for k, c in enumerate(advice["candidates"], 1) if c["field"] == field and c["to"] == value)
    done = cli(desk, "next", path, run, "--choose", str(number))
    assert done.returncode == 0, done.stderr


def rows(desk):
    return [item.name for item in desk.laid_out(lambda item: item.role == "list item" and item.name.startswith("context_length: "))]


def wait_rows(desk, *ends):
    wait_for("the rows %s" % (ends,), lambda: len(rows(desk)) == len(ends)
             and all(end in row for row, end in zip(rows(desk), ends)))


def press(desk, name):
    """A button of the bar, until it has gone: a click while the bar is being laid out anew may miss it."""
    for _ in range(4):
        desk.click("push button", name)
        try:
            wait_for("%s to be done" % name, lambda: not desk.find("push button", name), 3)
            return
        except AssertionError:
            continue
    raise AssertionError("“%s” does nothing" % name)


def story_queue_sweep(desk):
    """one field of a run at several values: planned, put in order, one taken off and back, and run one after another"""
    path, run = put_run(desk)
    plan_field(desk, path, run, "context_length", "256")
    desk.start(path)
    desk.key("ctrl+n")
    desk.need("label", contains="was 512")
    desk.click(None, MORE)
    desk.pick("Sweep the Open Field")
    desk.need("label", "Run it with Context length at each of these values")
    field, was, values = "context_length", "512", ("256", "384", "640")
    desk.type("nothing")
    desk.need(None, contains="nothing")
    desk.key("ctrl+a")
    desk.type(", ".join(values + (was,)))
    desk.need(None, contains="This makes 3 trials.")
    desk.need(None, contains="is what run %s had" % run)
    desk.shot("queue-sweep")
    desk.key("Return")
    desk.need(None, "3 planned trials are left")
    wait_planned(desk, field, *values)
    desk.click(None, "Show the planned trials")
    wait_rows(desk, *["→ %s" % v for v in values])
    wait_for("the forecasts", lambda: all("Fits: " in row for row in rows(desk)))
    desk.shot("queue-list")
    desk.click_at(*desk.settled_place(next(i for i in desk.find_all("push button", contains="Run later: ") if values[0] in i.name)))
    wait_planned(desk, field, values[1], values[0], values[2])
    desk.click_at(*desk.settled_place(next(i for i in desk.find_all("push button", contains="Take off: ") if values[2] in i.name)))
    wait_planned(desk, field, values[1], values[0])
    desk.need(None, "1 planned trial removed")
    desk.key("ctrl+z")
    wait_planned(desk, field, values[1], values[0], values[2])
    press(desk, "Run the Queue")
    runs = wait_runs(desk, 4)
    assert [r.find(NS + "conditions/" + NS + field).text for r in runs[1:]] == [values[1], values[0], values[2]]
    assert [status_of(r) for r in runs] == ["completed"] * 4, [status_of(r) for r in runs]
    assert all(r.get("parent") == run and r.get("changed") == field and r.get("planned") for r in runs[1:])
    desk.gone("push button", "Run the Queue")
    wait_for("an empty queue", lambda: not read_ledger(desk).findall(NS + "planned"))
    validate(desk)


story_queue_sweep.needs_model = True


def story_queue_killed(desk):
    """a program killed in the middle of its queue leaves what ran, one interrupted run, and offers the rest again"""
    path = put_queue(desk, "max_tokens=3,5,6", "offload_mode=group", "link_latency_seconds=0.001")
    desk.start(path)
    desk.need(None, "3 planned trials are left")
    desk.shot("queue-offer")
    press(desk, "Run the Queue")
    wait_for("the second trial", lambda: len(runs_of(desk)) == 2 and os.listdir(desk.path("state", "assay", "journal")))
    desk.app.kill()
    desk.app.wait()
    desk.start(path)
    desk.need(None, "1 planned trial is left")
    runs = wait_runs(desk, 3)
    assert [status_of(r) for r in runs] == ["completed", "completed", "interrupted"], [status_of(r) for r in runs]
    press(desk, "Run the Queue")
    runs = wait_runs(desk, 4)
    assert [status_of(r) for r in runs][3] == "completed"
    assert len({r.get("planned") for r in runs[1:]}) == 3
    validate(desk)


story_queue_killed.needs_model = True


def story_queue_waits(desk):
    """the queue waits before a trial that cannot fit: says why, is skipped or run all the same, and a pause keeps the rest"""
    path = put_queue(desk, "vram_budget=1MiB,2GiB", "vram_budget=4GiB")
    desk.start(path)
    press(desk, "Run the Queue")
    desk.need(None, contains="The queue waits before “vram_budget: 4.00 GiB → 1.00 MiB”. Does not fit by ")
    desk.shot("queue-waits")
    press(desk, "Skip")
    wait_runs(desk, 2)
    wait_planned(desk, "vram_budget", "1048576")
    press(desk, "Run the Queue")
    desk.need(None, contains="The queue waits before ")
    press(desk, "Stop")
    desk.need(None, "1 planned trial is left")
    press(desk, "Run the Queue")
    press(desk, "Run Anyway")
    runs = wait_runs(desk, 3)
    assert [status_of(r) for r in runs] == ["completed", "completed", "oom_device"], [status_of(r) for r in runs]
    desk.gone("push button", "Run the Queue")


story_queue_waits.needs_model = True


def story_queue_add_discard(desk):
    """what is set up goes into the queue; all of it is discarded, and comes back by undo"""
    path, _ = put_run(desk)
    desk.start(path)
    desk.key("ctrl+n")
    desk.need("label", contains="was ")
    desk.key("shift+F5")
    desk.need(None, "1 planned trial is left")
    press(desk, "Discard")
    wait_for("an empty queue", lambda: not read_ledger(desk).findall(NS + "planned"))
    assert read_ledger(desk).find(NS + "removed").get("planned")
    desk.key("ctrl+z")
    desk.need(None, "1 planned trial is left")
    wait_for("it is planned again", lambda: len(read_ledger(desk).findall(NS + "planned")) == 1)
    assert len(runs_of(desk)) == 1


story_queue_add_discard.needs_model = True


def story_queue_question(desk):
    """a question about the queue goes when the queue is done; what is told of it leaves the names of the views free"""
    path = put_queue(desk, "max_tokens=3,5", "offload_mode=group", "link_latency_seconds=0.001")
    desk.start(path)
    press(desk, "Run the Queue")
    desk.need("push button", "Pause")
    desk.key("ctrl+w")
    desk.need_in_dialog("push button", "Stop and Close")
    wait_runs(desk, 3)
    told = desk.need(None, contains="The queue is done: 2 runs were recorded")
    desk.gone("push button", "Stop and Close")
    desk.shot("queue-question")
    names = [desk.settled_place(node)[1] for node in desk.find_all(name="Compare")]
    assert desk.settled_place(told)[1] < max(names) - 20, names
    desk.alive()


story_queue_question.needs_model = True
story_queue_question.options = {"size": (720, 540)}


def lock_of(path):
    folder, name = os.path.split(path)
    return os.path.join(folder, ".%s.queue.lock" % name)


def as_owner(pid):
    """What the lock of a living process says."""
    with open("/proc/%d/stat" % pid) as file:
        began = file.read().rpartition(")")[2].split()[19]
    with open("/proc/sys/kernel/random/boot_id") as file:
        return "%d %s %s %s\n" % (pid, began, file.read().strip(), os.uname().nodename)


def story_queue_locked(desk):
    """a queue that another program runs is not run a second time, and is free again after; one's own is held and let go"""
    path = put_queue(desk, "max_tokens=3,5", "offload_mode=group", "link_latency_seconds=0.001")
    with open(lock_of(path), "w") as file:
        file.write(as_owner(os.getpid()))
    desk.start(path)
    desk.click("push button", "Run the Queue")
    desk.need(None, contains="Another program is running this queue")
    desk.shot("queue-locked")
    assert len(runs_of(desk)) == 1
    os.remove(lock_of(path))
    press(desk, "Run the Queue")
    wait_for("the lock", lambda: os.path.exists(lock_of(path)))
    second = cli(desk, "queue", "--run", path)
    assert second.returncode != 0 and "lock" in second.stderr, second.stderr
    runs = wait_runs(desk, 3)
    assert len({r.get("planned") for r in runs[1:]}) == 2
    wait_for("the lock to go", lambda: not os.path.exists(lock_of(path)))


story_queue_locked.needs_model = True
