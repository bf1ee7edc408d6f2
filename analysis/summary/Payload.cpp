//===- Payload.cpp - Data carried through the fat binary ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches the container for the magic, byte by byte, as nothing is known of
// its format. Every field of a frame is checked before it is used: the
// container may be any file.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/Payload.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include <cstddef>

using namespace llvm;
using namespace llvm::support;

namespace gridspan {

static constexpr StringLiteral Magic = "\x93GridspanFrame1\xd7";
static_assert(Magic.size() == 16);

namespace {
/// Byte positions of the fields after the magic.
enum FrameLayout : size_t {
  KindAt = 16,
  ChecksumAt = 20,
  StoredAt = 24,
  FullAt = 32,
  ContentsAt = 40,
};
} // namespace

/// Longest contents that a reader believes: an object file's worth.
static constexpr uint64_t MaxLength = 1ull << 32;

SmallVector<char, 0> framePayload(PayloadKind Kind, StringRef Contents,
                                  bool Compress) {
  SmallVector<uint8_t, 0> Packed;
  ArrayRef<uint8_t> Stored = arrayRefFromStringRef(Contents);
  if (Compress && compression::zlib::isAvailable()) {
    compression::zlib::compress(Stored, Packed);
    if (Packed.size() < Contents.size())
      Stored = Packed;
  }
  SmallVector<char, 0> Frame(ContentsAt);
  copy(Magic, Frame.begin());
  endian::write32le(&Frame[KindAt], uint32_t(Kind));
  endian::write32le(&Frame[ChecksumAt], crc32(Stored));
  endian::write64le(&Frame[StoredAt], Stored.size());
  endian::write64le(&Frame[FullAt], Contents.size());
  Frame.append(Stored.begin(), Stored.end());
  return Frame;
}

/// Reads the frame at the start of Bytes, whose magic has been seen; Length
/// receives the bytes it takes.
static Expected<Payload> readFrame(StringRef Bytes, size_t &Length) {
  if (Bytes.size() < ContentsAt)
    return createStringError("Gridspan data is cut off");
  uint64_t Stored = endian::read64le(&Bytes.data()[StoredAt]);
  uint64_t Full = endian::read64le(&Bytes.data()[FullAt]);
  if (Stored > Bytes.size() - ContentsAt || Full > MaxLength)
    return createStringError("Gridspan data is cut off");
  StringRef Contents = Bytes.substr(ContentsAt, Stored);
  if (crc32(arrayRefFromStringRef(Contents)) !=
      endian::read32le(&Bytes.data()[ChecksumAt]))
    return createStringError("Gridspan data has a wrong checksum");
  Length = ContentsAt + Stored;

  Payload Out;
  Out.Kind = PayloadKind(endian::read32le(&Bytes.data()[KindAt]));
  if (Stored == Full) {
    Out.Contents = Contents.str();
    return Out;
  }
  if (!compression::zlib::isAvailable())
    return createStringError("Gridspan data is compressed, and this LLVM has "
                             "no zlib");
  SmallVector<uint8_t, 0> Unpacked;
  if (Error E = compression::zlib::decompress(arrayRefFromStringRef(Contents),
                                              Unpacked, Full))
    return std::move(E);
  Out.Contents = toStringRef(Unpacked).str();
  return Out;
}

Expected<std::vector<Payload>> findPayloads(StringRef Container) {
  std::vector<Payload> Out;
  for (size_t At = Container.find(Magic); At != StringRef::npos;
       At = Container.find(Magic, At)) {
    size_t Length = 0;
    Expected<Payload> Found = readFrame(Container.drop_front(At), Length);
    if (!Found)
      return Found.takeError();
    At += Length;
    auto IsSame = [&](const Payload &P) {
      return P.Kind == Found->Kind && P.Contents == Found->Contents;
    };
    if (none_of(Out, IsSame))
      Out.push_back(std::move(*Found));
  }
  return Out;
}

} // namespace gridspan
