#!/usr/bin/env python3
"""Compares the advice with Nsight Compute, launch by launch of kernels.cu.

  clang++ --cuda-path=OVERLAY --cuda-gpu-arch=sm_90 -O2 kernels.cu -o kernels \\
    -lcudart_static -ldl -lrt -lpthread
  clang++ (the same) --cuda-device-only -S -emit-llvm -Xclang \\
    -disable-llvm-passes kernels.cu -o - | opt -S -O2 -unroll-runtime=0 \\
    -unroll-allow-partial=0 -vectorize-loops=0 -vectorize-slp=0 -o kernels.ll
  ncu --clock-control none --csv --page raw --print-units base --metrics \\
    memory_l2_theoretical_sectors_global,\\
    memory_l2_theoretical_sectors_global_ideal,memory_l1_wavefronts_shared,\\
    memory_l1_wavefronts_shared_ideal ./kernels launches.txt > counters.csv
  compare.py --opt opt --extract llvm-extract --plugin libGridspan.so \\
    kernels.ll launches.txt counters.csv

Prints the launches whose sums differ, and of all launches, and of those for which
every access claims to be exact, how many agree.
"""

import argparse
import csv
import json
import subprocess
import tempfile

METRICS = [
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
]


def readCounters(Path):
    Lines = [L for L in open(Path) if not L.startswith("==")]
    Rows = list(csv.reader(Lines))
    Columns = [Rows[0].index(M) for M in METRICS]
    # The second row has the units.
    return [[round(float(R[C].replace(",", ""))) for C in Columns] for R in Rows[2:]]


def predict(Options, Folder, Launch):
    """The four sums of a launch, and whether all of it claims to be exact."""
    Name, Shape, N, M = Launch[0], Launch[1:7], Launch[7], Launch[8]
    One = f"{Folder}/{Name}.ll"
    subprocess.run(
        [Options.extract, "-S", f"--func={Name}", Options.ir, "-o", One], check=True
    )
    Params = (
        [f"0+16={N}", f"0+20={M}"] if Name == "structargs" else [f"2={N}", f"3={M}"]
    )
    subprocess.run(
        [
            Options.opt,
            f"-load-pass-plugin={Options.plugin}",
            "-passes=gridspan-advice",
            "-disable-output",
            One,
            f"-gridspan-advice={Folder}/advice.json",
            "-gridspan-requests=1000000",
            "-gridspan-grid=" + "x".join(Shape[:3]),
            "-gridspan-block=" + "x".join(Shape[3:]),
        ]
        + [f"-gridspan-param={P}" for P in Params],
        check=True,
    )
    Sums, IsExact = [0, 0, 0, 0], True
    for Site in json.load(open(f"{Folder}/advice.json"))["kernels"][0]["sites"]:
        if "unknown" in Site:
            IsExact = False
            continue
        First = 0 if Site["space"] == "global" else 2
        Sums[First] += Site["units"]
        Sums[First + 1] += Site["ideal_units"]
        IsExact &= Site["exact"]
    return [round(S) for S in Sums], IsExact


def main():
    Parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for Name in ("--opt", "--extract", "--plugin"):
        Parser.add_argument(Name, required=True)
    for Name in ("ir", "launches", "counters"):
        Parser.add_argument(Name)
    Options = Parser.parse_args()
    Launches = [L.split() for L in open(Options.launches)]
    Counters = readCounters(Options.counters)
    assert len(Launches) == len(Counters), "not of the same run"
    Agree = {True: [0, 0, 0], False: [0, 0, 0]}
    with tempfile.TemporaryDirectory() as Folder:
        for Launch, Counted in zip(Launches, Counters):
            Sums, IsExact = predict(Options, Folder, Launch)
            Agree[IsExact][0] += 1
            Agree[IsExact][1] += Sums[:2] == Counted[:2]
            Agree[IsExact][2] += Sums[2:] == Counted[2:]
            if Sums != Counted:
                print(*Launch, "predicted", Sums, "counted", Counted,
                      "claims exact" if IsExact else "no claim")
    for IsExact, Text in ((True, "claim to be exact"), (False, "make no claim")):
        Total, Global, Shared = Agree[IsExact]
        print(
            f"{Total} launches {Text}: {Global} agree in global memory, "
            f"{Shared} in shared memory"
        )


main()
