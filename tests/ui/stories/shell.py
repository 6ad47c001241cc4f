# SPDX-License-Identifier: GPL-3.0-or-later
"""The window around the views: keys, names, dialogs, preferences, what is remembered and told."""
import os
import re
import shutil
import subprocess
import sys

from harness import wait_for
from stories import ledgers
from stories.words import NS, badly_named, runs_of, start_sample, validate, wait_runs

KEPT = {"GSETTINGS_BACKEND": "keyfile"}  # what one start prefers, the next one finds
VIEWS = ("alt+1", "alt+2", "alt+3", "alt+4")


SAMPLE_TITLE = "Example with made-up figures"


def put_sample_in(folder):
    sample = os.path.join(os.environ["ASSAY_SOURCE_ROOT"], "data", "samples", "sample.ledger.xml")
    os.makedirs(folder)
    return shutil.copy(sample, folder)


def put_sample(desk):
    return put_sample_in(desk.library)


def start_on_sample(desk):
    desk.start(put_sample(desk))
    desk.need("list item", contains="baseline, ")


def open_preferences(desk):
    desk.key("ctrl+comma")
    desk.need(contains="Folder of new ledgers")


def choose_row(desk, row, down):
    """A list that hangs on a row of its own opens by Return and is walked by keys."""
    node = desk.need(None, row)
    desk.click_at(*desk.reveal(node))
    desk.key("Home", *["Down"] * down, "Return")


