"""Checks what SARIF 2.1.0 requires of the objects that are written."""

import json
import sys

Log = json.load(open(sys.argv[1]))
assert Log["version"] == "2.1.0" and len(Log["runs"]) == 1
Run = Log["runs"][0]
Driver = Run["tool"]["driver"]
assert Driver["name"] == "gridspan-advice"
Rules = [Rule["id"] for Rule in Driver["rules"]]
assert len(set(Rules)) == len(Rules)
for Result in Run["results"]:
    assert Result["message"]["text"]
    assert Result["level"] in ("none", "note", "warning", "error")
    assert Rules[Result["ruleIndex"]] == Result["ruleId"]
    for Location in Result["locations"]:
        assert Location["logicalLocations"][0]["name"]
        Physical = Location["physicalLocation"]
        assert Physical["artifactLocation"]["uri"]
        assert Physical["region"]["startLine"] >= 1
        assert Physical["region"].get("startColumn", 1) >= 1
print(len(Run["results"]), "results")
