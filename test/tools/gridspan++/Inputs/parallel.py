"""Runs the command 8 times at once with one GRIDSPAN_CACHE_DIR.

Usage: parallel.py CACHE COMMAND...
"""

import os
import subprocess
import sys

Environment = dict(os.environ, GRIDSPAN_CACHE_DIR=sys.argv[1])
Runs = [
    subprocess.Popen(sys.argv[2:], env=Environment, stdout=subprocess.PIPE)
    for _ in range(8)
]
Outputs = {Run.communicate()[0] for Run in Runs}
assert all(Run.returncode == 0 for Run in Runs)
assert len(Outputs) == 1, Outputs
