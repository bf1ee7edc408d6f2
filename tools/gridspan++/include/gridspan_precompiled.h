//===- gridspan_precompiled.h - The end of precompiled headers --*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source of precompiled headers, which are what comes before any source.
// It is empty. A file of its own, because it is a dependency of what uses them.
//
//===----------------------------------------------------------------------===//
