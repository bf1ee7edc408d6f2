//===- big_transform_cpu.cu - y = f(x) by loops on the CPU ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The baseline of the out-of-core literature: the data never leaves the host.
// BENCH_THREADS threads, otherwise all processors. With one thread only a part
// of the data is worked on, and the time is scaled up.
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/BigTransform.h"

template <class Fn>
static void loop(const BigArguments &A, const char *Name, const double *X,
                 double *Y, size_t Share, Fn F) {
  size_t N = A.N / Share;
  double Seconds = medianSeconds(A.Repetitions, [&] {
    parallelFor(N, [=](size_t Begin, size_t End) {
      for (size_t I = Begin; I < End; ++I)
        Y[I] = F(X[I]);
    });
  });
  report(Name, Seconds * Share, 2.0 * A.N * sizeof(double),
         Share == 1 ? checksumHost(Y, N) : 0);
}

int main(int Argc, char **Argv) {
  BigArguments A(Argc, Argv);
  size_t Share = hostThreads() == 1 ? 16 : 1;
  size_t Bytes = A.N / Share * sizeof(double);
  HostMemory X(Bytes, HostKind::Pageable), Y(Bytes, HostKind::Pageable);
  fillHost(X.as<double>(), A.N / Share);
  fillHost(Y.as<double>(), A.N / Share);
  double *In = X.as<double>(), *Out = Y.as<double>();
  loop(A, "scale_launch", In, Out, Share, [](double V) { return Factor * V; });
  loop(A, "sincos_launch", In, Out, Share, [](double V) {
    double S = std::sin(V), C = std::cos(V);
    return S * S + C * C;
  });
}
