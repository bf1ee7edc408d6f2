#!/usr/bin/env python3
"""Compares what the planner predicts with measured times.

  advice-planned times.txt > planned.txt
  planned.py [--table] planned.txt measured.txt

Measured times are lines of `kernels time`, as in measured.txt of this folder. The time between launches,
which the planner does not count as every way to run a launch has it, is added.
"""

import argparse
import re

from fit import mape, spearman

LAUNCH = 2.1


def measuredOf(Path):
    Out = {}
    for Line in open(Path):
        Words = Line.split()
        if re.fullmatch(r"\w+( \d+){8} [\d.]+", Line.strip()):
            Out[Words[0], "x".join(Words[1:4]), "x".join(Words[4:7])] = float(Words[9])
    return Out


def main():
    Parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    Parser.add_argument("--table", action="store_true")
    Parser.add_argument("planned")
    Parser.add_argument("measured")
    Options = Parser.parse_args()
    Measured = measuredOf(Options.measured)
    Rows = []
    for Line in open(Options.planned):
        Words = Line.split()
        Key = Words[0], "x".join(Words[1:4]), "x".join(Words[4:7])
        if Key in Measured:
            Rows.append((Key, float(Words[9]) + LAUNCH, Measured[Key]))
    if Options.table:
        print("| kernel | grid | block | measured | planner | ratio |\n|---|---|---|---|---|---|")
        for Key, Planned, Time in Rows:
            print("| " + " | ".join(Key) + f" | {Time:.4g} | {Planned:.4g} | {Planned / Time:.2f} |")
    Pairs = [(Planned, Time) for _, Planned, Time in Rows]
    Within = sum(abs(P - T) <= 0.2 * T for P, T in Pairs)
    Factor = sum(T / 2 <= P <= 2 * T for P, T in Pairs)
    print(f"{len(Pairs)} launches: mean error {mape(Pairs):.1f}%, within 20% {Within}, "
          f"within a factor of two {Factor}, rank correlation {spearman(Pairs):.3f}")


if __name__ == "__main__":
    main()
