//===- big_transform.cu - y = f(x), one GPU -------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the launch alone, on managed memory that the host has filled; the
// complete program, which allocates, copies in, launches and copies out; and
// steps on managed memory, with a wait after each or only after the last.
//
// Usage: big_transform [elements] [repetitions] [sections]
//
//===----------------------------------------------------------------------===//

#include "bench/outofcore/BigTransform.h"

static void launches(const BigArguments &A) {
  size_t Bytes = A.N * sizeof(double);
  HostMemory X(Bytes, HostKind::Managed), Y(Bytes, HostKind::Managed);
  fillHost(X.as<double>(), A.N);
  for (Transform T : {Transform::Scale, Transform::SinCos}) {
    double Seconds = medianSeconds(A.Repetitions, [&] {
      transform(T, A.N, X.as<double>(), Y.as<double>());
      CHECK(cudaDeviceSynchronize());
    });
    std::string Name = std::string(nameOf(T)) + "_launch";
    report(Name.c_str(), Seconds, 2.0 * Bytes,
           checksumHost(Y.as<double>(), A.N));
  }
}

static void steps(const BigArguments &A) {
  constexpr int Steps = 8;
  size_t Bytes = A.N * sizeof(double);
  HostMemory X(Bytes, HostKind::Managed), Y(Bytes, HostKind::Managed);
  fillHost(X.as<double>(), A.N);
  fillHost(Y.as<double>(), A.N);
  for (bool Waits : {true, false}) {
    double Seconds = medianSeconds(A.Repetitions, [&] {
      double *In = X.as<double>(), *Out = Y.as<double>();
      for (int I = 0; I < Steps; ++I) {
        transform(Transform::SinCos, A.N, In, Out);
        if (Waits)
          CHECK(cudaDeviceSynchronize());
        std::swap(In, Out);
      }
      CHECK(cudaDeviceSynchronize());
    });
    report(Waits ? "steps_waited" : "steps", Seconds, 2.0 * Bytes * Steps,
           checksumHost(X.as<double>(), A.N));
  }
}

static void program(const BigArguments &A, HostKind Kind, const char *Name) {
  size_t Bytes = A.N * sizeof(double);
  HostMemory X(Bytes, Kind), Y(Bytes, Kind);
  fillHost(X.as<double>(), A.N);
  fillHost(Y.as<double>(), A.N);
  double Seconds = medianSeconds(A.Repetitions, [&] {
    double *In, *Out;
    CHECK(cudaMalloc(&In, Bytes));
    CHECK(cudaMalloc(&Out, Bytes));
    CHECK(cudaMemcpy(In, X.as<double>(), Bytes, cudaMemcpyHostToDevice));
    transform(Transform::Scale, A.N, In, Out);
    CHECK(cudaMemcpy(Y.as<double>(), Out, Bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(In));
    CHECK(cudaFree(Out));
  });
  report(Name, Seconds, 2.0 * Bytes, checksumHost(Y.as<double>(), A.N));
}

int main(int Argc, char **Argv) {
  BigArguments A(Argc, Argv);
  if (A.Sections & LaunchSections)
    launches(A);
  if (A.Sections & StepSections)
    steps(A);
  if (A.Sections & PinnedSection)
    program(A, HostKind::Pinned, "program_pinned");
  if (A.Sections & PageableSection)
    program(A, HostKind::Pageable, "program_pageable");
}
