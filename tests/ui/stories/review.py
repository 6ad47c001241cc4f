# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's judgment: scored by keys, kept while half done, corrected, and by criteria of their own."""
from harness import wait_for

from stories import ledgers
from stories.words import NS, read_ledger, validate


def reviews_of(desk, number):
    """Of one run, as the file has them."""
    run = next(r for r in read_ledger(desk).findall(NS + "run") if r.get("id") == ledgers.run_id(number))
    return run.findall(NS + "review")


def wait_reviews(desk, number, n):
    wait_for("%d reviews of run %d in the file" % (n, number), lambda: len(reviews_of(desk, number)) == n)
    return reviews_of(desk, number)


def score(review, criterion, question=None):
    found = [s for s in review.findall(NS + "score") if s.get("criterion") == criterion and s.get("question") == question]
    return found[0].text if found else None


def open_review(desk, *runs, **options):
    """The review of the ledger's newest run, keys on the first criterion."""
    desk.start(ledgers.put(desk, *runs, **options))
    desk.need("list item", contains="baseline, ")
    desk.key("alt+3")
    if len(runs) > 1:
        desk.click("push button", "Review by Name")
    desk.need("push button", "Next Answer")


def save_anyway(desk):
    """From any answer, whether all are rated or not."""
    desk.click("push button", "Save")
    desk.click("push button", "Save Anyway")


def is_rated(desk, words):
    return wait_for("“%s”" % words, lambda: [n for n in desk.walk() if words in (n.description or "")])


def story_review_by_keys(desk):
    """a run is scored with keys only, and Ctrl+Enter leads to the next; the thresholds speak after saving only"""
    open_review(desk, ledgers.run(1), ledgers.run(2, "model", 700, 12))
    desk.key("y", "ctrl+Return", "n", "Tab", "2", "Tab", "Tab")  # past the button that edits the criteria, into the note
    desk.type("The second is wrong.")
    assert not [t for t in desk.texts() if "thresholds would" in t]
    desk.key("Tab", "Tab", "space", "Tab", "Tab")  # Discard, then Pass, Fail, and the name
    desk.type("Ada")
    desk.shot("review-by-keys")
    assert not [t for t in desk.texts() if "thresholds would" in t]
    desk.key("ctrl+Return")
    review, = wait_reviews(desk, 2, 1)
    assert review.get("reviewer") == "Ada" and review.find(NS + "verdict").text == "pass"
    assert score(review, "expected_answer_seen", "q1") == "1" and score(review, "expected_answer_seen", "q2") == "0"
    assert score(review, "groundedness") == "2"
    assert review.find(NS + "quality_note").text == "The second is wrong."
    told = "Run 000002: saved. Your verdict: pass; the thresholds would suggest fail."
    # It stands where the words of a draft stood, which the cache does not tell apart.
    wait_for("the outcome", lambda: [n for n in desk.walk() if n.name == told])
    desk.key("n", "ctrl+Return", "n", "Tab", "1", "alt+f", "ctrl+Return")  # the other run, keys on its first criterion
    first, = wait_reviews(desk, 1, 1)
    assert first.find(NS + "verdict").text == "fail"
    validate(desk)


def story_review_survives_kill(desk):
    """a review that was begun is there again after the program was killed, and is no review before it is saved"""
    open_review(desk, ledgers.run(1))
    desk.key("y")
    desk.click(None, "Groundedness: 4")
    desk.click("text", "Quality note")
    desk.type("half a thought, 半句")
    wait_for("the draft on the disk", lambda: "half%20a%20thought" in drafts(desk))
    desk.app.kill()
    desk.app.wait()
    desk.start(*desk.ledgers())
    desk.key("alt+3")
    desk.need("label", contains="kept on this computer")
    is_rated(desk, "4 of 5")
    note = desk.need("text", "Quality note")
    assert note.queryText().getText(0, -1).startswith("half a thought"), note.queryText().getText(0, -1)
    assert not reviews_of(desk, 1)
    desk.shot("review-taken-up")
    desk.click(None, "Pass")
    desk.click("text", "Reviewer")
    desk.type("Ada")
    save_anyway(desk)
    review, = wait_reviews(desk, 1, 1)
    assert score(review, "groundedness") == "4"
    wait_for("the draft to go", lambda: drafts(desk) == "")


