#!/usr/bin/env python3
"""Runs a program plain and split, and compares.

Usage: compare.py [options] PROGRAM [ARGUMENT...]

Plain is GRIDSPAN_SCHEDULE=single on one CPU device. Each further run is
GRIDSPAN_SCHEDULE=static on N CPU devices. On devices of unequal speed it is
dynamic on the fewest of several, and hybrid and auto on the most; auto times
launches and goes by that. Output and exit status must be the same, and the
reports must say what the options claim:

  --devices 1,2,4       the Ns (default 1,2,3,4,7)
  --memory 64KiB,4MiB   instead: once more on each N for each such cap of a
                        device's memory. With the first, the smallest, every
                        kernel that may be split is streamed, also by devices
                        that do not reach each other's memory: by several, or
                        the report says why not
  --not-streamed KERNEL=WHY  but for this one: WHY is what the report says of
                        memory in place, or fits: its memory fits the devices
  --no-peers KERNEL=HOW also on 2, 3 and 4 devices that do not reach each other's
                        memory; HOW is split, or why the kernel runs whole
  --split KERNEL        split in every run on several devices; not on one
  --refused KERNEL=WHY  never split, with that reason
  --local KERNEL=P      on the most devices up to 4, at least P percent of the
                        bytes are local
  --launchers A,B       also over ranks of CPU devices that each of these starts,
                        mpirun of one MPI or another
  --no-ranks WHY        not over ranks, though
  --status S            the program's exit status (default 0)
  --share quick|rest    only a part of the runs: few device counts and no cap of
                        memory but the first and the last, or all others

KERNEL is the demangled name without arguments and template arguments.
"""

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

Parser = argparse.ArgumentParser()
Parser.add_argument("--devices", default="1,2,3,4,7")
Parser.add_argument("--memory", default="")
Parser.add_argument("--not-streamed", action="append", default=[])
Parser.add_argument("--split", action="append", default=[])
Parser.add_argument("--refused", action="append", default=[])
Parser.add_argument("--local", action="append", default=[])
Parser.add_argument("--no-peers", action="append", default=[])
Parser.add_argument("--launchers", default="")
Parser.add_argument("--no-ranks", default="")
Parser.add_argument("--status", type=int, default=0)
Parser.add_argument("--share", choices=["quick", "rest", "all"], default="all")
Parser.add_argument("command", nargs=argparse.REMAINDER)


def runProgram(
    Command, Devices, Schedule, Memory="", Peer="1", Speeds="", Launcher="mpirun"
):
    """Exit status, stdout, stderr, and the report."""
    with tempfile.TemporaryDirectory() as Folder:
        Report = os.path.join(Folder, "report.json")
        Run = subprocess.run(
            Command,
            capture_output=True,
            text=True,
            timeout=240,
            env=dict(
                os.environ,
                GRIDSPAN_DEVICES=f"cpu:{Devices}",
                GRIDSPAN_SCHEDULE=Schedule,
                GRIDSPAN_REPORT=Report,
                GRIDSPAN_DEVICE_MEMORY=Memory,
                GRIDSPAN_PEER=Peer,
                GRIDSPAN_CPU_SPEEDS=Speeds,
                GRIDSPAN_LEARN="process",
                MPIRUN=Launcher,
            ),
        )
        Data = None
        if os.path.exists(Report):
            with open(Report) as File:
                Data = json.load(File)
        return Run.returncode, Run.stdout, Run.stderr, Data


def kernelsNamed(Report, Name):
    """The report's entries of a kernel; several for a template."""
    Short = lambda Full: re.sub(r"^void ", "", Full).split("(")[0].split("<")[0]
    return [K for K in Report["kernels"] if Short(K["name"]) == Name]


class Share:
    """The runs that --share names, of those that the other options ask for."""

    def __init__(self, Name, Counts, Memories):
        self.Name = Name
        Few = {1, 3} if Memories != [""] else {1, 3, 4}
        IsMany = len(Counts) > 2
        self.Few = Few.intersection(Counts) if IsMany else set()
        self.Few = self.Few or set(Counts)
        self.Ends = {Memories[0], Memories[-1]}

    def has(self, Devices, Memory=""):
        if self.Name == "all":
            return True
        IsQuick = Devices in self.Few and (not Memory or Memory in self.Ends)
        return IsQuick == (self.Name == "quick")

    def hasNoPeers(self, Devices):
        return self.Name == "all" or (Devices == 3) == (self.Name == "quick")


