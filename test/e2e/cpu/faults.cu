// A wild address or a full stack in a kernel is an error of the launch, with a
// message that names kernel, thread, block, address and line, and every later
// call fails. The process goes on.
//
// UNSUPPORTED: asan
// RUN: %gridspan++ -O2 -g %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t null 2>&1 | FileCheck --check-prefixes NULL,ILLEGAL %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static %t null 2>&1 | FileCheck --check-prefixes NULL,ILLEGAL %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t wild 2>&1 | FileCheck --check-prefixes WILD,ILLEGAL %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t noncanonical 2>&1 | FileCheck --check-prefixes NONCANONICAL,ILLEGAL %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t barrier 2>&1 | FileCheck --check-prefixes BARRIER,ILLEGAL %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t freed 2>&1 | FileCheck --check-prefixes FREED,ILLEGAL %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t before 2>&1 | FileCheck --check-prefixes BEFORE,ILLEGAL %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t behind 2>&1 | FileCheck --check-prefixes BEHIND,ILLEGAL %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t stack 2>&1 | FileCheck --check-prefixes STACK %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t frame 2>&1 | FileCheck --check-prefixes FRAME %s
// RUN: not --crash env GRIDSPAN_DEVICES=cpu:1 %t print 2>&1 | FileCheck --check-prefix PRINT %s
// RUN: not --crash env GRIDSPAN_DEVICES=cpu:1 %t host 2>&1 | FileCheck --allow-empty --check-prefix HOST %s
// RUN: %gridspan++ -O2 %s -o %t.nodebug
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.nodebug null 2>&1 | FileCheck --check-prefix NODEBUG %s
//
// NULL: gridspan: store(int*, int): thread (37, 0, 0) of block (1, 0, 0) writes 4 bytes at 0x194 ({{.*}}faults.cu:[[@LINE+19]]:{{.*}}): a null pointer
// NODEBUG: thread (37, 0, 0) of block (1, 0, 0) writes 4 bytes at 0x194 (access {{[0-9]+}}; -g tells the line): a null pointer
// WILD: gridspan: add(double*): thread (3, 0, 0) of block (0, 0, 0) reads 8 bytes at 0x7fff00001000 ({{.*}}faults.cu:{{.*}}): near no allocation
// NONCANONICAL: thread (3, 0, 0) of block (0, 0, 0) reads 8 bytes at 0xdeadbeefdeadbeef
// BARRIER: gridspan: behindBarrier(int*, int): thread (9, 0, 0) of block (1, 0, 0) writes 4 bytes at 0x24
// FREED: byte 404 of an allocation of 67108864 bytes at {{.*}} that was freed
// BEFORE: store(int*, int): thread (37, 0, 0) of block (1, 0, 0) writes 4 bytes at {{.*}}: 4 bytes before an allocation of 4194304 bytes at
// BEHIND: store(int*, int): thread (37, 0, 0) of block (1, 0, 0) writes 4 bytes at {{.*}}: 404 bytes behind the end of an allocation of 4194304 bytes at
// STACK: gridspan: recurse(int*, int): thread (2, 0, 0) of block (0, 0, 0) has used up its stack
// STACK: synchronize cudaErrorHardwareStackError
// FRAME: gridspan: largeFrame(int*, int): thread (0, 0, 0) of block (0, 0, 0) has used up its stack
// HOST-NOT: gridspan:
// PRINT: a function that block 0 called, such as printf, accesses 0x10
// ILLEGAL: synchronize cudaErrorIllegalAddress
// ILLEGAL: later cudaErrorIllegalAddress

__global__ void store(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 101)
    p[i] = n;
}

#include <cstdint>
#include <cstdio>
#include <cstring>

__global__ void add(double *p) {
  if (threadIdx.x == 3)
    *p += 1;
}

__global__ void behindBarrier(int *p, int k) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 9)
    p[s[k]] = 1;
}

__device__ __noinline__ int deep(int n, volatile int *p) {
  volatile char frame[1000];
  frame[n % 1000] = n;
  if (n == 0)
    return *p;
  return deep(n - 1, p) + frame[n * 7 % 1000];
}

__global__ void recurse(int *p, int n) {
  if (threadIdx.x == 2)
    p[0] = deep(n, p);
}

// A frame that passes over the page below a fiber's stack.
__global__ void largeFrame(int *p, int n) {
  volatile int local[80000];
  local[n] = n;
  __syncthreads();
  p[threadIdx.x] = local[p[1] + n];
}

__global__ void print(const char *text) { printf("%s\n", text); }

int main(int argc, char **argv) {
  const char *what = argv[1];
  int *d;
  cudaMalloc(&d, 400);
  cudaMemset(d, 0, 400);
  if (!strcmp(what, "null"))
    store<<<2, 64>>>(nullptr, 5);
  else if (!strcmp(what, "wild"))
    add<<<2, 64>>>((double *)0x7fff00001000);
  else if (!strcmp(what, "noncanonical"))
    add<<<2, 64>>>((double *)0xdeadbeefdeadbeef);
  else if (!strcmp(what, "barrier"))
    behindBarrier<<<2, 64>>>(nullptr, 9);
  else if (!strcmp(what, "stack"))
    recurse<<<2, 64>>>(d, 1000000);
  else if (!strcmp(what, "frame"))
    largeFrame<<<1, 4>>>(d, 7);
  else if (!strcmp(what, "print"))
    print<<<1, 1>>>((const char *)0x10);
  else if (!strcmp(what, "freed")) {
    int *large;
    cudaMalloc(&large, 64 << 20);
    cudaFree(large);
    store<<<2, 64>>>(large, 3);
  } else if (!strcmp(what, "before") || !strcmp(what, "behind")) {
    int *large;
    cudaMalloc(&large, 4 << 20);
    store<<<2, 64>>>(what[2] == 'f' ? large - 102 : large + (1 << 20), 3);
  } else if (!strcmp(what, "host"))
    *(volatile int *)8 = 1;
  printf("synchronize %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("later %s\n", cudaGetErrorName(cudaFree(d)));
}
