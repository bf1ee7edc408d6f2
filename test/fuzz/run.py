#!/usr/bin/env python3
"""Compiles random kernels and compares all that is said of them with the truth.

For each seed, a program of generate.py (or of --generator) is compiled with
gridspan++ and run
  * on one CPU device, tracing: gridspan-check-ranges compares every address with
    the compiler's access ranges;
  * split over several CPU devices: the output must be the plain run's. With
    --trace-split these runs are traced and compared as well;
  * with --memory, the same, and with ranks, with so little memory on each device;
    with the smallest, launches must be streamed;
  * with --no-peers, the same with devices that do not reach each other's memory;
  * with --ranks, over so many ranks, each of --rank-devices CPU devices.

Prints totals over all seeds. Programs that fail are kept in --keep, with their
traces. Exit status 1 when anything was wrong.

Usage: run.py --build BUILD [--seeds FIRST:LAST] [--kernels K] [--devices 2,3,7] [--memory 64KiB,1MiB]
              [--no-peers] [--ranks 2,4 --rank-devices 1,2]
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOTALS = re.compile(r"launches (\d+), checks (\d+), unknown (\d+), exact (\d+), within 1.1x (\d+), violations (\d+)")
SECTORS = re.compile(r"sites (\d+), unknown (\d+), exact (\d+), sectors (\d+), violations (\d+)")
MEDIAN = re.compile(r"median ([0-9.]+), 90% ([0-9.]+), worst ([0-9.]+)")


def run(command, environment=None, **options):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GRIDSPAN_")}
    return subprocess.run(command, env={**clean, **(environment or {})}, capture_output=True, text=True, **options)


class Seed:
    """One program; problems collects what is wrong with it."""

    def __init__(self, options, number, folder):
        self.options, self.number, self.folder = options, number, folder
        self.bin = pathlib.Path(options.build) / "bin"
        self.problems = []
        self.totals = None
        self.sectors = None
        self.median = 0.0
        self.streamed = [0, 0]  # launches, with the smallest memory; and all of them

    def problem(self, what, result=None):
        text = f"seed {self.number}: {what}"
        if result is not None:
            text += "\n" + (result.stdout[-1500:] + result.stderr[-1500:]).strip()
        self.problems.append(text)

    def execute(self, program, **environment):
        try:
            return run([program], environment, timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return None

    def compareRanges(self, program, trace, where):
        checked = run([self.bin / "gridspan-check-ranges", program, trace])
        if match := TOTALS.search(checked.stdout):
            new = [int(n) for n in match.groups()]
            self.totals = [a + b for a, b in zip(self.totals, new)] if self.totals else new
            self.median = float(MEDIAN.search(checked.stdout).group(1))
        if checked.returncode:
            self.problem(f"ranges contradict the trace{where}", checked)

    def countStreamed(self, report, where):
        """Of a run with the smallest memory."""
        kernels = json.loads(report.read_text())["kernels"]
        streamed = sum(k["streamed_launches"] for k in kernels)
        self.streamed[0] += streamed
        self.streamed[1] += sum(k["launches"] for k in kernels)
        if streamed == 0:
            self.problem(f"nothing is streamed {where}")

    def check(self):
        source, program, trace = (self.folder / name for name in ("k.cu", "k", "k.trace"))
        generated = run([sys.executable, HERE / self.options.generator, "--seed", str(self.number), "--kernels",
                         str(self.options.kernels), "--repeat", str(self.options.repeat)])
        source.write_text(generated.stdout)
        compiled = run([self.bin / "gridspan++", "-O2", "-w", *self.options.flags.split(), source, "-o", program])
        if compiled.returncode:
            return self.problem("does not compile", compiled)
        plain = self.execute(program, GRIDSPAN_DEVICES="cpu:1", GRIDSPAN_SCHEDULE="single",
                             GRIDSPAN_TRACE_ACCESS=str(trace))
        if plain is None or plain.returncode:
            return self.problem("plain run failed", plain)
        self.compareRanges(program, trace, "")
        sectors = run([self.bin / "gridspan-check-ranges", "--sectors", program, trace])
        if match := SECTORS.search(sectors.stdout):
            self.sectors = [int(n) for n in match.groups()]
        if sectors.returncode:
            self.problem("sectors contradict the trace", sectors)
        memories = [""] + [m for m in self.options.memory.split(",") if m]
        report = self.folder / "report.json"
        peers = ["1", "0"] if self.options.no_peers else ["1"]
        schedules = self.options.schedules.split(",")
        for count, memory, peer, schedule in itertools.product(
                self.options.devices.split(","), memories, peers, schedules):
            where = f"on {count} devices" + (memory and f" of {memory}")
            where += " without peer access" if peer == "0" else ""
            where += "" if schedule == "static" else f" with {schedule}"
            tracing = {"GRIDSPAN_TRACE_ACCESS": str(trace)} if self.options.trace_split else {}
            # A report has every launch planned anew: only where it is looked at.
            smallest = memory != "" and memory == memories[1]
            reporting = {"GRIDSPAN_REPORT": str(report)} if smallest else {}
            split = self.execute(program, GRIDSPAN_DEVICES=f"cpu:{count}", GRIDSPAN_SCHEDULE=schedule,
                                 GRIDSPAN_DEVICE_MEMORY=memory, GRIDSPAN_PEER=peer, GRIDSPAN_LEARN="process",
                                 GRIDSPAN_CPU_SPEEDS=self.options.speeds, **tracing, **reporting)
            if tracing and split and not split.returncode:
                self.compareRanges(program, trace, f" {where}")
            if split is None:
                self.problem(f"hangs {where}")
            elif split.returncode:
                self.problem(f"fails {where}", split)
            elif split.stdout != plain.stdout:
                pairs = zip(plain.stdout.splitlines(), split.stdout.splitlines())
                wrong = [a.split()[0] for a, b in pairs if a != b]
                self.problem(f"differs {where}: {' '.join(wrong)}")
            elif smallest:
                self.countStreamed(report, where)
        for count, devices, memory, schedule in itertools.product(
                [r for r in self.options.ranks.split(",") if r], self.options.rank_devices.split(","),
                memories, schedules):
            self.compareRanks(program, plain, count, devices, memory, schedule)

    def compareRanks(self, program, plain, count, devices, memory, schedule):
        where = f"on {count} ranks of {devices} devices" + (memory and f" of {memory}") + f" with {schedule}"
        try:
            ranks = run([self.bin / "gridspan-run", "-n", count, program],
                        {"GRIDSPAN_DEVICES": f"cpu:{devices}", "GRIDSPAN_SCHEDULE": schedule,
                         "GRIDSPAN_LEARN": "process", "GRIDSPAN_CPU_SPEEDS": self.options.speeds,
                         "GRIDSPAN_CPU_THREADS": "1", "GRIDSPAN_DEVICE_MEMORY": memory}, timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return self.problem(f"hangs {where}")
        if ranks.returncode:
            self.problem(f"fails {where}", ranks)
        elif ranks.stdout != plain.stdout:
            pairs = zip(plain.stdout.splitlines(), ranks.stdout.splitlines())
            self.problem(f"differs {where}: {' '.join(a.split()[0] for a, b in pairs if a != b)}")


def checkSeed(options, number):
    with tempfile.TemporaryDirectory() as name:
        seed = Seed(options, number, pathlib.Path(name))
        seed.check()
        if seed.problems and options.keep:
            kept = pathlib.Path(options.keep) / f"seed{number}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(name, kept)
    return seed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="build folder of Gridspan")
    parser.add_argument("--seeds", default="1:6", help="first:last, both included")
    parser.add_argument("--kernels", type=int, default=50, help="kernels in a program")
    parser.add_argument("--devices", default="2,3,7", help="device counts of the split runs")
    parser.add_argument("--schedules", default="static", help="values of GRIDSPAN_SCHEDULE for the split runs")
    parser.add_argument("--speeds", default="", help="value of GRIDSPAN_CPU_SPEEDS for the split runs")
    parser.add_argument("--repeat", type=int, default=1, help="launches in a row of each kernel, to learn from")
    parser.add_argument("--memory", default="", help="caps of a device's memory for more runs on each device count")
    parser.add_argument("--no-peers", action="store_true", help="also without access between devices")
    parser.add_argument("--ranks", default="", help="numbers of ranks for more runs")
    parser.add_argument("--rank-devices", default="2", help="numbers of devices of each of those ranks")
    parser.add_argument("--generator", default="generate.py", help="generate.py, stride.py, indices.py or exchange.py")
    parser.add_argument("--flags", default="", help="more options for gridspan++")
    parser.add_argument("--trace-split", action="store_true", help="compare the split runs with the ranges as well")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="folder for programs that fail")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))

    totals, sectors, medians, problems = [0] * 6, [0] * 5, [], []
    streamed = [0, 0]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed in pool.map(lambda n: checkSeed(options, n), range(first, last + 1)):
            problems += seed.problems
            streamed = [a + b for a, b in zip(streamed, seed.streamed)]
            if seed.sectors:
                sectors = [a + b for a, b in zip(sectors, seed.sectors)]
            if seed.totals:
                totals = [a + b for a, b in zip(totals, seed.totals)]
                medians.append(seed.median)
    print("\n".join(problems))
    print(f"programs {last - first + 1}, kernels {(last - first + 1) * options.kernels}, launches {totals[0]}, "
          f"sites checked {totals[1]}, unknown {totals[2]}, exact {totals[3]}, within 1.1x {totals[4]}, "
          f"violations {totals[5]}")
    print(f"coalescing: sites {sectors[0]}, unknown {sectors[1]}, exact {sectors[2]}, "
          f"sectors {sectors[3]}, violations {sectors[4]}")
    if options.memory:
        print(f"streamed {streamed[0]} of {streamed[1]} launches with the smallest memory")
    if medians:
        print(f"median of predicted / touched bytes: {sorted(medians)[len(medians) // 2]:.3f}")
    print(f"problems {len(problems)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
