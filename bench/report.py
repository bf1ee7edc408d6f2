#!/usr/bin/env python3
"""Makes docs/performance.md from the files of bench/results.

  report.py [--check]

--check writes nothing, and fails if the page is not what would be written. The format
of the files is described in bench/results/README.md.
"""

import argparse
import json
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "performance.md"

LESS_IS_BETTER = {"s", "ms", "us", "ns", "cycles"}
MORE_IS_BETTER = {"GB/s"}
UNITS = LESS_IS_BETTER | MORE_IS_BETTER | {"x", "%", "count"}
REQUIRED = {"title", "about", "machine", "date", "commit", "command", "rows"}
OPTIONAL = {"page", "ratios"}
ROW_REQUIRED = {"name", "value", "unit"}
ROW_OPTIONAL = {"devices", "used", "baseline", "note", "detail"}

# Sections of the page and their files, in order. What was not measured yet has no file.
SECTIONS = [
    ("In memory", ["in_memory", "in_memory_hand", "in_memory_first_run",
                   "in_memory_four_gpus", "in_memory_no_peer", "two_ranks", "cpu_ranks",
                   "real_programs", "real_programs_short", "real_programs_again",
                   "real_programs_both", "real_programs_draw", "short_programs",
                   "launches", "first_launches", "variables", "allocations", "indices",
                   "clones"]),
    ("Schedules", ["skewed", "shared", "unlike", "regular", "regular_four_gpus", "counts"]),
    ("Copies and managed memory", ["copies", "managed"]),
    ("Larger than memory", ["outofcore", "outofcore_no_peer", "outofcore_chains",
                            "outofcore_mini", "outofcore_four_gpus", "outofcore_cold",
                            "outofcore_steps", "primitives", "primitives_pageable"]),
    ("Compiler and runtime", ["compile_time", "ranges", "range_accuracy", "host_costs",
                              "cpu_openmp", "cpu_openmp_avx2",
                              "cpu_before"]),
    ("Advice", ["cost_model", "layouts", "layouts_applied", "layouts_real", "staging",
                "reductions", "advice_followed", "sectors", "sectors_real", "sites",
                "sites_profile", "predicted_profile"]),
]

HEAD = """# Performance

Made by `bench/report.py` from the files of `bench/results`, which hold further figures; do not
edit. Each table is the latest run of one benchmark, with clang 19.1.7 and CUDA 13.0.

*plain* is the same source compiled with clang for one GPU, *hand* a program written by hand for
as many GPUs. *x plain* and *x hand* say how many times faster Gridspan is than those.
"""


def problemOf(result):
    """What is wrong with a result file, or None."""
    if missing := REQUIRED - result.keys():
        return f"lacks {', '.join(sorted(missing))}"
    if unknown := result.keys() - REQUIRED - OPTIONAL:
        return f"has unknown {', '.join(sorted(unknown))}"
    for row in result["rows"]:
        if ROW_REQUIRED - row.keys() or row.keys() - ROW_REQUIRED - ROW_OPTIONAL:
            return f"has a row with other keys: {row}"
        if row["unit"] not in UNITS:
            return f"has an unknown unit: {row['unit']}"
    return None


def load():
    """The result files by name."""
    results = {}
    for path in sorted(RESULTS.glob("*.json")):
        results[path.stem] = result = json.loads(path.read_text())
        if problem := problemOf(result):
            sys.exit(f"report.py: {path.name} {problem}")
    named = {name for _, names in SECTIONS for name in names}
    shown = {name for name, result in results.items() if result.get("page", True)}
    if unnamed := shown - named:
        sys.exit(f"report.py: SECTIONS lacks {', '.join(sorted(unnamed))}")
    return results


def ratioOf(row, baseline):
    """How many times better the row is than its baseline, or than the best of all."""
    if baseline == "best":
        best = max if row["unit"] in MORE_IS_BETTER else min
        other = best(row.get("baseline", {}).values(), default=None)
    else:
        other = row.get("baseline", {}).get(baseline)
    if other is None:
        return ""
    ratio = row["value"] / other if row["unit"] in MORE_IS_BETTER else other / row["value"]
    return f"{ratio:.2f}"


def number(value):
    return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"


def figure(row):
    text = number(row["value"])
    if "used" in row:
        text += f" ({row['used']} used)"
    return text


def table(header, lines):
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for line in lines:
        yield "| " + " | ".join(line) + " |"


def scalingTable(rows):
    """A line for each name, with columns for each number of GPUs."""
    names = list(dict.fromkeys(row["name"] for row in rows))
    counts = sorted({row["devices"] for row in rows})
    cells = {(row["name"], row["devices"]): row for row in rows}
    has = {count: [base for base in ("plain", "hand")
                   if any(base in row.get("baseline", {}) for row in rows if row["devices"] == count)]
           for count in counts}
    hasPlain = any(has[count][:1] == ["plain"] for count in counts)
    header = [rows[0]["unit"]] + (["plain"] if hasPlain else [])
    for count in counts:
        header += [f"{count} GPU" + ("s" if count > 1 else "")] + [f"x {base}" for base in has[count]]
    lines = []
    for name in names:
        line = [name]
        if hasPlain:
            plain = next(row["baseline"].get("plain") for row in rows if row["name"] == name)
            line.append(number(plain) if plain is not None else "")
        for count in counts:
            row = cells.get((name, count))
            line.append(figure(row) if row else "")
            line += [ratioOf(row, base) if row and "baseline" in row else "" for base in has[count]]
        lines.append(line)
    return table(header, lines)


def plainTable(rows, ratios):
    """A line for each row, with a column for each baseline, and for ratios to some."""
    bases = list(dict.fromkeys(base for row in rows for base in row.get("baseline", {})))
    hasNotes = any("note" in row for row in rows)
    header = ["", "figure"] + [base.replace("_", " ") for base in bases]
    header += [f"x {base.replace('_', ' ')}" for base in ratios] + ([""] if hasNotes else [])
    lines = []
    for row in rows:
        unit = "" if row["unit"] in ("count", "x") else " " + row["unit"]
        line = [row["name"], figure(row) + unit]
        line += [number(row["baseline"][base]) if base in row.get("baseline", {}) else "" for base in bases]
        line += [ratioOf(row, base) for base in ratios]
        lines.append(line + ([row.get("note", "")] if hasNotes else []))
    return table(header, lines)


def section(result):
    rows = [row for row in result["rows"] if not row.get("detail")]
    ratios = result.get("ratios", [])
    scales = not ratios and all("devices" in row and row.get("baseline", {}).keys() <= {"plain", "hand"} for row in rows)
    text = f"**{result['title']}.** {result['about']} `{result['command']}` on {result['date']}"
    if result["commit"] != "unknown":
        text += f", commit {result['commit']}"
    text += f", {result['machine']}."
    yield from textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False)
    yield ""
    yield from scalingTable(rows) if scales else plainTable(rows, ratios)
    yield ""


def page():
    results = load()
    lines = [HEAD]
    for title, names in SECTIONS:
        tables = [line for name in names if name in results for line in section(results[name])]
        if tables:
            lines += [f"## {title}", "", *tables]
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    options = parser.parse_args()
    text = page()
    if not options.check:
        PAGE.write_text(text)
        return 0
    if not PAGE.exists() or PAGE.read_text() != text:
        print("docs/performance.md is not what bench/report.py makes of bench/results")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
