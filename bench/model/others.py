#!/usr/bin/env python3
"""Predicts the times of other programs than the model is fitted to.

  others.py --opt opt --extract llvm-extract --plugin libGridspan.so [--ptxas ptxas]
    [--machine model.json] layout.ll reductions.ll times.txt

layout.ll and reductions.ll are device IR without optimization (evaluate.py of
bench/layout says how it is made), times.txt what these two programs print: 18 programs in
six layouts each, and sums in several sizes. Prints each launch with its predicted and
measured microseconds and the limit, and the mean error of those that rest on no
assumption about data.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "layout"))
sys.path.insert(0, str(HERE))
import evaluate  # noqa: E402
import fit  # noqa: E402

VIEWS = {"aos": "Aos<", "aligned": "Aligned<", "soa": "Soa<", "tiled8": "Tiled8<", "tiled32": "Tiled32<",
         "tiled128": "Tiled128<"}
STREAM = 1 << 24
RECORDS = {"idw": 4096, "2mm": 1 << 20, "3mm": 1 << 20, "syr2k": 1 << 20, "corr": 1 << 20, "lattice": 1 << 23,
           "rgba": STREAM * 8, "nbody": 1 << 17, "sparse": 64 << 20, "lowoccupancy": 1 << 23}


def command(*Words):
    return subprocess.run([str(W) for W in Words], check=True, capture_output=True, text=True).stdout


def kernelsOf(Ir):
    """Mangled names of the functions of a file by their demangled ones."""
    Names = [L.split("@")[1].split("(")[0].strip('"') for L in open(Ir) if L.startswith("define ")]
    Demangled = subprocess.run(["c++filt"], input="\n".join(Names), check=True, capture_output=True,
                               text=True).stdout.splitlines()
    return dict(zip(Demangled, Names))


def layoutLaunches(Ir, Times):
    """(what, kernels with launches, microseconds) of each program and form."""
    Kernels = kernelsOf(Ir)
    for Program, Launches in evaluate.PROGRAMS.items():
        for Form, View in VIEWS.items():
            if Form not in Times.get(Program, {}):
                continue
            All = []
            for Name, Block, Grid, Params, _ in Launches:
                Wanted = " " + (Name.replace("Aos<", View) if "Aos<" in Name else f"{Name}<{View}")
                Found = [M for D, M in Kernels.items() if Wanted in D and "__device_stub__" not in D]
                assert len(Found) == 1, (Wanted, Found)
                Params = {**Params, "0+8": RECORDS.get(Program, STREAM)}
                All.append((Found[0], Block, Grid, Params))
            yield f"{Program} {Form}", Ir, All, 1e3 * Times[Program][Form]


def sumLaunches(Ir, Path):
    for Line in open(Path):
        Words = Line.split()
        if len(Words) != 4 or Words[0] not in ("serialRows", "serialColumns", "treeRows", "atomicRows"):
            continue
        Objects, Length = int(Words[1]), int(Words[2])
        Grid = {"treeRows": Objects, "atomicRows": (Objects * Length + 255) // 256}.get(Words[0], (Objects + 255) // 256)
        yield " ".join(Words[:3]), Ir, [(Words[0], 256, Grid, {"2": Objects, "3": Length})], 1e3 * float(Words[3])


def predict(Options, Folder, Index, Launch):
    What, Ir, Kernels, Time = Launch
    Costs = []
    for I, (Kernel, Block, Grid, Params) in enumerate(Kernels):
        One, Out = f"{Folder}/{Index}.{I}.ll", f"{Folder}/{Index}.{I}.json"
        command(Options.extract, "-S", "--recursive", f"--func={Kernel}", "--rglob=.*", Ir, "-o", One)
        Words = [Options.opt, f"-load-pass-plugin={Options.plugin}", "-passes=default<O2>", "-disable-output", One,
                 f"-gridspan-advice={Out}", f"-gridspan-grid={Grid}", f"-gridspan-block={Block}"]
        Words += [f"-gridspan-param={P}={V}" for P, V in Params.items()]
        Words += [f"-gridspan-ptxas={Options.ptxas}"] if Options.ptxas else []
        Words += [f"-gridspan-machine={Options.machine}"] if Options.machine else []
        command(*Words)
        Costs.append({K["mangled"]: K for K in json.load(open(Out))["kernels"]}[Kernel]["cost"])
    return What, Costs, Time


def main():
    Parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for Name in ("--opt", "--extract", "--plugin"):
        Parser.add_argument(Name, required=True)
    Parser.add_argument("--ptxas")
    Parser.add_argument("--machine")
    Parser.add_argument("--jobs", type=int, default=os.cpu_count())
    for Name in ("layout", "reductions", "times"):
        Parser.add_argument(Name)
    Options = Parser.parse_args()
    Launches = [*layoutLaunches(Options.layout, evaluate.readTimes(Options.times)),
                *sumLaunches(Options.reductions, Options.times)]
    Sure, Assumed, Roofline = [], [], []
    with tempfile.TemporaryDirectory() as Folder, concurrent.futures.ThreadPoolExecutor(Options.jobs) as Pool:
        for What, Costs, Time in Pool.map(lambda L: predict(Options, Folder, *L), enumerate(Launches)):
            Predicted = sum(C["microseconds"] for C in Costs)
            IsSure = not any(C["assumptions"] for C in Costs)
            (Sure if IsSure else Assumed).append((Predicted, Time))
            if IsSure:
                Roofline.append((sum(C["roofline_microseconds"] for C in Costs), Time))
            print(f"{What}: predicted {Predicted:.4g}, measured {Time:.4g}, ratio {Predicted / Time:.2f}, "
                  f"{Costs[0]['limit']}{'' if IsSure else ', assumed: ' + '; '.join(Costs[0]['assumptions'])}")
    for What, Pairs in (("no assumption", Sure), ("plain roofline of these", Roofline), ("with assumptions", Assumed)):
        Within = sum(abs(P - T) <= 0.2 * T for P, T in Pairs)
        print(f"{What}: {len(Pairs)} launches, mean error {fit.mape(Pairs):.1f}%, within 20% {Within}, "
              f"rank correlation {fit.spearman(Pairs):.3f}")


if __name__ == "__main__":
    main()
