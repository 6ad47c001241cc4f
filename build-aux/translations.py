#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person reads, in every language: translations.py update | files | marks | formats | complete

update    renews POTFILES and merges new strings into every .po (none is guessed: what is new stays empty)
files     POTFILES names every file that holds strings, and no other
marks     no string that a person will see is written without being marked for translation
formats   every .po is well formed, and its %s and %u are those of the source
complete  no .po lacks a string, keeps a doubtful one, or holds one that the source no longer has

All but update speak TAP and change nothing.
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PO = os.path.join(ROOT, "data", "po")
FOLDERS = ("app", "engine", "ledger", "ui")
MARK = re.compile(r'\b(?:_|N_|C_|NC_|ngettext|g_dngettext|g_dpgettext2)\s*\(\s*(?:GETTEXT_PACKAGE|NULL)?,?\s*"')
STRING = r'"(?:\\.|[^"\\])*"'
MARKED = re.compile(r"\b(?:_|N_|C_|NC_|ngettext|g_dngettext)\s*\((?:[^()\"]|%s)*\)" % STRING)


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def sources(*ends):
    for folder in FOLDERS:
        for place, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                if name.endswith(ends):
                    yield os.path.relpath(os.path.join(place, name), ROOT)


def carriers():
    """Functions that translate a sentence given to them: xgettext.args names them with the argument's number."""
    return re.findall(r"^--keyword=(\w+):[2-9]$", read("data", "po", "xgettext.args"), re.MULTILINE)


CARRIED = re.compile(r'\b(?:%s)\s*\([^;"]*"' % "|".join(carriers()))


def has_strings(path):
    text = read(path)
    return 'translatable="' in text if path.endswith(".ui") else bool(MARK.search(text) or CARRIED.search(text))


def potfiles():
    """What POTFILES must list: the marked sources, and the files that are merged with their translations."""
    data = ["data/" + name for name in sorted(os.listdir(os.path.join(ROOT, "data")))
            if name.endswith((".desktop.in", ".metainfo.xml.in", "-mime.xml.in", ".gschema.xml"))]
    return data + sorted(path for path in sources(".c", ".h", ".def", ".ui") if has_strings(path))


def listed(name):
    return [line for line in read("data", "po", name).splitlines() if line and not line.startswith("#")]


def options():
    return read("data", "po", "xgettext.args").split("\n")[:-1]


def make_pot(path):
    done = subprocess.run(["xgettext", *options(), "--output=" + path, *listed("POTFILES")], cwd=ROOT,
                          capture_output=True, text=True)
    told = [line for line in done.stderr.splitlines() if "extension 'def' is unknown" not in line]
    if done.returncode != 0 or told:
        raise AssertionError("xgettext: " + "\n".join(told or ["failed"]))


def update():
    with open(os.path.join(PO, "POTFILES"), "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: GPL-3.0-or-later\n" + "".join(p + "\n" for p in potfiles()))
    with tempfile.TemporaryDirectory() as folder:
        pot = os.path.join(folder, "assay.pot")
        make_pot(pot)
        for language in listed("LINGUAS"):
            po = os.path.join(PO, language + ".po")
            if os.path.exists(po):
                subprocess.run(["msgmerge", "--quiet", "--update", "--backup=none", "--no-fuzzy-matching", po, pot],
                               check=True)
            else:
                begin(po, pot, language)


def begin(po, pot, language):
    """An empty catalogue; neither Chinese nor Korean tells one from many, which msginit does not know of zh_CN."""
    subprocess.run(["msginit", "--no-translator", "--locale=" + language, "--input=" + pot, "--output=" + po], check=True,
                   capture_output=True)
    with open(po, encoding="utf-8") as file:
        text = file.read()
    with open(po, "w", encoding="utf-8") as file:
        file.write(text.replace("nplurals=INTEGER; plural=EXPRESSION;", "nplurals=1; plural=0;"))


def check_files():
    """POTFILES names every file with strings"""
    wanted, found = set(potfiles()), listed("POTFILES")
    yield from ("%s has strings and is missing in data/po/POTFILES: build-aux/translations.py update" % p
                for p in sorted(wanted - set(found)))
    yield from ("%s is in data/po/POTFILES and has no strings" % p for p in sorted(set(found) - wanted))
    for path in sources(".c", ".h", ".def"):
        # xgettext would take the string to end where the macro begins
        where = r"\"\s*(G_G\w+_FORMAT)" if path.startswith("engine/") else r"\b(?:_|N_)\s*\((?:\s*%s)*\s*(G_G\w+)" % STRING
        for match in re.finditer(where, read(path)):
            yield "%s: %s inside a marked string is lost; use PRIu64 or PRId64" % (path, match.group(1))


