#!/usr/bin/env python3
"""Runs the benchmarks in turn and compares the three programs of each.

    run.py [--gpus 1,2,4] [--only name,...] [--quick] [--json FILE] [--verbose]

--json writes the times as a results file (bench/results/README.md), --raw all numbers.

Every benchmark runs plainly on one GPU, by hand and with Gridspan on each number
of GPUs, and plainly once more: the plain time is the mean of both. Checksums
must agree. The last lines are a table: milliseconds, and for Gridspan the
speed-up over plain and the ratio to the program written by hand on as many GPUs
(above 1: Gridspan is faster).

With --unreported no report is asked for, which costs short launches some tenths
of a microsecond; on how many devices kernels ran is then not known.

With --prewarm all memory that the programs will use is touched first: a virtual
machine's is given to it at the first touch, which would be measured instead.

--skewed, --shared, --unlike and --regular compare schedules on two GPUs instead
(schedules.py), --regular on as many as --gpus says.

Names that begin with big_ are of data larger than memory: Gridspan runs with the
given cap of a GPU's memory, the plain program with all of it, and loops on the
CPU with one and with all threads. They run only when --only names them, or with
--big. Needs nothing but Python.
"""

import argparse
import ctypes
import json
import mmap
import os
import subprocess
import sys
import tempfile
import threading
import time

GIB = 1 << 30

# Name, label, arguments, arguments of a quick run.
BENCHMARKS = [
    ("saxpy", "", [1 << 30], [1 << 28]),
    ("average", "", [1 << 29], [1 << 27]),
    ("stencil", "1024", [1024], [1024]),
    ("stencil", "4096", [4096], [4096]),
    ("stencil", "16384", [16384], [16384, 16384, 20]),
    ("stencil", "32768", [32768], None),
    ("stencil3d", "512", [512], [512, 20]),
    ("stencil3d", "1024", [1024], None),
    ("matmul", "", [8192], [4096]),
    ("nbody", "", [1 << 18], [1 << 17]),
    ("transpose", "", [32768], [16384]),
    ("histogram", "", [1 << 30], [1 << 28]),
    ("histogram", "2^28", [1 << 28], None),
    ("counts", "2^30 64 K", [1 << 30, 1 << 16], None),
    ("counts", "2^28 64 K", [1 << 28, 1 << 16], [1 << 28, 1 << 16]),
    ("counts", "2^30 16 M", [1 << 30, 1 << 24], None),
    ("counts", "2^28 16 M", [1 << 28, 1 << 24], [1 << 28, 1 << 24]),
    ("atomic_sums", "2^30", [1 << 30], None),
    ("atomic_sums", "2^28", [1 << 28], [1 << 28]),
    ("latency", "", [100000], [20000]),
    ("allocations", "", [200], [50]),
    ("first_launch", "", [11], [5]),
    ("managed", "", [1 << 30], [1 << 28]),
    ("unsplittable", "", [1 << 28], [1 << 26]),
    ("copies", "", [8 * GIB], [1 * GIB]),
    ("big_transform", "", [1 << 30, 3, 6], [1 << 28, 3, 6]),
]


# The same, with the cap of each GPU's memory for Gridspan, and that of a quick run.
BIG_BENCHMARKS = [
    ("big_transform", "", [1 << 31], [1 << 29], "4GiB", "1GiB"),
    ("big_average", "", [1 << 32], [1 << 30], "4GiB", "1GiB"),
    ("big_stencil", "", [65536], [32768], "4GiB", "1GiB"),
    ("big_reduction", "", [1 << 31], [1 << 29], "4GiB", "1GiB"),
    ("big_matmul", "", [32768], [16384], "1GiB", "256MiB"),
    ("big_cold", "", [1 << 30], [1 << 28], "4GiB", "1GiB"),
    ("big_gather", "", [1 << 28, 1 << 31], [1 << 26, 1 << 29], "4GiB", "1GiB"),
]

# Run without a report: it counts the bytes of every launch, and so evaluates
# ranges of launches that are decided without them.
UNREPORTED = {"allocations", "big_cold", "first_launch", "latency"}


def visible(gpus):
    """CUDA_VISIBLE_DEVICES for the first GPUs of those that are visible now."""
    now = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = now.split(",") if now else [str(i) for i in range(64)]
    return ",".join(names[:gpus])


def gpu_count():
    now = os.environ.get("CUDA_VISIBLE_DEVICES")
    if now:
        return len(now.split(","))
    try:
        out = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True)
    except OSError:
        return 0
    return sum(line.startswith("GPU ") for line in out.stdout.splitlines())


def memory_limit():
    """Bytes that this process may use, by the machine and the control group."""
    with open("/proc/meminfo") as file:
        limits = [int(file.readline().split()[1]) * 1024]
    try:
        with open("/sys/fs/cgroup/memory.max") as file:
            limits.append(int(file.read()))
    except (OSError, ValueError):
        pass
    return min(limits)


