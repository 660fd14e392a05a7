#!/usr/bin/env python3
"""The house rules that a compiler does not check. Run by ctest; `tools/tidy.py [ROOT]` by hand.

Prints a line a finding: where, which rule, what to write instead. Exit code 1 if there is one.
"""

import re
import sys
from pathlib import Path

# Module -> modules it may include, besides itself. A module is a folder of common/, or a program.
ARROWS = {
    "base": [],
    "keys": ["base"],
    "json": ["base"],
    "key_format": ["base"],
    "store": ["base", "keys"],
    "feeds": ["base", "keys", "store", "json"],
    "wire": ["base", "schema"],
    "obs": ["base"],
    "config": ["base"],
    "http": ["base", "obs"],
    "read_api": ["base", "http", "feeds", "obs", "json", "store", "keys"],
    "node": ["base", "http", "feeds", "obs", "json", "store", "keys", "config", "read_api"],
}
COMMON = list(ARROWS)
ARROWS.update({
    "primary": COMMON + ["schema"],
    "replica": COMMON + ["schema"],
    "feedctl": COMMON,
})

# Header prefix -> folders or files where it may be included, and what others use instead.
CONFINED = [
    ("rocksdb/", ["common/store/"], "go through common/store, which hides RocksDB"),
    (("capnp/", "kj/"), ["common/wire/", "primary/replication/", "replica/replication/"],
     "keep Cap'n Proto in common/wire and the two replication folders"),
    ("boost/beast", ["common/http/", "tools/feedctl/client."],
     "go through common/http (server) or tools/feedctl/client.h (client)"),
]

PRODUCT = ("common/", "primary/", "replica/", "schema/", "tools/feedctl/")
SOURCES = {".h", ".cc", ".capnp", ".py", ".sh", ".cmake"}
SKIPPED = {"build", "__pycache__", "third_party"}
FILE_LINES = 500

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SLEEP = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep)\b|\b(?:std::|::)sleep\s*\(|(?<![\w.>:])sleep\s*\(")
SWITCHED_OFF = re.compile(r"\bDISABLED_|\bGTEST_SKIP\b")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b(\((?:perf|test|soon)\): \S)?")


def module_of(path):
    """The module of a path below the root, or None for one without arrows (tests, bench)."""
    parts = path.split("/")
    if parts[0] == "common":
        return parts[1] if len(parts) > 2 else "pch"
    if parts[0] in ("primary", "replica", "schema"):
        return parts[0]
    if path.startswith("tools/feedctl/"):
        return "feedctl"
    return None


def check_arrow(path, included):
    source, target = module_of(path), module_of(included)
    if source is None or source == "pch" or source == target:
        return None
    if included.startswith(("tests/", "tools/bench/")):
        return "arrows: product code includes no tests; move what both need into common/"
    if target is None:
        return None
    if source not in ARROWS:
        return f"arrows: {source} is not in the table; add it to ARROWS of tools/tidy.py with its arrows"
    if target in ARROWS[source]:
        return None
    allowed = ", ".join(ARROWS[source]) or "nothing"
    return f"arrows: {source} may not include {target}, only {allowed}; turn the dependency round or move the code"


def check_include(path, included):
    finding = check_arrow(path, included)
    if finding:
        return finding
    if not path.startswith(PRODUCT) or module_of(path) == "pch":
        return None
    for prefixes, places, instead in CONFINED:
        if included.startswith(prefixes) and not path.startswith(tuple(places)):
            return f"confined header: <{included}>; {instead}"
    return None


def check_line(path, line):
    include = INCLUDE.match(line)
    if include and path.endswith((".h", ".cc")):
        finding = check_include(path, include.group(1))
        if finding:
            yield finding
    if path.startswith(PRODUCT) and path.endswith((".h", ".cc")) and SLEEP.search(line.split("//")[0]):
        yield "no sleeping: wait for the condition (a condition variable, a timer, SequenceGate)"
    if SWITCHED_OFF.search(line):
        yield "no test is switched off: repair it, or delete it and say why in the commit"
    for mark in UNFINISHED.finditer(line):
        if mark.group(1) != "TODO" or not mark.group(2):
            yield f"{mark.group(1)} without a kind: write TODO(perf): …, TODO(test): … or TODO(soon): …"


def check_file(path, text):
    lines = text.splitlines()
    if len(lines) > FILE_LINES:
        yield FILE_LINES + 1, f"file length: {len(lines)} lines, at most {FILE_LINES}; split it by what changes together"
    if path.endswith(".h") and "#pragma once" not in text:
        yield 1, "include guard: begin the header with #pragma once"
    for number, line in enumerate(lines, 1):
        for finding in check_line(path, line):
            yield number, finding


def files(root):
    this = Path(__file__).resolve()
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if any(p in SKIPPED or (p.startswith(".") and p != ".ci") for p in parts):
            continue
        is_script = path.suffix == "" and path.parts[-2:] in (("tools", "dev"), (".ci", "run"))
        if path.is_file() and (path.suffix in SOURCES or is_script) and path.resolve() != this:
            yield path


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    count = checked = 0
    for path in files(root):
        checked += 1
        name = path.relative_to(root).as_posix()
        for number, finding in check_file(name, path.read_text(encoding="utf-8")):
            print(f"{name}:{number}: {finding}")
            count += 1
    print(f"house rules: {checked} files, {count} findings")
    return 1 if count or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
