# SPDX-License-Identifier: GPL-3.0-or-later
"""Ledgers at the left: what is listed, opened and refused."""
import os


def story_broken_ledger(desk):
    """a broken ledger is listed with its reason, refused inline, and left as it was"""
    os.makedirs(desk.library)
    path = os.path.join(desk.library, "broken.ledger.xml")
    text = b'<?xml version="1.0"?>\n<!DOCTYPE ledger [<!ENTITY x "y">]>\n<ledger/>\n'
    with open(path, "wb") as file:
        file.write(text)
    desk.start()
    row = desk.need("list item", "broken")
    desk.shot("broken-listed")
    desk.click_at(*desk.place(row))
    desk.need("push button", "Dismiss")
    desk.shot("broken-opened")
    with open(path, "rb") as file:
        assert file.read() == text
    desk.click("push button", "Dismiss")
    desk.gone("push button", "Dismiss")
    desk.alive()
