"""Compares schedules on several GPUs, for run.py.

  --skewed   blocks of very different cost: plain, Gridspan's schedules, and the best
             contiguous share of two GPUs, which skewed_hand finds by trying all
  --shared   the second GPU has a co-runner: Gridspan on both, against the sum of the
             rates of the plain program on each of them
  --unlike   the same GPUs: matrix product and smoothing at several sizes, Gridspan's
             schedules against each other and the plain program on the free GPU
  --regular  even work: auto against static, beside plain and written by hand, on two
             GPUs or as many as --gpus says

Each mode prints a table and, with --json, writes a results file; of several modes each
its own, with the mode in its name. What was learned is not kept from one run to the
next. Times are medians of launches that have settled; "whole" are all launches.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time

import run as runner

SCHEDULES = ["auto", "static", "dynamic", "hybrid"]

# Problem, sizes of launches of 1 to 10 ms and of about 0.2 ms on an H200.
SKEWED = [
    ("triangle", 98304, 27648),
    ("sparse_rows", 1 << 23, 1 << 20),
    ("mandelbrot", 6144, 1792),
    ("frontier", 1 << 22, 1 << 19),
    ("ray_march", 4096, 1408),
]

# Program, arguments without repetitions, arguments of a quick run.
SHARED = [
    ("saxpy", [1 << 30], [1 << 28]),
    ("stencil", [16384, 16384, 100], [16384, 16384, 20]),
    ("nbody", [1 << 18, 3], [1 << 17, 3]),
    ("matmul", [8192], [4096]),
]

UNLIKE_SIZES = [512, 1024, 2048, 8192]

# Programs with even work, and their arguments between the size and the repetitions.
REGULAR = {
    "saxpy": [],
    "average": [64],
    "stencil": ["size", 100],
    "matmul": [],
    "nbody": [3],
    "transpose": [],
    "histogram": [],
}

# Launches in one repetition, where that is not the last argument before.
LAUNCHES = {"saxpy": 10, "average": 3, "matmul": 1, "transpose": 1, "histogram": 1}

# How long a program is to repeat its launches: devices are opened beside the first ones,
# which takes up to two seconds, and more than half are to be those that have settled.
SECONDS = 5

# Result files: title, about, which of the baselines ratios are of.
FILES = {
    "skewed": (
        "Blocks of different cost, two GPUs",
        "Times of a launch that has settled. *Best share* is a program written by hand that "
        "found the best contiguous share by trying all; *ordered* lets each launch wait for the "
        "one before on both GPUs, as Gridspan's do.",
        ["best_share"],
    ),
    "shared": (
        "One of two GPUs shared with a co-runner",
        "*Sum* is the time at the sum of the rates of the plain program on the free and on the "
        "shared GPU.",
        ["sum"],
    ),
    "unlike": (
        "Two GPUs of different speed",
        "One of them has a co-runner. *Fast* is the plain program on the other one.",
        ["best"],
    ),
    "regular": ("Even work, {} GPUs", "", ["static"]),
}


class Table:
    """Runs programs and keeps the times of sections by column."""

    def __init__(self, options):
        self.options = options
        self.gpus = 2
        self.rows = {}
        self.problems = []
        self.shares = {}

    def devices(self, *numbers):
        names = runner.visible(64).split(",")
        return ",".join(names[number] for number in numbers)

    def run(self, column, variant, program, arguments, gpus, schedule=None, label="", beside=None):
        """Runs one program, with its sections as rows, each with the label."""
        extra = {"CUDA_VISIBLE_DEVICES": self.devices(*gpus), "GRIDSPAN_LEARN": "process"}
        if schedule:
            extra["GRIDSPAN_SCHEDULE"] = schedule
        for _ in range(self.options.repeat):
            begin = time.time()
            with corunner(self, beside) if beside is not None else contextlib.nullcontext():
                sections, told, problem = runner.run(
                    self.options.dir,
                    variant,
                    program,
                    arguments,
                    len(gpus),
                    self.options.timeout,
                    None,
                    not self.options.unreported,
                    extra,
                )
            shown = " ".join([column, program] + [str(a) for a in arguments])
            if sections is None:
                self.problems.append(f"{shown}: {problem or 'is not there'}")
                return
            if self.options.verbose:
                print(f"{shown:60}{time.time() - begin:6.1f} s", flush=True)
            for section, result in sections.items():
                self.add(column, section, label, result, told)

    def add(self, column, section, label, result, told):
        for suffix in (" whole", " ordered"):
            if section.endswith(suffix):
                section, column = section.removesuffix(suffix), column + suffix
        name = f"{section} {label}".strip()
        row = self.rows.setdefault(name, {"times": {}, "sums": {}, "used": 0})
        row["times"].setdefault(column, []).append(result["seconds"])
        row["sums"].setdefault(result["checksum"], column)
        if "share" in result:
            row["share"] = result["share"]
        if column == "auto":
            row["used"] = runner.most_devices(told)

    def finish(self):
        """Medians of each cell, and rows whose results differ."""
        for name, row in self.rows.items():
            row["times"] = {c: statistics.median(t) for c, t in row["times"].items()}
            if len(row["sums"]) > 1:
                self.problems.append(f"{name}: results of {', '.join(row['sums'].values())} differ")


@contextlib.contextmanager
def corunner(table, gpu):
    """Keeps a GPU busy meanwhile."""
    program = os.path.join(table.options.dir, "plain", "corunner")
    process = subprocess.Popen(
        [program, "600"],
        env=dict(os.environ, CUDA_VISIBLE_DEVICES=table.devices(gpu)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        if process.stdout.readline().strip() != "ready":
            table.problems.append("the co-runner does not run")
        yield
    finally:
        if process.poll() is not None:
            table.problems.append("the co-runner ended early")
        process.stdin.close()
        said = process.stdout.read().strip()
        process.wait()
        if table.options.verbose and said:
            print(f"  co-runner: {said}", flush=True)


def skewed(table):
    options = table.options
    only = set(options.only.split(",")) if options.only else None
    seconds = 1 if options.quick else SECONDS
    for problem, *sizes in SKEWED:
        if only and problem not in only:
            continue
        for size in sizes:
            arguments = [problem, size, seconds]
            table.run("plain", "plain", "skewed", arguments, [0], label=str(size))
            table.run("best_share", "hand", "skewed", arguments, [0, 1], label=str(size))
            for schedule in schedules(options):
                table.run(
                    schedule, "gridspan", "skewed", arguments, [0, 1], schedule, str(size)
                )
    return 0.95, lambda times: times.get("best_share")


def repeated(table, program, arguments):
    """The arguments, and as many repetitions as last long enough on one GPU."""
    sections, _, _ = runner.run(
        table.options.dir,
        "plain",
        program,
        arguments + [1],
        1,
        table.options.timeout,
        extra={"CUDA_VISIBLE_DEVICES": table.devices(0)},
    )
    longest = max((section["seconds"] for section in (sections or {}).values()), default=1)
    launches = LAUNCHES.get(program) or arguments[-1]
    return arguments + [max(9, round(SECONDS / (longest * launches)))]


def shared(table):
    options = table.options
    only = set(options.only.split(",")) if options.only else None
    for program, full, small in SHARED:
        if only and program not in only:
            continue
        arguments = repeated(table, program, small if options.quick else full)
        table.run("free", "plain", program, arguments, [0], beside=1)
        table.run("shared", "plain", program, arguments, [1], beside=1)
        for schedule in schedules(options):
            table.run(schedule, "gridspan", program, arguments, [0, 1], schedule, beside=1)

    def together(times):
        if "free" in times and "shared" in times:
            times["sum"] = 1 / (1 / times["free"] + 1 / times["shared"])
        return times.get("sum")

    return 0.95, together


def unlike(table):
    options = table.options
    only = {int(n) for n in options.only.split(",")} if options.only else None
    for size in UNLIKE_SIZES:
        if only and size not in only:
            continue
        arguments = [size, (1 if options.quick else 2) * (2 if size > 4096 else 1)]
        table.run("fast", "plain", "mapping", arguments, [0], label=str(size), beside=1)
        table.run("slow", "plain", "mapping", arguments, [1], label=str(size), beside=1)
        for schedule in schedules(options):
            table.run(
                schedule, "gridspan", "mapping", arguments, [0, 1], schedule, str(size), beside=1
            )

    def best(times):
        others = [times[c] for c in ("fast", "static", "dynamic", "hybrid") if c in times]
        return min(others, default=None)

    return 1 / 1.03, best


def gpus_of(options):
    return max(int(n) for n in options.gpus.split(",")) if options.gpus else 2


def regular(table):
    options = table.options
    only = set(options.only.split(",")) if options.only else REGULAR
    table.gpus = gpus_of(options)
    gpus = range(table.gpus)
    for name, label, full, small, *_ in runner.BENCHMARKS:
        arguments = small if options.quick else full
        if name not in only or name not in REGULAR or arguments is None:
            continue
        size = arguments[0]
        between = [size if a == "size" else a for a in REGULAR[name]]
        arguments = repeated(table, name, [size] + between)
        table.run("plain", "plain", name, arguments, [0], label=label)
        table.run("hand", "hand", name, arguments, gpus, label=label)
        for schedule in ("static", "auto", "auto", "static"):
            table.run(schedule, "gridspan", name, arguments, gpus, schedule, label)
    return 0.98, lambda times: times.get("static")


def schedules(options):
    return options.schedules.split(",") if options.schedules else SCHEDULES


def columns(table):
    found = {c: None for row in table.rows.values() for c in row["times"]}
    # Whole times are left to the results file, except what the marks are about.
    return [c for c in found if not c.endswith(" whole") or c == "auto whole"]


def show(table, mark, reference):
    """Prints milliseconds, and how many times faster than the reference auto is."""
    shown = columns(table)
    print(f"{'milliseconds':24}" + "".join(f"{c.replace('_', ' '):>19}" for c in shown))
    for name, row in table.rows.items():
        times = row["times"]
        line = f"{name:24}"
        for column in shown:
            line += f"{times[column] * 1e3:19.4g}" if column in times else f"{'-':>19}"
        other = reference(times)
        if other and "auto" in times:
            ratio = other / times["auto"]
            line += f"  x {ratio:.3f} {'meets' if ratio >= mark else 'BELOW'} {mark:.2f}"
        if "share" in row:
            line += f"  share {row['share']:.2f}"
        if row["used"]:
            line += f"  {row['used']} devices"
        print(line)


def milliseconds(seconds):
    return float(f"{seconds * 1e3:.4g}")


def write(table, mode, path):
    title, about, ratios = FILES[mode]
    rows = []
    for name, row in table.rows.items():
        times = dict(row["times"])
        if "auto" not in times:
            continue
        result = {"name": name.replace("_", " "), "devices": table.gpus}
        if 0 < row["used"] < table.gpus:
            result["used"] = row["used"]
        result |= {"value": milliseconds(times.pop("auto")), "unit": "ms"}
        result["baseline"] = {
            column.replace(" ", "_"): milliseconds(seconds)
            for column, seconds in times.items()
            if not column.endswith(" whole")
        }
        notes = [f"best share {row['share']:.2f}"] if "share" in row else []
        if "auto whole" in times:
            notes.append(f"all launches {milliseconds(times['auto whole']):.4g} ms")
        if notes:
            result["note"] = ", ".join(notes)
        rows.append(result)
    content = {
        "title": title.format({2: "two", 4: "four", 8: "eight"}.get(table.gpus, table.gpus)),
        "about": about,
        "machine": runner.machine(),
        "date": time.strftime("%Y-%m-%d"),
        "commit": table.options.commit or runner.commit_here(),
        "command": " ".join(["run.py"] + sys.argv[1:]),
        "ratios": ratios,
        "rows": rows,
    }
    with open(path, "w") as file:
        json.dump(content, file, indent=2)
        file.write("\n")


def compare(options):
    modes = [m for m in (skewed, shared, unlike, regular) if getattr(options, m.__name__)]
    problems = []
    least = gpus_of(options) if options.regular else 2
    if runner.gpu_count() < least:
        print(f"schedules are compared on {least} GPUs")
        return 1
    for mode in modes:
        table = Table(options)
        mark, reference = mode(table)
        table.finish()
        print(f"\n{FILES[mode.__name__][0].format(table.gpus)}")
        show(table, mark, reference)
        problems += table.problems
        if options.json:
            root, extension = os.path.splitext(options.json)
            write(table, mode.__name__, options.json if len(modes) == 1
                  else f"{root}-{mode.__name__}{extension}")
    for problem in problems:
        print("PROBLEM:", problem)
    print("all results agree" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0
