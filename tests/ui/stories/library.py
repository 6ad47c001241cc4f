# SPDX-License-Identifier: GPL-3.0-or-later
"""Ledgers at the left and their files: listed, opened, refused, shared, dragged in, undone."""
import os
import re
import resource
import shutil
import subprocess
import time
import xml.etree.ElementTree as ET

from harness import default_model, wait_for
from stories import ledgers
from stories.words import NS, runs_of, validate

BROKEN = b'<?xml version="1.0"?>\n<!DOCTYPE ledger [<!ENTITY x "y">]>\n<ledger/>\n'


def put(desk, name, title, *runs):
    """A ledger NAME of the library; with one run where none is given."""
    made = ledgers.put(desk, *(runs or (ledgers.run(1),)), title=title)
    path = os.path.join(desk.library, name + ".ledger.xml")
    os.rename(made, path)
    return path


def chain():
    """A baseline and a run that continues it."""
    return (ledgers.run(1), ledgers.run(2, mode="model", parent=ledgers.run_id(1), changed="offload_mode"))


def open_listed(desk, title):
    desk.click("list item", title)
    wait_for("the ledger in the window's title", lambda: frames(desk, title))


def ids(path):
    return [run.get("id") for run in ET.parse(path).getroot().findall(NS + "run")]


def title_of(path):
    return ET.parse(path).getroot().get("title")


def frames(desk, contains=""):
    """The program's windows of that title, as the window manager has them."""
    return subprocess.run(["xdotool", "search", "--onlyvisible", "--name", re.escape(contains) + ".*Assay$"], env=desk.env,
                          capture_output=True, text=True).stdout.split()


def click_run(desk, contains):
    desk.click("list item", contains=contains)


def chosen_rows(desk):
    """Names of the rows that are seen to be selected."""
    import pyatspi
    return [row.name for row in desk.matches("list item") if row.getState().contains(pyatspi.STATE_SELECTED)]


def wait_chosen(desk, contains):
    wait_for("“%s” to be the chosen row" % contains, lambda: any(contains in name for name in chosen_rows(desk)))


def story_first_page(desk):
    """the first page has two buttons: one asks for a model, one runs the sample or says what it needs"""
    desk.start()
    desk.need("push button", "Try the Sample Experiment")
    desk.need(contains="drag a model or a ledger")
    desk.need(contains="No ledgers yet")
    assert not [text for text in desk.texts() if "cannot be read" in text], desk.texts()  # its folder is not there yet
    desk.shot("first-page")
    desk.click("push button", "Choose a Model File…")
    desk.need(contains="Choose a")
    desk.key("Escape")
    desk.alive()


def story_broken_ledger_among_fifty(desk):
    """a broken ledger among fifty is listed with its reason and refused inline; the others open, the file is left alone"""
    path = None
    for i in range(49):
        put(desk, "l%02d" % i, "Ledger %02d" % i)
    path = os.path.join(desk.library, "broken.ledger.xml")
    with open(path, "wb") as file:
        file.write(BROKEN)
    desk.start()
    desk.need("list item", "Ledger 00")
    desk.key("ctrl+f")
    desk.type("broken")
    row = desk.need("list item", "broken")
    desk.shot("broken-listed")
    desk.click_at(*desk.settled_place(row))
    desk.need("push button", "Dismiss")
    desk.need("push button", "Retry")
    desk.shot("broken-opened")
    with open(path, "rb") as file:
        assert file.read() == BROKEN
    desk.click("push button", "Dismiss")
    desk.key("ctrl+f")
    desk.key("ctrl+a")
    desk.type("Ledger 31")
    wait_for("one ledger to be left", lambda: not desk.find("list item", "Ledger 00"))
    open_listed(desk, "Ledger 31")


def story_unreadable_ledgers(desk):
    """a file that cannot be read says why and what to do in its row, not where it lies"""
    put(desk, "good", "Good one")
    os.symlink("nowhere", os.path.join(desk.library, "away.ledger.xml"))
    os.mkfifo(os.path.join(desk.library, "pipe.ledger.xml"))
    desk.start()
    desk.need("label", contains="what this name leads to is not there")
    desk.need("label", contains="no plain file, so it is not opened")
    assert not [text for text in desk.texts() if desk.library in text], desk.texts()
    desk.shot("unreadable")


