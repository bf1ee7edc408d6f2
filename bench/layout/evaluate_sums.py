#!/usr/bin/env python3
"""Compares the advice on sums, counters and tiles with what was measured.

  evaluate_sums.py --opt opt --plugin libGridspan.so block_counts.ll shared_tiles.ll times.txt

The IR as for evaluate.py; times.txt holds the lines of both programs. Prints the
predicted and the measured bandwidth of one sum by number of blocks, and for each naive
version the advice, its predicted gain, and the gain of the version that follows it.
"""

from advice import adviseKernel, parse


def readTimes(Path):
    Times = {}
    for Line in open(Path):
        Words = Line.split()
        try:
            Times.setdefault((Words[0], Words[1], int(Words[2])), float(Words[3]))
        except (ValueError, IndexError):
            pass
    return Times


# Naive version, its block and size, the grid, its parameters, and what follows the advice.
SUMS = [("treeSum", "3907", 10**6, "3907", {2: 10**6}, ("gridSum", "1056")),
        ("treeSum", "390625", 10**8, "390625", {2: 10**8}, ("gridSum", "1056")),
        ("countBytes", "65536", 1 << 24, "65536", {2: 1 << 24}, ("countBytesFollowed", "1056")),
        ("countBytes", "524288", 1 << 27, "524288", {2: 1 << 27}, ("countBytesFollowed", "1056")),
        ("scatterAdd", "262144", 1 << 26, "262144", {3: 1 << 26}, None)]
for Rows in (500, 2000, 10000, 20000):
    SUMS.append(("productRows", str((Rows + 255) // 256), 10**8, str((Rows + 255) // 256),
                 {3: Rows, 4: 10**8 // Rows}, ("productRowsFollowed", str(Rows))))
N = 1 << 27
TILES = [("line17", "256", N, "524288", {2: N}, ("line17Tiled", "256")),
          ("plane5", "64x4", N, "256x2048", {2: 16384, 3: 8192}, ("plane5Tiled", "64x4")),
          ("plane25", "32x8", N, "512x1024", {2: 16384, 3: 8192}, ("plane25Tiled", "32x8")),
          ("space7", "32x4x2", N, "16x128x256", {2: 512, 3: 512, 4: 512}, None)]
for Block, Grid in (("256", "65536"), ("32x8", "128x512"), ("16x16", "256x256"), ("32x32", "128x128")):
    TILES.append(("product1" if Block == "256" else "product2", Block, 4096, Grid, {3: 4096},
                   ("productTiled", "32x32")))


def stayed(Facts):
    Reuse = Facts["reuse"]
    Reasons = [Facts["reduction"].get("stays")] + [A.get("stays") for A in Reuse["products"] + Reuse["arrays"]]
    return ", ".join(dict.fromkeys(R for R in Reasons if R and R not in ("read-once", "reads-again")))


def main():
    Options = parse(__doc__, "sums", "tiles", "times")
    Times = readTimes(Options.times)
    print("| sum of | blocks | predicted GB/s | measured GB/s | wanted blocks |\n|---|---|---|---|---|")
    for (Name, Blocks, Size), Time in Times.items():
        if Name not in ("gridSum", "gridDot"):
            continue
        if int(Blocks) * 256 > Size:
            continue
        Bytes = Size * (8 if Name == "gridSum" else 16)
        R = adviseKernel(Options, Options.sums, Name, 256, Blocks, {2 if Name == "gridSum" else 3: Size})["reduction"]
        print(f"| {Size} {'products' if Name == 'gridDot' else 'doubles'} | {Blocks} | {R['reached_gbs']:.0f} "
              f"| {Bytes / Time * 1e-6:.0f} | {R['wanted_blocks']:.0f} |")
    print("\n| naive version | launch | advice | why none | predicted gain | measured gain |\n|---|---|---|---|---|---|")
    for Source, Cases in ((Options.sums, SUMS), (Options.tiles, TILES)):
        for Name, Key, Size, Grid, Params, Followed in Cases:
            Block = 256 if Source == Options.sums else Key
            Facts = adviseKernel(Options, Source, Name, Block, Grid, Params)
            Advice = max(Facts["advice"], key=lambda A: A["gain"], default=None)
            After = Times.get((*Followed, Size)) if Followed else None
            Measured = f"{Times[Name, Key, Size] / After:.2f}" if After else ""
            print(f"| {Name} | {Grid} of {Block}, {Size} | {Advice['rule'] if Advice else 'none'} "
                  f"| {'' if Advice else stayed(Facts)} | {format(Advice['gain'], '.2f') if Advice else ''} | {Measured} |")


main()
