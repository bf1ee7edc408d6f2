"""Stands for a program with a profile: copies one, and ends with a status."""

import os
import shutil
import sys

print("output of the program", flush=True)
shutil.copy(sys.argv[1], os.environ["GRIDSPAN_PROFILE"])
sys.exit(int(sys.argv[2]))
