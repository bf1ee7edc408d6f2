//===- algorithm.h - Primitives on data of any size ----------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data-parallel primitives on all devices, on memory of any kind and of any
// size: docs/guide/primitives.md. To be compiled by gridspan++.
//
// The kernels are ordinary ones, which the compiler plug-in analyses as it does
// the program's: it splits them over the devices, runs them out of core, and
// chains them. So there is no second pipeline beside the runtime's.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_H
#define GRIDSPAN_ALGORITHM_H

#include "gridspan/algorithm/Histogram.h"
#include "gridspan/algorithm/MergeSorted.h"
#include "gridspan/algorithm/Permute.h"
#include "gridspan/algorithm/Reduce.h"
#include "gridspan/algorithm/Scan.h"
#include "gridspan/algorithm/Segmented.h"
#include "gridspan/algorithm/SegmentedSort.h"
#include "gridspan/algorithm/Select.h"
#include "gridspan/algorithm/Sort.h"
#include "gridspan/algorithm/Transform.h"

#endif // GRIDSPAN_ALGORITHM_H
