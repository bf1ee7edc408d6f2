#!/usr/bin/env python3
"""Compares the advice on sums and moving averages with what following it gained.

  evaluate_reductions.py --opt opt --plugin libGridspan.so reductions.ll \\
    average_versions.ll times.txt

The IR as for evaluate.py; times.txt holds the lines of both programs. For each naive
version: the predicted gain of what is advised, the measured gain of the version that
follows it, and what part of the measured read bandwidth that one reaches.
"""

from advice import adviseKernel, parse


def advice(Options, Source, Kernel, Block, Grid, Params):
    """The advice on a kernel by rule."""
    Facts = adviseKernel(Options, Source, Kernel, Block, Grid, Params)
    return {A["rule"]: A for A in Facts["advice"]}


def readTimes(Path):
    """Milliseconds by version and sizes."""
    Times = {}
    for Line in open(Path):
        Words = Line.split()
        try:
            Times[tuple([Words[0]] + [int(W) for W in Words[1:-1]])] = float(Words[-1])
        except (ValueError, IndexError):
            pass
    return Times


NAIVE = {
    "serialRows": "followedRows",
    "serialColumns": "followedColumns",
    "treeRows": "followedRows",
    "atomicRows": "followedRows",
}


def main():
    Options = parse(__doc__, "reductions", "averages", "times")
    Times = readTimes(Options.times)
    print("| naive version | objects x length | advice | predicted gain | measured gain "
          "| followed / read bandwidth |")
    print("|---|---|---|---|---|---|")
    Sizes = sorted({K[1:] for K in Times if K[0] == "read"}, key=lambda S: S[0] * S[1])
    for Objects, Length in Sizes:
        for Naive, Followed in NAIVE.items():
            Grid = {
                "treeRows": Objects,
                "atomicRows": (Objects * Length + 255) // 256,
            }.get(Naive, (Objects + 255) // 256)
            Found = advice(Options, Options.reductions, Naive, 256, Grid,
                           {"2": Objects, "3": Length})
            Rule = next((R for R in Found if R.endswith("-reduction")), None)
            Before = Times.get((Naive, Objects, Length))
            After = Times.get((Followed, Objects, Length))
            if Before is None or After is None:
                continue
            Predicted = f"{Found[Rule]['gain']:.1f}" if Rule else ""
            Share = Times["read", Objects, Length] / After
            print(f"| {Naive} | {Objects} x {Length} | {Rule or 'none'} | {Predicted} "
                  f"| {Before / After:.1f} | {Share:.2f} |")
    print("\n| window | advice on averageNaive | predicted gain | measured gain of a tile "
          "| of __restrict__ |")
    print("|---|---|---|---|---|")
    for Window in sorted(K[1] for K in Times if K[0] == "averageNaive"):
        Found = advice(Options, Options.averages, "averageNaive", 256, 1 << 19,
                       {"2": 1 << 27, "3": Window})
        Tile = Found.get("shared-memory-stage")
        Before = Times["averageNaive", Window]
        print(f"| {Window} | {', '.join(Found) or 'none'} "
              f"| {format(Tile['gain'], '.2f') if Tile else ''} "
              f"| {Before / Times['averageShared', Window]:.2f} "
              f"| {Before / Times['averageRestrict', Window]:.2f} |")


main()
