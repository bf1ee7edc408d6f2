#!/usr/bin/env python3
"""Prints `kernel registers shared-bytes` for each kernel of a cubin.

  ptxas -arch=sm_90 kernels.ptx -o kernels.cubin && registers.py kernels.cubin

Registers of a thread are attribute 0x2f (EIATTR_REGCOUNT) of section .nv.info: a
symbol and a number; the shared memory of a kernel is section .nv.shared.NAME.
"""

import struct
import sys


def main():
    Data = open(sys.argv[1], "rb").read()
    if Data[:4] != b"\x7fELF" or Data[4] != 2:
        sys.exit("registers.py: no 64-bit ELF file")
    Offset, = struct.unpack_from("<Q", Data, 40)
    Size, Count, Names = struct.unpack_from("<HHH", Data, 58)
    Sections = [struct.unpack_from("<IIQQQQIIQQ", Data, Offset + I * Size) for I in range(Count)]
    Strings = Sections[Names][4]
    def textAt(Start, At):
        return Data[Start + At:Data.index(b"\0", Start + At)].decode()

    Registers, Shared = {}, {}
    for S in Sections:
        Name = textAt(Strings, S[0])
        if Name.startswith(".nv.shared."):
            Shared[Name[11:]] = S[5]
        if Name != ".nv.info":
            continue
        Symbols = next(T for T in Sections if T[1] == 2)
        Texts = Sections[Symbols[6]][4]
        At, End = S[4], S[4] + S[5]
        while At < End:
            Format, Attribute, Length = struct.unpack_from("<BBH", Data, At)
            if Format == 4 and Attribute == 0x2f:
                Symbol, Number = struct.unpack_from("<II", Data, At + 4)
                NameAt, = struct.unpack_from("<I", Data, Symbols[4] + 24 * Symbol)
                Registers[textAt(Texts, NameAt)] = Number
            At += 4 + (Length if Format == 4 else 0)
    for Name, Number in Registers.items():
        print(Name, Number, Shared.get(Name, 0))


main()
