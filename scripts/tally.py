#!/usr/bin/env python3
"""Sums the results of all test runners.

Usage: tally.py FOLDER...

A FOLDER holds *.gtest.json (GoogleTest), *.lit.json (lit), and *.check files
whose first word is "pass" or "fail"; what follows it tells why. Prints what
failed, with the end of what lit recorded of it, and, alone on the last line,
"N passed, N failed". Exits with 1 when anything failed or nothing ran; a folder
that is not there is a failure.
"""

import json
import pathlib
import sys

# Of the output of a test that failed. The reason stands at its end.
SHOWN_LINES = 40


def gtestResults(path):
    for suite in json.loads(path.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            if test["status"] == "RUN":
                yield f"{suite['name']}.{test['name']}", "failures" not in test


def litResults(path):
    for test in json.loads(path.read_text())["tests"]:
        # What a machine cannot run is neither.
        if test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            continue
        good = test["code"] in ("PASS", "XFAIL", "FLAKYPASS")
        shown = "" if good else test["output"].strip().splitlines()[-SHOWN_LINES:]
        yield test["name"] + "".join(f"\n  | {line}" for line in shown), good


def checkResults(path):
    word, _, why = path.read_text().strip().partition(" ")
    yield f"{path.stem} {why}".rstrip(), word == "pass"


def results(folder):
    """Yields each test's name and True where it passed."""
    if not folder.is_dir():
        yield f"no results in {folder}", False
    for suffix, read in (
        (".gtest.json", gtestResults),
        (".lit.json", litResults),
        (".check", checkResults),
    ):
        for path in sorted(folder.glob("*" + suffix)):
            runner = path.name.removesuffix(suffix)
            for name, good in read(path):
                yield f"{runner}: {name}", good


def main():
    passed, failed = 0, []
    for folder in sys.argv[1:]:
        for name, good in results(pathlib.Path(folder)):
            if good:
                passed += 1
            else:
                failed.append(name)
    for name in failed:
        print("FAILED", name)
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
