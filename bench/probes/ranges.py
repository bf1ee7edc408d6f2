#!/usr/bin/env python3
"""Times the range functions of programs, and the compiler's share of time.

Usage: run.py --build BUILD evaluation [PROGRAM.cu...]
       run.py --build BUILD compilation [PROGRAM.cu...]

evaluation: nanoseconds for the ranges of one launch and tile, by kernel
(RangeClock.cpp). compilation: processor seconds of `gridspan++ -O2 -c` for
sm_90, with precompiled headers and without them, against the same without
Gridspan and against nvcc of CUDA_PATH, and the share of the device and of the
host pass in clang's own count (-ftime-report). Without programs: examples/, and
for evaluation test/tightness/ too. Prints Markdown.
"""
import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WRAPPED = ["__gridspan_register_module", "__gridspan_cudaLaunchKernel"]
TARGET = 2000  # nanoseconds


def execute(command, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GRIDSPAN_")}
    clean["CCACHE_DISABLE"] = "1"
    return subprocess.run([str(c) for c in command], env={**clean, **environment}, capture_output=True, text=True,
                          check=True)


def shortName(mangled):
    match = re.match(r"_Z(\d+)(\w+)", mangled)
    return match.group(2)[:int(match.group(1))] if match else mangled


def evaluate(options, sources):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        clock, program = pathlib.Path(folder) / "clock.o", pathlib.Path(folder) / "program"
        execute(["clang++-19", "-std=c++20", "-O2", "-I", ROOT / "include", "-c",
                 pathlib.Path(__file__).parent / "RangeClock.cpp", "-o", clock])
        wraps = [f"-Wl,--wrap={name}" for name in WRAPPED]
        for source in sources:
            execute([options.gridspan, "-O2", "-w", source, clock, *wraps, "-o", program])
            out = execute([program], GRIDSPAN_DEVICES="cpu:4", GRIDSPAN_SCHEDULE="static").stdout
            for name, accesses, time in re.findall(r"^ranges (\S+) (\d+) (\S+)$", out, re.M):
                rows.append((source.stem, shortName(name), int(accesses), float(time)))
    times = sorted(row[3] for row in rows)
    print(f"{len(rows)} kernels: median {statistics.median(times):.0f} ns, 90% {times[int(0.9 * (len(times) - 1))]:.0f} "
          f"ns, most {times[-1]:.0f} ns; {sum(t < TARGET for t in times)} below 2 us.\n")
    print("| program | kernel | accesses | ns |\n|---|---|---|---|")
    for row in sorted(rows, key=lambda r: -r[3]):
        print(f"| {row[0]} | {row[1]} | {row[2]} | {row[3]:.0f} |")


def processorSeconds(command, repetitions=3):
    times = []
    for _ in range(repetitions):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        execute(command)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def passSeconds(report):
    """User and system seconds by pass, over both compilations."""
    passes = {}
    for line in report.splitlines():
        match = re.match(r"\s+\d.*\)\s+(?:gridspan::)?(\w+Pass)$", line)
        numbers = re.findall(r"(\d+\.\d+) \(", line)
        if match and len(numbers) >= 3:
            # User, system, user + system, wall; columns of zeros are left out.
            passes[match.group(1)] = passes.get(match.group(1), 0) + float(numbers[-2])
    return passes


def compileTimes(options, sources):
    print("| example | nvcc | clang | gridspan++ | precompiled | to nvcc | precompiled to nvcc | device pass "
          "| host pass |\n|" + "---|" * 9)
    nvcc = pathlib.Path(os.environ.get("CUDA_PATH", "/usr/local/cuda")) / "bin" / "nvcc"
    sums = [0.0] * 6
    with tempfile.TemporaryDirectory() as folder:
        flags = ["-O2", "-std=c++17", "-arch=sm_90", "-w", "-c", "-o", pathlib.Path(folder) / "o"]
        base = [options.gridspan, *flags]
        apart = [*base, "-fno-gridspan-pch"]
        # The second compilation makes the headers.
        for _ in range(2):
            execute([*base, sources[0]])
        for source in sources:
            times = [processorSeconds(command) for command in (
                [nvcc, *flags, source], [*apart, "-fno-gridspan", source], [*apart, source], [*base, source])]
            passes = passSeconds(execute([*apart, "-ftime-report", source]).stderr)
            values = [*times, passes.get("DevicePass", 0.0), passes.get("HostPass", 0.0)]
            sums = [a + b for a, b in zip(sums, values)]
            printTimes(source.stem, *values)
    printTimes("all", *sums)


def printTimes(name, nvcc, plain, apart, shared, device, host):
    print(f"| {name} | {nvcc:.2f} | {plain:.2f} | {apart:.2f} | {shared:.2f} | {apart / nvcc:.3f} | {shared / nvcc:.3f} "
          f"| {device:.3f} ({100 * device / apart:.1f}%) | {host:.3f} ({100 * host / apart:.1f}%) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder of Gridspan")
    parser.add_argument("what", choices=["evaluation", "compilation"])
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    options.gridspan = options.build / "bin" / "gridspan++"
    examples = sorted((ROOT / "examples").glob("*.cu"))
    if options.what == "evaluation":
        evaluate(options, options.programs or examples + sorted((ROOT / "test" / "tightness").glob("*.cu")))
    else:
        compileTimes(options, options.programs or examples)


if __name__ == "__main__":
    main()
