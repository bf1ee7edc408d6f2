//===- SharedMemoryReusePrinter.cpp - Prints repeated reads ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lines of one kernel:
//
//       the threads of a block read 1084 bytes of arg0 15.1 times each, ...
//         ADVICE, or "stays: REASON"
//       the load from arg1 is repeated in each iteration, ...
//         ADVICE
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/reuse/SharedMemoryReuse.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gridspan {

static void printReason(raw_ostream &OS, SharedMemoryReuseReason Reason) {
  OS << "stays: " << sharedMemoryReuseReasonName(Reason) << ", "
     << sharedMemoryReuseReasonText(Reason) << '\n';
}

void printReuse(raw_ostream &OS, const KernelSites &Kernel,
                const SharedMemoryReuse &Reuse) {
  for (const TiledProduct &Product : Reuse.Products) {
    OS << "  " << productMessage(Product) << "\n    ";
    if (Product.IsRecommended)
      OS << productAdvice(Reuse, Product) << '\n';
    else
      printReason(OS, Product.Reason);
  }
  for (const ArrayReuse &A : Reuse.Arrays) {
    if (A.LoadedBytes == 0) {
      OS << "  " << A.Base << " ";
      printReason(OS, A.Reason);
    } else if (A.factor() >= 2) {
      OS << "  " << reuseMessage(A) << "\n    ";
      if (A.IsRecommended)
        OS << reuseAdvice(Reuse, A) << '\n';
      else if (A.Reason == SharedMemoryReuseReason::None)
        OS << "stays: the tiles of the product have it\n";
      else
        printReason(OS, A.Reason);
    }
  }
  for (const OrderedLoad &L : Reuse.Ordered)
    if (L.IsRecommended)
      OS << "  " << orderedMessage(Kernel, L) << "\n    "
         << orderedAdvice(Kernel, Reuse, L) << '\n';
}

} // namespace gridspan
