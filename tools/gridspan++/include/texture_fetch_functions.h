//===- texture_fetch_functions.h - Gone from CUDA 13 ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang 19 includes this header before every CUDA source; CUDA 13 dropped it
// together with the texture references that it declared. Searched last, so that
// a toolkit that has it is not disturbed.
//
//===----------------------------------------------------------------------===//
