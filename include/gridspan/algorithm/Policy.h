//===- Policy.h - The execution policy for Thrust ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The policy type, and how its algorithms end. Algorithms are declared for host
// and device, as Thrust's are, from which they are called; they run on the
// host.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_POLICY_H
#define GRIDSPAN_ALGORITHM_POLICY_H

#include "gridspan/algorithm/Callable.h"
#include "gridspan/algorithm/Memory.h"
#include <thrust/execution_policy.h>
#include <thrust/pair.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

namespace gridspan::policy {

using detail::Callable;

/// The policy. on() makes one for another stream.
struct Par : thrust::execution_policy<Par> {
  Par on(cudaStream_t Other) const {
    Par Out;
    Out.Stream = Other;
    return Out;
  }
  cudaStream_t Stream = nullptr;
};

/// Throws what has gone wrong, or else waits for it to be complete.
inline void finish(const Par &P, cudaError_t Error) {
  if (!Error)
    Error = cudaStreamSynchronize(P.Stream);
  if (Error)
    throw thrust::system_error(Error, thrust::cuda_category());
}

/// Memory for one result on the host, and what goes with it.
struct Number {
  size_t Value = 0;
  ptrdiff_t distance() const { return static_cast<ptrdiff_t>(Value); }
};

struct Same {
  template <typename T> __host__ __device__ T operator()(const T &V) const {
    return V;
  }
};
struct Larger {
  __host__ __device__ long long operator()(long long L, long long R) const {
    return L < R ? R : L;
  }
};

template <typename Predicate> struct Not {
  mutable Predicate P;
  template <typename T> __host__ __device__ bool operator()(const T &V) const {
    return !P(V);
  }
};

} // namespace gridspan::policy

#endif // GRIDSPAN_ALGORITHM_POLICY_H
