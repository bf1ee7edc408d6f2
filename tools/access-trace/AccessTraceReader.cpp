//===- AccessTraceReader.cpp - Reads access trace files -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is a magic string and records with their kind and length before them.
// A record is valid only if its fields take exactly its length.
//
//===----------------------------------------------------------------------===//

#include "tools/access-trace/AccessTraceReader.h"
#include <bit>
#include <cstring>

namespace gridspan {

namespace {
/// Takes values off the front of a record; remembers when it is too short.
class RecordParser {
public:
  explicit RecordParser(std::string_view Bytes) : Rest(Bytes) {}

  template <typename T> void get(T &Out) {
    if (Rest.size() < sizeof(T)) {
      Short = true;
      return;
    }
    std::memcpy(&Out, Rest.data(), sizeof(T));
    Rest.remove_prefix(sizeof(T));
  }

  /// A string or vector of bytes with its length before it.
  template <typename T> void getBytes(T &Out) {
    uint32_t Length = 0;
    get(Length);
    if (Rest.size() < Length) {
      Short = true;
      return;
    }
    Out.resize(Length);
    std::memcpy(Out.data(), Rest.data(), Length);
    Rest.remove_prefix(Length);
  }

  /// True if the record had exactly what was asked of it.
  bool done() const { return !Short && Rest.empty(); }

private:
  std::string_view Rest;
  bool Short = false;
};
} // namespace

AccessTraceReader::AccessTraceReader(const std::string &Path)
    : File(Path, std::ios::binary) {
  std::string Magic(TraceMagic.size(), '\0');
  if (!File)
    Error = "cannot open " + Path;
  else if (!File.read(Magic.data(), Magic.size()) || Magic != TraceMagic)
    Error = Path + " is not an access trace";
}

std::variant<std::monostate, TracedLaunch, TracedRequest>
AccessTraceReader::fail(std::string Text) {
  Error = std::move(Text);
  return {};
}

static bool parse(std::string_view Contents, TracedLaunch &Out) {
  RecordParser P(Contents);
  P.get(Out.Id);
  P.get(Out.Device);
  P.get(Out.GridDim);
  P.get(Out.BlockDim);
  P.get(Out.BlockLo);
  P.get(Out.BlockCount);
  P.getBytes(Out.Kernel);
  P.getBytes(Out.Parameters);
  return P.done();
}

static bool parse(std::string_view Contents, TracedRequest &Out) {
  RecordParser P(Contents);
  P.get(Out.Launch);
  P.get(Out.Block);
  P.get(Out.Site);
  P.get(Out.Mode);
  P.get(Out.Bytes);
  P.get(Out.Warp);
  P.get(Out.Occurrence);
  P.get(Out.LaneMask);
  Out.Addresses.resize(std::popcount(Out.LaneMask));
  for (uint64_t &Address : Out.Addresses)
    P.get(Address);
  return P.done();
}

std::variant<std::monostate, TracedLaunch, TracedRequest>
AccessTraceReader::next() {
  while (Error.empty()) {
    TraceRecordKind Kind;
    uint32_t Length = 0;
    if (!File.read(reinterpret_cast<char *>(&Kind), sizeof(Kind))) {
      if (File.gcount() != 0)
        return fail("the trace is cut off");
      return {};
    }
    if (!File.read(reinterpret_cast<char *>(&Length), sizeof(Length)))
      return fail("the trace is cut off");
    Contents.resize(Length);
    if (!File.read(Contents.data(), Length))
      return fail("the trace is cut off");
    if (Kind == TraceRecordKind::Launch) {
      TracedLaunch Out;
      if (parse(Contents, Out))
        return Out;
      return fail("a launch record is damaged");
    }
    if (Kind == TraceRecordKind::Request) {
      TracedRequest Out;
      if (parse(Contents, Out))
        return Out;
      return fail("a request record is damaged");
    }
  }
  return {};
}

} // namespace gridspan
