#!/usr/bin/env python3
"""Counts the memory sites of advice files by class, and the unknown ones by reason.

  gridspan++ -O3 -lineinfo -mllvm -gridspan-advice=advice/ ...
  sites.py advice/ [--profile profiles/]

Takes files and folders of advice (docs/guide/advice-schema.md) and prints, for global and for
shared memory: the sites by class, how many of them claim to be exact, and the reasons why the
others have no class. With profiles (docs/guide/profile.md), by GRIDSPAN_PROFILE, only kernels
that ran are counted, and accesses that a run recorded are known: also that no recorded warp made
one. --kernels lists the kernels with most unknown sites; --where every unknown
site. A kernel that several sources or files have, as of a template in a header, counts once.
"""

import argparse
import collections
import json
import pathlib


def adviceFiles(Names):
    for Name in Names:
        Path = pathlib.Path(Name)
        yield from sorted(Path.glob("**/*.json")) if Path.is_dir() else [Path]


def kernelsOf(Names):
    """The kernels of all files, by folder, source and mangled name."""
    Found = {}
    for Path in adviceFiles(Names):
        for Kernel in json.loads(Path.read_text())["kernels"]:
            Source = "" if Kernel["shared"] else Kernel["source"]
            Found[Path.stem, Kernel["directory"], Source, Kernel["mangled"], Kernel["target"]] = Kernel
    return Found


def profilesOf(Names):
    """Of each kernel that ran, by build and mangled name: the requests of the accesses that were
    recorded, and why launches were not."""
    Found = {}
    for Path in adviceFiles(Names):
        Profile = json.loads(Path.read_text())
        Builds = {M["source"]: M["builds"] for M in Profile["modules"]}
        for Kernel in Profile["kernels"]:
            Why = {str(C["why_not_recorded"]) for C in Kernel["classes"] if not C["recordings"]}
            for Build in Builds[Kernel["source"]]:
                Requests, All = Found.setdefault((Build, Kernel["mangled"]), ({}, set()))
                All.update(Why)
                for S in (S for C in Kernel["classes"] for S in C["sites"]):
                    Requests[S["site"]] = Requests.get(S["site"], 0) + S["requests"]
    return Found


def addProfiles(Kernels, Profiles):
    """Keeps the kernels that ran, with what their runs recorded."""
    for Key, Kernel in list(Kernels.items()):
        if (Kernel["build"], Kernel["mangled"]) not in Profiles:
            del Kernels[Key]
            continue
        Requests, Why = Profiles[Kernel["build"], Kernel["mangled"]]
        for S in Kernel["sites"]:
            if S["class"] != "unknown":
                continue
            if S.get("site") in Requests:
                S["class"] = "measured" if Requests[S["site"]] else "not executed, as measured"
            elif Why:
                S["unknown"] = f"{' or '.join(sorted(Why))}: {S['unknown']}"


def share(Part, All):
    return f"{100 * Part / All:.1f}%" if All else "-"


def printSpace(Space, Sites):
    Classes = collections.Counter(S["class"] for S in Sites)
    Unknown = collections.Counter(S["unknown"] for S in Sites if S["class"] == "unknown")
    Known = len(Sites) - sum(Unknown.values())
    Exact = sum(S.get("exact", False) for S in Sites)
    print(f"{Space} memory: {len(Sites)} sites, {Known} of a known class ({share(Known, len(Sites))}), "
          f"{Exact} claimed exact")
    for Class, Count in Classes.most_common():
        print(f"  {Count:6} {Class}")
    for Why, Count in Unknown.most_common():
        print(f"  {Count:6}   {Why}")


def main():
    Parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    Parser.add_argument("files", nargs="+", metavar="FILE-OR-FOLDER")
    Parser.add_argument("--profile", nargs="+", metavar="FILE-OR-FOLDER")
    Parser.add_argument("--kernels", type=int, default=0, metavar="N")
    Parser.add_argument("--where", action="store_true")
    Options = Parser.parse_args()
    Kernels = kernelsOf(Options.files)
    if Options.profile:
        addProfiles(Kernels, profilesOf(Options.profile))
    print(f"{len(Kernels)} kernels")
    for Space in ("global", "shared"):
        printSpace(Space, [S for K in Kernels.values() for S in K["sites"] if S["space"] == Space])
    Unknown = {Key: [S for S in K["sites"] if S["class"] == "unknown"] for Key, K in Kernels.items()}
    for Key in sorted(Unknown, key=lambda Key: -len(Unknown[Key]))[:Options.kernels]:
        print(f"{len(Unknown[Key]):6} of {len(Kernels[Key]['sites'])} in {Key[0]}: {Kernels[Key]['name']}")
    for Key, Sites in Unknown.items():
        for S in Sites if Options.where else []:
            Place = f"{S.get('file', '?')}:{S.get('line', 0)}"
            print(f"{Key[0]} {Place}: {S['space']} {S['kind']} {S['base'] or '?'}: {S['unknown']}")


if __name__ == "__main__":
    main()
