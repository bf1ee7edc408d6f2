#!/usr/bin/env python3
"""Compares what a report says has crossed the bus for launches that were streamed with so many arrays of 400 KB.

Usage: traffic.py REPORT ARRAYS BELOW     BELOW: 1, it must be less; 0, about as many
"""
import json
import sys

report = json.load(open(sys.argv[1]))
kernels = [k for k in report["kernels"] if k["streamed_launches"]]
crossed = sum(k["streamed_in_bytes"] + k["streamed_out_bytes"] for k in kernels)
crossed += report["copies"]["managed_write_back"]["bytes"]
arrays = crossed / 400e3
wanted = float(sys.argv[2])
assert kernels and sum(k["launches"] for k in kernels) == sum(k["streamed_launches"] for k in kernels), kernels
if sys.argv[3] == "1":
    assert 0 < arrays < wanted, arrays
else:
    assert abs(arrays - wanted) < 0.1 * wanted, arrays
