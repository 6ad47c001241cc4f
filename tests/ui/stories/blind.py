# SPDX-License-Identifier: GPL-3.0-or-later
"""Judging without knowing which run made what: nothing tells before it is saved, whoever looks, and by whatever way."""
import os
import shutil
import subprocess

from gi.repository import GLib

from harness import wait_for

from stories import ledgers
from stories.review import reviews_of, score, wait_reviews
from stories.words import NS, read_ledger, validate

N_RUNS = 12
SMALL = """<criteria><feasibility vram_budget="4294967296"/><quality>
<criterion id="expected_answer_seen" kind="yes_no" pass="1" per_question="true"/></quality></criteria>"""
MODES = ("none", "model", "group", "sequential")
TREES = ("maple", "birch", "cedar", "aspen", "hazel", "larch", "rowan", "alder", "beech", "elder", "holly", "willow")
CUT = 20000  # characters that a widget is given of one answer


def context(number):
    return 3000 + 37 * number


def seconds(number):
    return 11.125 + 1.25 * number


def model(number):
    return "tiny-" + "abcdefghijkl"[number - 1] * 3


def vram(number):
    return 900 + 53 * number


def answers(number, long=False):
    """By them a story knows whose they are; a person does not."""
    return ("The %s breathes it in.%s" % (TREES[number - 1], " Long and longer." * (CUT // 10) if long else ""),
            "Fifty-six, says the %s." % TREES[number - 1])


def run(number, **options):
    return ledgers.run(number, mode=MODES[number % 4], vram=vram(number), seconds=seconds(number), context=context(number),
                       parent=ledgers.run_id(1) if number > 1 else None, changed="context_length" if number > 1 else None,
                       title=model(number), answers=options.pop("answers", answers(number)), **options)


def runs(n=N_RUNS, **options):
    return [run(k, **options) for k in range(1, n + 1)]


def secrets(n=N_RUNS):
    """What tells one of these runs from the others: ids, the settings that differ, times, speeds and sizes."""
    words = {"offload_mode", "context_length", "sequential"}
    for k in range(1, n + 1):
        words |= {ledgers.run_id(k), ledgers.run_id(k)[-6:], str(context(k)), model(k), "%.1f s" % seconds(k),
                  "%.2f s" % seconds(k), "%d MiB" % vram(k), "%.2f GiB" % (vram(k) / 1024), "%.2f" % (64 / seconds(k))}
    return words


def everything_said(desk):
    """Every name, description and text that a screen reader comes by, in every window, from the top down."""
    now = desk.tree()
    said = []
    reached = list(now.walk())

    def told(path, answer):
        said.append(str(answer))
    said.extend(item.name for item in reached)
    now.ask_all([(item.path, "org.freedesktop.DBus.Properties", "Get",
                  GLib.Variant("(ss)", ("org.a11y.atspi.Accessible", "Description"))) for item in reached], told)
    now.ask_all([(item.path, "org.a11y.atspi.Text", "GetText", GLib.Variant("(ii)", (0, -1))) for item in reached], told)
    titles = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(desk.app.pid), "getwindowname", "%@"],
                            env=desk.env, capture_output=True, text=True).stdout
    return said + titles.splitlines()


def assert_nothing_tells(desk, hidden, n_least=60):
    said = everything_said(desk)
    assert len(said) > n_least, said  # that there was something to look at
    found = [(word, text) for text in said for word in hidden if word in text]
    assert not found, found[:5]


def open_lobby(desk, *made, name="Ada", **options):
    desk.start(ledgers.put(desk, *made, **options))
    desk.need("list item", contains="context_length")
    desk.key("alt+3")
    desk.need("push button", "Begin the Blind Review")
    desk.click("text", "Reviewer")
    desk.type(name)


def begin(desk, *made, **options):
    open_lobby(desk, *made, **options)
    desk.click("push button", "Begin the Blind Review")
    desk.need("push button", "Next Answer")


