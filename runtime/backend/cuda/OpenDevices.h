//===- OpenDevices.h - The GPUs that a program uses -------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the GPUs asked for. One that does not exist is an error; one that is
// there but cannot be used now is left out, with a note. All but the first may
// be left to be opened later (LateDevices.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_OPENDEVICES_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_OPENDEVICES_H

#include "runtime/backend/cuda/Device.h"

namespace gridspan::cuda {

/// Opens the GPUs with these CUDA ordinals in this order; without ordinals, all
/// that run the code of the first. Returns none and sets Message when there is
/// none to use. Adds a line to Notes for each that was left out. Later: only
/// the first need be open, if that is as good.
DeviceList openDevices(const Driver &D, const std::vector<int> &Ordinals,
                       bool Later, std::string &Message,
                       std::vector<std::string> &Notes);

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_OPENDEVICES_H
