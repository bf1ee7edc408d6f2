//===- StructArrays.h - Arrays of structs behind a kernel -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Found from how a kernel addresses them: offsets that are a multiple of one
// number of bytes, the record, and a constant, the field; the counter of an
// inner loop may select the field.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ANALYSIS_ADVICE_LAYOUT_STRUCTARRAYS_H
#define GRIDSPAN_ANALYSIS_ADVICE_LAYOUT_STRUCTARRAYS_H

#include "analysis/advice/sites/MemorySites.h"
#include "analysis/expr/RecordOffset.h"
#include <vector>

namespace gridspan {

struct StructField {
  int64_t Offset = 0; ///< in the record
  unsigned Bytes = 0;
  bool IsLoaded = false, IsStored = false;
  unsigned Depth = 0; ///< of the innermost loop that touches it
};

struct StructArray {
  std::string Base; ///< as in MemorySite
  /// The present form is an array for each field, behind these bases (Base is
  /// the first one); else empty. Fields lie as in a struct of them in order.
  std::vector<std::string> Apart;
  std::string Name; ///< of the struct type, or empty
  RecordType Type;  ///< what is known of that
  int64_t RecordBytes = 0;
  unsigned Alignment = 1;          ///< of a record, as the compiler knows it
  std::vector<StructField> Fields; ///< those that are touched, by offset
  std::vector<uint32_t> Sites;     ///< indices into KernelSites::Sites
  /// The offsets in the record of the fields that each of Sites reaches,
  /// ascending; several where a loop selects one.
  std::vector<std::vector<int64_t>> Reached;

  bool isApart() const { return !Apart.empty(); }
  /// Bytes from record to record at present where that site goes.
  int64_t step(const MemorySite &Site) const {
    return isApart() ? Site.Size : RecordBytes;
  }
  /// Returns, of a site's offset, the terms of the record's index in records.
  RecordOffset recordOf(const KernelSites &Kernel, uint32_t Site) const;
  /// Bytes of a record that no site touches.
  int64_t untouchedBytes() const;
};

/// A base that is no array of records that can be rearranged, and why.
struct StructRefusal {
  std::string Base, Why;
};

struct StructArrays {
  std::vector<StructArray> Arrays;
  std::vector<StructRefusal> Refusals; ///< of those that look like one
};

/// Arrays of structs.
StructArrays findStructArrays(const KernelSites &Kernel);
/// Arrays that are accessed at the same indices, each a field of a struct that
/// there might be. That they have as many elements is for the reader to say.
StructArrays findParallelArrays(const KernelSites &Kernel);

/// Sites of an array that become one access where records have an alignment:
/// for each site of Array.Sites the site that does the access, itself or
/// another one, and there the offset and bytes of it.
struct JoinedAccess {
  uint32_t Leader;
  int64_t Offset;
  unsigned Bytes;
};
std::vector<JoinedAccess> joinAccesses(const KernelSites &Kernel,
                                       const StructArray &Array,
                                       unsigned Alignment);

} // namespace gridspan

#endif // GRIDSPAN_ANALYSIS_ADVICE_LAYOUT_STRUCTARRAYS_H