def whose(desk):
    """The number of the run whose answer is in sight."""
    text = " ".join(everything_said(desk))
    return [k for k in range(1, N_RUNS + 1) if " %s" % TREES[k - 1] in text]


def story_blind_session(desk):
    """twelve runs judged blind by keys: before each saving nothing tells which it is; after it the run is named"""
    begin(desk, *runs(), criteria=SMALL)
    desk.shot("blind-first")
    hidden, order = secrets(), []
    for n in range(N_RUNS):
        desk.need("label", contains="output %d of %d" % (2 * n + 1, 2 * N_RUNS))
        desk.key("y", "ctrl+Return", "n", "alt+p")
        assert_nothing_tells(desk, hidden)
        number, = whose(desk)
        order.append(number)
        desk.key("ctrl+Return")
        if n == N_RUNS - 2:  # its name would tell the last one's
            desk.need("label", contains="told after the last one")
            assert not [text for text in everything_said(desk) if "%06x" % number in text]
        else:
            desk.need("label", contains="It was run %06x" % number)
        if n == N_RUNS - 1:
            desk.need("label", contains="The one before it was run %06x" % order[-2])
        desk.key("ctrl+Return")
    desk.need("label", contains="Ada has reviewed all 12 runs")
    assert sorted(order) == list(range(1, N_RUNS + 1)) and order != sorted(order), order
    reviews = [wait_reviews(desk, number, 1)[0] for number in order]
    assert [r.get("blind") for r in reviews] == ["true"] * N_RUNS
    assert [int(r.get("position")) for r in reviews] == list(range(1, N_RUNS + 1)), [r.attrib for r in reviews]
    assert len({r.get("order_seed") for r in reviews}) == 1 and int(reviews[0].get("order_seed")) > 0
    assert all(score(r, "expected_answer_seen", "q1") == "1" and score(r, "expected_answer_seen", "q2") == "0"
               for r in reviews)
    validate(desk)


def clipboard(desk):
    """What another program could paste, in every form it is offered."""
    def ask(target):
        return subprocess.run(["xclip", "-selection", "clipboard", "-o", "-t", target], env=desk.env, capture_output=True,
                              timeout=10).stdout
    forms = ask("TARGETS").decode().split()
    assert any("text" in form.lower() or form == "UTF8_STRING" for form in forms), forms
    return {form: ask(form) for form in forms if "/" in form or form == "UTF8_STRING"}


def story_blind_leaves(desk):
    """what leaves the window blind is the answer alone: copied, and saved as a file whose proposed name tells nothing"""
    begin(desk, *runs(3, answers=answers(7, long=True)), criteria=SMALL)
    hidden = secrets()
    text = answers(7, long=True)[0]
    desk.click("text", "Answer")
    desk.key("ctrl+a", "ctrl+c")
    if shutil.which("xclip"):
        for form, copied in clipboard(desk).items():
            assert not [word for word in hidden if word.encode() in copied], form
            assert form != "UTF8_STRING" or copied.decode() == text[:CUT], copied[:200]
    desk.click("push button", "Save the Whole Answer…")
    desk.need_in_dialog("push button", "Save")
    assert_nothing_tells(desk, hidden)
    target = desk.path("kept.txt")
    desk.key("ctrl+a")
    desk.type(target)
    desk.key("Return")
    wait_for("the file", lambda: os.path.exists(target) and os.path.getsize(target) == len(text))
    assert open(target, encoding="utf-8").read() == text


def story_blind_blocks(desk):
    """no key, no action and no search leads past a blind review; leaving it brings everything back, and keeps the draft"""
    begin(desk, *runs(3), criteria=SMALL)
    hidden = secrets()
    desk.key("y", "alt+1", "alt+2", "alt+4", "ctrl+n", "F5", "ctrl+Next", "ctrl+z", "ctrl+f")
    desk.type("context")
    assert_nothing_tells(desk, hidden)
    desk.need("label", contains="output 1 of 6")
    desk.key("Escape")
    number, = whose(desk)
    desk.click("push button", "Leave Review")
    desk.need("list item", contains="context_length")
    assert not reviews_of(desk, number)
    desk.shot("blind-left")
    desk.click("push button", "Continue the Blind Review" if desk.find("push button", "Continue the Blind Review")
               else "Begin the Blind Review")
    desk.need("label", contains="1 of 2 answers rated")
    assert whose(desk) == [number], (whose(desk), number)
    desk.need("label", contains="output 2 of 6")  # where the first rating is missing


