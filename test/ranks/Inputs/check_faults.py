#!/usr/bin/env python3
"""Does harm to ranks, and looks whether all of them end as they should.

Usage: check_faults.py PROGRAM OTHER_PROGRAM
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

PROGRAM, OTHER = sys.argv[1:3]
LONGEST = 10


def ranksOf(number):
    """The processes that are rank NUMBER of the program."""
    out = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if not folder.name.isdigit() or os.path.realpath(folder / "exe") not in (
                    os.path.realpath(PROGRAM), os.path.realpath(OTHER)):
                continue
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        ranks = [int(v.split(b"=")[1]) for v in variables if v.startswith(b"OMPI_COMM_WORLD_RANK=") or v.startswith(b"PMI_RANK=")]
        if ranks and (number is None or number in ranks):
            out.append(int(folder.name))
    return out


def start(*arguments, **environment):
    # A group of its own, as behind a terminal. lit ignores Ctrl-C, and so would a
    # shell that begins that way.
    return subprocess.Popen(["gridspan-run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                            env={**os.environ, "GRIDSPAN_DEVICES": "cpu:1", "GRIDSPAN_SCHEDULE": "static",
                                 **environment})


def check(name, process, harm=None, says=(), status=None):
    text = ""
    if harm:
        while "steps" not in text:
            line = process.stdout.readline()
            if not line:
                break
            text += line
        harm(process)
    begin = time.monotonic()
    try:
        text += process.communicate(timeout=60)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return print(f"{name}: still runs after 60 s")
    took = time.monotonic() - begin
    # The launcher may go before the processes that it has killed.
    while ranksOf(None) and time.monotonic() - begin < LONGEST:
        time.sleep(0.1)
    wrong = []
    if harm and took > LONGEST:
        wrong.append(f"took {took:.1f} s")
    if process.returncode == 0 or (status and process.returncode != status):
        wrong.append(f"status {process.returncode}")
    wrong += [f"does not say {t!r}" for t in says if t not in text]
    if ranksOf(None):
        wrong.append("processes are left")
    print(f"{name}: " + (", ".join(wrong) + "\n" + text if wrong else "ended"), flush=True)


def sends(number, what):
    return lambda process: [os.kill(p, what) for p in ranksOf(number)]


check("killed", start("-n", "2", PROGRAM), sends(1, signal.SIGKILL), ["rank 1"])
check("rank 0 killed", start("-n", "2", PROGRAM), sends(0, signal.SIGKILL), ["rank 0"])
check("stopped", start("-n", "3", PROGRAM), sends(2, signal.SIGSTOP), ["rank 2 does not answer"])
check("rank 0 stopped", start("-n", "2", PROGRAM), sends(0, signal.SIGSTOP), ["rank 0 does not answer"])
check("interrupted", start("-n", "2", PROGRAM), lambda process: process.send_signal(signal.SIGINT))
check("interrupted by a terminal", start("-n", "2", PROGRAM), lambda process: os.killpg(process.pid, signal.SIGINT))
check("terminated", start("-n", "2", PROGRAM), lambda process: process.send_signal(signal.SIGTERM))
check("exit in the middle", start("-n", "3", PROGRAM, "exit", GRIDSPAN_DEVICES="cpu:2"), lambda process: None, status=5)
check("other program", start("-n", "1", PROGRAM, ":", "-n", "1", OTHER), says=["rank 1", "another executable"])
check("no such devices", start("-n", "2", PROGRAM, GRIDSPAN_DEVICES="gpu:7"), says=["gridspan:"])
check("illegal address", start("-n", "2", PROGRAM, "wrong"), says=["step failed: cudaErrorIllegalAddress"])
check("no library", start("-n", "2", PROGRAM, GRIDSPAN_MPI_LIBRARY="/nowhere/libgridspan-mpi.so"),
      says=["/nowhere/libgridspan-mpi.so"])
check("one process only", start("-n", "2", PROGRAM, GRIDSPAN_PROFILE="p.json"), says=["GRIDSPAN_PROFILE"])
