# SPDX-License-Identifier: GPL-3.0-or-later
"""The chain of trials: the same story in the file, on screen, in the report and in Markdown; and the report itself."""
import json
import os
import re
import subprocess

from harness import wait_for

RUNS = ["20261101T080000Z-a00001", "20261101T081000Z-b00002", "20261101T082000Z-c00003", "20261101T083000Z-d00004",
        "20261101T084000Z-e00005"]
AXES = [None, "offload_mode", "offload_mode", "prefetch", "model_id"]
SIGNALS = [None, "oom_device", "too_slow", "too_slow", "quality_miss"]


def assay(*arguments):
    """The command line, as a person would read it."""
    environment = dict(os.environ, ASSAY_DATA_DIR=os.path.join(os.environ["ASSAY_SOURCE_ROOT"], "data"), LC_ALL="C.UTF-8",
                       LANGUAGE="en")
    done = subprocess.run([os.environ["ASSAY_PROGRAM"], *arguments], env=environment, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def put_story(desk):
    """A ledger of five runs, made by the program's own library."""
    os.makedirs(desk.library, exist_ok=True)
    path = os.path.join(desk.library, "story.ledger.xml")
    subprocess.run([os.environ["ASSAY_MAKE_CHAIN"], path], check=True, timeout=60)
    return path


def steps_of(text):
    """[number: (title, [lines])] of the chain as plain text; the way to a step stands before its number."""
    steps, way = [], []
    for line in text.splitlines():
        begun = re.match(r"(\d+)\. (.*)", line)
        if begun:
            steps.append((begun.group(2), way))
            way = []
        elif line.startswith("   ↓ "):
            way.append(line[5:])
        elif line.startswith("   "):
            steps[-1][1].append(line[3:])
    return steps


def squeezed(text):
    """Without white space: a page breaks its lines where it likes."""
    return re.sub(r"\s+", "", text)


def pdf_text(path):
    return subprocess.run(["pdftotext", "-enc", "UTF-8", path, "-"], check=True, capture_output=True).stdout.decode()


def without_markup(markdown):
    text = re.sub(r"\\([\\`*_{}\[\]#|>~])", r"\1", markdown)
    return text.replace("&lt;", "<").replace("&amp;", "&")


def shown_steps(desk, n):
    """The rows' accessible names, from the top; rows out of sight are brought into it by keys."""
    seen = {}
    for key in ["ctrl+Home"] + ["Down"] * n:
        desk.key(key)
        for item in desk.find_all("list item", contains=". "):
            begun = re.search(r"(?m)^(\d+)\. ", item.name or "")
            if begun:
                seen[int(begun.group(1))] = item.name
    return [seen[k] for k in sorted(seen)]


def open_chain(desk):
    path = put_story(desk)
    desk.start(path)
    desk.need("list item", contains="model_id: ")
    desk.click("push button", "Plan the Next Trial")
    desk.reveal(desk.need("push button", "Show the Chain"))
    desk.click("push button", "Show the Chain")
    desk.need("label", contains="The chain to run %s: 5 runs" % RUNS[-1])
    return path


def story_chain_reads_the_same_everywhere(desk):
    """each step of a story reads the same from the file, the window, the report's text and Markdown"""
    path = open_chain(desk)
    from_file = steps_of(assay("show", path, RUNS[-1], "--chain").decode())
    assert [title for title, _ in from_file] == RUNS + ["not run yet"], from_file
    target = desk.path("report.pdf")
    assay("export", path, "--format", "pdf", "-o", target)
    report = squeezed(pdf_text(target))
    markdown = without_markup(assay("export", path, RUNS[-1], "--format", "md").decode())
    told = json.loads(assay("show", path, RUNS[-1], "--chain", "--json"))["steps"]
    window = shown_steps(desk, len(from_file))
    assert len(window) == len(from_file), window
    for k, (title, lines) in enumerate(from_file):
        assert len(lines) >= 3, (title, lines)
        assert "%d. %s\n" % (k + 1, title) in window[k], window[k]
        assert squeezed("%d. %s" % (k + 1, title)) in report, title
        assert "%d. %s\n" % (k + 1, title) in markdown, title
        for line in lines:
            assert line in window[k], "not on screen: %s" % line
            assert squeezed(line) in report, "not in the report: %s" % line
            assert line in markdown, "not in Markdown: %s" % line
        if k < len(RUNS):
            assert (told[k]["axis"], told[k]["signal"]) == (AXES[k], SIGNALS[k]), told[k]
    desk.shot("chain")


def story_chain_step_opens_its_run(desk):
    """a step of the chain opens its run, by keys and by a click, and Escape leads back"""
    open_chain(desk)
    desk.key("ctrl+Home", "Down", "Return")
    desk.need("label", contains="Run b00002 · ")
    desk.gone("label", contains="The chain to run")
    desk.click_at(*desk.place(desk.need("list item", contains="offload_mode: none → sequential")), button="3")
    desk.pick("Show the Chain")
    desk.need("label", contains="The chain to run %s: 2 runs" % RUNS[1])
    desk.key("Escape")
    desk.gone("label", contains="The chain to run")
    desk.need("label", contains="Run b00002 · ")


def story_chain_follows_edits(desk):
    """an edit that is taken back while the chain is in sight is seen in it"""
    path = put_story(desk)
    desk.start(path)
    desk.need("list item", contains="model_id: ")
    desk.click("push button", "Plan the Next Trial")
    note = desk.need("text", "Note")
    desk.reveal(note)
    desk.click_at(*desk.place(note))
    desk.key("ctrl+a")
    desk.type("another thought")
    desk.key("Return")
    wait_for("the note in the file", lambda: "another thought" in open(path, encoding="utf-8").read())
    desk.reveal(desk.need("push button", "Show the Chain"))
    desk.click("push button", "Show the Chain")
    desk.key("ctrl+End")
    desk.need("list item", contains="note: another thought")
    desk.key("ctrl+z")
    desk.key("ctrl+End")
    desk.need("list item", contains="note: how short may it be?")
    desk.gone("list item", contains="note: another thought")


def story_chain_saved(desk):
    """the chain is saved from its menu as a PDF that says every step"""
    path = open_chain(desk)
    desk.click(None, "Copy or save the chain")
    desk.pick("Save as PDF")
    desk.need_in_dialog("push button", "Save")
    target = desk.path("chain.pdf")
    desk.key("ctrl+a")
    desk.type(target)
    desk.key("Return")
    wait_for("the file", lambda: os.path.exists(target) and os.path.getsize(target) > 0)
    saved = squeezed(pdf_text(target))
    for title, lines in steps_of(assay("show", path, RUNS[-1], "--chain").decode()):
        for line in [title, *lines]:
            assert squeezed(line) in saved, "not in the file: %s" % line


def story_chain_report_saved(desk):
    """the report is saved from the menu while the window goes on, and says what the ledger says"""
    desk.start(put_story(desk))
    desk.need("list item", contains="model_id: ")
    desk.key("F10")
    desk.pick("Save Report")
    desk.need_in_dialog("push button", "Save")
    target = desk.path("handed-on.pdf")
    desk.key("ctrl+a")
    desk.type(target)
    desk.key("Return")
    wait_for("the report", lambda: os.path.exists(target) and os.path.getsize(target) > 0)
    text = squeezed(pdf_text(target))
    for words in ("从失败到答案", "한국어", "NamethecapitalofKorea.", "peak_vram300MiB(allocated,allocator)",
                  "Agreementofthereviewers", "notjudged:noreviewyet", "Nexttrials", "page1"):
        assert words in text, "the report does not say “%s”" % words


def story_chain_narrow(desk):
    """in a narrow window a step is as wide as the window, and nothing of it is cut off"""
    open_chain(desk)
    desk.shot("chain-narrow")
    for name in shown_steps(desk, len(RUNS) + 1):
        assert "…" not in name, name


story_chain_narrow.options = {"size": (720, 540)}
