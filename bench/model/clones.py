#!/usr/bin/env python3
"""Compares the registers of kernels and of their clones, as ptxas gives them.

  clones.py --gridspan++ build/bin/gridspan++ --ptxas ptxas [--arch sm_90] FILE.cu...

Prints each clone that a multiprocessor holds fewer warps of than of its kernel, and how
many clones have more registers. Registers are given out to warps by 256, of a quarter of
65536 for each scheduler, to at most 16 warps of it.
"""

import argparse
import re
import subprocess
import tempfile

SUFFIXES = ("__gridspan", "__noalias")


def registersOf(Options, Source):
    """By mangled name."""
    with tempfile.TemporaryDirectory() as Folder:
        Ptx = f"{Folder}/out.ptx"
        subprocess.run([Options.compiler, "-std=c++20", "-O2", f"-arch={Options.arch}", "--cuda-device-only", "-S",
                        Source, "-o", Ptx], check=True, capture_output=True)
        Log = subprocess.run([Options.ptxas, "-v", f"-arch={Options.arch}", Ptx, "-o", f"{Folder}/out.cubin"],
                             check=True, capture_output=True, text=True).stderr
    Registers, Name = {}, None
    for Line in Log.splitlines():
        if Match := re.search(r"Compiling entry function '(\S+)'", Line):
            Name = Match.group(1)
        elif Match := re.search(r"Used (\d+) registers", Line):
            Registers[Name] = int(Match.group(1))
    return Registers


def warpsWith(Registers):
    OfWarp = (max(Registers, 16) * 32 + 255) // 256 * 256
    return 4 * min(16, 65536 // 4 // OfWarp)


def main():
    Parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    Parser.add_argument("--gridspan++", dest="compiler", required=True)
    Parser.add_argument("--ptxas", required=True)
    Parser.add_argument("--arch", default="sm_90")
    Parser.add_argument("sources", nargs="+")
    Options = Parser.parse_args()
    Clones, More, Most = 0, 0, 0
    for Source in Options.sources:
        Registers = registersOf(Options, Source)
        for Name, Count in Registers.items():
            for Clone in (Name + S for S in SUFFIXES if Name + S in Registers):
                Clones += 1
                More += Registers[Clone] > Count
                Most = max(Most, Registers[Clone] - Count)
                Before, After = warpsWith(Count), warpsWith(Registers[Clone])
                if After < Before:
                    print(f"{Source}: {Clone}: {After} warps instead of {Before}, {Registers[Clone]} registers")
    print(f"{Clones} clones, {More} with more registers, at most {Most} more")


if __name__ == "__main__":
    main()
