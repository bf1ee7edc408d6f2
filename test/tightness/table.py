#!/usr/bin/env python3
"""Makes the table of how tight access ranges are (docs/design/tightness.md).

Each program is compiled with gridspan++ and run split over four CPU devices
with tracing on, so that the tiles are those that the runtime cut. For every
pointer argument of every kernel, gridspan-check-ranges --arguments adds up the
predicted and the touched bytes of the tiles; a launch that ran whole is cut into
four tiles first. Another run, untraced and with more data (a page is as large as
the halos of a small problem), gives the share of bytes that are local.

Usage: table.py --build BUILD [PROGRAM.cu...] [--output FILE]

Without programs: all of examples/ and of this folder. Exit status 1 when a trace
contradicts a summary, or when a range is loose and notes.json does not say why
("program/kernel/argument": "reason").
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
# Arguments of the examples for the traced run: smaller than their defaults, with
# which they run untraced. The programs of this folder take a factor.
ARGUMENTS = {
    "histogram": ["60007"],
    "matmul": ["96"],
    "matmul_tiled": ["97", "65", "49"],
    "moving_average": ["20003", "9"],
    "nbody": ["600", "1"],
    "saxpy": ["40003", "1"],
    "smooth2d": ["203", "401", "2"],
    "stencil3d": ["35", "21", "203", "1"],
    "transpose": ["195", "259"],
    "triangular": ["301"],
}
LARGE = {  # where the default takes long on the CPU device
    "matmul": ["512"], "matmul_tiled": ["512"], "nbody": ["8192", "4"], "smooth2d": ["1024", "2048", "10"],
    "stencil3d": ["128", "128", "512", "4"], "triangular": ["4096"],
}
SCALE = ["36"]
MODES = [(1, "read"), (2, "write"), (4, "atomic")]
TIGHT, LOCAL = 1.1, 0.95
COLUMNS = 100
# The tool does not know where allocations end, at which the runtime cuts ranges.
USELESS, UNBOUNDED = 1000, "nothing but its type bounds the index"


def execute(command, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GRIDSPAN_")}
    done = subprocess.run([str(c) for c in command], env={**clean, **environment}, capture_output=True, text=True,
                          timeout=300)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def parameterNames(source):
    """Kernel name -> names of its parameters. For sources without comments or
    default arguments in parameter lists."""
    names = {}
    for kernel, parameters in re.findall(r"__global__[^;{]*?\b(\w+)\(([^)]*)\)\s*{", source):
        names[kernel] = [re.findall(r"\w+", p)[-1] for p in parameters.split(",") if p.strip()]
    return names


def shortName(demangled):
    return re.sub(r"^void ", "", demangled).split("(")[0].split("<")[0]


class Row:
    """One pointer argument of one kernel."""

    def __init__(self, program, kernel, name, data, notes):
        self.program, self.kernel, self.name = program, kernel, name
        self.modes = " ".join(text for bit, text in MODES if data["modes"] & bit)
        self.predicted, self.touched = data["predicted"], data["touched"]
        self.note = notes.get(f"{program}/{kernel}/{name}", "")
        self.saysExact = data["says_exact"]
        ratio = self.predicted / self.touched if self.touched else 1.0
        unknown = data["unknown"] or (UNBOUNDED if ratio > USELESS else "")
        if unknown:
            self.kind, self.ratio = "unknown", ""
            self.note = self.note or unknown
            return
        self.ratio = f"{ratio:.3f}"
        self.kind = "exact" if data["is_exact"] else "within 1.1x" if ratio <= TIGHT else "looser"

    def cells(self):
        kind = "proven" if self.saysExact and self.kind == "exact" else self.kind
        predicted = "" if self.kind == "unknown" else f"{self.predicted:.0f}"
        return [self.name, self.modes, predicted, f"{self.touched:.0f}", self.ratio, kind]


class Program:
    """Rows and shares of local bytes of one program."""

    def __init__(self, build, source, notes):
        self.name = source.stem
        self.rows, self.local, self.whole, self.anyMemory = [], {}, {}, []
        gridspan = pathlib.Path(build) / "bin"
        with tempfile.TemporaryDirectory() as folder:
            program, trace, report = (pathlib.Path(folder) / n for n in ("program", "trace", "report.json"))
            execute([gridspan / "gridspan++", "-O2", "-w", source, "-o", program])
            four = {"GRIDSPAN_DEVICES": "cpu:4", "GRIDSPAN_SCHEDULE": "static"}
            large = LARGE.get(self.name, []) if self.name in ARGUMENTS else SCALE
            execute([program, *large], GRIDSPAN_REPORT=str(report), **four)
            self.readReport(json.loads(report.read_text()))
            execute([program, *ARGUMENTS.get(self.name, [])], GRIDSPAN_TRACE_ACCESS=str(trace), **four)
            checked = json.loads(execute([gridspan / "gridspan-check-ranges", "--arguments", program, trace]))
        names = parameterNames(source.read_text())
        for kernel in checked:
            self.addRows(kernel, names, notes)

    def readReport(self, report):
        for kernel in report["kernels"]:
            name = shortName(kernel["name"])
            here, there = kernel["local_bytes"], kernel["remote_bytes"]
            if not kernel["split_launches"]:
                self.whole[name] = kernel["refusal"] or kernel["why_whole"] or ""
            elif here + there:
                self.local[name] = here / (here + there)

    def addRows(self, kernel, names, notes):
        mangled = kernel["kernel"]
        # The report's names and the source's are the same, templates aside.
        name = next((n for n in sorted(names, key=len, reverse=True) if f"{len(n)}{n}" in mangled), mangled)
        if kernel["any_memory"]:
            self.anyMemory.append((name, kernel["any_memory"]))
        known = names.get(name, [])
        for data in kernel["arguments"]:
            number, offset = data["parameter"], data["offset"]
            argument = known[number] if number < len(known) else f"argument {number}"
            if offset:
                argument += f"+{offset}"
            self.rows.append(Row(self.name, name, argument, data, notes))


def table(programs):
    out = ["| program | kernel | split | local | argument | accesses | predicted | touched | ratio | |",
           "|---|---|---|---|---|---|---|---|---|---|"]
    notes = []
    for program in programs:
        previous = None
        for row in program.rows:
            first = ["", "", "", ""]
            if row.kernel != previous:
                local = program.local.get(row.kernel)
                share = "" if local is None else f"{100 * local:.1f}%"
                split = "no" if row.kernel in program.whole else "yes"
                first = [program.name if previous is None else "", row.kernel, split, share]
            previous = row.kernel
            cells = row.cells()
            if row.note:
                if row.note not in notes:
                    notes.append(row.note)
                cells[5] += f" [{notes.index(row.note) + 1}]"
            out.append("| " + " | ".join(first + cells) + " |")
    if notes:
        out += ["", "Why not tighter:", ""]
        for i, text in enumerate(notes, 1):
            out += textwrap.wrap(f"{i}. {text}", COLUMNS, subsequent_indent="   ")
    return out


def summary(programs):
    rows = [row for program in programs for row in program.rows]
    kinds = [row.kind for row in rows]
    kernels = {(p.name, row.kernel) for p in programs for row in p.rows}
    local = [share for p in programs for share in p.local.values()]
    count = {kind: kinds.count(kind) for kind in ("exact", "within 1.1x", "looser", "unknown")}
    return [f"{len(programs)} programs, {len(kernels)} kernels, {len(rows)} pointer arguments: "
            f"{count['exact']} exact ({sum(r.saysExact for r in rows)} proven to be), "
            f"{count['within 1.1x']} within 1.1x, {count['looser']} looser, {count['unknown']} unknown.",
            f"{len(local)} kernels split over four devices, {sum(s >= LOCAL for s in local)} of them with at least "
            f"95% local bytes."]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="build folder of Gridspan")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--output", help="a Markdown file whose part after the line <!-- table --> is replaced")
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    notes = json.loads((HERE / "notes.json").read_text())
    sources = options.programs or sorted(EXAMPLES.glob("*.cu")) + sorted(HERE.glob("*.cu"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = list(pool.map(lambda source: Program(options.build, source, notes), sources))
    lines = [line for long in summary(programs) for line in textwrap.wrap(long, COLUMNS)]
    text = "\n".join(lines + [""] + table(programs)) + "\n"
    if options.output:
        file = pathlib.Path(options.output)
        kept = file.read_text().split("<!-- table -->")[0]
        file.write_text(kept + "<!-- table -->\n\n" + text)
    else:
        print(text, end="")
    status = 0
    for program in programs:
        for kernel, why in program.anyMemory:
            print(f"{program.name}: {kernel}: any memory: {why}", file=sys.stderr)
        for row in program.rows:
            if row.kind == "looser" and not row.note:
                print(f"not explained: {program.name}/{row.kernel}/{row.name}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