# Marks: in .ui by the property's name, in C by the function that shows the text

SHOWN = {"label", "title", "subtitle", "tooltip-text", "placeholder-text", "description", "text", "heading", "body",
         "comments", "help-text"}


def unmarked_in_ui(path):
    for node in ET.fromstring(read(path)).iter():
        if node.tag in ("property", "attribute") and node.get("name") in SHOWN and node.get("translatable") != "yes":
            if re.search(r"[A-Za-z]{2}", node.text or "") and not list(node):
                yield "%s: %s “%s”" % (path, node.get("name"), node.text)


SETTERS = re.compile(r"""\b(
  gtk_\w+_(?:set_text|set_label|set_markup|set_tooltip_text|set_title|set_placeholder_text|new_with_label|new_with_mnemonic)
  |gtk_label_new|gtk_file_chooser_native_new|gtk_accessible_update_property
  |adw_\w+_(?:set_title|set_subtitle|set_description|set_body|set_heading|add_responses?)|adw_toast_new|adw_message_dialog_new
  |g_set_error|g_set_error_literal|g_prefix_error|g_error_new|g_error_new_literal|cli_complain
  |assay_notice_new|assay_notice_with_action|g_notification_new|g_notification_set_body|g_notification_add_button
  |g_menu_append|g_menu_item_new|g_object_new|g_object_set|g_print|g_printerr)\s*\(""", re.VERBOSE)


def arguments(text, start):
    """What stands between the parentheses that opened just before start."""
    depth, at = 1, start
    while depth and at < len(text):
        string = re.compile(STRING).match(text, at)
        if string:
            at = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def is_prose(literal):
    """Two words in a row; names of properties, actions, formats and units are none."""
    bare = re.sub(r"%[-+ #0-9.*']*[a-z]+|\\[nt]", "\n", literal)
    return re.search(r"[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}", bare) is not None


def unmarked_in_c(path):
    text = read(path)
    for match in SETTERS.finditer(text):
        given = MARKED.sub("", arguments(text, match.end()))
        for literal in re.findall(STRING, given):
            shown_by_name = re.search(r'"(?:%s)",\s*%s' % ("|".join(SHOWN), re.escape(literal)), given)
            if is_prose(literal) or (shown_by_name and re.search("[A-Za-z]{2}", literal)):
                line = text.count("\n", 0, match.start()) + 1
                yield "%s:%d: %s (… %s …)" % (path, line, match.group(1), literal)


def check_marks():
    """no visible string is left without a mark"""
    for path in sources(".ui"):
        yield from unmarked_in_ui(path)
    for path in sources(".c"):
        yield from unmarked_in_c(path)


def check_formats():
    """every catalogue is well formed and keeps the formats"""
    for language in listed("LINGUAS"):
        po = os.path.join(PO, language + ".po")
        # Names of the record have underscores that mark no key.
        marked = subprocess.run(["msggrep", "--invert-match", "--msgctxt", "--regexp=^run status$", po], check=True,
                                capture_output=True).stdout
        for arguments, given in ((["--check", po], b""), (["--check-accelerators=_", "-"], marked)):
            done = subprocess.run(["msgfmt", "--output-file=/dev/null", *arguments], input=given, capture_output=True)
            if done.returncode != 0:
                yield from done.stderr.decode().splitlines()


def check_complete():
    """every catalogue holds every string, each translated"""
    with tempfile.TemporaryDirectory() as folder:
        pot, merged = os.path.join(folder, "assay.pot"), os.path.join(folder, "merged.po")
        make_pot(pot)
        for language in listed("LINGUAS"):
            po = os.path.join(PO, language + ".po")
            subprocess.run(["msgmerge", "--quiet", "--no-fuzzy-matching", "--output-file=" + merged, po, pot], check=True)
            for what, choice in (("untranslated", "--untranslated"), ("doubtful", "--only-fuzzy"),
                                 ("no longer in the source", "--only-obsolete")):
                found = subprocess.run(["msgattrib", choice, "--no-wrap", merged], capture_output=True, text=True).stdout
                lost = re.findall(r'^(?:#~ )?msgid (?!""$)(.*)', found, re.MULTILINE)
                yield from ("%s.po: %s: %s" % (language, what, line) for line in lost)


CHECKS = {"files": check_files, "marks": check_marks, "formats": check_formats, "complete": check_complete}


def main(what):
    if what == "update":
        update()
    elif what in CHECKS:
        found = list(CHECKS[what]())
        print("1..1")
        for line in found:
            print("# " + line)
        print("%s 1 %s" % ("not ok" if found else "ok", CHECKS[what].__doc__))
        sys.exit(1 if found else 0)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
