//===- FakeKernels.h - Descriptors of kernels written by hand ---*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the host pass would emit for a few well-known kernels over float
// arrays, so that planning and splitting are tested without the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_RUNTIME_FAKEKERNELS_H
#define GRIDSPAN_TEST_UNIT_RUNTIME_FAKEKERNELS_H

#include "gridspan/ABI.h"

namespace gridspan::fake {

// A fresh descriptor whose tables live forever; tests change what they need.
// Its HostStub and TiledStub are addresses of nothing that is called; it runs
// on the CPU device.

/// y[i] = a * x[i] + y[i], i < n: (float a, const float *x, float *y, int n).
/// Accesses: read x, read y, write y.
GridspanKernel saxpy();

/// The same, with a clone for distinct arguments.
GridspanKernel distinctSaxpy();

/// 2-D: out[y][x] from the five neighbours: (float *out, const float *in,
/// int width, int height). Blocks cover x and y. Accesses: read in, write out.
GridspanKernel stencil();

/// Row y of C from row y of A and all of B: (float *C, const float *A, const
/// float *B, int n). Blocks cover rows along x. B is replicable.
/// Accesses: write C, read A, read B.
GridspanKernel matmul();

/// Row y takes y + 1 steps: (float *out, int n), one block a row along x.
/// Accesses: write out.
GridspanKernel triangular();

/// Adds into bins at unknown places: (const int *in, int *bins, int n).
/// Accesses: read in, atomic on bins (unknown).
GridspanKernel histogram();

/// The same, of which the compiler knows that bins are only added to, and that
/// each thread does it once.
GridspanKernel count();

/// out[i] = a[index[i]], i < n: (const int *index, const float *a, float *out,
/// int n). Accesses: read index, read a (by inspection), write out.
GridspanKernel gather();

/// out[i] = the texel at i of a line, i < n: (cudaTextureObject_t line, float
/// *out, int n). Accesses: read unknown memory, write out.
GridspanKernel lookUp();

/// out[0] = *Coefficient: reads a __constant__ variable: (float *out).
GridspanKernel readConstant();

/// Runs until *flag is not 0, then counts it up: (int *flag). For tests of
/// order.
GridspanKernel waitForFlag();

/// Element [y][x] of C = A B, in blocks along both axes: (float *C, const float
/// *A, const float *B, int n). It has a clone that reads packed rows of B.
/// Accesses: write C, read A, read B.
GridspanKernel product();

/// out[i] = (*table)[i], i < n: (float *const *table, float *out, int n).
/// Accesses: read table, read at an unknown place of unknown memory, write out.
GridspanKernel follow();

/// out[i] = in[i / 2] + in[i], i < n; may not be split: (const float *in,
/// float *out, int n). Accesses: read in, write out.
GridspanKernel lookBack();

/// out[i + 1] = a[i] + b[i], i < n: (const float *a, const float *b, float
/// *out, int n). Accesses: read a, read b, write out.
GridspanKernel shift();

/// out[i + far] = 1 + in[i], i < n: (const float *in, float *out, int n, int
/// far). Accesses: read in, write out.
GridspanKernel beyond();

/// A module with all of the above and the image with Coefficient and Total.
/// Registered by the first call, in the order of the list above.
const GridspanModule &module();
/// The host addresses of a __constant__ variable and of one that kernels may
/// change, registered with the module.
extern float Coefficient, Total;

/// A kernel in a module of its own, registered as long as this lives.
class OwnKernel {
public:
  explicit OwnKernel(const GridspanKernel &Like) : Kernel(Like) {
    Kernel.HostStub = this;
    if (Kernel.TiledStub)
      Kernel.TiledStub = &Kernel;
    __gridspan_register_module(&Module);
  }
  ~OwnKernel() { __gridspan_unregister_module(&Module); }
  OwnKernel(const OwnKernel &) = delete;

  const GridspanKernel &get() const { return Kernel; }

private:
  GridspanKernel Kernel;
  GridspanModule Module = {"own.cu", &Kernel, nullptr, GRIDSPAN_ABI_VERSION,
                           1,        {},      {}};
};

} // namespace gridspan::fake

#endif // GRIDSPAN_TEST_UNIT_RUNTIME_FAKEKERNELS_H
