#!/usr/bin/env python3
"""Compares the advice with Nsight Compute, source line by source line.

  ncu --clock-control none --cache-control none --launch-skip 1 --metrics \\
    memory_l2_theoretical_sectors_global,\\
    memory_l2_theoretical_sectors_global_ideal,memory_l1_wavefronts_shared,\\
    memory_l1_wavefronts_shared_ideal -o report ./kernels once sectors.txt
  counters.py sites report.ncu-rep > counted.txt
  compare.py --opt opt --extract llvm-extract --plugin libGridspan.so \\
    kernels.ll sectors.txt counted.txt

kernels and kernels.ll are compiled with -gline-tables-only (predict.py). For each
launch and line, the sums over its accesses are compared; lines that only one side
has (the two name inlined functions differently) count as one together. Prints the
lines that differ, and totals: a line is exact if every access of it claims to be,
and known if no access of it is unknown.

--passes: default<O2>, the default, is what a compilation says; with
"default<O2>,gridspan-advice" and -unroll-runtime=0 -unroll-allow-partial=0 among
--options the advice is about the optimized code.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import tempfile

from predict import extract, paramsOf


def predict(Options, Folder, Index, Launch):
    """By line: the four sums, whether they are exact, and why some are unknown."""
    Name, *Rest = Launch.split()[:9]
    Out = f"{Folder}/{Index}.json"
    subprocess.run(
        [Options.opt, f"-load-pass-plugin={Options.plugin}", f"-passes={Options.passes}", *Options.options.split(),
         "-disable-output", f"{Folder}/{Name}.ll", f"-gridspan-advice={Out}",
         "-gridspan-requests=1000000", "-gridspan-grid=" + "x".join(Rest[:3]),
         "-gridspan-block=" + "x".join(Rest[3:6])] +
        [f"-gridspan-param={P}" for P in paramsOf(Name, *Rest[6:8])], check=True)
    Kernels = {K["mangled"]: K for K in json.load(open(Out))["kernels"]}
    Lines = collections.defaultdict(lambda: [[0, 0, 0, 0], True, ""])
    for Site in Kernels[Name]["sites"]:
        Line = Lines[f"{os.path.basename(Site.get('file', '?'))}:{Site.get('line', 0)}"]
        if "unknown" in Site:
            Line[1], Line[2] = False, Site["unknown"]
            continue
        First = 0 if Site["space"] == "global" else 2
        Line[0][First] += Site["units"]
        Line[0][First + 1] += Site["ideal_units"]
        Line[1] &= Site["exact"]
    return {K: ([round(S) for S in V[0]], V[1], V[2]) for K, V in Lines.items()}


def together(Predicted, Lines, First):
    """What only one side has in a memory space, as one line."""
    Rest = "elsewhere"
    for Place in sorted(set(Lines) | set(Predicted)):
        Sums, IsExact, Why = Predicted.get(Place, ([0, 0, 0, 0], True, ""))
        Have = Lines.get(Place, [0, 0, 0, 0])
        if Why or any(Sums[First:First + 2]) == any(Have[First:First + 2]):
            continue
        Old = Predicted.get(Rest, ([0, 0, 0, 0], True, ""))
        New = Lines.get(Rest, [0, 0, 0, 0])
        Moved = [[V if First <= I < First + 2 else 0 for I, V in enumerate(L)] for L in (Sums, Have)]
        Predicted[Rest] = ([A + B for A, B in zip(Old[0], Moved[0])], Old[1] and IsExact, "")
        Lines[Rest] = [A + B for A, B in zip(New, Moved[1])]
        Predicted[Place] = ([A - B for A, B in zip(Sums, Moved[0])], IsExact, Why)
        Lines[Place] = [A - B for A, B in zip(Have, Moved[1])]


def readCounted(Path):
    for Text in open(Path):
        Name, *Lines = Text.split()
        yield Name, {L.rsplit("=", 1)[0]: [int(N) for N in L.rsplit("=", 1)[1].split(",")]
                     for L in Lines}


def main():
    Parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for Name in ("--opt", "--extract", "--plugin"):
        Parser.add_argument(Name, required=True)
    Parser.add_argument("--passes", default="default<O2>")
    Parser.add_argument("--options", default="")
    Parser.add_argument("--jobs", type=int, default=os.cpu_count())
    for Name in ("ir", "launches", "counted"):
        Parser.add_argument(Name)
    Options = Parser.parse_args()
    Launches = open(Options.launches).read().splitlines()
    Counted = list(readCounted(Options.counted))
    assert [L.split()[0] for L in Launches] == [N for N, _ in Counted], "not of the same run"
    Totals = {K: collections.Counter() for K in ("global", "shared")}
    Reasons = collections.Counter()
    with tempfile.TemporaryDirectory() as Folder, \
            concurrent.futures.ThreadPoolExecutor(Options.jobs) as Pool:
        list(Pool.map(lambda N: extract(Options, Folder, N), sorted({N for N, _ in Counted})))
        All = list(Pool.map(lambda P: predict(Options, Folder, *P), enumerate(Launches)))
    for Launch, Predicted, (_, Lines) in zip(Launches, All, Counted):
        together(Predicted, Lines, 0)
        together(Predicted, Lines, 2)
        for Place in sorted(set(Lines) | set(Predicted)):
            Sums, IsExact, Why = Predicted.get(Place, ([0, 0, 0, 0], True, ""))
            Have = Lines.get(Place, [0, 0, 0, 0])
            for First, Space in ((0, "global"), (2, "shared")):
                P, C = Sums[First:First + 2], Have[First:First + 2]
                if not any(P) and not any(C):
                    continue
                Total = Totals[Space]
                Total["lines"] += 1
                if Why:
                    Total["unknown"] += 1
                    Reasons[Why] += 1
                    continue
                Total["exact" if IsExact else "about"] += 1
                Total["exact agree" if IsExact else "about agree"] += P == C
                if P != C:
                    print(Launch, Place, Space, "predicted", P, "counted", C,
                          "claims exact" if IsExact else "no claim")
    for Space, T in Totals.items():
        print(f"{Space}: {T['lines']} lines of {len(Launches)} launches, known "
              f"{T['lines'] - T['unknown']}; {T['exact']} claim to be exact, of which "
              f"{T['exact agree']} agree; of {T['about']} others {T['about agree']} agree")
    for Why, Count in Reasons.most_common():
        print(f"unknown {Count}: {Why}")


if __name__ == "__main__":
    main()
