//===- RecordForm.h - Arrays of records in another order --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of records as an array for each field (GridspanRecordForm), and the
// conversion between the two: what every backend must do, and what the CPU
// device does.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RECORDFORM_H
#define GRIDSPAN_RUNTIME_BACKEND_RECORDFORM_H

#include "gridspan/ABI.h"
#include <cstddef>
#include <vector>

namespace gridspan {

struct RecordForm {
  uint32_t RecordBytes = 1;
  std::vector<uint32_t> Fields; ///< where they begin, ascending from 0
  bool operator==(const RecordForm &) const = default;

  uint32_t fieldBytes(size_t Field) const {
    return (Field + 1 == Fields.size() ? RecordBytes : Fields[Field + 1]) -
           Fields[Field];
  }
  /// Returns the number of records that there is room for when Bytes bytes are
  /// formed: GridspanFormed::Records.
  uint64_t roomFor(uint64_t Bytes) const {
    constexpr uint64_t Aligned = 256;
    return (Bytes + RecordBytes * Aligned - 1) / (RecordBytes * Aligned) *
           Aligned;
  }
};

RecordForm formOf(const GridspanRecordForm &Form);

enum class FormDirection {
  ToFields,  ///< from records to an array for each field
  ToRecords, ///< back
};

/// Does Backend::convertRecords at once.
void convertRecordsOnHost(const RecordForm &Form, FormDirection Direction,
                          std::byte *Records, std::byte *Fields,
                          uint64_t Bytes);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_RECORDFORM_H
