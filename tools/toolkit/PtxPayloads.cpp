//===- PtxPayloads.cpp - What device code carries -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM writes a payload as
//   .visible .global .align 8 .b8 __gridspan_payload_K_ID[N] = {B, B, ...};
// on a line of its own, with the bytes as decimal numbers, but for zeros at the
// end.
//
//===----------------------------------------------------------------------===//

#include "tools/toolkit/PtxPayloads.h"
#include <charconv>
#include <cstdint>
#include <string_view>

namespace gridspan {

/// Reads numbers up to the brace at the end of Text, of N bytes at most, and
/// adds the bytes with the zeros that are left out.
static bool readBytes(std::string_view Text, size_t N, std::string &Bytes) {
  const char *At = Text.data(), *const End = At + Text.size();
  for (size_t I = 1; I <= N; ++I) {
    uint8_t Byte = 0;
    const auto [Next, Error] = std::from_chars(At, End, Byte);
    if (Error != std::errc())
      return false;
    Bytes += static_cast<char>(Byte);
    const std::string_view Rest(Next, End);
    if (Rest == "}") {
      Bytes.append(N - I, '\0');
      return true;
    }
    if (!Rest.starts_with(", "))
      return false;
    At = Next + 2;
  }
  return false;
}

std::string takePayloads(std::string &Ptx) {
  constexpr std::string_view Declared =
      ".visible .global .align 8 .b8 __gridspan_payload_";
  std::string Payloads, Rest;
  const std::string_view All = Ptx;
  size_t Done = 0;
  for (size_t At = All.find(Declared); At != All.npos;
       At = All.find(Declared, At)) {
    const size_t End = All.find(';', At);
    const std::string_view Line = All.substr(At, End - At);
    constexpr std::string_view Is = "] = {";
    const size_t Open = Line.find('['), Values = Line.find(Is);
    size_t Count = 0;
    if (End == All.npos || Open == Line.npos || Values == Line.npos ||
        std::from_chars(&Line[Open + 1], &Line[Values], Count).ptr !=
            &Line[Values] ||
        !readBytes(Line.substr(Values + Is.size()), Count, Payloads))
      return {};
    Rest.append(All, Done, At - Done);
    Done = At = End + 1;
  }
  if (Payloads.empty())
    return {};
  Ptx = Rest.append(All, Done);
  return Payloads;
}

} // namespace gridspan
