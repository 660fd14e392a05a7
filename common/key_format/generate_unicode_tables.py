#!/usr/bin/env python3
"""Writes unicode_tables.inc: what the template language asks of Unicode 13.

Run with a Python whose unicodedata is 13.0.0 (3.9 and 3.10 are):
    python3.10 generate_unicode_tables.py > unicode_tables.inc
"""
import sys
import unicodedata

if unicodedata.unidata_version != "13.0.0":
    sys.exit(f"unicodedata is {unicodedata.unidata_version}, 13.0.0 is needed")

RUNES = range(0x110000)


def ranges(accept):
    """Closed ranges of the code points that accept() takes."""
    found, start = [], None
    for rune in RUNES:
        if accept(unicodedata.category(chr(rune))):
            if start is None:
                start = rune
        elif start is not None:
            found.append((start, rune - 1))
            start = None
    if start is not None:
        found.append((start, RUNES[-1]))
    return found


def simple_lower(rune):
    # The full mapping of U+0130 is two code points; its simple one is "i". No other differs.
    return 0x69 if rune == 0x130 else single(chr(rune).lower(), rune)


def simple_upper(rune):
    # Where the full mapping is several code points, the simple one is the title case, if that is one.
    text = chr(rune)
    return single(text.upper() if len(text.upper()) == 1 else text.title(), rune)


def single(text, rune):
    return ord(text) if len(text) == 1 else rune


def case_runs(mapping):
    """(first, last, stride, delta): rune + delta for the runes first, first + stride, ... last."""
    pairs = [(r, mapping(r) - r) for r in RUNES if not 0xD800 <= r <= 0xDFFF and mapping(r) != r]
    runs = []
    for rune, delta in pairs:
        if runs:
            first, last, stride, run_delta = runs[-1]
            gap = rune - last
            if delta == run_delta and gap <= 2 and (stride in (0, gap)):
                runs[-1] = (first, rune, gap, delta)
                continue
        runs.append((rune, rune, 0, delta))
    return [(first, last, stride or 1, delta) for first, last, stride, delta in runs]


def emit(name, kind, rows):
    print(f"inline constexpr {kind} {name}[] = {{")
    line = "   "
    for row in rows:
        item = " {" + ", ".join(hex(v) if i < 2 else str(v) for i, v in enumerate(row)) + "},"
        if len(line) + len(item) > 100:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};\n")


print("// Unicode 13.0.0. Made by generate_unicode_tables.py; do not edit.\n")
emit("kLettersAndDigits", "RuneRange", ranges(lambda c: c[0] == "L" or c == "Nd"))
emit("kPrintable", "RuneRange", ranges(lambda c: c[0] in "LMNPS"))
emit("kLower", "CaseRun", case_runs(simple_lower))
emit("kUpper", "CaseRun", case_runs(simple_upper))
