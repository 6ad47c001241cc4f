# SPDX-License-Identifier: GPL-3.0-or-later
"""The window around the views: keys, names, dialogs."""
import os
import shutil

from stories.words import badly_named


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
    desk.key("ctrl+comma")
    desk.need(contains="Folder of the ledgers")
    desk.shot("preferences")
    desk.key("Escape")
    desk.key("ctrl+question")
    desk.shot("shortcuts")
    desk.key("Escape")
    desk.key("ctrl+shift+n")
    desk.key("ctrl+q")
    desk.wait_end()


def story_names(desk):
    """every control of every view has one clean name"""
    samples = os.path.join(os.environ["ASSAY_SOURCE_ROOT"], "data", "samples", "sample.ledger.xml")
    os.makedirs(desk.library)
    shutil.copy(samples, desk.library)
    desk.start(os.path.join(desk.library, "sample.ledger.xml"))
    desk.need("list item", contains="baseline, ")
    for key in ("alt+1", "alt+2", "alt+3", "alt+4"):
        desk.key(key)
        assert not badly_named(desk), (key, badly_named(desk))
    desk.key("alt+2")
    desk.click("push button", "Plan the Next Trial")
    desk.need("push button", "Review It First")
    assert not badly_named(desk), badly_named(desk)
    desk.click("push button", "Review It First")
    desk.need("push button", "Save and Next")
    desk.key("ctrl+comma")
    desk.need(contains="Folder of the ledgers")
    bad = [b for b in badly_named(desk) if not b.startswith("page tab")]  # that window's own, hidden switcher
    assert not bad, bad