def story_blind_tab_round(desk):
    """Tab goes round a blind review and comes back to where it began; nothing keeps it, not even what is folded away"""
    begin(desk, *runs(3), criteria=SMALL)
    seen = []
    while len(seen) < 60:
        desk.key("Tab")
        item = [item for item in desk.tree().walk() if item.focused][-1]
        place = (item.role, item.name)
        assert not seen or place != seen[-1], "Tab is kept by %s" % (place,)
        if seen and place == seen[0]:
            break
        seen.append(place)
    assert 10 < len(seen) < 60, seen
    assert any("Expected answer (" in (name or "") for _, name in seen), seen


def windows_of(desk):
    return subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(desk.app.pid), "--name", "Assay"],
                          env=desk.env, capture_output=True, text=True).stdout.split()


def story_blind_windows(desk):
    """Ctrl+Enter goes on wherever the keys are; a second window of the same ledger gives way until the review is left"""
    begin(desk, *runs(2), criteria=SMALL)
    desk.key("y")
    desk.click(None, "Main menu")
    desk.key("Escape", "ctrl+Return")
    desk.need("label", contains="output 2 of 4")
    desk.key("ctrl+shift+n")
    wait_for("two windows", lambda: len(windows_of(desk)) == 2)
    desk.key("Tab", "Tab", "Return")  # opened last
    wait_for("one window", lambda: len(windows_of(desk)) == 1)
    assert_nothing_tells(desk, secrets(2))
    desk.click("push button", "Leave Review")
    desk.xdo("mousemove", "1", "1")  # the tooltip of what comes in its place would be a window too
    wait_for("two windows again", lambda: len(windows_of(desk)) == 2)


def story_blind_gaps(desk):
    """saving with answers that are not rated asks in place, leads to the first of them, and saves when told to"""
    begin(desk, *runs(2), criteria=SMALL)
    desk.key("ctrl+Return", "y", "alt+p", "ctrl+Return")
    desk.need(None, contains="1 of 2 answers are not fully rated.")
    desk.need("label", contains="Missing: Expected answer seen.")
    desk.shot("blind-gaps")
    number, = whose(desk)
    assert not reviews_of(desk, number)
    desk.key("Return")  # Go to the First
    desk.need("label", contains="output 1 of 4")
    desk.key("ctrl+Return", "ctrl+Return")
    desk.click("push button", "Save Anyway")
    desk.need("label", contains="told after the last one")  # of two the first would tell the second
    assert_nothing_tells(desk, secrets(2))
    review, = wait_reviews(desk, number, 1)
    assert score(review, "expected_answer_seen", "q1") is None and score(review, "expected_answer_seen", "q2") == "1"
    desk.shot("blind-reveal")


def preferences(desk):
    return read_ledger(desk).findall(NS + "preference")


