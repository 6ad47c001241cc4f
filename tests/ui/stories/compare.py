# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs side by side: sorted, chosen, told apart, refused, and exported as shown."""
import csv
import os

from harness import wait_for

from stories import ledgers


def open_compare(desk, *runs):
    desk.start(ledgers.put(desk, *runs))
    desk.need("list item", contains="baseline, ")
    desk.key("alt+4")
    desk.need("label", "Run")


def first_cells(desk):
    """What the table's first column says, from the top."""
    return [n.name for n in desk.find_all("table cell", contains=" · ")]


def select_all(desk):
    desk.click_at(*desk.place(desk.need("table cell", contains="000001 · ")))
    desk.key("ctrl+a")


def two_modes():
    return [ledgers.run(1, vram=3200, seconds=10.0, reviews=ledgers.review(1)),
            ledgers.run(2, "sequential", 1250, 34.0, parent=ledgers.run_id(1), changed="offload_mode",
                        reviews=ledgers.review(2))]


def story_compare_sorted(desk):
    """the table is sorted by a click on a title and by keys; a pinned baseline stays at the top"""
    open_compare(desk, *two_modes(), ledgers.run(3, "model", 2500, 5.0))
    wait_for("three rows", lambda: len(first_cells(desk)) == 3)
    desk.click_at(*desk.place(desk.need("label", "Time (s)")))
    wait_for("the quickest first", lambda: first_cells(desk)[0].startswith("000003"))
    desk.click_at(*desk.place(desk.need("label", "Time (s)")))
    wait_for("the slowest first", lambda: first_cells(desk)[0].startswith("000002"))
    desk.click("push button", "Sort by")
    desk.key("Down", "Down", "Down", "Down", "Down", "Return")  # a popover is a window of its own, and keys reach it
    wait_for("the smallest first", lambda: [c[:6] for c in first_cells(desk)] == ["000002", "000003", "000001"])
    desk.click_at(*desk.place(desk.need("table cell", contains="000001 · ")))
    desk.click("push button", "Pin as Baseline")
    wait_for("the baseline first", lambda: [c[:6] for c in first_cells(desk)] == ["000001", "000002", "000003"])
    desk.need("label", contains="differ from run 000001, the pinned baseline")
    desk.shot("compare-sorted")


def story_compare_columns(desk):
    """a column that a person does not want goes, and those that a ledger has something to say in come by themselves"""
    open_compare(desk, *two_modes())
    desk.need("label", "Status")
    desk.click(None, "Columns to show")
    desk.key("space", "Escape")  # the first of them
    desk.gone("label", "Status")
    desk.need("label", "Offload mode")
    desk.shot("compare-columns")


def story_compare_effect(desk):
    """two runs that differ in one axis tell its effect"""
    open_compare(desk, *two_modes())
    select_all(desk)
    desk.need("label", contains="000001 → 000002: the effect of offload_mode: −61 % VRAM, ×3.4 time, "
                                "quality unchanged (2 reviews)")
    assert [n for n in desk.find_all("table cell", contains="≠ sequential")], "the difference is marked"
    desk.shot("compare-effect")


def story_compare_confounded(desk):
    """two runs that differ in two axes tell no effect and name both"""
    open_compare(desk, ledgers.run(1), ledgers.run(2, "model", 700, 12, context=4096, parent=ledgers.run_id(1)))
    select_all(desk)
    label = desk.need("label", contains="confounded")
    for axis in ("offload_mode: none → model", "context_length: 2048 tokens → 4096 tokens"):
        assert axis in label.name, label.name
    assert "effect of" not in label.name


def story_compare_repeats(desk):
    """repeats are one row with their mean and range, and can be told apart"""
    open_compare(desk, ledgers.run(1, seconds=10.0), ledgers.run(2, seconds=12.0), ledgers.run(3, "model", 700, 20))
    wait_for("two rows", lambda: len(first_cells(desk)) == 2)
    assert first_cells(desk)[0].startswith("2 runs, 000001 · "), first_cells(desk)
    desk.need("table cell", "11 (10–12)")
    desk.click(None, "More about the comparison")
    desk.key("Return")  # Repeats in One Row
    wait_for("three rows", lambda: len(first_cells(desk)) == 3)


def story_compare_export(desk):
    """the CSV holds what is shown: the columns, the order, the texts"""
    open_compare(desk, *two_modes())
    desk.click_at(*desk.place(desk.need("label", "Time (s)")))
    desk.click_at(*desk.place(desk.need("label", "Time (s)")))
    wait_for("the slowest first", lambda: first_cells(desk)[0].startswith("000002"))
    desk.click(None, "More about the comparison")
    desk.key("Down", "Down", "Return")  # Export as CSV
    desk.need_in_dialog("push button", "Save")
    target = desk.path("shown.csv")
    desk.key("ctrl+a")
    desk.type(target)
    desk.key("Return")
    wait_for("the file", lambda: os.path.exists(target) and os.path.getsize(target) > 0)
    with open(target, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    assert len(lines) == 3 and lines[0][0] == "Run" and "Peak memory (GiB)" in lines[0], lines
    assert [line[0][:6] for line in lines[1:]] == ["000002", "000001"], lines
    shown = {n.name.replace("≠ ", "") for n in desk.find_all("table cell")}
    for line in lines[1:]:
        for text in line:
            assert text in shown, "“%s” is not on screen: %s" % (text, sorted(shown))


def story_compare_states(desk):
    """no run and one run are told in words"""
    desk.start(ledgers.put(desk))
    desk.key("alt+4")
    desk.need("label", "Nothing to Compare Yet")
    desk.app.kill()
    desk.app.wait()
    open_compare(desk, ledgers.run(1))
    desk.need("label", contains="One trial so far.")


def story_compare_answers(desk):
    """over three runs and more, the questions whose answers depend on the run are named"""
    open_compare(desk, *two_modes(), ledgers.run(3, "model", 2500, 5.0, answers=("Plants take in carbon dioxide.", "It is 56.")))
    wait_for("three rows", lambda: len(first_cells(desk)) == 3)
    select_all(desk)
    desk.need("label", contains="1 of 2 questions were answered the same by all of them")
    desk.need("label", contains="q2: 2 different answers of 3, from character 8 on")
    desk.shot("compare-answers")
