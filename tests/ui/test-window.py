# SPDX-License-Identifier: GPL-3.0-or-later
"""Stories of the window, by clicks and keys only: `test-window.py [AREA | STORY] …`, all of them without a name."""
import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from stories import AREAS  # noqa: E402


def stories_of(area):
    module = importlib.import_module("stories." + area)
    return [value for name, value in vars(module).items() if name.startswith("story_") and value.__module__ == module.__name__]


def chosen(names):
    """Areas whole, stories by name, in the areas' order."""
    return [story for area in AREAS for story in stories_of(area) if not names or area in names or story.__name__ in names]


if __name__ == "__main__":
    picked = chosen(sys.argv[1:])
    if not picked:
        sys.exit("no such area or story; areas: " + ", ".join(AREAS))
    harness.run_stories(picked)
