#!/usr/bin/env python3
"""Generates programs whose launches work on what others have written.

Random kernels of a few kinds read and write parts of the same allocations, in several streams, between copies, fills,
frees and work of the host. Events order what touches the same part, and nothing else. What a launch writes is seldom
looked at by the host: devices that do not reach each other exchange it.

Usage: exchange.py --seed N [--kernels OPERATIONS] [--repeat TIMES]
"""
import argparse
import random

WIDTH, HEIGHT = 96, 64
CELLS = WIDTH * HEIGHT
STREAMS = 3
# Parts of one allocation each, and a part of its own that is smaller than a page.
ALLOCATIONS = [3, 3, 1]
PARTS = sum(ALLOCATIONS)

PRELUDE = """// Made by test/fuzz/exchange.py --seed {seed} --kernels {kernels}.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int W = {width}, H = {height}, N = W * H;

// Exact ranges.
__global__ void map(unsigned *Out, const unsigned *A, const unsigned *, unsigned K) {{
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) Out[I] = A[I] * 3 + K;
}}
__global__ void add(unsigned *Out, const unsigned *A, const unsigned *B, unsigned K) {{
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) Out[I] = Out[I] * 5 + A[I] + (B[N - 1 - I] ^ K);
}}
__global__ void shift(unsigned *Out, const unsigned *A, const unsigned *, unsigned K) {{
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I + int(K) < N) Out[I] = A[I + K];
}}
__global__ void everyOther(unsigned *Out, const unsigned *A, const unsigned *, unsigned K) {{
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N / 2) Out[2 * I] = A[I] + K;
}}
__global__ void far(unsigned *Out, const unsigned *A, const unsigned *, unsigned K) {{
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Sum = K;
  for (int J = 0; J < N; J += 1021) Sum = Sum * 7 + A[J];
  if (I < N) Out[I] = Sum + A[I];
}}
// Rows with gaps; over a grid of columns, short ones.
__global__ void stencil(unsigned *Out, const unsigned *A, const unsigned *, unsigned K) {{
  int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X > 0 && X < W - 1 && Y > 0 && Y < H - 1)
    Out[Y * W + X] = A[Y * W + X] * 3 + A[Y * W + X - 1] + A[Y * W + X + 1] + A[(Y - 1) * W + X] +
                     A[(Y + 1) * W + X] + K;
}}
// Unknown reads, unknown writes, atomics.
__global__ void gather(unsigned *Out, const unsigned *A, const unsigned *B, unsigned K) {{
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) Out[I] = A[B[I] % N] + K;
}}
__global__ void scatter(unsigned *Out, const unsigned *A, const unsigned *, unsigned K) {{
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) Out[(I * 31 + K) % N] = A[I];
}}
__global__ void maybe(unsigned *Out, const unsigned *A, const unsigned *, unsigned K) {{
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N && A[I] % 3 == K % 3) Out[I] = K;
}}
__global__ void count(unsigned *Out, const unsigned *A, const unsigned *, unsigned K) {{
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) atomicAdd(&Out[A[I] % 61], K);
}}

static unsigned *Allocations[{allocations}], *Parts[{parts}];
static cudaStream_t Streams[{streams}];
static std::vector<unsigned> Values(N), Got(N);
static unsigned *Pinned;
static unsigned long long Hash = 1469598103934665603ull;

static void check(cudaError_t Error) {{
  if (Error == cudaSuccess)
    return;
  printf("CUDA error: %s\\n", cudaGetErrorString(Error));
  exit(1);
}}
static void mix(const unsigned *From, int Count) {{
  for (int I = 0; I < Count; ++I)
    Hash = (Hash ^ From[I]) * 1099511628211ull;
}}
static void set(int Part, unsigned Seed) {{
  for (int I = 0; I < N; ++I)
    Values[I] = (I + Seed) * 2654435761u >> 7;
  check(cudaMemcpy(Parts[Part], Values.data(), N * 4, cudaMemcpyHostToDevice));
}}
static void report(const char *Name) {{
  check(cudaDeviceSynchronize());
  for (unsigned *P : Parts) {{
    check(cudaMemcpy(Got.data(), P, N * 4, cudaMemcpyDeviceToHost));
    mix(Got.data(), N);
  }}
  printf("%s %016llx\\n", Name, Hash);
}}
static void hostWork(void *) {{ Pinned[N] += 1; }}
"""

