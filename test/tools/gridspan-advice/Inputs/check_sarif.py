"""Checks a file against what SARIF 2.1.0 says of the objects in it.

The standard's JSON schema is not part of this repository: below is what it says of
the objects that gridspan-advice writes, each with the properties that it allows
(additionalProperties is false there), their types, and those that are required
(OASIS SARIF 2.1.0, sections 3.13 to 3.50). No package that this project can depend
on holds the schema; sarif_om (Debian: python3-sarif-python-om) has classes that were
generated from it, with the names of all properties and which are required. Where it is
installed both this table and the file are checked against those.
"""

import json
import sys

# Debian's packages, also for another Python than Debian's.
sys.path.append("/usr/lib/python3/dist-packages")
try:
    import attr
    import sarif_om
except ImportError:
    sarif_om = None

STRING, INTEGER, OBJECT = "string", "integer", "object"
LEVELS = ("none", "note", "warning", "error")

# Object: required properties, and each property's type: a name of this table, a
# list of one, a tuple of allowed values, or a Python predicate.
SCHEMA = {
    "sarifLog": (
        ["version", "runs"],
        {"$schema": STRING, "version": ("2.1.0",), "runs": ["run"]},
    ),
    "run": (
        ["tool"],
        {
            "tool": "tool",
            "results": ["result"],
            "columnKind": ("utf16CodeUnits", "unicodeCodePoints"),
            "artifacts": [OBJECT],
            "properties": OBJECT,
        },
    ),
    "tool": (["driver"], {"driver": "toolComponent", "extensions": ["toolComponent"]}),
    "toolComponent": (
        ["name"],
        {
            "name": STRING,
            "version": STRING,
            "semanticVersion": STRING,
            "informationUri": STRING,
            "rules": ["reportingDescriptor"],
        },
    ),
    "reportingDescriptor": (
        ["id"],
        {
            "id": STRING,
            "name": STRING,
            "shortDescription": "multiformatMessageString",
            "fullDescription": "multiformatMessageString",
            "help": "multiformatMessageString",
        },
    ),
    "multiformatMessageString": (["text"], {"text": STRING, "markdown": STRING}),
    "result": (
        ["message"],
        {
            "ruleId": STRING,
            "ruleIndex": lambda V: type(V) is int and V >= -1,
            "level": LEVELS,
            "message": "message",
            "locations": ["location"],
            "rank": lambda V: -1 <= V <= 100,
            "properties": OBJECT,
        },
    ),
    "message": (["text"], {"text": STRING, "markdown": STRING}),
    "location": (
        [],
        {
            "physicalLocation": "physicalLocation",
            "logicalLocations": ["logicalLocation"],
            "message": "message",
        },
    ),
    "physicalLocation": (
        ["artifactLocation"],
        {"artifactLocation": "artifactLocation", "region": "region"},
    ),
    "artifactLocation": (
        ["uri"],
        {"uri": lambda V: type(V) is str and " " not in V, "uriBaseId": STRING},
    ),
    "region": (
        ["startLine"],
        {
            "startLine": lambda V: type(V) is int and V >= 1,
            "startColumn": lambda V: type(V) is int and V >= 1,
        },
    ),
    "logicalLocation": (
        [],
        {"name": STRING, "fullyQualifiedName": STRING, "kind": STRING},
    ),
}
TYPES = {STRING: str, INTEGER: int, OBJECT: dict}


def check(Value, Type, Path):
    if isinstance(Type, list):
        assert isinstance(Value, list), Path
        for I, One in enumerate(Value):
            check(One, Type[0], f"{Path}[{I}]")
    elif isinstance(Type, tuple):
        assert Value in Type, f"{Path}: {Value}"
    elif callable(Type):
        assert Type(Value), f"{Path}: {Value}"
    elif Type in TYPES:
        assert type(Value) is TYPES[Type], f"{Path}: {Value}"
    else:
        Required, Properties = SCHEMA[Type]
        assert isinstance(Value, dict), Path
        for Name in Required:
            assert Name in Value, f"{Path}: {Name} is missing"
        for Name, One in Value.items():
            assert Name in Properties, f"{Path}: {Name} is not of {Type}"
            check(One, Properties[Name], f"{Path}.{Name}")


def classOf(Type):
    """Properties of the standard's objects of this type, and the required ones."""
    Fields = attr.fields(getattr(sarif_om, Type[0].upper() + Type[1:]))
    Names = {F.metadata["schema_property_name"] for F in Fields}
    return Names, {F.metadata["schema_property_name"] for F in Fields if F.default is attr.NOTHING}


def checkTable():
    """SCHEMA against the classes: what it allows exists, what they require it does."""
    for Type, (Required, Properties) in SCHEMA.items():
        Names, Needed = classOf(Type)
        assert set(Properties) <= Names, (Type, set(Properties) - Names)
        assert Needed <= set(Required), (Type, Needed)


if sarif_om:
    checkTable()
Log = json.load(open(sys.argv[1]))
check(Log, "sarifLog", "")
Run = Log["runs"][0]
Rules = [Rule["id"] for Rule in Run["tool"]["driver"]["rules"]]
assert len(set(Rules)) == len(Rules)
for Result in Run["results"]:
    assert Rules[Result["ruleIndex"]] == Result["ruleId"]
print(len(Run["results"]), "results")
