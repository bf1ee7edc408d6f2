# Shared by the scripts: what they need installed, and how they build. Sourced
# with bash; sets the current folder to the project's root.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
Root=$PWD

# say TEXT: begins a step, with the seconds that the script has taken so far.
say() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Debian 12 packages; LLVM 19 is in its own archive.
Packages=(
  clang-19 llvm-19-dev llvm-19-tools lld-19 libclang-19-dev libclang-rt-19-dev
  libomp-19-dev
  clang-format-19 clang-tidy-19 cmake ninja-build g++ git python3
  libboost-dev libboost-context-dev libfmt-dev nlohmann-json3-dev
  libxxhash-dev
  libgtest-dev libgmock-dev libbenchmark-dev zlib1g-dev libxml2-dev
  python3-attr python3-psutil python3-sarif-python-om
  libopenmpi-dev openmpi-bin libmpich-dev mpich
  dpkg-dev help2man man-db bsdextrautils
)

# Installs the packages that are missing, and looks for the CUDA Toolkit.
installDependencies() {
  local Missing=() Package
  for Package in "${Packages[@]}"; do
    dpkg-query -W -f='${Status}' "$Package" 2>/dev/null |
      grep -q 'ok installed' || Missing+=("$Package")
  done
  if ((${#Missing[@]})); then
    say "Installing ${Missing[*]}"
    command -v apt-get >/dev/null ||
      die "apt-get is not here; please install: ${Missing[*]}"
    local Sudo=()
    if ((EUID != 0)); then
      command -v sudo >/dev/null ||
        die "not root and no sudo; please install: ${Missing[*]}"
      Sudo=(sudo)
    fi
    "${Sudo[@]}" apt-get update -q
    "${Sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -q -y --no-install-recommends "${Missing[@]}"
  fi
  local Cuda=${CUDA_PATH:-${CUDA_HOME:-/usr/local/cuda}}
  [[ -x $Cuda/bin/ptxas && -f $Cuda/include/cuda.h ]] ||
    die "no CUDA Toolkit in $Cuda; install CUDA 13 or name it with CUDA_PATH"
  export CUDA_PATH=$Cuda
}

# Compile jobs: one a core, and not more than memory allows (sources that
# include LLVM's headers take up to 1.5 GB each).
jobs() {
  local Cores Memory
  Cores=$(nproc)
  Memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  ((Memory >= 1)) || Memory=1
  echo $((Cores < Memory ? Cores : Memory))
}

# configure FOLDER [cmake options]: for builds from nothing. A compiler cache is
# used where the environment names one: CMAKE_CXX_COMPILER_LAUNCHER=ccache.
configure() {
  local Folder=$1
  shift
  mkdir -p "$Folder"
  cmake -S "$Root" -B "$Folder" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DGRIDSPAN_PRECOMPILE=ALL \
    -DCUDAToolkit_ROOT="$CUDA_PATH" "$@" >"$Folder/configure.log" 2>&1 || {
    cat "$Folder/configure.log"
    die "cmake failed"
  }
}

# build FOLDER [targets]
build() {
  local Folder=$1
  shift
  ninja -C "$Folder" -j "$(jobs)" "$@"
}

# At least one GPU that the driver can use.
haveGpu() {
  command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU 0'
}