def library_is_over(desk):
    """Its first row is inside the window; away, it lies beyond the edge."""
    row = desk.find("list item", "First")
    return row is not None and desk.place(row)[0] > desk.origin()[0]


def call_library(desk):
    desk.key("F9")
    wait_for("the library", lambda: library_is_over(desk))


def wait_library_gone(desk):
    wait_for("the library to go", lambda: not library_is_over(desk))


def story_library_over_the_views(desk):
    """in a narrow window the library lies over the views, and goes when a ledger or a run was chosen there"""
    put(desk, "one", "First", *chain())
    put(desk, "two", "Second", *chain())
    desk.start()
    desk.need("list item", "First")
    wait_library_gone(desk)
    call_library(desk)
    open_listed(desk, "First")
    wait_library_gone(desk)
    call_library(desk)
    desk.shot("library-over")
    click_run(desk, "baseline")
    wait_library_gone(desk)
    desk.shot("library-gone")
    call_library(desk)
    wait_chosen(desk, "baseline")
    click_run(desk, "baseline")  # it is shown already
    wait_library_gone(desk)
    call_library(desk)
    open_listed(desk, "Second")
    wait_library_gone(desk)


story_library_over_the_views.options = {"size": (720, 540)}


def story_search(desk):
    """search filters ledgers and runs while typing; what nothing fits says so"""
    put(desk, "one", "Quantized on 4 GiB", *chain())
    put(desk, "two", "Offloaded")
    desk.start()
    open_listed(desk, "Quantized on 4 GiB")
    run = "offload_mode: none → model"
    desk.need("list item", contains=run)
    desk.key("ctrl+f")
    desk.type("offloaded")
    desk.gone("list item", contains=run)
    desk.need("list item", "Offloaded")
    desk.key("ctrl+a")
    desk.type("zebra")
    desk.need("label", contains="“zebra”")
    desk.shot("search-nothing")
    desk.key("Escape")
    desk.need("list item", "Offloaded")
    desk.need("list item", contains=run)
    desk.gone("label", contains="“zebra”")


def story_undo_of_a_deleted_run(desk):
    """a deleted run comes back by the toast and by Ctrl+Z, and goes again by Ctrl+Shift+Z; its child says what is missing"""
    path = put(desk, "one", "Undone", *chain())
    desk.start()
    open_listed(desk, "Undone")
    click_run(desk, "baseline")
    desk.key("Delete")
    wait_for("one run in the file", lambda: ids(path) == [ledgers.run_id(2)])
    desk.shot("run-deleted")
    wait_chosen(desk, "offload_mode")
    desk.click("push button", "Undo")
    wait_for("both runs in the file", lambda: ids(path) == [ledgers.run_id(1), ledgers.run_id(2)])
    wait_chosen(desk, "baseline")
    desk.key("ctrl+shift+z")
    wait_for("one run again", lambda: ids(path) == [ledgers.run_id(2)])
    desk.need("list item", contains="changed since a deleted run")
    assert [r.get("run") for r in ET.parse(path).getroot().findall(NS + "removed")] == [ledgers.run_id(1)]
    validate(desk)
    desk.key("ctrl+z")
    wait_for("both runs again", lambda: len(ids(path)) == 2)
    wait_chosen(desk, "baseline")
    assert not ET.parse(path).getroot().findall(NS + "removed")


def story_undo_of_a_rename(desk):
    """a ledger is renamed in place, and the name is taken back"""
    path = put(desk, "one", "Before")
    desk.start()
    open_listed(desk, "Before")
    desk.key("F2")
    desk.need("text", "Title of the ledger")
    desk.key("ctrl+a")
    desk.type("After")
    desk.shot("rename")
    desk.key("Return")
    wait_for("the name in the file", lambda: title_of(path) == "After")
    wait_for("the title", lambda: frames(desk, "After"))
    desk.key("ctrl+z")
    wait_for("the old name in the file", lambda: title_of(path) == "Before")
    wait_for("the title", lambda: frames(desk, "Before"))


def story_undo_of_a_deleted_ledger(desk):
    """a ledger goes to the trash, and comes back from it"""
    path = put(desk, "one", "Thrown away")
    desk.start()
    open_listed(desk, "Thrown away")
    with open(path, "rb") as file:
        before = file.read()
    x, y = desk.settled_place(desk.need("list item", "Thrown away"))
    desk.click_at(x, y, "3")
    desk.pick("Trash")
    wait_for("the file to go", lambda: not os.path.exists(path))
    desk.gone("list item", "Thrown away")
    desk.shot("trashed")
    desk.click("push button", "Undo")
    wait_for("the file to come back", lambda: os.path.exists(path))
    with open(path, "rb") as file:
        assert file.read() == before
    desk.need("list item", "Thrown away")