Problems = []


def require(Condition, Message):
    if not Condition:
        Problems.append(Message)


def checkReport(Options, Devices, Report):
    Where = f"on {Devices} devices: "
    require(len(Report["devices"]) == Devices, Where + "wrong list of devices")
    for Name in Options.split:
        Kernels = kernelsNamed(Report, Name)
        require(Kernels, Where + f"no kernel {Name} in the report")
        for K in Kernels:
            require(K["refusal"] is None, Where + f"{Name}: refusal {K['refusal']}")
            Split = K["split_launches"]
            if Devices == 1:
                require(Split == 0, Where + f"{Name} was split")
            else:
                require(Split > 0, Where + f"{Name} was not split: {K}")
                require(K["devices_max"] > 1, Where + f"{Name}: {K}")
    for Refused in Options.refused:
        Name, Reason = Refused.split("=")
        Kernels = kernelsNamed(Report, Name)
        require(Kernels, Where + f"no kernel {Name} in the report")
        for K in Kernels:
            require(K["split_launches"] == 0, Where + f"{Name} was split")
            require(
                K["refusal"] == Reason, Where + f"{Name}: refusal {K['refusal']}"
            )


def checkLocal(Options, Devices, Report):
    for Local in Options.local:
        Name, Percent = Local.split("=")
        Kernels = kernelsNamed(Report, Name)
        Here = sum(K["local_bytes"] for K in Kernels)
        There = sum(K["remote_bytes"] for K in Kernels)
        require(
            Here + There > 0 and 100 * Here >= float(Percent) * (Here + There),
            f"on {Devices} devices: {Name}: {Here} bytes local, {There} remote",
        )


def checkStreamed(Options, Where, Report):
    Excused = dict(Item.split("=") for Item in Options.not_streamed)
    Names = {N for N in Excused for K in kernelsNamed(Report, N)}
    require(Names == set(Excused), Where + f"no kernels {set(Excused) - Names}")
    for K in Report["kernels"]:
        Why = next((W for N, W in Excused.items() if K in kernelsNamed(Report, N)), None)
        if Why is None:
            require(
                K["refusal"] is not None or K["streamed_launches"] > 0,
                Where + f"{K['name']} was not streamed: {K}",
            )
        elif Why != "fits":
            Said = [P["why"] for P in K["in_place"]]
            require(Why in Said, Where + f"{K['name']}: in place for {Said}")


def checkStreamedApart(Options, Devices, Memory, Expected):
    if Devices == 1:
        return
    Status, Output, Errors, Report = runProgram(
        Options.command, Devices, "static", Memory, Peer="0"
    )
    Where = f"on {Devices} devices of {Memory} without peer access: "
    require(Status == Expected[0], Where + f"exit status {Status}\n{Errors}")
    require(Output == Expected[1], Where + f"output differs\n{Output}")
    for K in Report["kernels"] if Report else []:
        if K["streamed_launches"] > 0 and K["refusal"] is None:
            require(
                K["devices_max"] > 1 or K["why_whole"], Where + f"{K['name']}: {K}"
            )


def checkNoPeers(Options, Chosen, Expected):
    for Devices in filter(Chosen.hasNoPeers, (2, 3, 4) if Options.no_peers else ()):
        Status, Output, Errors, Report = runProgram(
            Options.command, Devices, "static", Peer="0"
        )
        Where = f"on {Devices} devices without peer access: "
        require(Status == Expected[0], Where + f"exit status {Status}\n{Errors}")
        require(Output == Expected[1], Where + f"output differs\n{Output}")
        for Name, How in (Item.split("=") for Item in Options.no_peers):
            Kernels = kernelsNamed(Report, Name) if Report else []
            require(Kernels, Where + f"no kernel {Name} in the report")
            for K in Kernels:
                Split = K["split_launches"] > 0
                require(
                    Split if How == "split" else K["why_whole"] == How,
                    Where + f"{Name}: {K}",
                )


