# Configuration of Gridspan's lit tests.
#
#   %opt          opt with the plugin loaded; add -passes=...
#   %clang        clang (plain); %clangxx clang++; %plugin the plugin for them
#   %clang_plugin clang with the plugin in its pipeline and its -mllvm options
#   %gridspan++   the compiler driver
#   %nvcc         the toolkit's compiler, where it is complete
#   %untraced     options for it: no version of kernels but those that CPU devices
#                 run without GRIDSPAN_PEER=0 and traces, for programs with many
#   %chromium     a browser that needs no window
#   %frame        test/frame.py: puts a JSON summary into IR as a fat binary
#   %compare      test/compare.py: runs a program plain and split, and compares
#   %src_root, %obj_root, %cuda_root, %python
#
# Features: gpu (a GPU can be used), nvcc (the toolkit has it), mpi (ranks can be
# started), dpkg-deb (packages can be made), chromium (pages can be shown), asan /
# ubsan (built with that sanitizer), thorough (--param thorough=1: only what the
# other runs leave out), networks (--param networks=1: makes network namespaces).

import os
import shutil
import subprocess
import sys

import lit.formats
from lit.llvm import llvm_config

config.name = "Gridspan"
Thorough = lit_config.params.get("thorough", "0") != "0"
sys.path.insert(0, os.path.join(config.gridspan_src_root, "test"))
import each_mpi
import left_out

config.test_format = (left_out.LeftOut if Thorough else lit.formats.ShTest)(
    execute_external=False
)
config.suffixes = [".ll", ".cu", ".cpp", ".test", ".py"]
config.excludes = [
    "Inputs",
    "CMakeLists.txt",
    "unit",
    "gpu",
    "lit.cfg.py",
    "lit.site.cfg.py",
    "frame.py",
    "left_out.py",
    "each_mpi.py",
    "compare.py",
    "table.py",
]
config.test_source_root = os.path.join(config.gridspan_src_root, "test")
config.test_exec_root = os.path.join(config.gridspan_obj_root, "test")

llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment(
    "PATH", os.path.join(config.gridspan_obj_root, "bin"), append_path=True
)
# A run is only as its test says: no configuration from outside.
for Name in [N for N in os.environ if N.startswith("GRIDSPAN_")]:
    config.environment.pop(Name, None)
# Blocks in order, so that output and sums of floats are; tests of several threads
# say so.
config.environment["GRIDSPAN_CPU_THREADS"] = "1"
# The plugin is loaded into programs that were built without sanitizers: their
# containers are not annotated, and they leak on purpose.
Preload = ""
if "address" in config.sanitize:
    Runtime = subprocess.run(
        [
            os.path.join(config.llvm_tools_dir, "clang"),
            "-print-file-name=libclang_rt.asan-x86_64.so",
        ],
        capture_output=True,
        text=True,
    ).stdout.strip()
    Preload = (
        f"env LD_PRELOAD={Runtime} "
        "ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0 "
    )
    config.available_features.add("asan")
if "undefined" in config.sanitize:
    config.available_features.add("ubsan")


def hasGpu():
    Smi = shutil.which("nvidia-smi")
    if not Smi:
        return False
    Result = subprocess.run([Smi, "-L"], capture_output=True, text=True)
    return Result.returncode == 0 and "GPU 0" in Result.stdout


if Thorough:
    config.available_features.add("thorough")
# What a test compares in which run; see compare.py.
Share = "rest" if Thorough else "quick"

# What makes packages and shows manual pages (test/install).
if all(shutil.which(Tool) for Tool in ("dpkg-deb", "help2man", "man", "col")):
    config.available_features.add("dpkg-deb")

# What shows pages without a window (test/tools/gridspan-advice).
Chromium = shutil.which("chromium")
if Chromium:
    config.available_features.add("chromium")

# Several processes (test/ranks), by each MPI that is here.
Launchers = []
if shutil.which("mpirun") and os.path.exists(
    os.path.join(config.gridspan_obj_root, "lib", "libgridspan-mpi.so")
):
    config.available_features.add("mpi")
    Launchers = ["mpirun"] + [
        f"mpirun.{Name}" for Name in each_mpi.others(config.gridspan_obj_root)
    ]

if lit_config.params.get("networks", "0") != "0":
    config.available_features.add("networks")

if hasGpu():
    config.available_features.add("gpu")

Nvcc = os.path.join(config.cuda_root, "bin", "nvcc")
if os.access(Nvcc, os.X_OK):
    config.available_features.add("nvcc")

Tool = lambda Name: os.path.join(config.llvm_tools_dir, Name)
Plugin = config.gridspan_plugin
Python = config.python
Frame = os.path.join(config.test_source_root, "frame.py")
Compare = os.path.join(config.test_source_root, "compare.py")
# Longer names first: lit replaces text, not words.
config.substitutions += [
    ("%clang_plugin", f"{Preload}{Tool('clang')} -fplugin={Plugin} -fpass-plugin={Plugin}"),
    ("%clangxx", Tool("clang++")),
    ("%clang", Tool("clang")),
    ("%opt", f"{Preload}{Tool('opt')} -load-pass-plugin={Plugin}"),
    ("%gridspan\\+\\+", os.path.join(config.gridspan_obj_root, "bin", "gridspan++")),
    ("%plugin", Plugin),
    ("%untraced", "-mllvm -gridspan-noalias=0 -mllvm -gridspan-cpu-trace=0"),
    ("%nvcc", Nvcc),
    ("%frame", f"{Python} {Frame}"),
    (
        "%compare",
        f"{Python} {Compare} --share {Share} --launchers={','.join(Launchers)}",
    ),
    ("%python", Python),
    ("%src_root", config.gridspan_src_root),
    ("%obj_root", config.gridspan_obj_root),
    ("%cuda_root", config.cuda_root),
    ("%chromium", Chromium or "chromium"),
]
