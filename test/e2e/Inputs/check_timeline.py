#!/usr/bin/env python3
"""Checks a timeline that GRIDSPAN_TRACE wrote.

Usage: check_timeline.py FILE [--devices N] [--kernel TEXT=LAUNCHES] [--copied BYTES]

Every event must be one of the Chrome trace event format that Perfetto reads;
spans of one stream must not overlap. --kernel: so many launches of a kernel
whose name contains TEXT, each on all N devices together. --copied: bytes from
the host to devices.
"""

import argparse
import collections
import json
import sys

Parser = argparse.ArgumentParser()
Parser.add_argument("file")
Parser.add_argument("--devices", type=int)
Parser.add_argument("--kernel", action="append", default=[])
Parser.add_argument("--copied", type=int)
Options = Parser.parse_args()

with open(Options.file) as File:
    Trace = json.load(File)
Events = Trace["traceEvents"]
Problems = []


def require(Condition, Message):
    if not Condition:
        Problems.append(Message)


require(Trace["otherData"]["lost"] == 0, f"{Trace['otherData']['lost']} spans lost")
Processes, Threads, Spans = {}, {}, []
for E in Events:
    require(isinstance(E["pid"], int) and isinstance(E["tid"], int), f"ids: {E}")
    if E["ph"] == "M" and E["name"] == "process_name":
        Processes[E["pid"]] = E["args"]["name"]
    elif E["ph"] == "M" and E["name"] == "thread_name":
        Threads[E["pid"], E["tid"]] = E["args"]["name"]
    elif E["ph"] == "X":
        require(E["ts"] >= 0 and E["dur"] >= 0, f"times: {E}")
        Spans.append(E)
    else:
        require(False, f"unknown event: {E}")
ByTrack = collections.defaultdict(list)
for S in Spans:
    require((S["pid"], S["tid"]) in Threads, f"track without a name: {S}")
    require(S["pid"] in Processes, f"process without a name: {S}")
    ByTrack[S["pid"], S["tid"]].append(S)
for Track, Own in ByTrack.items():
    if Processes[Track[0]] == "host":
        continue
    Own.sort(key=lambda S: S["ts"])
    for A, B in zip(Own, Own[1:]):
        # Times are floats of the driver.
        require(A["ts"] + A["dur"] <= B["ts"] + 2, f"overlap: {A} {B}")
if Options.devices:
    require(len(Processes) == Options.devices + 1, f"processes: {Processes}")
for Kernel in Options.kernel:
    Text, Count = Kernel.rsplit("=", 1)
    Launches = collections.defaultdict(set)
    for S in Spans:
        if S["cat"] == "kernel" and Text in S["name"]:
            Launches[S["args"]["launch"]].add(S["pid"])
    require(len(Launches) == int(Count), f"launches of {Text}: {dict(Launches)}")
    for Launch, Where in Launches.items():
        if Options.devices:
            require(
                len(Where) == Options.devices, f"launch {Launch} ran on {Where}"
            )
if Options.copied is not None:
    Bytes = sum(S["args"]["bytes"] for S in Spans if S["name"] == "host to device")
    require(Bytes == Options.copied, f"{Bytes} bytes copied to devices")

for Problem in Problems[:20]:
    print("error:", Problem, file=sys.stderr)
Counts = collections.Counter(S["cat"] for S in Spans)
print(f"{len(Spans)} spans,", ", ".join(f"{C} {N}" for C, N in sorted(Counts.items())))
sys.exit(1 if Problems else 0)
