"""Compares a profile (GRIDSPAN_PROFILE) with the access trace of the same program.

What was recorded of each access is scaled to a launch. In these programs all warps
of the sample are like those that they stand for, so that it has to be exact.
"""

import json
import re
import sys
from collections import defaultdict

LAUNCH = re.compile(r"launch (\d+): (\S+) on device \d+, grid (\d+)x(\d+)x(\d+),")
REQUEST = re.compile(
    r"launch (\d+) block .* site (\d+) #\d+: (?:\w+) (\d+) bytes, lanes ([0-9a-f]+):(.*)"
)


def read_trace(path):
    """Sums by kernel, grid and site, and the number of launches of each."""
    launches = {}
    count = defaultdict(int)
    sums = defaultdict(lambda: defaultdict(int))
    for line in open(path):
        if m := LAUNCH.match(line):
            key = (m[2], tuple(int(n) for n in m.group(3, 4, 5)))
            launches[m[1]] = key
            count[key] += 1
        elif m := REQUEST.match(line):
            size = int(m[3])
            addresses = [int(a, 16) for a in m[5].split()]
            sectors = {
                s
                for a in addresses
                for s in range(a // 32, (a + size - 1) // 32 + 1)
            }
            at = sums[launches[m[1]] + (int(m[2]),)]
            at["requests"] += 1
            at["lanes"] += len(addresses)
            at["sectors"] += len(sectors)
            at["ideal_sectors"] += (len(addresses) * size + 31) // 32
            at["addresses"] += len(set(addresses))
    return count, sums


def main(profile_path, trace_path):
    """Lanes that a branch in a loop has separated do not meet again on the CPU
    device, so that the requests there are no less than those of the trace, which
    are a GPU's. These are the two accesses of the loop with a branch."""
    profile = json.load(open(profile_path))
    count, sums = read_trace(trace_path)
    assert profile["backend"] == "cpu"
    apart = sorted(k[2] for k in sums if "rows" in k[0])[-2:]
    compared = 0
    launches = 0
    for kernel in profile["kernels"]:
        assert kernel["launches"] == sum(c["launches"] for c in kernel["classes"])
        launches += kernel["launches"]
        for one in kernel["classes"]:
            common = one["common"]
            assert common["time"] or common["recorded_time"], "no time"
            assert one["recordings"] > 0, one["why_not_recorded"]
            assert 0 < one["sampled_warps"] <= one["warps"]
            key = (kernel["mangled"], tuple(common["grid"]))
            assert count[key] == one["launches"], (key, count, one["launches"])
            for site in one["sites"]:
                truth = sums[key + (site["site"],)]
                for name, value in truth.items():
                    mean = value / count[key]
                    if site["site"] in apart and name != "lanes":
                        assert mean <= site[name] <= site["lanes"], (site, name)
                        continue
                    assert abs(site[name] - mean) < 1e-6 * max(1, mean), (
                        key,
                        site,
                        name,
                        mean,
                    )
                    compared += 1
    assert launches == sum(count.values())
    assert compared > 0, "nothing was recorded"
    print(f"{compared} numbers agree")


if __name__ == "__main__":
    main(*sys.argv[1:])
