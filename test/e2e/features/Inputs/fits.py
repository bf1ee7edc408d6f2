#!/usr/bin/env python3
"""Checks that steps over data which almost fit kept what had room on the devices.

Usage: fits.py REPORT DATA MEMORY SWEEPS     bytes of the data and of all devices, and how often all is gone through
"""
import json
import sys

bus = json.load(open(sys.argv[1]))["bus"]
data, memory, sweeps = map(int, sys.argv[2:])
# A share of each device is left to others, and frames are whole.
most = data + (sweeps - 1) * (data - 0.93 * memory)
assert bus["in_bytes"] <= most, (bus, most)
assert 0 < bus["out_bytes"] <= most, (bus, most)
assert bus["in_least_bytes"] <= bus["in_bytes"], bus
assert bus["out_least_bytes"] <= bus["out_bytes"], bus
