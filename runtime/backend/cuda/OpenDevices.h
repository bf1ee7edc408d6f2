//===- OpenDevices.h - Which GPUs a program uses ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the GPUs asked for. One that does not exist is an error; one that is
// there but cannot be used now is left out, with a note.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CUDA_OPENDEVICES_H
#define GRIDSPAN_RUNTIME_BACKEND_CUDA_OPENDEVICES_H

#include "runtime/backend/cuda/Device.h"

namespace gridspan::cuda {

/// The GPUs with these CUDA ordinals in this order; no ordinals: all that can
/// run what the first one runs. Empty with a Message when there is none to use.
/// Notes gets a line for each that was left out.
DeviceList openDevices(const Driver &D, const std::vector<int> &Ordinals,
                       std::string &Message, std::vector<std::string> &Notes);

} // namespace gridspan::cuda

#endif // GRIDSPAN_RUNTIME_BACKEND_CUDA_OPENDEVICES_H
