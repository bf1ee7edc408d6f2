#!/usr/bin/env python3
"""Compares the recommended data layouts with what was measured.

  gridspan++ -fno-gridspan -std=c++20 -O2 -arch=sm_90 --cuda-device-only -S -I . \\
    -emit-llvm -gline-tables-only -Xclang -disable-llvm-passes \\
    bench/layout/layout.cu -o raw.ll                   # in the root; or blind.cu
  opt -S -O2 -unroll-runtime=0 -unroll-allow-partial=0 -vectorize-loops=0 \\
    -vectorize-slp=0 raw.ll -o layout.ll
  ./layout > times.txt                                 # on the GPU
  evaluate.py --opt opt --extract llvm-extract --plugin libGridspan.so layout.ll times.txt

times.txt of this folder holds the times of both programs on an H200. For each program, from the kernels of its first form (array of structs) alone: the
recommended layout, or why there is none; the predicted and the measured gain of it;
and the regret, the measured time of what was chosen over that of the fastest form.
Without times only what is predicted.
"""

import argparse
import re
import subprocess
import tempfile

from advice import advise

FORMS = ["aos", "aligned", "soa", "tiled8", "tiled32", "tiled128"]
STREAM = 1 << 24

# What is in the name of the present form's kernels where it is not an array of
# structs, but a struct of arrays.
FIRST = {"neighbours": "", "contacts": ""}

# Program: kernels, each (name, block, grid, {parameter: value}, launches).
PROGRAMS = {
    "idw": [("inverseDistance", "256", "4096", {"1": 4096, "2": 1024}, 1)],
    "2mm": [
        (f"product<{K}", "32x8", "32x128", {"1": 1024}, 1)
        for K in ("0, 1, 3, Aos<float, 5>", "3, 2, 4, Aos<float, 5>")
    ],
    "3mm": [
        (f"product<{K}", "32x8", "32x128", {"1": 1024}, 1)
        for K in (
            "0, 1, 4, Aos<float, 7>",
            "2, 3, 5, Aos<float, 7>",
            "4, 5, 6, Aos<float, 7>",
        )
    ],
    "syr2k": [("rank2Update", "32x8", "32x128", {"1": 1024}, 1)],
    "corr": [("correlation", "32x8", "32x128", {"1": 1024, "2": 1024}, 1)],
    "particles": [("moveParticles", "256", f"{STREAM // 256}", {"1": STREAM}, 1)],
    "nbody": [("attract", "256", "512", {"1": 1 << 17}, 1)],
    "lattice": [("latticeUpdate", "64x4", "64x512", {"1": 4096, "2": 2048}, 1)],
    "rgba": [("luma", "256", f"{STREAM // 32}", {"1": STREAM * 8}, 1)],
    "tree": [("searchTree", "256", "4096", {"1": 1 << 20}, 1)],
    "fft": [("butterflies", "256", f"{STREAM // 128}", {"1": 1024}, 1)],
    "keyvalue": [("scanKeys", "256", f"{STREAM // 256}", {"1": STREAM}, 1)],
    "sparse": [("sparseRows", "256", "131072", {"1": 1 << 20}, 1)],
    "atomics": [("deposit", "256", f"{STREAM // 256}", {"1": STREAM, "2": 64}, 1)],
    "lowoccupancy": [("fewWarps", "32", "132", {"1": 2048, "2": (1 << 23) - 1}, 1)],
    "boxes": [("hitBoxes", "256", f"{STREAM // 256}", {"1": STREAM}, 1)],
    "stars": [("energies", "256", f"{STREAM // 256}", {"1": STREAM}, 1)],
    "cloth": [("relaxCloth", "32x8", "128x512", {"1": 4096, "2": 4096}, 1)],
    "lattice3d": [("lattice3d", "32x4", "5x40x160", {"1": 160}, 1)],
    "bins": [("countEnergies", "256", f"{STREAM // 256}", {"1": STREAM}, 1)],
    "springs": [
        ("springForces", "256", f"{(1 << 22) // 256}", {"1": 1 << 22, "0+8": 1 << 20}, 1)
    ],
    "planes": [("splitPlanes", "256", f"{(1 << 26) // 256}", {"1": 1 << 26}, 1)],
    "vectors": [("vectorStencil", "32x8", "8x32x256", {"1": 256}, 1)],
    "quaternions": [("turnVectors", "256", f"{STREAM // 256}", {"1": STREAM}, 1)],
    "fewgathers": [("fewGathers", "32", "132", {"1": 1024, "0+8": STREAM}, 1)],
    "neighbours": [("neighboursApart", "256", f"{(1 << 21) // 256}", {"3": 1 << 21}, 1)],
    "matrices": [("smallProducts", "256", f"{(1 << 23) // 256}", {"1": 1 << 23}, 1)],
    "channels": [("weighChannels", "192", "46875", {"1": 9000000}, 1)],
    "contacts": [
        ("contactsApart", "128", "46875", {"4": 3000000, "5": 6000000}, 1)
    ],
    "sound": [("mixDown", "512", "78125", {"1": 40000000}, 1)],
    "votes": [("countVotes", "256", "46875", {"1": 12000000}, 1)],
    "lookups": [("lookUp", "256", "11719", {"1": 21, "2": 3000000}, 1)],
    "seismic": [("updateStress", "64x4", "48x500", {"1": 3072, "2": 2000}, 1)],
    "options": [("priceOptions", "256", f"{(1 << 22) // 256}", {"1": 1 << 22}, 1)],
}


