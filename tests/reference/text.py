#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests/unit/text, from other implementations.

  python text.py OUTDIR                 writes the fixtures (tests/data/text)
  python text.py --unicode FILE.c       writes engine/text/assay-unicode-table.c

Needs tokenizers, regex, sentencepiece, transformers, and for smollm2.json the default model's file, named by
ASSAY_DEFAULT_MODEL. Seeded: the same versions write the same bytes.
"""
import gzip
import json
import os
import random
import sys

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def matching(pattern):
    """The code points that a one-character pattern matches in the reference's regex engine."""
    from tokenizers import Regex, pre_tokenizers
    split = pre_tokenizers.Split(Regex(pattern), behavior="removed", invert=True)
    found = set()
    for i in range(0, len(CODE_POINTS), 4096):
        batch = CODE_POINTS[i:i + 4096]
        for _, (start, end) in split.pre_tokenize_str("".join(map(chr, batch))):
            found.update(batch[start:end])
    return found


def digits_of_splitter():
    from tokenizers import pre_tokenizers
    split = pre_tokenizers.Digits(individual_digits=True)
    return {c for c in CODE_POINTS if len(split.pre_tokenize_str("a" + chr(c) + "a")) == 3}


def unicode_classes():
    classes = bytearray(0x110000)
    for value, name in [(2, "Lu"), (3, "Ll"), (4, "Lt"), (5, "Lm"), (6, "Lo"), (7, "M"), (8, "N"), (9, "P"), (10, "S")]:
        for c in matching(r"\p{%s}" % name):
            assert classes[c] == 0
            classes[c] = value
    for c in matching(r"\s"):
        assert classes[c] == 0
        classes[c] = 1
    for c in digits_of_splitter():
        if classes[c] != 8:
            assert classes[c] == 0, hex(c)
            classes[c] = 11
    return classes


def write_unicode(path):
    import tokenizers
    classes = unicode_classes()
    starts = [c << 4 | classes[c] for c in range(0x110000) if c == 0 or classes[c] != classes[c - 1]]
    with open(path, "w") as out:
        out.write("/* SPDX-License-Identifier: GPL-3.0-or-later */\n"
                  "/* engine/text/assay-unicode-table.c: made by tests/reference/text.py --unicode, from tokenizers %s;\n"
                  " * do not edit. */\n"
                  '#include "assay-unicode.h"\n\nconst guint32 assay_unicode_starts[] = {\n' % tokenizers.__version__)
        for i in range(0, len(starts), 10):
            out.write("  " + " ".join("0x%06X," % s for s in starts[i:i + 10]) + "\n")
        out.write("};\nconst guint assay_unicode_n_starts = G_N_ELEMENTS (assay_unicode_starts);\n")


if __name__ == "__main__":
    if sys.argv[1] == "--unicode":
        write_unicode(sys.argv[2])
