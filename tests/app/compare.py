#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay compare` claims and what it refuses, on ledgers that are made here. TAP.

Usage: compare.py ASSAY SOURCE_ROOT"""
import json
import os

import home

CASES = []


def case(function):
    CASES.append(function)
    return function


class Book(home.Home):
    """Made from plain records."""

    def write(self, *runs):
        """Each run is a dictionary; ‘.’ in a name is ‘__’ in a keyword."""
        plain = os.path.join(self.home, "runs.txt")
        with open(plain, "w", encoding="utf-8") as file:
            file.write("\n\n".join("\n".join(f"{k.replace('__', '.')}: {v}" for k, v in run.items()) for run in runs) + "\n")
        self.assay("import", plain, "--ledger", self.ledger)

    def compare(self, *arguments):
        return json.loads(self.assay("compare", self.ledger, *arguments, "--json").stdout)

    def pair(self, *options):
        found, = self.compare("a", "b", *options)
        return found


def run(name, **more):
    """A run that completed; more overrides."""
    return {"run_id": name, "model_id": "m", "model_content_hash": "x", "driver": "570.1", "device": "cuda:0", "offload_mode": "none",
            "peak_vram": 1000, "peak_vram__measure": "kind=allocated; source=allocator", "elapsed_seconds": 10, "status": "completed",
            **more}


@case
def six_ledgers_are_refused_for_six_named_reasons(_):
    six = [
        ("several_axes", dict(offload_mode="model", threads=4), ("offload_mode", "threads")),
        ("driver_changed", dict(offload_mode="model", driver="575.2"), ("driver: 570.1 → 575.2",)),
        ("model_replaced", dict(offload_mode="model", model_content_hash="y"), ("model_content_hash: x → y",)),
        ("not_as_asked", dict(requested__offload_mode="group", offload_mode="model"), ("offload_mode: model instead of group",)),
        ("not_completed", dict(offload_mode="model", status="oom_device"), ("oom_device",)),
        ("mixed_memory_kinds", dict(offload_mode="model", peak_vram__measure="kind=process; source=NVML"), ("allocated", "process")),
    ]
    for reason, change, words in six:
        book = Book()
        try:
            book.write(run("a"), run("b", **{"peak_vram": 400, "elapsed_seconds": 30, **change}))
            found = book.pair()
            assert found["reason"] == reason, (reason, found)
            assert found["kind"] in ("refused", "confounded"), found
            assert all(word in found["sentence"] for word in words), found["sentence"]
            assert "effect of" not in found["sentence"], found["sentence"]
            text = book.assay("compare", book.ledger, "a", "b").stdout
            assert found["sentence"] in text and "effect of" not in text, text
        finally:
            book.close()


@case
def a_driver_or_a_model_file_that_moved_alone_is_nobodys_trial(_):
    for reason, change in (("driver_changed", dict(driver="575.2")), ("model_replaced", dict(model_content_hash="y")),
                           ("hidden_axis_changed", dict(attention_kernel="math"))):
        book = Book()
        try:
            book.write(run("a", attention_kernel="flash"), run("b", **{"attention_kernel": "flash", **change}))
            found = book.pair()
            assert (found["kind"], found["reason"]) == ("refused", reason), found
            assert book.pair("--in-effect")["kind"] == "effect"
            assert book.compare()["families"] == [], "no family of what nobody chose"
        finally:
            book.close()


@case
def the_seventh_states_the_effect_with_sign_size_and_number(book):
    peaks, times = {"none": (1000, 1010), "model": (390, 394, 398)}, {"none": (10, 11), "model": (30, 34, 36)}
    book.write(*(run(f"{mode}-{i}", offload_mode=mode, peak_vram=peak, elapsed_seconds=times[mode][i])
                 for mode in ("none", "model") for i, peak in enumerate(peaks[mode])))
    family, = book.compare()["families"]
    assert family["axis"] == "offload_mode", family
    effect, = family["effects"]
    assert effect["kind"] == "effect" and effect["reason"] is None and effect["axes"] == ["offload_mode"], effect
    moved = [d for d in effect["differences"] if not d["implied"]]
    assert [(d["from"], d["to"], d["hidden"]) for d in moved] == [("none", "model", False)], moved
    figures = {figure["field"]: figure for figure in effect["figures"]}
    peak, time = figures["peak_vram"], figures["elapsed_seconds"]
    assert (peak["from"]["n"], peak["to"]["n"]) == (2, 3) == (time["from"]["n"], time["to"]["n"]), effect
    assert abs(peak["difference"] - (394 - 1005)) < 1e-6 and abs(peak["ratio"] - 394 / 1005) < 1e-9, peak
    assert abs(time["ratio"] - (100 / 3) / 10.5) < 1e-9 and time["spread"] == "beyond", time
    assert (peak["to"]["low"], peak["to"]["high"], peak["unit"]) == (390, 398, "bytes"), peak
    assert effect["quality"]["from"] == "not judged" and effect["quality"]["reviews_to"] == 0, effect
    pair, = book.compare("none-0", "model-0")
    assert pair["kind"] == "effect" and abs(pair["peak_ratio"] - 0.39) < 1e-9 and "−61 % VRAM, ×3.0 time" in pair["sentence"], pair
    text = book.assay("compare", book.ledger).stdout
    assert "offload_mode: none → model; VRAM" in text and "−61 % (2 and 3 runs, more than the spread" in text, text


@case
def what_is_kept_out_is_listed_with_its_reason(book):
    book.write(run("a"), run("b", offload_mode="model", status="killed"), run("c", requested__offload_mode="group", offload_mode="model"))
    found = book.compare()
    assert [(k["run_id"], k["reason"]) for k in found["kept_out"]] == [("b", "not_completed"), ("c", "not_as_asked")], found
    assert found["families"] == []
    accepted = book.compare("--in-effect")
    assert [k["run_id"] for k in accepted["kept_out"]] == ["b"] and len(accepted["families"]) == 1, accepted
    assert "run b did not complete (killed)" in book.assay("compare", book.ledger).stdout


@case
def what_a_person_accepts_is_written_down_and_may_be_taken_back(book):
    book.write(run("a"), run("c", requested__offload_mode="group", offload_mode="model", elapsed_seconds=20))
    assert book.compare("a", "c")[0]["reason"] == "not_as_asked"
    book.assay("compare", book.ledger, "--accept", "a", expect=4)  # nothing there to accept
    book.assay("compare", book.ledger, "--accept", "no-such-run", expect=2)
    found, = book.compare("a", "c", "--accept", "c")
    assert found["kind"] == "effect" and "accepted of run c: offload_mode: model instead of group" in found["sentence"], found
    assert len(book.compare()["families"]) == 1, "it stays accepted"
    with open(book.ledger, encoding="utf-8") as file:
        assert ' accepted="20' in file.read()
    book.assay("validate", book.ledger)
    assert json.loads(book.assay("show", book.ledger, "c", "--json").stdout)["accepted"], "told in JSON"
    assert book.compare("--unaccept", "c")["families"] == []
    with open(book.ledger, encoding="utf-8") as file:
        assert " accepted=" not in file.read()


@case
def a_setting_has_the_same_figures_in_an_effect_its_sentence_and_the_frontier(book):
    slow_start = {"none": (20, 10, 11), "model": (90, 31, 33)}
    book.write(*(run(f"{mode}{i}", offload_mode=mode, peak_vram=900, elapsed_seconds=seconds)
                 for mode, times in slow_start.items() for i, seconds in enumerate(times)))
    found = book.compare()
    effect, = found["families"][0]["effects"]
    time = next(f for f in effect["figures"] if f["field"] == "elapsed_seconds")
    assert (time["from"]["mean"], time["to"]["mean"], time["to"]["warm_up_left_out"]) == (10.5, 32, True), time
    points = [p["seconds"] for frontier in found["frontiers"] for p in frontier["points"]]
    assert sorted(points) == [10.5, 32], points
    assert "10.50 s (10.00 s to 11.00 s) → 32.00 s (31.00 s to 33.00 s)" in effect["sentence"], effect["sentence"]


@case
def a_change_within_the_spread_of_the_repeats_is_called_so(book):
    book.write(*(run(f"{mode}{i}", offload_mode=mode, peak_vram=900, elapsed_seconds=10 + i) for mode in ("none", "model") for i in (0, 2, 1)))
    family, = book.compare()["families"]
    time = next(f for f in family["effects"][0]["figures"] if f["field"] == "elapsed_seconds")
    assert time["spread"] == "within", time
    assert "smaller than the spread of the repeats" in book.assay("compare", book.ledger).stdout


@case
def the_frontiers_are_told(book):
    book.write(run("fast", elapsed_seconds=5), run("small", offload_mode="sequential", peak_vram=100, elapsed_seconds=50),
               run("beaten", offload_mode="group", peak_vram=1001, elapsed_seconds=60))
    book.assay("review", book.ledger, "small", "--reviewer", "Kim", "--verdict", "pass")
    group, = book.compare()["frontiers"]
    on = {p["run_id"]: (p["on_quality_frontier"], p["on_ran_frontier"], p["quality"]) for p in group["points"]}
    assert on == {"small": (True, True, "pass"), "fast": (False, True, "not judged"), "beaten": (False, False, "not judged")}, on
    assert (group["field"], group["kind"]) == ("peak_vram", "allocated"), group


@case
def a_frontier_that_no_run_is_on_says_none(book):
    book.write(run("fast"), run("small", offload_mode="sequential", peak_vram=100, elapsed_seconds=50))
    lines = book.assay("compare", book.ledger).stdout.splitlines()
    passed = next(i for i, line in enumerate(lines) if line.endswith("quality passed:"))
    ran = next(i for i, line in enumerate(lines) if line.endswith("all that ran:"))
    assert lines[passed + 1] == "  none" and lines[ran + 1] != "  none", lines


@case
def a_run_is_named_by_what_begins_or_ends_its_id_alone(book):
    ids = ["20261130T074000Z-000001", "20261130T074000Z-000012", "20261201T080000Z-100012"]
    book.write(*(run(name, offload_mode=mode) for name, mode in zip(ids, ("none", "model", "group"))))
    for part, whole in (("000001", ids[0]), ("20261201", ids[2]), ("Z-000012", ids[1]), (ids[1], ids[1])):
        assert json.loads(book.assay("show", book.ledger, part, "--json").stdout)["run_id"] == whole, part
    for part in ("00012", "20261130", "2026"):
        assert "begins or ends the ids of" in book.assay("show", book.ledger, part, expect=2).stderr, part
    book.assay("show", book.ledger, "074000Z", expect=2)  # neither


@case
def no_control_character_reaches_the_terminal(book):
    book.write(run("a"))
    told = book.assay("show", book.ledger, "\x1b[2J\x9b2J", expect=2).stderr
    assert "\u241b[2J\ufffd2J" in told and "\x1b" not in told and "\x9b" not in told, told


@case
def usage_and_bad_files_are_told_apart(book):
    book.write(run("a"))
    book.assay("compare", expect=2)
    assert "two or more" in book.assay("compare", book.ledger, "a", expect=2).stderr
    book.assay("compare", book.ledger, "a", "no-such-run", expect=2)
    book.assay("compare", os.path.join(book.home, "none.ledger.xml"), expect=3)
    same, = book.compare("a", "a")
    assert (same["kind"], same["reason"]) == ("refused", "same_run"), same


home.run_cases(CASES, Book)
