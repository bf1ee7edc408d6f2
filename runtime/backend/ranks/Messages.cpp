//===- Messages.cpp - What ranks say to each other ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the kind, then the fields of its struct.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/Messages.h"

namespace gridspan::ranks {

template <typename T> static std::optional<Message> read(WireReader &From) {
  T Out;
  Out.fields(From);
  if (!From.isComplete())
    return std::nullopt;
  return Out;
}

std::optional<Message> decode(Payload Bytes) {
  WireReader From(Bytes);
  auto Kind = static_cast<MessageKind>(~uint32_t(0));
  From(Kind);
  switch (Kind) {
#define GRIDSPAN_MESSAGE(Name)                                                 \
  case MessageKind::Name:                                                      \
    return read<Name>(From);
#include "runtime/backend/ranks/Messages.def"
  }
  return std::nullopt;
}

} // namespace gridspan::ranks
