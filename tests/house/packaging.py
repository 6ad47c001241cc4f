#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is handed to packagers agrees with itself: manifest, desktop file, metainfo, icons, shortcuts. TAP."""
import configparser
import json
import os
import re
import sys
import xml.etree.ElementTree as ET

ROOT = sys.argv[1]
ID = "io.github.assay.Assay"
# Keys that a view handles itself; stories press them.
VIEW_KEYS = {"Escape", "Delete", "<Shift>F10 Menu", "1...5", "<Control>Return", "<Alt>Page_Down", "<Alt>Page_Up",
             "Left Right", "<Shift>Left <Shift>Right", "Home End", "plus", "minus", "0",
             "1 Left", "2 Right", "3 Up", "4 Down", "BackSpace"}


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def manifest():
    """the Flatpak manifest is whole: a GNOME runtime, checksums, no network, model folders only to be read"""
    data = json.loads(read("build-aux", ID + ".json"))
    assert data["id"] == ID and data["command"] == "assay", data["id"]
    assert data["runtime"] == "org.gnome.Platform" and data["sdk"] == "org.gnome.Sdk" and data["runtime-version"]
    arguments = data["finish-args"]
    assert "--share=network" not in arguments and "--device=dri" in arguments
    folders = [a for a in arguments if a.startswith("--filesystem=")]
    assert folders and all(f.endswith(":ro") for f in folders), folders
    for module in data["modules"]:
        for source in module["sources"]:
            if source["type"] == "dir":
                assert os.path.isfile(os.path.join(ROOT, "build-aux", source["path"], "meson.build")), source
            else:
                assert re.fullmatch("[0-9a-f]{64}", source["sha256"]), source


def stores():
    """the manifest opens every store of models that the engine searches below a home"""
    text = read("engine", "discovery-stores.c")
    opened = [re.sub("xdg-cache", ".cache", re.sub("xdg-data", ".local/share", a[len("--filesystem="):-len(":ro")])).replace("~/", "")
              for a in json.loads(read("build-aux", ID + ".json"))["finish-args"] if a.startswith("--filesystem=")]
    searched = [".cache/" + s for s in re.findall(r'stores_take_cached \(stores, "[^"]+", "([^"]+)"', text)]
    searched += [".local/share/" + s for s in re.findall(r'stores_take_data \(stores, "[^"]+", "([^"]+)"', text)]
    searched += re.findall(r'stores_add_home \(stores, "[^"]+", "([^"]+)"', text)
    missing = [s for s in searched if not any(s.startswith(o) for o in opened) and not s.startswith(("text", "ComfyUI"))]
    assert not missing, missing  # textgen and ComfyUI lie where a person put them: the portal opens those


def desktop():
    """the desktop file, the metainfo and the MIME type name the same program"""
    entry = configparser.ConfigParser(interpolation=None, strict=False)
    entry.optionxform = str
    entry.read_string(read("data", ID + ".desktop.in"))
    main = entry["Desktop Entry"]
    assert main["Icon"] == ID and main["Exec"].startswith("assay ") and main["DBusActivatable"] == "true"
    mime = ET.fromstring(read("data", ID + "-mime.xml.in"))[0].get("type")
    assert mime in main["MimeType"].split(";"), main["MimeType"]
    for action in filter(None, main["Actions"].split(";")):
        assert entry["Desktop Action " + action]["Exec"].startswith("assay"), action
    info = ET.fromstring(read("data", ID + ".metainfo.xml.in"))
    assert info.findtext("id") == ID and info.findtext("launchable") == ID + ".desktop"
    assert info.findtext("provides/mediatype") == mime
    version = re.search(r"version: '([^']+)'", read("meson.build")).group(1)
    assert info.find("releases/release").get("version") == version, "the newest release is not " + version


def pictures():
    """every picture that the metainfo and README show is there, and both icons"""
    info = ET.fromstring(read("data", ID + ".metainfo.xml.in"))
    shown = ["data/screenshots/" + os.path.basename(image.text) for image in info.iter("image")]
    shown += re.findall(r"\((data/screenshots/[^)]+)\)", read("README.md"))
    icons = ["data/icons/hicolor/scalable/apps/%s.svg" % ID, "data/icons/hicolor/symbolic/apps/%s-symbolic.svg" % ID]
    missing = [p for p in shown + icons if not os.path.isfile(os.path.join(ROOT, p))]
    assert shown and not missing, missing


def shortcuts():
    """the shortcuts window names every action that has a key, and no other key than the views' own"""
    source = read("app", "assay-application.c")
    table = source[source.index("accelerators[] = {"):]
    actions = set(re.findall(r'\{ "([^"]+)", \{ "', table[:table.index("};")]))
    window = ET.fromstring(read("ui", "gtk", "help-overlay.ui"))
    shown = {p.text for p in window.iter("property") if p.get("name") == "action-name"}
    keys = {p.text for p in window.iter("property") if p.get("name") == "accelerator"}
    assert actions == shown, "not in both: %s" % sorted(actions ^ shown)
    assert keys == VIEW_KEYS, "not in both: %s" % sorted(keys ^ VIEW_KEYS)


def main():
    checks = (manifest, stores, desktop, pictures, shortcuts)
    print("1..%d" % len(checks))
    for number, check in enumerate(checks, 1):
        try:
            check()
            print("ok %d %s" % (number, check.__doc__))
        except (AssertionError, KeyError, OSError, ValueError) as error:
            print("# %s: %s" % (type(error).__name__, error))
            print("not ok %d %s" % (number, check.__doc__))


main()
