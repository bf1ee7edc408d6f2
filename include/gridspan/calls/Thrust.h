//===- Thrust.h - A call of Thrust on its way to a primitive -- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some of Thrust's algorithms have kernels of their own. Of these there are
// more special functions here, beside Thrust's for its CUDA policies: they take
// the policy by its own type, not by that of its base, and so are called first.
// They ask the runtime, and call the primitive, or Thrust's function by
// the base. All this is included from within Thrust, and so includes little.
//
// In device code nothing is asked: there Thrust is sequential.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_THRUST_H
#define GRIDSPAN_CALLS_THRUST_H

#include "gridspan/calls/Call.h"
#include <thrust/system/cuda/detail/cdp_dispatch.h>
#include <thrust/system/cuda/detail/execution_policy.h>
#include <thrust/system/cuda/detail/util.h>

namespace gridspan::calls {

/// True for policies of Thrust's CUDA system.
template <typename Policy>
inline constexpr bool IsCudaPolicy =
    std::is_base_of_v<thrust::cuda_cub::execution_policy<Policy>, Policy>;

/// Throws what has gone wrong, or else waits for it to be complete.
template <typename Policy> void finish(Policy &P, cudaError_t Error) {
  if (!Error)
    Error = cudaStreamSynchronize(thrust::cuda_cub::stream(P));
  thrust::cuda_cub::throw_on_error(Error, "Gridspan's primitive failed");
}

} // namespace gridspan::calls

#endif // GRIDSPAN_CALLS_THRUST_H