def story_side_by_side(desk):
    """a set of comparisons by keys: nothing tells, every run stands left as often as right, and a side's share is told"""
    open_lobby(desk, *runs(), criteria=SMALL)
    desk.click("push button", "Compare Side by Side")
    desk.need("label", contains="comparison 1 of 24")
    desk.shot("pairs-first")
    hidden, keys = secrets(), ("1", "2", "3", "4", "Left", "Right", "Up", "Down")
    for n in range(23):
        if n % 8 == 0:
            assert_nothing_tells(desk, hidden)
            assert len(whose(desk)) == 2
        desk.key(keys[n % len(keys)])
        desk.need("label", contains="comparison %d of 24" % (n + 2))
    desk.key("BackSpace", "1")  # another opinion on the one before
    desk.need("label", contains="comparison 24 of 24")
    assert_nothing_tells(desk, hidden)
    desk.key("2")
    desk.need("label", contains="decided comparisons")
    desk.shot("pairs-told")
    made = wait_for("25 preferences", lambda: len(preferences(desk)) == 25 and preferences(desk))
    superseded = {p.get("supersedes") for p in made} - {None}
    standing = [p for p in made if p.get("id") not in superseded]
    assert len(standing) == 24 and len(superseded) == 1
    for k in range(1, N_RUNS + 1):
        left = [p for p in standing if p.get("left") == ledgers.run_id(k)]
        right = [p for p in standing if p.get("right") == ledgers.run_id(k)]
        assert len(left) == len(right) == 2, (k, len(left), len(right))
    assert {p.get("choice") for p in standing} == {"left", "right", "tie", "both_bad"}
    assert {p.get("blind") for p in made} == {"true"}
    validate(desk)


def story_agreement(desk):
    """how far two reviewers agree is told with its count, and where they differ leads to the output"""
    def scored(number, who, q1, q2):
        return ('<review id="r%d%s" reviewer="%s" at="2026-11-30T08:00:00Z" blind="true">'
                '<score criterion="expected_answer_seen" question="q1">%d</score>'
                '<score criterion="expected_answer_seen" question="q2">%d</score><verdict>pass</verdict></review>'
                % (number, who, who, q1, q2))
    open_lobby(desk, *[run(k, reviews=scored(k, "Kim", k % 2, 1) + scored(k, "Lee", k % 2, 0 if k == 3 else 1))
                       for k in range(1, 5)], criteria=SMALL)
    desk.click("push button", "Agreement and Preferences")
    desk.need("label", contains="alpha 0.")
    desk.need("label", contains="Kim: yes · Lee: no")
    desk.shot("agreement")
    desk.click("label", contains="Kim: yes · Lee: no")
    desk.need("label", contains="Review by name")
    desk.need("label", contains="Answer 2 of 2")
    assert whose(desk) == [3], whose(desk)


def story_review_by_name(desk):
    """a review by name says that it was not blind; one of a run that failed is kept, and marked with the reason"""
    open_lobby(desk, *runs(2), ledgers.run(3, status="cancelled", context=999, reviews=ledgers.review(3)), criteria=SMALL)
    desk.click("push button", "Review by Name")
    desk.need("label", contains="not counted: the run ended as cancelled")
    desk.click("list item", contains="%d tokens → %d" % (context(1), context(2)))
    desk.key("alt+3")
    desk.need("push button", "Next Answer")
    desk.click(None, "Expected answer seen: Yes")
    desk.key("ctrl+Return", "y", "alt+p", "ctrl+Return")
    review, = wait_reviews(desk, 2, 1)
    assert review.get("blind") != "true" and review.get("position") is None, review.attrib
    desk.click("push button", "Blind Review…")
    desk.need("label", contains="Ada has reviewed 1 of 2 runs")


def story_ways_to_judge(desk):
    """the run's ending leads to its answers, and a gate that is not judged to its thresholds"""
    desk.start(ledgers.put(desk, ledgers.run(1), criteria=SMALL))
    desk.need("list item", contains="baseline, ")
    desk.key("alt+2")
    desk.click("push button", "Review the Answers")
    desk.need("push button", "Next Answer")
    desk.need(None, "bearable: not judged")
    desk.click_at(*desk.place(desk.find_all(None, "bearable: not judged")[-1]))  # the run's; the first is the ledger's
    desk.click("push button", "Edit the Thresholds…")
    desk.need("text", "Mean time of an answer, at most")
    desk.type("40 s")
    desk.key("ctrl+Return")
    wait_for("the threshold in the file",
             lambda: read_ledger(desk).find(NS + "criteria").find(NS + "operation").get("mean_latency_seconds") == "40")
