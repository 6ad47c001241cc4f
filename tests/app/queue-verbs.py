#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned trials from the command line: sweeps, the queue, what it pauses for, and what is left when it is killed. TAP.

Usage: queue-verbs.py ASSAY MAKE_TINY_MODEL SOURCE_ROOT"""
import os
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

from home import ASSAY, run_cases
from verbs import NAMESPACE, Bench

CASES = []
SLOW = ("device=virtual", "offload_mode=sequential", "link_latency_seconds=0.005")  # a second for a handful of tokens


def case(function):
    CASES.append(function)
    return function


def parent_of(b, *settings):
    """The run that the others continue."""
    b.run_trial("--prompt", "the cat sat", "--set", "temperature=0.9", *[w for s in settings for w in ("--set", s)])
    return b.runs()[0]["run_id"]


def sweep(b, run, values, *more, expect=0):
    return b.assay("run", "--ledger", b.ledger, "--from", run, "--sweep", values, *more, expect=expect)


def planned_in(b):
    return b.xml().findall(f"{NAMESPACE}planned")


def runs_in(b):
    return b.xml().findall(f"{NAMESPACE}run")


def status_of(run):
    return run.find(f"{NAMESPACE}outcome/{NAMESPACE}status").text


def condition(run, name):
    return run.find(f"{NAMESPACE}conditions/{NAMESPACE}{name}").text


def output_of(run):
    return "".join(run.find(f"{NAMESPACE}outcome/{NAMESPACE}output").itertext())


def wait_until(what, check, seconds=60):
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, f"no {what}"
        time.sleep(0.02)


@case
def a_queue_of_six_killed_at_the_third_leaves_two_records_one_interrupted_and_three_to_do(b):
    run = parent_of(b, *SLOW)
    sweep(b, run, "max_tokens=3,4,5,7,8,9", "--later")
    ids = [p["id"] for p in b.json("queue", b.ledger)]
    assert len(ids) == 6 == len(planned_in(b)), ids
    journal = os.path.join(b.home, ".local", "state", "assay", "journal")
    child = subprocess.Popen([ASSAY, "queue", b.ledger, "--run"], env=b.environment, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    # Two are saved, and the third is in the journal, which it enters before it starts.
    wait_until("third trial", lambda: child.poll() is not None or (
        len(runs_in(b)) == 3 and any(name.endswith(".journal.xml") for name in os.listdir(journal))))
    assert child.poll() is None, "the queue ended before it could be killed"
    time.sleep(0.1)
    child.send_signal(signal.SIGKILL)
    child.wait()
    left = b.json("queue", b.ledger)
    assert [p["id"] for p in left] == ids[3:], (ids, left)
    runs = runs_in(b)
    assert [status_of(r) for r in runs] == ["completed"] * 3 + ["interrupted"], [status_of(r) for r in runs]
    assert [r.get("planned") for r in runs] == [None] + ids[:3], [r.get("planned") for r in runs]
    assert [p.get("id") for p in planned_in(b)] == ids[3:]
    b.assay("queue", b.ledger, "--run")
    runs = runs_in(b)
    assert [r.get("planned") for r in runs] == [None] + ids and len(runs) == 7
    assert [status_of(r) for r in runs] == ["completed"] * 3 + ["interrupted"] + ["completed"] * 3
    assert b.json("queue", b.ledger) == [] and not planned_in(b)
    b.assay("validate", b.ledger)


@case
def two_at_one_queue_run_no_trial_twice(b):
    run = parent_of(b, *SLOW)
    sweep(b, run, "max_tokens=3,4,5", "--later")
    words = [ASSAY, "queue", b.ledger, "--run"]
    first, second = (subprocess.Popen(words, env=b.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      text=True) for _ in range(2))
    said = [p.communicate(timeout=60)[1] for p in (first, second)]
    assert sorted((first.returncode, second.returncode)) == [0, 3], (first.returncode, second.returncode, said)
    ran = [r.get("planned") for r in runs_in(b)][1:]
    assert len(ran) == len(set(ran)) == 3, ran


@case
def a_sweep_makes_runs_that_differ_from_their_parent_in_that_axis_only(b):
    run = parent_of(b)
    done = sweep(b, run, "seed=1,2,3,4,3")  # 3 is the parent's
    assert "seed=3 is what run" in done.stderr and done.stderr.count("seed=3 is") == 2, done.stderr
    children = runs_in(b)[1:]
    assert [condition(r, "seed") for r in children] == ["1", "2", "4"]
    for child in children:
        assert child.get("parent") == run and child.get("changed") == "seed", child.attrib
        compared, = b.json("compare", b.ledger, run, child.get("id"))
        assert compared["axes"] == ["seed"] and compared["kind"] != "confounded", compared
    # Each output belongs to its own conditions: the same as when it is run alone.
    for child in children:
        b.run_trial("--prompt", "the cat sat", "--set", "temperature=0.9", "--set", f"seed={condition(child, 'seed')}")
        assert output_of(runs_in(b)[-1]) == output_of(child)
    assert len({output_of(child) for child in children}) > 1


@case
def two_sweeps_are_refused_by_name_and_a_rule_in_its_words(b):
    run = parent_of(b)
    before = b.xml()
    done = sweep(b, run, "max_tokens=4", "--sweep", "threads=2", expect=4)
    assert "max_tokens, threads" in done.stderr, done.stderr
    assert "nowhere to offload" in sweep(b, run, "offload_mode=model", expect=4).stderr
    assert "model_path" in sweep(b, run, "model_path=x.gguf", expect=4).stderr
    assert "nothing" in sweep(b, run, "max_tokens=6", expect=4).stderr
    assert "many" in sweep(b, run, "max_tokens=many", expect=2).stderr
    assert "nonsense" in sweep(b, run, "nonsense=1", expect=2).stderr
    sweep(b, run, "max_tokens=4", "--set", "seed=1", expect=2)
    b.assay("run", "--ledger", b.ledger, "--sweep", "max_tokens=4", expect=2)
    b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--later", expect=2)
    assert ElementTree.tostring(b.xml()) == ElementTree.tostring(before), "a refusal changes nothing"


@case
def what_does_not_fit_stops_the_queue_is_skipped_or_run(b):
    run = parent_of(b, "device=virtual", "vram_budget=1GiB")
    sweep(b, run, "vram_budget=4KiB,2GiB", "--later")
    listed = b.json("queue", b.ledger, "--forecast")
    assert [p["forecast"] for p in listed] == ["does_not_fit", "fits"], listed
    done = b.assay("queue", b.ledger, "--run", expect=10)
    assert "Does not fit" in done.stderr and "--unfit" in done.stderr and len(runs_in(b)) == 1, done.stderr
    b.assay("queue", b.ledger, "--run", "--unfit", "skip")
    assert len(runs_in(b)) == 2 and len(planned_in(b)) == 1
    b.assay("queue", b.ledger, "--run", "--unfit", "run", expect=10)
    assert [status_of(r) for r in runs_in(b)] == ["completed", "completed", "oom_device"]
    assert not planned_in(b)
    b.assay("queue", b.ledger, "--run", "--unfit", "perhaps", expect=2)


@case
def a_failed_trial_stops_the_queue_only_where_that_is_asked(b):
    run = parent_of(b, "device=virtual", "vram_budget=1GiB")
    sweep(b, run, "vram_budget=4KiB,2GiB,3GiB", "--later")
    b.assay("queue", b.ledger, "--run", "--unfit", "run", "--stop-at-failure", expect=10)
    assert [status_of(r) for r in runs_in(b)] == ["completed", "oom_device"] and len(planned_in(b)) == 2
    b.assay("queue", b.ledger, "--run")
    assert [status_of(r) for r in runs_in(b)] == ["completed", "oom_device", "completed", "completed"]


@case
def planned_trials_are_taken_off_one_by_one_or_all(b):
    run = parent_of(b)
    sweep(b, run, "max_tokens=3,4,5", "--later")
    ids = [p["id"] for p in b.json("queue", b.ledger)]
    b.assay("queue", b.ledger, "--remove", ids[1])
    assert [p["id"] for p in b.json("queue", b.ledger)] == [ids[0], ids[2]]
    assert [r.get("planned") for r in b.xml().findall(f"{NAMESPACE}removed")] == [ids[1]]
    b.assay("queue", b.ledger, "--remove", ids[1], expect=2)
    b.assay("queue", b.ledger, "--clear", "--run", expect=2)
    b.assay("queue", b.ledger, "--clear")
    assert b.json("queue", b.ledger) == [] and "Nothing is planned" in b.assay("queue", b.ledger).stdout
    assert "Nothing is planned" in b.assay("queue", "--run", b.ledger).stdout
    b.assay("validate", b.ledger)


@case
def repeats_of_a_sweep_are_records_of_their_own(b):
    run = parent_of(b)
    sweep(b, run, "max_tokens=3,4", "--repeats", "2")
    assert [condition(r, "max_tokens") for r in runs_in(b)[1:]] == ["3", "3", "4", "4"]
    assert not planned_in(b)


@case
def a_queue_s_interrupt_ends_it_and_the_rest_stays_planned(b):
    run = parent_of(b, *SLOW)
    sweep(b, run, "max_tokens=60,61,62", "--later")
    child = subprocess.Popen([ASSAY, "queue", b.ledger, "--run"], env=b.environment, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    journal = os.path.join(b.home, ".local", "state", "assay", "journal")
    wait_until("trial", lambda: child.poll() is not None or (os.path.isdir(journal) and os.listdir(journal)))
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 13 and "2 planned trials are left" in errors, (child.returncode, errors)
    assert [status_of(r) for r in runs_in(b)] == ["completed", "cancelled"] and len(planned_in(b)) == 2


run_cases(CASES, Bench)
