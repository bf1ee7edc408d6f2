#!/usr/bin/env python3
"""Takes what bench/model/machine.cu measured over into a machine model.

  merge.py MODEL.json MEASURED.json

Numbers that were not measured stay as they are.
"""

import json
import sys


def main():
    Model, Measured = (json.load(open(Path)) for Path in sys.argv[1:3])
    if Model["arch"] != Measured["arch"]:
        sys.exit(f"merge.py: {Measured['arch']} was measured, not {Model['arch']}")
    for Name, Field in Measured["fields"].items():
        if Name not in Model["fields"]:
            sys.exit(f"merge.py: no field {Name}")
        Model["fields"][Name] = Field
    Lines = [f"    {json.dumps(Name)}: {json.dumps(Field)}"
             for Name, Field in Model["fields"].items()]
    with open(sys.argv[1], "w") as Out:
        Out.write(f'{{\n  "arch": "{Model["arch"]}",\n  "name": "{Measured["name"]}",\n')
        Out.write('  "fields": {\n' + ",\n".join(Lines) + "\n  }\n}\n")


main()
