//===- DevicePrintf.h - printf of device code -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code calls vprintf with a buffer of promoted arguments, each at its
// natural alignment (CUDA C++ Programming Guide, "Formatted Output").
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_CPU_DEVICEPRINTF_H
#define GRIDSPAN_RUNTIME_BACKEND_CPU_DEVICEPRINTF_H

#include <string>

namespace gridspan {

/// Appends the formatted text to Out; returns the number of arguments used, as
/// printf does on devices. From an unknown conversion on the format is printed
/// verbatim.
int formatDevicePrintf(const char *Format, const void *Args, std::string &Out);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_CPU_DEVICEPRINTF_H