def checkSchedules(Options, Counts, Chosen, Expected):
    """Runs on devices of unequal speed: blocks go to whichever device is free, or launches
    are timed and later ones go by that."""
    Several = [N for N in Counts if N > 1 and Chosen.has(N)]
    if not Several:
        return
    for Devices, Schedule, Speeds in [
        (min(Several), "dynamic", "1,0.5"),
        (max(Several), "hybrid:0.3", "0.6,1,0.4"),
        (max(Several), "auto", "1,0.3,0.6"),
    ]:
        Status, Output, Errors, _ = runProgram(
            Options.command, Devices, Schedule, Speeds=Speeds
        )
        Where = f"{Schedule} on {Devices} devices: "
        require(Status == Expected[0], Where + f"exit status {Status}\n{Errors}")
        require(
            Output == Expected[1],
            Where + f"output differs\n--- plain\n{Expected[1]}--- split\n{Output}",
        )


def checkRanks(Options, Expected):
    """Several ranks with several devices, and more ranks with one each, by turns."""
    Shapes = {
        "quick": [(2, 2, "static"), (3, 1, "static")],
        "rest": [(2, 3, "hybrid:0.4"), (4, 1, "auto")],
    }
    Shapes["all"] = Shapes["quick"] + Shapes["rest"]
    Launchers = [L for L in Options.launchers.split(",") if L and not Options.no_ranks]
    for Number, (Ranks, Devices, Schedule) in enumerate(
        Shapes[Options.share] if Launchers else []
    ):
        Launcher = Launchers[Number % len(Launchers)]
        Status, Output, Errors, Report = runProgram(
            ["gridspan-run", "-n", str(Ranks), *Options.command],
            Devices,
            Schedule,
            Launcher=Launcher,
        )
        Where = f"{Schedule} on {Ranks} ranks of {Devices} devices by {Launcher}: "
        require(Status == Expected[0], Where + f"exit status {Status}\n{Errors}")
        require(
            Output == Expected[1],
            Where + f"output differs\n--- plain\n{Expected[1]}--- ranks\n{Output}",
        )
        require(
            Report and len(Report["devices"]) == Ranks * Devices,
            Where + "wrong list of devices",
        )


def main():
    Options = Parser.parse_args()
    Expected = runProgram(Options.command, 1, "single")
    Status, Output, Errors, _ = Expected
    require(Status == Options.status, f"plain: exit status {Status}\n{Errors}")
    print(Output, end="")
    Counts = [int(N) for N in Options.devices.split(",")]
    Memories = Options.memory.split(",")
    Chosen = Share(Options.share, Counts, Memories)
    for Devices, Memory in itertools.product(Counts, Memories):
        if not Chosen.has(Devices, Memory):
            continue
        Status, SplitOutput, Errors, Report = runProgram(
            Options.command, Devices, "static", Memory
        )
        Where = f"on {Devices} devices{Memory and ' of '}{Memory}: "
        require(Status == Expected[0], Where + f"exit status {Status}\n{Errors}")
        require(
            SplitOutput == Output,
            Where + f"output differs\n--- plain\n{Output}--- split\n{SplitOutput}",
        )
        if Report is None:
            require(False, Where + "no report\n" + Errors)
            continue
        if Memory:
            if Memory == Memories[0]:
                checkStreamed(Options, Where, Report)
                checkStreamedApart(Options, Devices, Memory, Expected)
            continue
        checkReport(Options, Devices, Report)
        if Devices == max([N for N in Counts if N <= 4], default=0):
            checkLocal(Options, Devices, Report)
    checkNoPeers(Options, Chosen, Expected)
    checkSchedules(Options, Counts, Chosen, Expected)
    checkRanks(Options, Expected)
    for Problem in Problems:
        print("error:", Problem, file=sys.stderr)
    return 1 if Problems else 0


if __name__ == "__main__":
    sys.exit(main())