def set_number(desk, name, value):
    """Types into a spin button, left of its own buttons."""
    import pyatspi
    node = desk.need("spin button", name)
    x, y = desk.reveal(node)
    width = node.queryComponent().getExtents(pyatspi.WINDOW_COORDS).width
    desk.click_at(x - width // 2 + 16, y)
    desk.key("ctrl+a")
    desk.type(value)
    desk.key("Tab")


def story_keyboard(desk):
    """every view, the search, the menu, preferences and shortcuts open by keys alone"""
    desk.start()
    desk.key("ctrl+n")
    desk.need("push button", "Choose a Model…")
    for key in ("alt+2", "alt+3", "alt+4", "alt+1", "ctrl+Next", "ctrl+Prior", "F9", "F9", "ctrl+f", "Escape"):
        desk.key(key)
        desk.alive()
    desk.key("F10")
    desk.need("menu item", contains="Preferences")
    desk.shot("menu")
    desk.key("Escape")
    open_preferences(desk)
    desk.shot("preferences")
    desk.key("Escape")
    desk.key("ctrl+question")
    desk.need("label", "Keyboard shortcuts")
    desk.shot("shortcuts")
    desk.key("Escape")
    desk.key("ctrl+l")
    desk.key("ctrl+q")
    desk.wait_end()


def story_names(desk):
    """every control of every view has one clean name"""
    start_on_sample(desk)
    for key in VIEWS:
        desk.key(key)
        assert not badly_named(desk), (key, badly_named(desk))
    desk.key("alt+2")
    desk.click("push button", "Plan the Next Trial")
    desk.need("push button", "Review It First")
    assert not badly_named(desk), badly_named(desk)
    desk.click("push button", "Review It First")
    desk.need("push button", "Begin the Blind Review")
    assert not badly_named(desk), badly_named(desk)
    desk.click("push button", "Review by Name")
    desk.need("push button", "Next Answer")
    assert not badly_named(desk), badly_named(desk)
    open_preferences(desk)
    bad = [b for b in badly_named(desk) if not b.startswith("page tab")]  # that window's own, hidden switcher
    assert not bad, bad
    desk.key("Escape")
    desk.key("F1")
    desk.need("frame", "Help")
    bad = [b for b in badly_named(desk) if not b.startswith("page tab")]
    assert not bad, bad


def story_help(desk):
    """F1 opens the help on what is shown; the fields of the record are all there; Escape closes it"""
    start_on_sample(desk)
    desk.key("alt+2")
    desk.key("F1")
    desk.need("frame", "Help")
    desk.need("label", "Reading the Chart")
    desk.need("label", contains="Bands with names are phases")
    desk.shot("help")
    desk.key("Escape")
    desk.gone("frame", "Help")
    desk.key("alt+3")
    desk.key("F1")
    desk.need("label", contains="Only a person’s review answers this")
    desk.click(None, "Fields of the Record")
    told = subprocess.run([desk.program, "fields"], env=desk.env, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in told.splitlines() if line and line[0].islower()]
    assert len(names) > 60, told[:400]
    shown = wait_for("the fields", lambda: [t for t in desk.texts() if t.startswith("kv_cache_type")]) and desk.texts()
    missing = [n for n in names if not any(t == n or t.startswith(n + " ·") for t in shown)]
    assert missing in ([], ["run_id"]), missing
    desk.shot("help-fields")
    desk.click(None, "Keys")
    desk.need("label", contains="Ctrl+Shift+N opens another window")
    desk.key("ctrl+w")
    desk.gone("frame", "Help")
    desk.alive()


def figures(desk, unit):
    return [t for t in desk.texts() if (" " + unit) in t and "KiB, MiB" not in t and "kB, MB" not in t]


def story_sizes(desk):
    """sizes in powers of ten are shown at once in every view, and the file does not change"""
    start_on_sample(desk)
    with open(desk.ledgers()[0], "rb") as file:
        before = file.read()
    desk.key("alt+2")
    wait_for("figures", lambda: figures(desk, "MiB"))
    open_preferences(desk)
    choose_row(desk, "Sizes", 1)
    desk.key("Escape")
    for key in VIEWS:
        desk.key(key)
        wait_for("no figure in MiB", lambda: not figures(desk, "MiB"), 20)
    desk.key("alt+2")
    wait_for("figures in MB", lambda: figures(desk, "MB"))
    desk.shot("sizes")
    with open(desk.ledgers()[0], "rb") as file:
        assert file.read() == before


def story_new_trial_defaults(desk):
    """a new trial runs with what the preferences say"""
    begin = (("Longest answer", "max_tokens", "8"), ("Threads", "threads", "3"),
             ("Sampling interval", "sample_interval_ms", "35"))
    desk.put_default_model()
    desk.start()
    open_preferences(desk)
    for name, field, value in begin:
        set_number(desk, name, value)
    desk.key("Escape")
    desk.key("ctrl+n")
    desk.click(None, "Choose a model")
    desk.need("list item", contains="SmolLM2")
    desk.key("Return")
    desk.enter("Prompt", "Which gas do plants take in?")
    desk.key("F5")
    run, = wait_runs(desk, 1)
    conditions = run.find(NS + "conditions")
    for name, field, value in begin:
        assert conditions.find(NS + field).text == value, (field, conditions.find(NS + field).text)


story_new_trial_defaults.needs_model = True


def put_catalogue(desk, language, words):
    """Translations of the test's own: it must not depend on those that are shipped."""
    folder = desk.path("locale", language, "LC_MESSAGES")
    os.makedirs(folder)
    po = os.path.join(folder, "assay.po")
    with open(po, "w", encoding="utf-8") as file:
        file.write('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n')
        for source, translated in words.items():
            file.write('msgid "%s"\nmsgstr "%s"\n' % (source, translated))
    subprocess.run(["msgfmt", "-o", os.path.join(folder, "assay.mo"), po], check=True)
    desk.env["ASSAY_LOCALE_DIR"] = desk.path("locale")


def story_language(desk):
    """a language chosen in the preferences is spoken from the next start on, whatever the system says"""
    put_catalogue(desk, "ko", {"New Trial": "새 시험", "Run": "실행"})
    desk.start()
    desk.need("push button", "New Trial")
    open_preferences(desk)
    desk.need("label", "From the next start on")
    choose_row(desk, "Language", 2)
    desk.key("Escape")
    desk.key("ctrl+q")
    desk.wait_end()
    desk.start()
    desk.need("push button", "새 시험")
    desk.shot("language-ko")
    desk.key("ctrl+n")
    desk.alive()


story_language.options = {"environment": KEPT}


def window_size(desk):
    """Of the largest: tooltips and menus are windows too."""
    seen = []
    for window in subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(desk.app.pid)], env=desk.env,
                                 capture_output=True, text=True).stdout.split():
        told = subprocess.run(["xdotool", "getwindowgeometry", "--shell", window], env=desk.env, capture_output=True,
                              text=True).stdout
        values = dict(line.split("=") for line in told.split() if "=" in line)
        seen.append((window, int(values.get("WIDTH", 0)), int(values.get("HEIGHT", 0))))
    return max(seen, key=lambda w: w[1] * w[2]) if seen else (None, 0, 0)


