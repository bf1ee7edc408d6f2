//===- RecordForm.cpp - Arrays of records in another order ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field by field. Of the last record only a part may be there: it may begin
// within the bytes and end behind them.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/RecordForm.h"
#include <algorithm>
#include <cstring>

namespace gridspan {

RecordForm formOf(const GridspanRecordForm &Form) {
  return {Form.RecordBytes, {Form.Fields, Form.Fields + Form.NumFields}};
}

void convertRecordsOnHost(const RecordForm &Form, FormDirection Direction,
                          std::byte *Records, std::byte *Fields,
                          uint64_t Bytes) {
  const uint64_t Room = Form.roomFor(Bytes);
  for (size_t Field = 0; Field != Form.Fields.size(); ++Field) {
    const uint64_t Begin = Form.Fields[Field], Size = Form.fieldBytes(Field);
    std::byte *Formed = Fields + Begin * Room;
    for (uint64_t At = Begin; At < Bytes;
         At += Form.RecordBytes, Formed += Size) {
      const uint64_t Part = std::min(Size, Bytes - At);
      if (Direction == FormDirection::ToFields)
        std::memcpy(Formed, Records + At, Part);
      else
        std::memcpy(Records + At, Formed, Part);
    }
  }
}

} // namespace gridspan
