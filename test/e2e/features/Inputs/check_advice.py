"""Compares an advice file with the access trace of the launches that it is about.

Each global access that claims to be exact has to have the requests, lanes and
sectors of the trace. The last argument is how many there are at least.
"""

import json
import sys

from check_profile import read_trace

advice_path, trace_path, least = sys.argv[1:]
count, sums = read_trace(trace_path)
traced = {(key[0], key[2]): one for key, one in sums.items()}
assert all(n == 1 for n in count.values()), "one launch of each kernel"
compared = 0
for kernel in json.load(open(advice_path))["kernels"]:
    for site in kernel["sites"]:
        if site["space"] != "global" or not site.get("exact"):
            continue
        have = traced[kernel["mangled"], site["site"]]
        said = [site[key] for key in ("requests", "lanes", "units")]
        seen = [have[key] for key in ("requests", "lanes", "sectors")]
        assert said == seen, (kernel["name"], site, seen)
        compared += 1
assert compared >= int(least), compared