def story_library_folders(desk):
    """preferences take more folders of ledgers: they are listed with the first, stay at the next start, and go again"""
    ledgers.put(desk, ledgers.run(1), title="At home")
    away = os.path.dirname(put_sample_in(desk.path("away")))
    desk.start()
    desk.need("list item", "At home")
    open_preferences(desk)
    desk.click("push button", "Add a folder of ledgers")
    desk.need_in_dialog("push button", "Select")
    desk.key("slash", "ctrl+a")
    desk.type(away)
    desk.key("Return")
    remove = "Stop Showing the Folder “away”"
    desk.need("push button", remove)
    desk.shot("library-folders")
    desk.key("Escape")
    desk.need("list item", contains=SAMPLE_TITLE)
    desk.need("list item", "At home")
    desk.key("ctrl+q")
    desk.wait_end()
    desk.start()
    desk.need("list item", contains=SAMPLE_TITLE)
    open_preferences(desk)
    desk.click("push button", remove)
    desk.gone("push button", remove)
    desk.key("Escape")
    desk.gone("list item", contains=SAMPLE_TITLE)
    desk.need("list item", "At home")


story_library_folders.options = {"environment": KEPT}


def story_remembers(desk):
    """the next start opens the last ledger in the last view, in a window of the same size"""
    start_on_sample(desk)
    desk.key("alt+4")
    desk.need("table cell", contains="000003")
    window, width, height = window_size(desk)
    desk.xdo("windowsize", window, "1000", "700")
    wait_for("the new size", lambda: window_size(desk)[1:] == (1000, 700))
    desk.key("ctrl+q")
    desk.wait_end()
    desk.start()
    desk.need("table cell", contains="000003")
    wait_for("the size it had", lambda: window_size(desk)[1:] == (1000, 700))
    desk.shot("remembered")
    desk.key("ctrl+q")
    desk.wait_end()
    os.remove(desk.ledgers()[0])
    desk.start()  # what is gone is no error at the start
    desk.need("push button", "Try the Sample Experiment")
    assert not desk.find("push button", "Dismiss")


story_remembers.options = {"environment": KEPT}


def story_remembers_narrow(desk):
    """in a narrow window too the next start opens the last ledger in the last view; a new window offers it on its page"""
    start_on_sample(desk)
    desk.key("alt+4")
    desk.need("table cell", contains="000003")
    desk.key("ctrl+q")
    desk.wait_end()
    desk.start()
    desk.need("table cell", contains="000003")
    desk.key("F10")
    desk.pick("New Window")
    desk.need("push button", "Try the Sample Experiment")
    desk.need("label", "Opened last")
    desk.shot("remembered-narrow")


story_remembers_narrow.options = {"environment": KEPT, "size": (720, 540)}


def focused(desk):
    items = [item for item in desk.tree().walk() if item.focused]
    return items[-1] if items else None


def tab_to(desk, name, most=120):
    """As a person without a mouse: Tab until the control has the focus."""
    for _ in range(most):
        item = focused(desk)
        if item is not None and item.name == name:
            return item
        desk.key("Tab")
    raise AssertionError("Tab never came to “%s”" % name)


def story_by_keyboard(desk):
    """a whole trial without a mouse: sample, review, verdict, saved"""
    desk.put_default_model()
    desk.start()
    tab_to(desk, "Try the Sample Experiment")
    desk.key("Return")
    run, = wait_runs(desk, 1)
    desk.need("push button", "Plan the Next Trial")
    desk.key("alt+3")
    desk.need("push button", "Next Answer")
    for control, key in (("Expected answer seen", "n"), ("Groundedness", "2"), ("Fail", "space")):
        tab_to(desk, control)  # a criterion takes the focus as one
        desk.key(key)
    tab_to(desk, "Reviewer")
    desk.type("Ada")
    desk.key("alt+s")
    desk.need("push button", "Save Anyway")  # eleven answers are not rated
    tab_to(desk, "Save Anyway")
    desk.key("space")
    wait_for("the review in the file", lambda: runs_of(desk)[0].findall(NS + "review"))
    validate(desk)


story_by_keyboard.needs_model = True


def story_right_to_left(desk):
    """from right to left the window is mirrored, and every view still works"""
    start_on_sample(desk)
    menu, new = desk.place(desk.need(None, "Main menu")), desk.place(desk.need("push button", "New Trial"))
    assert menu[0] < new[0], (menu, new)
    for key in VIEWS:
        desk.key(key)
        assert not badly_named(desk), (key, badly_named(desk))
        desk.shot("rtl-" + key[-1])
    desk.key("alt+2")
    desk.click("push button", "Plan the Next Trial")
    desk.need("push button", "Review It First")
    desk.alive()


