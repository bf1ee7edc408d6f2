"""Compares the options that nvcc --help lists with NvccOptions.def.

Usage: nvcc_options.py TOOLKIT NvccOptions.def

Fails on a spelling that the table lacks and that is not clang's own for the
same thing.
"""

import os
import re
import shutil
import subprocess
import sys

# clang's options of the same name and meaning.
Same = set(
    """-E -M -MM -MD -MMD -MF -MP -MT -c -o -include -l -D -U -I -isystem -L -pg -g
    -O -shared -w -v -save-temps -ftemplate-backtrace-limit -ftemplate-depth
    -Wreorder -Wno-deprecated-declarations -frandom-seed -Werror -r -noprof
    """.split()
)


def main():
    Toolkit, Table = sys.argv[1:]
    # The folder of the target may be named, two levels below.
    Folders = [os.path.join(Toolkit, Up, "bin") for Up in ("", "../..")]
    Nvcc = shutil.which("nvcc", path=os.pathsep.join(Folders))
    Help = subprocess.run([Nvcc, "--help"], capture_output=True, text=True, check=True)
    Listed = re.findall(r"^(--[\w+-]+)\b.*\((-[\w+-]+)\)\s*$", Help.stdout, re.M)
    Listed += [(Name, Name) for Name in re.findall(r"^(--no-align-double)", Help.stdout, re.M)]
    Known = set(re.findall(r'^NVCC_\w+\("([^"]+)"', open(Table).read(), re.M))
    Errors = 0
    for Spelling in sorted({Name for Pair in Listed for Name in Pair}):
        if Spelling not in Known and Spelling not in Same:
            print(f"error: {Spelling}: nvcc has it, the table has not")
            Errors += 1
    print(f"{len(Listed)} options, {Errors} unknown")
    return 1 if Errors or len(Listed) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
