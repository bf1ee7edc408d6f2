#!/usr/bin/env python3
"""Compares the table of the driver's functions with CUDA's header.

Usage: driver_functions.py cuda-root source-root

Names are those without the suffixes of versions and of default streams. Those
that explain errors are not in the table.
"""

import re
import sys

Cuda, Source = sys.argv[1:]


def baseOf(Name):
    return re.sub(r"(_v\d+)?(_ptsz|_ptds)?$", "", Name)


with open(f"{Cuda}/include/cuda.h") as File:
    Header = re.findall(r"CUresult\s+CUDAAPI\s+(cu[A-Z]\w*)", File.read())
with open(f"{Source}/passes/host/DriverCalls.def") as File:
    Table = re.findall(r"^GRIDSPAN_DRIVER_CALL\((\w+)\)", File.read(), re.M)
Wanted = sorted({baseOf(N) for N in Header if not N.startswith("cuGetError")})
if Wanted != Table:
    Missing, Extra = set(Wanted) - set(Table), set(Table) - set(Wanted)
    sys.exit(f"missing: {sorted(Missing)}, in no header: {sorted(Extra)}, or order")
print(f"{len(Table)} functions")
