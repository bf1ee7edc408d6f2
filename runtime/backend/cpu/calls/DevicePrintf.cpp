//===- DevicePrintf.cpp - printf of device code ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each conversion is taken out of the format and given to the host's printf
// with its one argument; a width or precision of '*' is written into it first.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/calls/DevicePrintf.h"
#include <cstdint>
#include <cstdio>
#include <cstring>

using namespace gridspan;

namespace {

/// Reads the arguments one after the other.
class ArgumentBuffer {
public:
  explicit ArgumentBuffer(const void *Args)
      : Base(static_cast<const char *>(Args)) {}

  template <typename T> T next() {
    Offset = (Offset + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T Value;
    std::memcpy(&Value, Base + Offset, sizeof(T));
    Offset += sizeof(T);
    ++Count;
    return Value;
  }
  int count() const { return Count; }

private:
  const char *Base;
  size_t Offset = 0;
  int Count = 0;
};

} // namespace

template <typename T>
static void print(const std::string &Conversion, T Value, std::string &Out) {
  const int Length = std::snprintf(nullptr, 0, Conversion.c_str(), Value);
  if (Length <= 0)
    return;
  const size_t End = Out.size();
  Out.resize(End + Length + 1);
  std::snprintf(Out.data() + End, Length + 1, Conversion.c_str(), Value);
  Out.pop_back();
}

/// Copies flags, width and precision from P; returns what follows.
static const char *copyLayout(const char *P, ArgumentBuffer &Args,
                              std::string &Conversion) {
  for (; *P && std::strchr("-+ #0123456789.*", *P); ++P) {
    if (*P == '*')
      Conversion += std::to_string(Args.next<int32_t>());
    else
      Conversion += *P;
  }
  return P;
}

/// Prints one conversion with Length ("", "l", "h"...); false if unknown.
static bool printArgument(std::string Conversion, const std::string &Length,
                          char Type, ArgumentBuffer &Args, std::string &Out) {
  const bool Wide = Length.find_first_of("ljzt") != std::string::npos;
  switch (Type) {
  case 'd':
  case 'i':
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    Conversion += Wide ? "ll" : Length;
    Conversion += Type;
    if (Wide)
      print(Conversion, Args.next<int64_t>(), Out);
    else
      print(Conversion, Args.next<int32_t>(), Out);
    return true;
  case 'c': {
    Conversion += Type;
    // A zero character is printed too.
    const int32_t Character = Args.next<int32_t>();
    if (Character)
      print(Conversion, Character, Out);
    else
      Out += '\0';
    return true;
  }
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    print(Conversion + Type, Args.next<double>(), Out);
    return true;
  case 's': {
    const char *Text = Args.next<const char *>();
    print(Conversion + Type, Text ? Text : "(null)", Out);
    return true;
  }
  case 'p':
    print(Conversion + Type, Args.next<const void *>(), Out);
    return true;
  default:
    return false;
  }
}

int gridspan::formatDevicePrintf(const char *Format, const void *Args,
                                 std::string &Out) {
  ArgumentBuffer Buffer(Args);
  const char *P = Format;
  while (*P) {
    if (*P != '%') {
      Out += *P++;
      continue;
    }
    if (P[1] == '%') {
      Out += '%';
      P += 2;
      continue;
    }
    std::string Conversion = "%", Length;
    const char *Type = copyLayout(P + 1, Buffer, Conversion);
    for (; *Type && std::strchr("hlLjzt", *Type); ++Type)
      Length += *Type;
    if (!printArgument(Conversion, Length, *Type, Buffer, Out)) {
      Out += P;
      break;
    }
    P = Type + 1;
  }
  return Buffer.count();
}
