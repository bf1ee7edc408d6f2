#!/usr/bin/env python3
"""Fits the free numbers of the cost model, and says how well it predicts.

  fit.py predicted.json times.txt [--model sm_90.json] [--table]

predicted.json is of predict.py, times.txt of `kernels time`, as measured.txt of this
folder; launches that were not measured are left out. The joined time is
computed here as analysis/advice/cost/Cost.cpp does it, from the bounds of the launch. The
numbers are fitted (least squares of log(predicted / measured), Nelder-Mead) on the
launches of every other kernel, in alphabetical order, and judged on the others; then
the halves change places. Kernels whose prediction rests on an assumption about data
are left out of the fit and reported apart. --model takes the numbers fitted on all
into a machine model.
"""

import argparse
import json
import math

NAMES = ["fit_sharpness", "fit_issue", "fit_latency", "fit_load_unit", "fit_l2", "fit_memory",
         "fit_block_cycles", "fit_launch_us"]
START = [4, 1, 1.3, 1.2, 0.9, 1, 300, 1.5]
ARITHMETIC = ["issue", "fp32", "fp64", "int", "sfu"]


def roundsOf(Waves):
    return 1 if Waves <= 1 else Waves + (math.ceil(Waves) - Waves) * math.exp(1 - Waves)


def timeOf(Cost, Machine, Fit):
    """Of a launch whose bounds were computed with the numbers in Old."""
    F, Old = dict(zip(NAMES, Fit)), Machine
    B = Cost["bounds"]

    def latency(Slower):
        Mean = Cost["block_cycles"] + Slower * Cost["block_memory_cycles"]
        Longest = Cost["longest_warp_cycles"] + Slower * Cost["longest_warp_memory_cycles"]
        Cycles = roundsOf(Cost["waves"]) * (Mean + F["fit_block_cycles"]) + max(0, Longest - Mean)
        return Cycles / Machine["clock_ghz"] * 1e-3

    Sectors = Cost["l2_read_sectors"] + Cost["l2_write_sectors"]
    Bytes = Cost["memory_read_bytes"] + Cost["memory_write_bytes"]
    FromMemory = min(1, Bytes / 32 / Sectors) if Sectors else 0
    InUse = sum(B[Name] * F[Key] / Old[Key] for Name, Key in
                (("issue", "fit_issue"), ("load unit", "fit_load_unit"), ("L2", "fit_l2"),
                 ("memory", "fit_memory")))
    Share = max(min(1, InUse / latency(0)), FromMemory * (1 - 1 / max(1, Cost["loads_in_flight"])))
    Times = [B["blocks"], B["atomics"],
             latency((F["fit_latency"] - 1) * Share)]
    Times += [B[A] * F["fit_issue"] / Old["fit_issue"] for A in ARITHMETIC]
    Times += [B[Name] * F[Key] / Old[Key] for Name, Key in
              (("load unit", "fit_load_unit"), ("L2", "fit_l2"), ("memory", "fit_memory"))]
    P, Most = F["fit_sharpness"], max(Times)
    Joined = Most * sum((T / Most)**P for T in Times)**(1 / P)
    return max(Machine["launch_us"], F["fit_launch_us"] + Joined)


def minimize(Function, Start, Steps=1500):
    """Nelder and Mead, 1965."""
    Size = len(Start)
    Points = [list(Start)]
    for I in range(Size):
        Point = list(Start)
        Point[I] *= 1.2
        Points.append(Point)
    Values = [Function(P) for P in Points]
    for _ in range(Steps):
        Order = sorted(range(Size + 1), key=Values.__getitem__)
        Points, Values = [Points[I] for I in Order], [Values[I] for I in Order]
        Center = [sum(P[I] for P in Points[:-1]) / Size for I in range(Size)]

        def at(Factor):
            Point = [C + Factor * (C - W) for C, W in zip(Center, Points[-1])]
            return Point, Function(Point)

        New, Value = at(1)
        if Value < Values[0]:
            Further = at(2)
            New, Value = min((New, Value), Further, key=lambda P: P[1])
        elif Value >= Values[-2]:
            New, Value = at(-0.5) if Value >= Values[-1] else at(0.5)
            if Value >= Values[-1]:
                for I in range(1, Size + 1):
                    Points[I] = [(A + B) / 2 for A, B in zip(Points[0], Points[I])]
                    Values[I] = Function(Points[I])
                continue
        Points[-1], Values[-1] = New, Value
    return Points[Values.index(min(Values))]


