//===- Payload.h - Data carried through the fat binary ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device compilation hands data to the host compilation of the same file
// inside the fat binary. A device global holds a framed byte string. ptxas puts
// it into the cubin as it is, and gridspan-ptxas behind it (tools/toolkit). The
// host module contains the fat binary as a constant before its pipeline starts.
// A frame is
//
//   16 bytes  magic, unlikely to appear by chance, without zero bytes
//    4 bytes  kind (PayloadKind), little endian
//    4 bytes  CRC-32 of the stored bytes
//    8 bytes  stored length
//    8 bytes  length when uncompressed; equal to the former: not compressed
//    n bytes  contents, zlib-compressed when that is available and shorter
//
// Frames that are damaged (length beyond the container, wrong checksum) are
// errors with a text; other bytes between frames are skipped.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_SUMMARY_PAYLOAD_H
#define GRIDSPAN_ANALYSIS_SUMMARY_PAYLOAD_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gridspan {

enum class PayloadKind : uint32_t {
  Summary = 1, ///< JSON text of a ModuleSummary
  Bitcode = 2, ///< device bitcode for the CPU device
};

struct Payload {
  PayloadKind Kind;
  std::string Contents;
};

/// Frames Contents. Compress asks for compression where it is worth it.
llvm::SmallVector<char, 0>
framePayload(PayloadKind Kind, llvm::StringRef Contents, bool Compress);

/// Returns all frames found in Container, in order; equal frames (the same
/// global in the cubins of several architectures) are returned once.
llvm::Expected<std::vector<Payload>> findPayloads(llvm::StringRef Container);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_SUMMARY_PAYLOAD_H
