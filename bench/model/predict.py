#!/usr/bin/env python3
"""Predicts the time of each launch of a list.

  clang++ -I ROOT --cuda-path=OVERLAY --cuda-gpu-arch=sm_90 -O2 --cuda-device-only -S \\
    -emit-llvm -Xclang -disable-llvm-passes kernels.cu -o kernels.ll
  predict.py --opt opt --extract llvm-extract --plugin libGridspan.so \\
    [--registers registers.txt] [--machine model.json] kernels.ll times.txt > predicted.json

Prints a JSON array: the line of the list and the "cost" of the advice file.
registers.txt has lines `kernel number`, as `registers.py` prints them.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile


def paramsOf(Name, N, M):
    """Of the two integers that every kernel of kernels.cu has."""
    if Name == "structargs":
        return [f"0+16={N}", f"0+20={M}"]
    return [f"2={N}", f"3={M}"]


def extract(Options, Folder, Name):
    subprocess.run([Options.extract, "-S", "--recursive", f"--func={Name}", "--rglob=.*", Options.ir,
                    "-o", f"{Folder}/{Name}.ll"], check=True)


def predict(Options, Folder, Registers, Index, Line):
    Name, *Rest = Line.split()[:9]
    Out = f"{Folder}/{Index}.json"
    Command = [Options.opt, f"-load-pass-plugin={Options.plugin}", "-passes=default<O2>",
               "-disable-output", f"{Folder}/{Name}.ll", f"-gridspan-advice={Out}",
               "-gridspan-grid=" + "x".join(Rest[:3]), "-gridspan-block=" + "x".join(Rest[3:6])]
    Command += [f"-gridspan-param={P}" for P in paramsOf(Name, *Rest[6:8])]
    if Name in Registers:
        Command.append(f"-gridspan-registers={Name}={Registers[Name]}")
    if Options.ptxas:
        Command.append(f"-gridspan-ptxas={Options.ptxas}")
    if Options.machine:
        Command.append(f"-gridspan-machine={Options.machine}")
    subprocess.run(Command, check=True)
    Kernels = {K["mangled"]: K for K in json.load(open(Out))["kernels"]}
    return {"launch": " ".join([Name] + Rest), "cost": Kernels[Name]["cost"]}


def main():
    Parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for Name in ("--opt", "--extract", "--plugin"):
        Parser.add_argument(Name, required=True)
    Parser.add_argument("--registers")
    Parser.add_argument("--ptxas", help="asked for the registers of kernels")
    Parser.add_argument("--machine")
    Parser.add_argument("--jobs", type=int, default=os.cpu_count())
    for Name in ("ir", "launches"):
        Parser.add_argument(Name)
    Options = Parser.parse_args()
    Lines = open(Options.launches).read().splitlines()
    Registers = {}
    if Options.registers:
        Registers = dict(L.split()[:2] for L in open(Options.registers))
    with tempfile.TemporaryDirectory() as Folder, \
            concurrent.futures.ThreadPoolExecutor(Options.jobs) as Pool:
        Names = sorted({L.split()[0] for L in Lines})
        list(Pool.map(lambda N: extract(Options, Folder, N), Names))
        All = Pool.map(lambda P: predict(Options, Folder, Registers, *P), enumerate(Lines))
        json.dump(list(All), sys.stdout, indent=1)


if __name__ == "__main__":
    main()
