#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixture of tests/unit/judgment/test-agreement.c: 100 random tables of judgments with gaps, and Krippendorff's alpha of
each by the package krippendorff.

  python agreement.py OUTDIR             writes tables.txt (tests/data/agreement)

A table is a line "table OBSERVERS UNITS", a line of judgments an observer ('.' is none), and a line of four figures:
nominal, ordinal, interval and ratio, or the word undefined. Seeded: the same version writes the same bytes.
"""
import os
import random
import sys
import warnings

import krippendorff
import numpy

LEVELS = ["nominal", "ordinal", "interval", "ratio"]


def draw(rng):
    """Judges that agree more or less, from not at all to nearly always, some of whom skip much."""
    observers, units, most = rng.randint(2, 7), rng.randint(2, 40), rng.randint(2, 6)
    noise, gaps = rng.random(), rng.uniform(0, 0.7)
    truth = [rng.randint(1, most) for _ in range(units)]
    return [[None if rng.random() < gaps else rng.randint(1, most) if rng.random() < noise else truth[u]
             for u in range(units)] for _ in range(observers)]


def alphas(table):
    data = numpy.array([[numpy.nan if v is None else float(v) for v in row] for row in table])
    paired = data[:, (~numpy.isnan(data)).sum(axis=0) >= 2]
    if len(set(paired[~numpy.isnan(paired)])) < 2:
        return ["undefined"]
    return [repr(float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))) for level in LEVELS]


def main(folder):
    warnings.simplefilter("error")
    rng = random.Random(2011)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "tables.txt"), "w") as out:
        for _ in range(100):
            table = draw(rng)
            print("table", len(table), len(table[0]), file=out)
            for row in table:
                print(*["." if v is None else v for v in row], file=out)
            print(*alphas(table), file=out)


main(sys.argv[1])
