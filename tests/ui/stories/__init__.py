# SPDX-License-Identifier: GPL-3.0-or-later
"""Stories of the window, a module for each area. A story is a function story_<name> (desk); its first doc line is the claim.

What needs the default model says so: story_x.needs_model = True."""

AREAS = ("start", "library", "setup", "run", "queue", "shell", "review", "blind", "compare", "chain")
