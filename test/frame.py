#!/usr/bin/env python3
"""Puts payloads into IR as the fat binary of a host module.

Usage: frame.py input.ll > output.ll

Replaces each line `; FATBIN @name: file...` by a constant in section .nv_fatbin
that holds, between other bytes, one frame (see Payload.h) for each file named,
relative to the input. A JSON summary is a frame of kind 1, anything else of kind
2. A file name followed by `!` gives a frame with a wrong checksum.
"""

import os
import struct
import sys
import zlib

Magic = b"\x93GridspanFrame1\xd7"


def frame(Path):
    Damaged = Path.endswith("!")
    Path = Path.rstrip("!")
    Contents = open(Path, "rb").read()
    Kind = 1 if Path.endswith(".json") else 2
    Checksum = zlib.crc32(Contents) ^ (1 if Damaged else 0)
    Header = struct.pack("<IIQQ", Kind, Checksum, len(Contents), len(Contents))
    return Magic + Header + Contents


def constant(Name, Paths):
    Bytes = b"P\xedU\xba" + b"\0" * 12
    for Path in Paths:
        Bytes += frame(Path) + b"\0\xff\0"
    Text = "".join(f"\\{Byte:02X}" for Byte in Bytes)
    return (
        f'{Name} = private constant [{len(Bytes)} x i8] c"{Text}", '
        'section ".nv_fatbin", align 8\n'
    )


Folder = os.path.dirname(os.path.abspath(sys.argv[1]))
for Line in open(sys.argv[1]):
    if Line.startswith("; FATBIN "):
        Name, Files = Line[len("; FATBIN ") :].split(":", 1)
        Line = constant(Name, [os.path.join(Folder, F) for F in Files.split()])
    sys.stdout.write(Line)