def story_two_windows(desk):
    """two windows on one ledger: each shows what the other saves and says so, and nothing is lost"""
    path = put(desk, "one", "Shared", *chain())
    desk.start()
    open_listed(desk, "Shared")
    desk.key("ctrl+shift+n")
    wait_for("two windows", lambda: len(frames(desk)) == 2)
    desk.key("ctrl+f")
    desk.type("Shared")
    desk.key("Tab", "Return")
    wait_for("the ledger in both", lambda: len(frames(desk, "Shared")) == 2)
    desk.key("F2")
    desk.need("text", "Title of the ledger")
    desk.key("ctrl+a")
    desk.type("Shared by two")
    desk.key("Return")
    wait_for("the name in the file", lambda: title_of(path) == "Shared by two")
    wait_for("the name in both", lambda: len(frames(desk, "Shared by two")) == 2)
    subprocess.run([desk.program, "review", path, ledgers.run_id(1), "--reviewer", "Kim", "--verdict", "pass", "--note",
                    "from a program"], env=desk.env, check=True, capture_output=True)
    desk.need(contains="Another window or program saved")
    desk.shot("two-windows")
    root = ET.parse(path).getroot()
    assert root.get("title") == "Shared by two"
    assert len(root.findall(NS + "run")) == 2 and len(root.findall(".//" + NS + "review")) == 1
    desk.key("ctrl+q")
    desk.wait_end()


def story_changes_on_disk(desk):
    """a ledger that appears, changes and goes away on disk does so in the window"""
    first = put(desk, "one", "First")
    desk.start()
    open_listed(desk, "First")
    second = put(desk, "two", "Second")
    desk.need("list item", "Second")
    os.remove(second)
    desk.gone("list item", "Second")
    subprocess.run([desk.program, "review", first, ledgers.run_id(1), "--reviewer", "Kim", "--verdict", "fail"],
                   env=desk.env, check=True, capture_output=True)
    desk.need(contains="Another window or program saved")
    os.rename(first, first + ".away")
    desk.need("push button", "Save Elsewhere…")
    desk.shot("file-gone")
    os.rename(first + ".away", first)
    desk.gone("push button", "Save Elsewhere…")