def readTimes(Path):
    """Milliseconds by program and form."""
    Times = {}
    for Line in open(Path):
        Words = Line.split()
        if len(Words) >= 3 and Words[0] in PROGRAMS and Words[1] in FORMS:
            assert len(Words) == 3, f"results differ: {Line}"
            Times.setdefault(Words[0], {})[Words[1]] = float(Words[2])
    return Times


def kernelNames(Path):
    """Mangled names of the functions of an IR file, by what they demangle to."""
    Mangled = re.findall(r"^define [^@]*@(_Z\w+)\(", open(Path).read(), re.M)
    Text = subprocess.run(
        ["c++filt"], input="\n".join(Mangled), capture_output=True, text=True, check=True
    ).stdout
    return dict(zip(Text.split("\n"), Mangled))


def predict(Options):
    """What the advice says of the kernels that each program launches."""
    Kernels = {}
    Names = kernelNames(Options.ir)
    for Program, Launches in PROGRAMS.items():
        Wanted = [
            Mangled
            for Name, *_ in Launches
            for Text, Mangled in Names.items()
            if Text.startswith(("void " + Name, Name)) and FIRST.get(Program, "Aos<") in Text
        ]
        if not Wanted:
            continue
        assert len(Wanted) == len(Launches), (Program, Wanted)
        _, Block, Grid, Params, _ = Launches[0]
        with tempfile.TemporaryDirectory() as Folder:
            subprocess.run(
                [Options.extract, Options.ir, "-S", "-o", f"{Folder}/program.ll"]
                + [f"-func={Name}" for Name in Wanted],
                check=True,
            )
            Kernels[Program] = advise(
                Options, f"{Folder}/program.ll", Block, Grid, {"0+8": 0, **Params}
            )
    return Kernels


def choose(Kernels, Present):
    """The form for all kernels of a program, why it stays, predicted seconds."""
    Seconds = {}
    for Kernel in Kernels:
        Array = next((A for A in Kernel["arrays"] if A["base"] == "arg0"), None)
        if not Array:
            return Present, "not found", dict.fromkeys(FORMS, 1)
        Times = {F["layout"]: F["seconds"] for F in Array["layouts"]}
        for Form in FORMS:
            # An array that is aligned already has no aligned form.
            Seconds[Form] = Seconds.get(Form, 0) + Times.get(Form, Times[Present])
    if "recommended" not in Array:
        return Present, Array["stays"], Seconds
    if Array["recommended"] in FORMS:
        return Array["recommended"], "", Seconds
    # Split is not among the measured forms: the best of those.
    Best = min(FORMS, key=lambda F: Seconds[F] > 1.01 * min(Seconds.values()))
    if Seconds[Present] < 1.05 * Seconds[Best]:
        return Present, "no-gain", Seconds
    return Best, "", Seconds


def main():
    Parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    Parser.add_argument("--opt", required=True)
    Parser.add_argument("--extract", required=True, help="llvm-extract")
    Parser.add_argument("--plugin", required=True)
    Parser.add_argument("--verbose", action="store_true", help="all times")
    Parser.add_argument("ir")
    Parser.add_argument("times", nargs="?")
    Options = Parser.parse_args()
    Kernels = predict(Options)
    Times = readTimes(Options.times) if Options.times else {}
    Worst = 0
    print("| program | chosen | why it stays | predicted gain | measured gain | regret |")
    print("|---|---|---|---|---|---|")
    for Program in Kernels:
        First = "soa" if Program in FIRST else "aos"
        Form, Reason, Seconds = choose(Kernels[Program], First)
        Predicted = f"{Seconds[First] / Seconds[Form]:.2f}"
        Gain = Regret = ""
        if Program in Times:
            T = Times[Program]
            Gain = f"{T[First] / T[Form]:.2f}"
            Ratio = T[Form] / min(T.values())
            Worst = max(Worst, Ratio)
            Regret = f"{Ratio:.3f}"
        print(f"| {Program} | {Form} | {Reason} | {Predicted} | {Gain} | {Regret} |")
        if Options.verbose:
            for F in FORMS:
                T = Times.get(Program, {}).get(F, 0)
                print(f"    {F:9} predicted {1e3 * Seconds[F]:9.4f} ms measured {T:9.4f}")
            for Kernel in Kernels[Program]:
                for Array in [A for A in Kernel["arrays"] if A["base"] == "arg0"]:
                    print("   ", Kernel["name"].split("(")[0], Kernel.get("cost", {}).get("assumptions"))
                    print("   ", {F["layout"]: F["bound_by"] for F in Array["layouts"]})
    if Times:
        print(f"worst regret {Worst:.3f}")


if __name__ == "__main__":
    main()
