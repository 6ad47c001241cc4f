#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reviews, preferences and what they add up to, as a script would use them, on ledgers written here. TAP.

Usage: judgment.py ASSAY SOURCE_ROOT"""
import csv
import io
import json

import home

CASES = []


def case(function):
    CASES.append(function)
    return function


def review(number, reviewer, score, verdict="pass", more=""):
    return (f'<review id="{number}" reviewer="{reviewer}" at="2026-11-30T07:00:00Z" {more}>'
            f'<score criterion="good">{score}</score><verdict>{verdict}</verdict></review>')


def run(name, status="completed", inside="", answer="An answer."):
    return (f'<run id="{name}"><conditions><model_id>m</model_id></conditions>'
            f'<burden><elapsed_seconds>1</elapsed_seconds></burden>'
            f'<outcome><status>{status}</status><output question="q1">{answer}</output></outcome>{inside}</run>')


class Bench(home.Home):
    def write(self, *inside):
        with open(self.ledger, "w", encoding="utf-8") as out:
            out.write('<?xml version="1.0" encoding="UTF-8"?>\n<ledger xmlns="urn:assay:ledger:1" version="1.0" '
                      'id="11111111-2222-3333-4444-555555555555" title="Judged" task="language"><criteria><quality>'
                      '<criterion id="good" kind="scale"/><criterion id="words" kind="free"/></quality></criteria>'
                      '<questions><question id="q1" language="en"><text>What is the capital of France?</text>'
                      '<expected>Paris</expected></question></questions>' + "".join(inside) + "</ledger>\n")

    def agreement(self):
        return self.json("agreement", self.ledger)


@case
def a_run_nobody_reviewed_is_not_judged_wherever_it_is_told(b):
    b.write(run("a"), run("b", "oom_device"), run("c").replace(">m<", ">n<"))
    listed = b.json("list", b.ledger)
    assert [r["quality"] for r in listed] == ["not judged"] * 3, listed
    for line in b.assay("list", b.ledger).stdout.splitlines()[1:]:
        assert "good – not judged" in line, line
    for name in "abc":
        shown = b.assay("show", b.ledger, name).stdout
        assert "gate_quality: not judged" in shown and "quality: not judged: no review yet" in shown, shown
        assert b.json("show", b.ledger, name)["gates"]["quality"] == "not judged"
    rows = list(csv.DictReader(io.StringIO(b.assay("export", b.ledger, "--format", "csv").stdout)))
    assert [row["gate_quality"] for row in rows] == ["not judged"] * 3, rows
    whole = json.loads(b.assay("export", b.ledger, "--format", "json").stdout)
    assert [r["gates"]["quality"] for r in whole["runs"]] == ["not judged"] * 3
    plain = b.assay("export", b.ledger, "--format", "kv").stdout
    assert plain.count("gate_quality: not judged") == 3, plain
    assert "not judged" in b.assay("export", b.ledger, "--format", "md").stdout
    assert "quality not judged" in b.assay("compare", b.ledger, "a", "c").stdout
    figures = b.agreement()
    assert [e["code"] for e in figures["excluded"]] == ["not_reviewed", "not_completed", "not_reviewed"], figures["excluded"]
    assert b.assay("agreement", b.ledger).stdout.count("good not judged") == 2  # a line a setting


@case
def means_are_of_completed_and_reviewed_runs_and_the_others_are_listed(b):
    b.write(run("a", inside=review(1, "Ada", 5) + review(2, "Bob", 3)), run("b", inside=review(3, "Ada", 2)),
            run("c", "failed", inside=review(4, "Ada", 1, "fail")), run("d"),
            run("other", inside=review(5, "Ada", 1)).replace(">m<", ">n<"))
    figures = b.agreement()
    first, second = figures["settings"]  # another model's scores are not thrown in
    good, = first["means"]
    assert first["runs"] == ["a", "b", "c", "d"] and second["runs"] == ["other"], figures["settings"]
    assert good["mean"] == 3 and good["runs"] == 2 and good["scores"] == 3, good  # (4 + 2) / 2
    assert second["means"][0]["mean"] == 1, second
    assert {e["run_id"]: e["code"] for e in figures["excluded"]} == {"c": "not_completed", "d": "not_reviewed"}
    assert "did not complete: failed; 1 review kept and not counted" in b.assay("agreement", b.ledger).stdout


@case
def agreement_tells_alpha_its_interval_and_who_disagrees(b):
    pairs = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 1), (5, 5)]
    b.write(*(run(f"r{i}", inside=review(2 * i, "Ada", x) + review(2 * i + 1, "Bob", y)) for i, (x, y) in enumerate(pairs)))
    good, = b.agreement()["criteria"]
    assert good["alpha_undefined"] is None and good["reviewers"] == 2 and good["units"] == 6, good
    assert good["alpha_low"] < good["alpha"] < good["alpha_high"] <= 1, good
    worst, = b.agreement()["disagreements"]
    assert worst["run_id"] == "r4" and worst["spread"] == 4, worst
    assert worst["judgments"] == [{"reviewer": "Ada", "value": 5}, {"reviewer": "Bob", "value": 1}], worst
    b.write(run("a", inside=review(1, "Ada", 5)))
    alone, = b.agreement()["criteria"]
    assert alone["alpha"] is None and alone["alpha_undefined"] == "too_few_reviewers", alone


@case
def a_correction_supersedes_and_erases_nothing(b):
    b.write(run("a"))
    judge = ["review", b.ledger, "a", "--score", "good=1", "--verdict", "fail", "--words", "words=vague"]
    first = b.json(*judge, "--reviewer", "Ada")["review"]
    b.assay(*judge, "--reviewer", "Bob", "--supersedes", first, expect=2)
    b.assay(*judge, "--reviewer", "Ada", "--supersedes", "nothing", expect=2)
    b.assay("review", b.ledger, "a", "--reviewer", "Ada", "--score", "good=5", "--verdict", "pass", "--supersedes", first)
    reviews = b.json("show", b.ledger, "a")["reviews"]
    assert [(r["superseded"], r["verdict"]) for r in reviews] == [(True, "fail"), (False, "pass")], reviews
    assert reviews[1]["supersedes"] == first and reviews[0]["scores"][1]["words"] == "vague", reviews
    assert b.agreement()["settings"][0]["means"][0]["mean"] == 5


@case
def a_score_is_of_its_own_kind_and_of_a_question_that_was_put(b):
    b.write(run("quoted &quot;id&quot;"), run("b"))
    judge = ["review", b.ledger, "b", "--reviewer", "Ada", "--verdict", "pass", "--score"]
    b.assay(*judge, "good=yes", expect=2)  # not a one of five, the worst
    b.assay(*judge, "good@q9=4", expect=2)
    b.assay(*judge, "good@q1=4")
    written = b.json("review", b.ledger, 'quoted "id"', "--reviewer", "Ada", "--verdict", "pass")
    assert written["run_id"] == 'quoted "id"', written


@case
def preferences_are_written_counted_and_refused(b):
    b.write(run("a"), run("b", answer="Another."), run("c", "failed"))
    prefer = ["prefer", b.ledger, "a", "b", "--question", "q1", "--reviewer", "Ada", "--choice"]
    first = b.json(*prefer, "left")["preference"]
    b.assay(*prefer, "up", expect=2)
    b.assay("prefer", b.ledger, "a", "a", "--question", "q1", "--reviewer", "Ada", "--choice", "left", expect=2)
    b.assay("prefer", b.ledger, "a", "b", "--question", "q9", "--reviewer", "Ada", "--choice", "left", expect=2)
    b.assay("prefer", b.ledger, "b", "a", "--question", "q1", "--reviewer", "Bob", "--choice", "left")
    b.assay("prefer", b.ledger, "a", "c", "--question", "q1", "--reviewer", "Bob", "--choice", "tie")
    figures = b.agreement()["preferences"]
    pair, = figures["pairs"]
    assert (pair["first_wins"], pair["second_wins"]) == (1, 1) and figures["counted"] == 2, figures
    assert figures["decided"] == 2 and figures["left_share"] == 1 and figures["p"] == 0.5, figures
    assert figures["not_counted"][0]["reason"] == "the run c ended as failed", figures
    b.assay(*prefer, "right", "--supersedes", first)
    figures = b.agreement()["preferences"]
    assert figures["superseded"] == 1 and figures["pairs"][0]["second_wins"] == 2, figures
    exported = json.loads(b.assay("export", b.ledger, "--format", "json").stdout)["preferences"]
    assert [p["superseded"] for p in exported] == [True, False, False, False], exported
    assert "2 decided comparisons" in b.assay("agreement", b.ledger).stdout


@case
def repeats_are_told_with_their_spread(b):
    b.write(*(run(f"r{i}").replace(">1<", f">{i}<") for i in range(1, 6)), run("x", "failed"))
    text = b.assay("show", b.ledger, "r2").stdout
    assert "6 runs of this setting: latency of 5 answers: mean 3.00 s ± 1.58 s, median 3.00 s, 95 % within 5.00 s" in text, text
    assert "1 run failed after 1.00 s" in text, text


@case
def hints_are_told_when_asked_for_and_called_hints(b):
    b.write(run("a", answer="It is Paris."), run("b", answer="It is Lyon."), run("c", answer="파리가 수도입니다"))
    assert "hint" not in b.assay("show", b.ledger, "a").stdout
    text = b.assay("show", b.ledger, "a", "--hints").stdout
    assert text.count("automatic hint, not a score") >= 3 and "first difference at character 7" in text, text
    hints = {(h["hint"], h["leaning"]) for h in b.json("show", b.ledger, "c", "--hints")}
    assert ("expected", "doubtful") in hints and ("language", "doubtful") in hints, hints


@case
def hostile_names_do_no_harm(b):
    b.write(run("a", inside=review(1, "\u202eevil &lt;b&gt; &quot;x&quot;", 5) + review(2, "Bob", 1)))
    assert b.agreement()["disagreements"][0]["judgments"], "told"
    assert "Bob 1" in b.assay("agreement", b.ledger).stdout


home.run_cases(CASES, Bench)