LINES = ["map", "add", "shift", "everyOther", "far", "stencil"]
OTHERS = ["gather", "scatter", "maybe", "count"]


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.events = 0
        self.written = {}  # part -> (stream, event)
        self.readers = {}  # part -> [(stream, event)] since it was written
        self.offsets = []

    def emit(self, text):
        self.lines.append("  " + text)

    def allocate(self, which):
        first = sum(ALLOCATIONS[:which])
        cells = ALLOCATIONS[which] * (CELLS + 64)
        self.emit(f"check(cudaMalloc(&Allocations[{which}], {cells} * 4));")
        for part in range(ALLOCATIONS[which]):
            self.emit(f"Parts[{first + part}] = Allocations[{which}] + {part * (CELLS + 28) + 16};")
            self.emit(f"set({first + part}, {self.rng.randrange(1000)});")

    def synchronized(self):
        self.written.clear()
        self.readers.clear()

    def between(self, stream, reads, writes, work):
        """Work in a stream, behind all that touched the same parts."""
        waits = [self.written.get(p) for p in reads + writes]
        waits += [r for p in writes for r in self.readers.get(p, [])]
        for other, event in sorted({w for w in waits if w}):
            if other != stream:
                self.emit(f"check(cudaStreamWaitEvent(Streams[{stream}], Events[{event}], 0));")
        self.emit(work)
        event = self.events
        self.events += 1
        self.emit(f"check(cudaEventRecord(Events[{event}], Streams[{stream}]));")
        for part in reads:
            self.readers.setdefault(part, []).append((stream, event))
        for part in writes:
            self.written[part] = (stream, event)
            self.readers[part] = []

    def launch(self, stream, kind, out, a, b):
        rng = self.rng
        if kind == "stencil":
            block = rng.choice([(32, 4), (16, 16), (8, HEIGHT)])
            grid = f"dim3({-(-WIDTH // block[0])}, {-(-HEIGHT // block[1])}), dim3({block[0]}, {block[1]})"
        else:
            block = rng.choice([32, 64, 96])
            grid = f"{-(-CELLS // block)}, {block}"
        call = f"{kind}<<<{grid}, 0, Streams[{stream}]>>>(Parts[{out}], Parts[{a}], Parts[{b}], {rng.randrange(1, 90)}u);"
        self.between(stream, [p for p in (a, b) if p != out], [out], call)

    def operation(self, number, repeat):
        rng = self.rng
        out, a, b = rng.sample(range(PARTS), 3)
        stream = rng.randrange(STREAMS) if rng.random() < 0.4 else 0
        at, count = rng.randrange(CELLS // 2), rng.randrange(1, CELLS // 2)
        draw = rng.random()
        if draw < 0.5:
            # Buffers that are swapped, as most programs' are.
            kind = rng.choice(LINES)
            for _ in range(rng.choice([1, 1, 2, 6]) * repeat):
                self.launch(stream, kind, out, a, b)
                out, a = a, out
        elif draw < 0.68:
            self.launch(stream, rng.choice(OTHERS), out, a, b)
        elif draw < 0.74:
            self.between(stream, [a], [out],
                         f"check(cudaMemcpyAsync(Parts[{out}] + {at}, Parts[{a}] + {at // 2}, {count} * 4, "
                         f"cudaMemcpyDeviceToDevice, Streams[{stream}]));")
        elif draw < 0.79:
            self.between(stream, [], [out],
                         f"check(cudaMemsetAsync(Parts[{out}] + {at}, {rng.randrange(256)}, {count} * 4, "
                         f"Streams[{stream}]));")
        elif draw < 0.84:
            self.between(stream, [a], [],
                         f"check(cudaMemcpyAsync(Pinned, Parts[{a}] + {at}, {count} * 4, cudaMemcpyDeviceToHost, "
                         f"Streams[{stream}]));")
            self.emit(f"check(cudaStreamSynchronize(Streams[{stream}]));")
            self.emit(f"mix(Pinned, {count});")
        elif draw < 0.88:
            self.between(stream, [a], [out],
                         f"check(cudaMemcpy2DAsync(Parts[{out}] + 8, {WIDTH * 4}, Parts[{a}], {WIDTH * 4}, "
                         f"{rng.randrange(1, 80) * 4}, {HEIGHT - 1}, cudaMemcpyDeviceToDevice, Streams[{stream}]));")
        elif draw < 0.92:
            self.emit(f"check(cudaLaunchHostFunc(Streams[{stream}], hostWork, nullptr));")
        elif draw < 0.95:
            self.emit("check(cudaDeviceSynchronize());")
            self.synchronized()
            which = rng.randrange(len(ALLOCATIONS))
            self.emit(f"check(cudaFree(Allocations[{which}]));")
            self.allocate(which)
        else:
            self.emit(f'report("operation{number}");')
            self.synchronized()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kernels", type=int, default=50, help="operations")
    parser.add_argument("--repeat", type=int, default=1, help="times that swapped launches are repeated")
    options = parser.parse_args()
    program = Program(random.Random(options.seed))
    for which in range(len(ALLOCATIONS)):
        program.allocate(which)
    for number in range(options.kernels):
        program.operation(number, options.repeat)
    program.emit('report("end");')
    print(PRELUDE.format(seed=options.seed, kernels=options.kernels, width=WIDTH, height=HEIGHT,
                         allocations=len(ALLOCATIONS), parts=PARTS, streams=STREAMS))
    print(f"static cudaEvent_t Events[{program.events + 1}];")
    print("int main() {")
    print("  check(cudaHostAlloc(&Pinned, (N + 1) * 4, cudaHostAllocDefault));")
    print("  for (cudaStream_t &S : Streams)\n    check(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking));")
    print("  for (cudaEvent_t &E : Events)\n    check(cudaEventCreateWithFlags(&E, cudaEventDisableTiming));")
    print("\n".join(program.lines))
    print("  return 0;\n}")


if __name__ == "__main__":
    main()