def story_disk_full(desk):
    """a full disk while saving is told inline with two ways on; nothing is lost, and Retry saves"""
    path = put(desk, "one", "Cramped", *(ledgers.run(i) for i in range(1, 9)))
    desk.start()
    open_listed(desk, "Cramped")
    with open(path, "rb") as file:
        before = file.read()
    _, hard = resource.prlimit(desk.app.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(desk.app.pid, resource.RLIMIT_FSIZE, (1024, hard))
    desk.key("F2")
    desk.need("text", "Title of the ledger")
    desk.key("ctrl+a")
    desk.type("Roomy")
    desk.key("Return")
    desk.need("push button", "Retry")
    desk.need("push button", "Save Elsewhere…")
    desk.need(contains="is not saved")
    desk.shot("disk-full")
    with open(path, "rb") as file:
        assert file.read() == before
    wait_for("the title", lambda: frames(desk, "Roomy"))
    resource.prlimit(desk.app.pid, resource.RLIMIT_FSIZE, (hard, hard))
    desk.click("push button", "Retry")
    wait_for("the save", lambda: title_of(path) == "Roomy")
    desk.gone("push button", "Retry")
    assert len(ids(path)) == 8
    validate(desk)


def drag(desk, *files):
    """Real drag and drop between two programs: a window that offers the files, and the pointer."""
    source = desk._spawn([os.environ["ASSAY_DRAG_SOURCE"], *files], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def window():
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "^drag source$"], env=desk.env,
                               capture_output=True, text=True).stdout.split()
        return found[-1] if found else None
    desk.xdo("windowmove", wait_for("the other program's window", window), "40", "600")
    time.sleep(0.5)
    desk.xdo("mousemove", "120", "680", "mousedown", "1")
    for x in range(120, 760, 20):
        desk.xdo("mousemove", str(x), str(680 - (x - 120) // 2))
    time.sleep(0.5)
    desk.xdo("mouseup", "1")
    return source


def story_drag(desk):
    """files dragged in from another program: a foreign one is refused in words, a ledger opens, a model fills the form"""
    os.makedirs(desk.path("elsewhere"))
    foreign = desk.path("elsewhere", "photo.jpg")
    with open(foreign, "wb") as file:
        file.write(b"\xff\xd8\xff\xe0 no model")
    ledger = put(desk, "one", "Dragged in")
    ledger = shutil.move(ledger, desk.path("elsewhere"))
    desk.start()
    source = drag(desk, foreign)
    desk.need(contains="“photo.jpg” is no ledger and no model")
    desk.shot("drag-refused")
    source.terminate()
    source.wait()
    source = drag(desk, ledger)
    wait_for("the ledger in the window's title", lambda: frames(desk, "Dragged in"))
    source.terminate()
    source.wait()
    drag(desk, default_model())
    desk.need(contains="SmolLM2-135M-Instruct")
    wait_for("a forecast", lambda: any(t.startswith(("Fits: ", "Does not fit by ")) for t in desk.texts()))
    desk.shot("drag-model")


story_drag.needs_model = True


def story_export(desk):
    """the open ledger is exported as CSV under a name that its file proposes"""
    put(desk, "one", "Given away", *chain())
    desk.start()
    open_listed(desk, "Given away")
    desk.key("F10")
    desk.pick("This Ledger")
    desk.pick("CSV")
    desk.need_in_dialog("push button", "Save")
    desk.key("ctrl+a")
    desk.type(desk.path("out"))
    desk.key("Return")
    wait_for("the table", lambda: os.path.exists(desk.path("out.csv")))
    desk.need(contains="Exported to")
    with open(desk.path("out.csv"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert len(lines) == 3 and ledgers.run_id(2) in lines[2], lines
    desk.click(None, "Main menu")
    desk.pick("Save Report")
    desk.need_in_dialog("push button", "Save")
    desk.key("ctrl+a")
    desk.type(desk.path("told"))
    desk.key("Return")
    wait_for("the report", lambda: os.path.exists(desk.path("told.pdf")))
    desk.need("push button", "Open")


def story_recent(desk):
    """a ledger opened before is offered on the first page and opens from there"""
    put(desk, "one", "Yesterday")
    away = shutil.move(os.path.join(desk.library, "one.ledger.xml"), desk.path())
    desk.start(away)
    wait_for("the ledger", lambda: frames(desk, "Yesterday"))
    wait_for("the desktop's list", lambda: os.path.exists(desk.path("data", "recently-used.xbel")))
    desk.key("ctrl+q")
    desk.wait_end()
    desk.start()
    desk.need("label", "Opened last")
    desk.shot("recent")
    desk.click("list item", contains="Yesterday")
    wait_for("the ledger again", lambda: frames(desk, "Yesterday"))


def story_opened_by_a_second_start(desk):
    """a second start hands its ledger to the running program, which shows it in a window; the same one only once"""
    one, two = put(desk, "one", "In front"), put(desk, "two", "Beside")
    desk.start(one)
    wait_for("the first", lambda: frames(desk, "In front"))
    subprocess.run([desk.program, two], env=desk.env, check=True, timeout=30)
    wait_for("the second", lambda: frames(desk, "Beside"))
    assert len(frames(desk)) == 2
    subprocess.run([desk.program, two], env=desk.env, check=True, timeout=30)
    desk.alive()
    assert len(frames(desk)) == 2


def story_marks_and_names_of_ledgers(desk):
    """a ledger is marked by all its runs, so that one stopped takes nothing back; ledgers of one title show their files"""
    put(desk, "first", "Alike", ledgers.run(1, reviews=ledgers.review(1)), ledgers.run(2, status="cancelled"))
    put(desk, "second", "Alike", ledgers.run(1, status="failed"))
    put(desk, "third", "Another")
    desk.start()
    desk.need("label", "second.ledger.xml")
    desk.need("label", "first.ledger.xml")
    assert "third.ledger.xml" not in desk.texts()
    desk.need("label", "ran: 1 of 2 runs, not judged: 1")
    desk.need("label", "good: 1 of 2 runs, not judged: 1")
    desk.need("label", "ran: 0 of 1 run")
    desk.shot("ledger-marks")