def prewarm(gib):
    """Touches so much memory, but not most of what there is, by all processors."""
    piece = 1 << 26
    count = min(gib * GIB, memory_limit() * 7 // 10) // piece
    memory = mmap.mmap(-1, max(1, count) * piece, flags=mmap.MAP_PRIVATE)
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    workers = os.cpu_count()

    def touch(worker):
        for i in range(worker, count, workers):
            ctypes.memset(first + i * piece, 1, piece)

    threads = [threading.Thread(target=touch, args=(w,)) for w in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count * piece


def run(
    directory, variant, name, arguments, gpus, timeout, cap=None, reported=True, extra=None
):
    """Sections by name, and Gridspan's report; or what went wrong. Extra: variables."""
    folder = "cpu" if variant.startswith("cpu") else variant
    program = os.path.join(directory, folder, name)
    if not os.path.exists(program):
        return None, None, None
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES=visible(gpus))
    report = None
    if variant == "gridspan" and reported and name not in UNREPORTED:
        report = tempfile.mktemp(suffix=".json")
        environment["GRIDSPAN_REPORT"] = report
    if variant == "gridspan" and cap:
        environment["GRIDSPAN_DEVICE_MEMORY"] = cap
    if variant == "cpu1":
        environment["BENCH_THREADS"] = "1"
    environment.update(extra or {})
    command = [program] + [str(a) for a in arguments]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return None, None, "timed out"
    sections = {}
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            section = json.loads(line[len("RESULT ") :])
            sections[section.pop("section")] = section
        elif line.startswith("SHARE "):
            share = json.loads(line[len("SHARE ") :])
            sections[share["section"]]["share"] = share["share"]
    told = None
    if report and os.path.exists(report):
        try:
            with open(report) as file:
                told = json.load(file)
        except ValueError:
            told = None
        os.unlink(report)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        return None, told, f"exit {done.returncode}: {lines[-1] if lines else ''}"
    return sections, told, None


def most_devices(told):
    """On how many devices the most split kernel of a run ran."""
    kernels = (told or {}).get("kernels", [])
    return max((k.get("devices_max", 1) for k in kernels), default=0)


def measure(directory, counts, options):
    rows, problems = {}, []
    only = set(options.only.split(",")) if options.only else None
    end = time.time() + options.budget
    for name, label, full, small, *caps in BENCHMARKS + BIG_BENCHMARKS:
        arguments = small if options.quick else full
        if arguments is None or (only and name not in only):
            continue
        cap = caps[options.quick] if caps else None
        if cap and not (only or options.big):
            continue
        jobs = [("cpu1", 1), ("cpu", 1)] if cap else []
        jobs += [("plain", 1)]
        jobs += [("hand", n) for n in counts] + [("gridspan", n) for n in counts]
        jobs += [("plain", 1)]
        for variant, gpus in jobs:
            begin = time.time()
            shown = " ".join([name] + [str(a) for a in arguments])
            if begin > end:
                problems.append(f"{variant} {shown} on {gpus}: no time left")
                continue
            sections, told, problem = run(
                directory,
                variant,
                name,
                arguments,
                gpus,
                options.timeout,
                cap,
                not options.unreported,
            )
            if sections is None:
                if problem:
                    problems.append(f"{variant} {shown} on {gpus}: {problem}")
                continue
            if options.verbose:
                took = time.time() - begin
                print(f"{variant:9}{gpus} GPUs  {shown:32}{took:6.1f} s", flush=True)
            for section, result in sections.items():
                key = section + (" " + label if label else "")
                if cap:
                    key = name.removeprefix("big_") + " " + key
                row = rows.setdefault(key, {"bytes": result["bytes"], "runs": {}})
                entry = row["runs"].setdefault(
                    f"{variant}{gpus}", {"seconds": [], "checksums": []}
                )
                entry["seconds"].append(result["seconds"])
                entry["checksums"].append(result["checksum"])
                if told is not None:
                    entry["report"] = told
    return rows, problems


def judge(rows, problems):
    """Fills in means and finds results that differ."""
    for name, row in rows.items():
        sums = set()
        for run_name, entry in row["runs"].items():
            entry["mean"] = sum(entry["seconds"]) / len(entry["seconds"])
            if run_name != "cpu11":  # works on a part
                sums.update(entry["checksums"])
            if len(sums) > 1 and not row.get("differs"):
                row["differs"] = True
                problems.append(f"{name}: {run_name} has another result")


def table(rows, counts):
    cpu = any("cpu1" in row["runs"] for row in rows.values())
    head = f"{'milliseconds':28}{'plain':>9}"
    if cpu:
        head += f"{'cpu 1':>9}{'cpu all':>9}"
    for n in counts:
        head += f"{f'hand {n}':>9}"
    for n in counts:
        head += f"{f'grid {n}':>9}{'x plain':>8}{'x hand':>7}{'dev':>4}"
    lines = [head]
    for name, row in rows.items():
        runs = row["runs"]

        def mean(key):
            return runs[key]["mean"] if key in runs else None

        def milliseconds(key):
            value = mean(key)
            return f"{value * 1e3:9.4g}" if value is not None else f"{'-':>9}"

        def ratio(other, own, width):
            if other is None or not own:
                return f"{'-':>{width}}"
            return f"{other / own:>{width}.3f}"

        line = f"{name:28}{milliseconds('plain1')}"
        if cpu:
            line += milliseconds("cpu11") + milliseconds("cpu1")
        for n in counts:
            line += milliseconds(f"hand{n}")
        for n in counts:
            own = mean(f"gridspan{n}")
            told = runs.get(f"gridspan{n}", {}).get("report")
            line += milliseconds(f"gridspan{n}") + ratio(mean("plain1"), own, 8)
            line += ratio(mean(f"hand{n}"), own, 7)
            line += f"{most_devices(told) or '-':>4}"
        lines.append(line + ("  RESULTS DIFFER" if row.get("differs") else ""))
    return lines


def machine():
    """The GPUs, the processors and the driver, for people."""
    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        out = subprocess.run(asked, capture_output=True, text=True).stdout
    except OSError:
        out = ""
    names = sorted({line.strip() for line in out.splitlines() if line.strip()})
    gpus = "; ".join(name.replace(", ", ", driver ") for name in names)
    return f"{gpu_count()} x {gpus or 'GPU'}, {os.cpu_count()} processors"


def commit_here():
    folder = os.path.dirname(os.path.abspath(__file__))
    asked = ["git", "-C", folder, "rev-parse", "--short", "HEAD"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def result_rows(rows, counts):
    """Gridspan's times with those of the plain and the hand-written program."""
    for name, row in rows.items():
        runs = row["runs"]
        for n in counts:
            if f"gridspan{n}" not in runs:
                continue
            own = runs[f"gridspan{n}"]
            bases = {"plain": "plain1", "hand": f"hand{n}"}
            found = {base: runs[key]["mean"] for base, key in bases.items() if key in runs}
            result = {"name": name, "devices": n}
            used = most_devices(own.get("report"))
            if 0 < used < n:
                result["used"] = used
            result["value"] = float(f"{own['mean'] * 1e3:.4g}")
            result["unit"] = "ms"
            if found:
                result["baseline"] = {b: float(f"{v * 1e3:.4g}") for b, v in found.items()}
            yield result


def write_results(options, rows, counts):
    result = {
        "title": options.title,
        "about": "",
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "commit": options.commit or commit_here(),
        "command": " ".join(["run.py"] + sys.argv[1:]),
        "page": False,
        "rows": list(result_rows(rows, counts)),
    }
    with open(options.json, "w") as file:
        json.dump(result, file, indent=2)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpus", help="numbers of GPUs, default 1,2,4 as there are")
    parser.add_argument("--only", help="names of benchmarks")
    parser.add_argument("--big", action="store_true", help="larger than memory too")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--json", help="also write a results file")
    parser.add_argument("--raw", help="also write all numbers and reports")
    parser.add_argument("--title", default="Benchmarks", help="of the results file")
    parser.add_argument("--commit", help="of the results file, default that of git")
    parser.add_argument("--dir", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--timeout", type=float, default=120, help="of a program")
    parser.add_argument("--budget", type=float, default=1800, help="of all together")
    parser.add_argument("--prewarm", type=int, metavar="GIB", help="touch memory first")
    parser.add_argument("--unreported", action="store_true", help="without reports")
    parser.add_argument("--verbose", action="store_true", help="show each run")
    for comparison in ("skewed", "shared", "unlike", "regular"):
        parser.add_argument(f"--{comparison}", action="store_true", help="schedules.py")
    parser.add_argument("--schedules", help="of Gridspan, in a comparison of them")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each, likewise")
    options = parser.parse_args()

    present = gpu_count()
    if options.gpus:
        counts = [int(n) for n in options.gpus.split(",")]
    else:
        counts = [n for n in (1, 2, 4) if n <= present]
    if not present:
        print("no GPU")
        return 1
    if options.prewarm:
        begin = time.time()
        touched = prewarm(options.prewarm)
        print(f"touched {touched / GIB:.0f} GiB in {time.time() - begin:.1f} s", flush=True)
    if options.skewed or options.shared or options.unlike or options.regular:
        import schedules

        return schedules.compare(options)
    rows, problems = measure(options.dir, counts, options)
    judge(rows, problems)
    if options.json:
        write_results(options, rows, counts)
    if options.raw:
        with open(options.raw, "w") as file:
            json.dump({"gpus": counts, "benchmarks": rows}, file, indent=1)
    print("\n".join(table(rows, counts)))
    for problem in problems:
        print("PROBLEM:", problem)
    print("all results agree" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
