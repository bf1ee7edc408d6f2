//===- TestKernels.h - Kernels that the GPU tests launch --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptors as the host pass would have made them, with clones written by
// hand: these tests are about the backend, not about the passes.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_GPU_TESTKERNELS_H
#define GRIDSPAN_TEST_GPU_TESTKERNELS_H

#include "gridspan/ABI.h"

/// (unsigned *P, size_t N, unsigned V): P[I] += V + I for each I < N. Tiled.
extern const GridspanKernel AddKernel;
/// (unsigned *Out): Out[block] = block + 1000 * number of blocks. Tiled, 3-D.
extern const GridspanKernel BlockKernel;
/// (unsigned *Counter): each thread adds 1 with system scope.
extern const GridspanKernel CountKernel;
/// (volatile int *Flag): waits until the host sets it.
extern const GridspanKernel WaitKernel;
/// (long long Cycles, unsigned *P, unsigned V): waits, then P[0] = V.
extern const GridspanKernel SlowStoreKernel;
/// (unsigned *Out, unsigned Words): sums dynamic shared memory. Tiled.
extern const GridspanKernel SharedKernel;
/// (int *Out): Out[0] = TestVariable, Out[1] = TestConstant, ++TestVariable.
extern const GridspanKernel SymbolKernel;
/// (): nothing. Tiled.
extern const GridspanKernel EmptyKernel;
/// (unsigned *Out): needs all blocks to be in flight at once.
extern const GridspanKernel CooperativeKernel;
/// (cudaTextureObject_t T, float *Out, unsigned Kind, unsigned W, unsigned H):
/// Out[I] is the texel at [I / W][I % W] of Kind 0: a plane; 1: layer I % 2;
/// 2: level I % 2 of a plane, by fractions; 3: memory. I < W * H.
extern const GridspanKernel LookUpKernel;

const void *testVariable();
const void *testConstant();

#endif // GRIDSPAN_TEST_GPU_TESTKERNELS_H
