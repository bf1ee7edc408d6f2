"""Reads what gridspan-check-ranges --arguments prints and holds each kernel to its
name: exact_*, every tile's range is what it touches; near_*, 1.1 times that at most;
within_*, known, and three times that at most."""
import json
import sys

wrong = 0
for kernel in json.load(sys.stdin):
    kind = kernel["kernel"].split("_")[0]
    for argument in kernel["arguments"]:
        ratio = argument["predicted"] / max(argument["touched"], 1)
        holds = {"exact": argument["is_exact"], "near": ratio <= 1.1, "within": ratio <= 3.0}[kind]
        if argument["unknown"] or not holds:
            print(f"{kernel['kernel']}: argument {argument['parameter']}: {ratio:.3f} {argument['unknown']}")
            wrong += 1
print(f"{wrong} wrong")