story_right_to_left.options = {"environment": {"ASSAY_TEXT_DIRECTION": "rtl"}}


def story_desktop(desk):
    """while a trial runs the machine may not sleep; a long run's end is told, and the notification shows the window"""
    listener = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "desktop-services.py")
    heard = desk.path("heard")
    desk._spawn(["/usr/bin/python3", listener, heard])

    def said(word):
        with open(heard, encoding="utf-8") as file:
            return [line for line in file.read().splitlines() if line.startswith(word)]
    wait_for("the desktop's services", lambda: os.path.exists(heard))
    desk.put_default_model()
    desk.start()
    open_preferences(desk)
    set_number(desk, "Tell when a run has ended", "1")
    desk.key("Escape")
    desk.click("push button", "Try the Sample Experiment")
    wait_for("inhibited", lambda: said("inhibit"))
    assert "A trial is running" in said("inhibit")[0], said("inhibit")
    desk.xdo("getactivewindow", "windowminimize")
    wait_runs(desk, 1)
    wait_for("the notification", lambda: said("notify"))
    assert "A run has completed" in said("notify")[0], said("notify")
    wait_for("uninhibited", lambda: said("uninhibit"))
    with open(heard + ".press", "w") as file:
        file.write("default")
    wait_for("the window again", lambda: window_size(desk)[1] > 0)
    desk.need("push button", "Plan the Next Trial")


story_desktop.needs_model = True


# Not of this program's catalogue: words and keys that GTK and libadwaita say
GTK_WORDS = {"Close", "Minimize", "Maximize", "Sidebar", "No", "Results", "Found", "assay", "Preferences", "Shortcuts"}
GTK_KEYS = {"Alt", "Ctrl", "Shift", "Delete", "Escape", "Home", "End", "Left", "Right", "Menu", "Page", "Down", "Return"}
UNITS = {"KiB", "MiB", "GiB", "min"}


def put_marked_catalogue(desk):
    """A language in which every string of the program begins with ⟦."""
    root = os.environ["ASSAY_SOURCE_ROOT"]
    sys.path.insert(0, os.path.join(root, "build-aux"))
    import translations
    pot, po = desk.path("assay.pot"), desk.path("marked.po")
    folder = desk.path("locale", "xx", "LC_MESSAGES")
    os.makedirs(folder)
    translations.make_pot(pot)
    same = subprocess.run(["msgen", pot], capture_output=True, check=True).stdout
    subprocess.run(["msgfilter", "--keep-header", "-o", po, "sed", "-e", "0,/./s/^./⟦&/"], input=same, check=True,
                   capture_output=True)
    subprocess.run(["msgfmt", "-o", os.path.join(folder, "assay.mo"), po], check=True)
    desk.env.update(ASSAY_LOCALE_DIR=desk.path("locale"), LANGUAGE="xx")


def words_of_data():
    """What stands in the ledger, and the names of fields, are shown as they are."""
    root = os.environ["ASSAY_SOURCE_ROOT"]
    words = set()
    for path in ("data/samples/sample.ledger.xml", "data/questions/basic-12.questions.xml", "ledger/fields.def"):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        words.update(re.findall(r"[^\W\d_]+", re.sub(r'N_\("[^"]*"\)', "", text)))
        words.update(name.capitalize() for name in re.findall('<criterion id="([a-z]+)', text))
    return words


def unmarked(desk, known):
    """Texts with a word that comes neither from the catalogue nor from data."""
    for text in set(desk.texts()):
        if "⟦" in text or re.match("(Assay|Gtk|Adw)[A-Z]", text) or desk.home in text:
            continue
        words = [w for w in re.findall(r"[^\W\d_]{3,}", text) if w not in known]
        if words:
            yield text


def story_every_word(desk):
    """no word of any view or window is missing from the catalogue"""
    put_marked_catalogue(desk)
    known = words_of_data() | GTK_WORDS | GTK_KEYS | UNITS
    desk.start(put_sample(desk))
    desk.need("label", contains="000004 · ")
    found = set()
    for key in VIEWS:
        desk.key(key)
        found.update(unmarked(desk, known))
    desk.key("alt+2")
    desk.click("push button", "⟦Plan the Next Trial")
    desk.need("push button", "⟦Review It First")
    found.update(unmarked(desk, known))
    for key in ("ctrl+comma", "F1", "ctrl+question", "F10"):
        desk.key(key)
        found.update(unmarked(desk, known))
        desk.shot("marked-" + key[-1])
        desk.key("Escape")
    assert not found, sorted(found)