def fit(Launches, Machine):
    def error(Fit):
        if min(Fit) <= 0 or Fit[0] < 1 or Fit[0] > 20:
            return 1e9
        return sum(math.log(timeOf(C, Machine, Fit) / T)**2 for C, T in Launches)

    return minimize(error, START)


def mape(Pairs):
    return 100 * sum(abs(P - T) / T for P, T in Pairs) / max(1, len(Pairs))


def ranks(Values):
    Order = sorted(range(len(Values)), key=Values.__getitem__)
    Out = [0] * len(Values)
    for Rank, I in enumerate(Order):
        Out[I] = Rank
    return Out


def spearman(Pairs):
    A, B = ranks([P for P, _ in Pairs]), ranks([T for _, T in Pairs])
    N = len(Pairs)
    return 1 - 6 * sum((X - Y)**2 for X, Y in zip(A, B)) / max(1, N * (N * N - 1))


def main():
    Parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    Parser.add_argument("--model", help="machine model to take the numbers over into")
    Parser.add_argument("--machine", required=True, help="machine model of the prediction")
    Parser.add_argument("--table", action="store_true")
    for Name in ("predicted", "times"):
        Parser.add_argument(Name)
    Options = Parser.parse_args()
    Machine = {K: V["value"] for K, V in json.load(open(Options.machine))["fields"].items()}
    All = json.load(open(Options.predicted))
    Times = {" ".join(L.split()[:9]): float(L.split()[9]) for L in open(Options.times)}
    All = [P for P in All if P["launch"] in Times]
    Names = sorted({P["launch"].split()[0] for P in All})
    Half = {Name: I % 2 for I, Name in enumerate(Names)}
    Known, Assumed, Unknown = ([], []), [], []
    for P in All:
        Cost, Name = P["cost"], P["launch"].split()[0]
        Row = (Cost, Times[P["launch"]], P["launch"])
        if "unknown" in Cost:
            Unknown.append(Row)
        elif Cost["assumptions"]:
            Assumed.append(Row)
        else:
            Known[Half[Name]].append(Row)
    Results = []
    for H in (0, 1):
        Fit = fit([R[:2] for R in Known[1 - H]], Machine)
        Results += [(timeOf(R[0], Machine, Fit), *R) for R in Known[H]]
    Pairs = [(R[0], R[2]) for R in Results]
    Fit = fit([R[:2] for R in Known[0] + Known[1]], Machine)
    print("fitted on all:", ", ".join(f"{N} {V:.4g}" for N, V in zip(NAMES, Fit)))

    def report(What, Pairs):
        Within = sum(abs(P - T) <= 0.2 * T for P, T in Pairs)
        print(f"{What}: {len(Pairs)} launches, mean error {mape(Pairs):.1f}%, "
              f"within 20% {Within}, rank correlation {spearman(Pairs):.3f}")

    report("fitted on the other half", Pairs)
    Rows = [R[:2] for R in Known[0] + Known[1]]
    report("fitted on these", [(timeOf(C, Machine, Fit), T) for C, T in Rows])
    report("plain roofline", [(C["roofline_microseconds"], T) for C, T in Rows])
    report("instructions x trips", [(C["instruction_microseconds"], T) for C, T in Rows])
    if Assumed:
        report("resting on assumptions", [(timeOf(C, Machine, Fit), T) for C, T, _ in Assumed])
    print(f"refused: {len(Unknown)}")
    if Options.table:
        for Predicted, Cost, Time, Launch in sorted(Results, key=lambda R: R[3]):
            L = Launch.split()
            print(f"| {L[0]} | {'x'.join(L[1:4])} | {'x'.join(L[4:7])} | {Time:.4g} "
                  f"| {Predicted:.4g} | {Predicted / Time:.2f} "
                  f"| {Cost['roofline_microseconds']:.4g} | {Cost['limit']} |")
    if Options.model:
        Model = json.load(open(Options.model))
        for Name, Value in zip(NAMES, Fit):
            Model["fields"][Name] = {"value": float(f"{Value:.4g}"), "source": "bench/model/fit.py"}
        Lines = [f"    {json.dumps(N)}: {json.dumps(F)}" for N, F in Model["fields"].items()]
        with open(Options.model, "w") as Out:
            Out.write(f'{{\n  "arch": "{Model["arch"]}",\n  "name": "{Model["name"]}",\n')
            Out.write('  "fields": {\n' + ",\n".join(Lines) + "\n  }\n}\n")


if __name__ == "__main__":
    main()