def drafts(desk):
    import glob
    return "".join(open(path, encoding="utf-8").read()
                   for path in glob.glob(desk.path("state", "assay", "reviews", "*", "*.review")))


def story_review_corrected(desk):
    """a correction supersedes the earlier review, which stays; another person's name is offered again"""
    open_review(desk, ledgers.run(1, reviews=ledgers.review(7, "Kim", "pass", 5)))
    desk.need("label", contains="Kim")
    desk.click("push button", "Correct")
    desk.click(None, "Groundedness: 1")
    desk.click(None, "Fail")
    save_anyway(desk)
    reviews = wait_reviews(desk, 1, 2)
    assert reviews[1].get("supersedes") == "r7" and reviews[1].get("reviewer") == "Kim"
    assert score(reviews[0], "groundedness") == "5" and score(reviews[1], "groundedness") == "1"
    desk.need("label", contains="superseded")
    desk.need(None, "Names that signed before")
    desk.shot("review-corrected")


def story_review_deleted(desk):
    """a review is deleted from its menu, the gate is open again, and undo brings the review back"""
    open_review(desk, ledgers.run(1, reviews=ledgers.review(7, "Kim", "pass", 5)))
    desk.need("label", contains="Kim")
    desk.click(None, "What can be done with this review")
    desk.shot("review-menu")
    desk.pick("Delete Review")
    wait_reviews(desk, 1, 0)
    desk.need(contains="Review deleted")
    desk.click("push button", "Undo")
    assert wait_reviews(desk, 1, 1)[0].get("id") == "r7"
    desk.need("label", contains="Kim")


def story_review_left_out(desk):
    """a review of a cancelled run is kept, and said to be left out of means"""
    open_review(desk, ledgers.run(1, status="cancelled", reviews=ledgers.review(3, verdict="pass")))
    desk.need("label", contains="This run ended as cancelled: a review of it is kept, and left out of means")
    desk.key("alt+4")
    mark = desk.need(None, "good: not judged")
    desk.click_at(*desk.place(mark))
    desk.need("label", contains="1 review kept and not counted: the run ended as cancelled")


def criteria_of(desk):
    return read_ledger(desk).find(NS + "criteria").find(NS + "quality").findall(NS + "criterion")


def story_rubric_edited(desk):
    """criteria are edited with what is wrong told in place, the change is noted, and the new one is scored"""
    open_review(desk, ledgers.run(1, reviews=ledgers.review(7, "Kim", "fail", 2)))
    desk.need("push button", "Edit the Criteria…")
    desk.click_at(*desk.place(desk.find_all("push button", "Edit the Criteria…")[-1]))  # the page without a run has one too
    desk.need("label", contains="1 review stands under these criteria")
    desk.click("push button", "Add a Criterion")
    desk.key("ctrl+Return")
    desk.need("label", contains="Give it a name.")
    desk.type("Tone")
    desk.gone("label", contains="Give it a name.")
    desk.click("push button", "Remove “Expected answer seen”")
    desk.click("push button", "Move “Tone” up")
    desk.enter("Peak memory, at most", "2 GiB")
    desk.shot("rubric-edited")
    desk.key("ctrl+Return")
    wait_for("the criteria in the file", lambda: [c.get("id") for c in criteria_of(desk)] == ["tone", "groundedness"])
    criteria = read_ledger(desk).find(NS + "criteria")
    assert criteria.find(NS + "feasibility").get("vram_budget") == str(2 << 30)
    assert criteria.get("changed_from") == "expected_answer_seen, groundedness" and criteria.get("changed")
    desk.click(None, "Tone: 5")
    desk.click(None, "Pass")
    desk.click("text", "Reviewer")
    desk.type("Ada")
    save_anyway(desk)
    reviews = wait_reviews(desk, 1, 2)
    assert score(reviews[1], "tone") == "5" and score(reviews[0], "groundedness") == "2"
    validate(desk)
