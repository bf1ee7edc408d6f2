//===- Messages.h - What ranks say to each other ----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One struct a message, with its fields in their order on the wire.
// Messages.def lists the kinds. A message is its kind in four bytes and its
// fields; decode() accepts nothing else. Whether the numbers mean anything is
// for the receiver to check: streams, pages, recordings and kernels are known
// by numbers that rank 0 gives out, so that no command needs an answer.
//
// A token is a number that one rank waits for once, and another one answers.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_MESSAGES_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_MESSAGES_H

#include "runtime/backend/ranks/Wire.h"
#include <array>
#include <optional>
#include <variant>

namespace gridspan::ranks {

/// Changes with any message.
constexpr uint32_t ProtocolVersion = 3;

using Token = uint64_t;

#define GRIDSPAN_FIELDS(...)                                                   \
  template <typename Archive> void fields(Archive &A) {                        \
    each(A __VA_OPT__(, ) __VA_ARGS__);                                        \
  }

template <typename Archive, typename... Fields>
void each(Archive &A, Fields &...F) {
  (A(F), ...);
}

/// Rows of Width bytes, Pitch apart.
struct Rows {
  uint64_t Address = 0;
  uint64_t Pitch = 0;
};

/// Something in a library: how far behind the beginning of a file.
struct FilePlace {
  std::string File; ///< empty: not in a library
  uint64_t Checksum = 0;
  uint64_t Offset = 0;
  GRIDSPAN_FIELDS(File, Checksum, Offset)
};

//===--- Beginning and end ----------------------------------------------===//

/// What devices rank 0 wants of each rank.
struct Hello {
  uint32_t Version = ProtocolVersion;
  uint64_t Program = 0; ///< checksum of the executable
  uint32_t Kind = 0;    ///< DeviceKind
  uint32_t NumCpuDevices = 1;
  uint32_t CpuThreads = 0;
  uint64_t DeviceMemory = 0;
  bool Peer = true;
  uint32_t CpuVectors = 0; ///< a VectorLevel
  std::vector<int32_t> Gpus;
  std::vector<double> CpuSpeeds;
  GRIDSPAN_FIELDS(Version, Program, Kind, NumCpuDevices, CpuThreads,
                  DeviceMemory, Peer, CpuVectors, Gpus, CpuSpeeds)
};

struct RankDevice {
  std::string Name;
  uint64_t MemoryBytes = 0;
  double MemoryBandwidth = 0, InstructionRate = 0;
  double HostToDevice = 0, DeviceToHost = 0, BlockSeconds = 0;
  uint32_t Multiprocessors = 1, ThreadsPerMultiprocessor = 1,
           BlocksPerMultiprocessor = 1;
  std::string Properties; ///< a cudaDeviceProp
  GRIDSPAN_FIELDS(Name, MemoryBytes, MemoryBandwidth, InstructionRate,
                  HostToDevice, DeviceToHost, BlockSeconds, Multiprocessors,
                  ThreadsPerMultiprocessor, BlocksPerMultiprocessor, Properties)
};

/// The answer to Hello.
struct Welcome {
  std::string Refusal; ///< why there are no devices; empty: there are
  std::string Host;    ///< name of the machine
  std::string Backend; ///< Backend::name()
  uint64_t PageSize = 0;
  std::vector<RankDevice> Devices;
  GRIDSPAN_FIELDS(Refusal, Host, Backend, PageSize, Devices)
};

struct Quit {
  GRIDSPAN_FIELDS()
};
struct Ping {
  GRIDSPAN_FIELDS()
};
struct Pong {
  GRIDSPAN_FIELDS()
};

//===--- Answers --------------------------------------------------------===//

struct Reply {
  Token To = 0;
  int32_t Error = 0;
  uint64_t First = 0, Second = 0;
  GRIDSPAN_FIELDS(To, Error, First, Second)
};
/// A command without an answer has failed. Without an error it is a remark on a
/// reply that follows.
struct Failure {
  int32_t Error = 0;
  std::string Text; ///< empty: nothing to add
  GRIDSPAN_FIELDS(Error, Text)
};
/// Kernels have printed.
struct Print {
  Payload Text;
  GRIDSPAN_FIELDS(Text)
};
struct Done {
  Token To = 0;
  int32_t Error = 0;
  GRIDSPAN_FIELDS(To, Error)
};
/// A stream has come to a recording of an event. Milliseconds count from some
/// time that is the same for all recordings of a device.
struct Reached {
  uint64_t Recording = 0;
  int32_t Error = 0;
  double Milliseconds = 0;
  GRIDSPAN_FIELDS(Recording, Error, Milliseconds)
};

//===--- Memory ---------------------------------------------------------===//

struct CreatePages {
  Token To = 0;
  uint64_t Pages = 0;
  int32_t Where = 0; ///< a device of the rank, or its host
  uint64_t Bytes = 0;
  GRIDSPAN_FIELDS(To, Pages, Where, Bytes)
};
struct DestroyPages {
  uint64_t Pages = 0;
  GRIDSPAN_FIELDS(Pages)
};
struct MapPages {
  Token To = 0;
  uint64_t Address = 0, Pages = 0, Offset = 0, Bytes = 0;
  GRIDSPAN_FIELDS(To, Address, Pages, Offset, Bytes)
};
struct UnmapPages {
  Token To = 0;
  uint64_t Address = 0, Bytes = 0;
  GRIDSPAN_FIELDS(To, Address, Bytes)
};
struct Reserve {
  uint64_t Address = 0, Bytes = 0;
  GRIDSPAN_FIELDS(Address, Bytes)
};
struct Release {
  uint64_t Address = 0, Bytes = 0;
  GRIDSPAN_FIELDS(Address, Bytes)
};
struct MemoryInfo {
  Token To = 0;
  int32_t Device = 0;
  GRIDSPAN_FIELDS(To, Device)
};

//===--- Symbols and functions ------------------------------------------===//

/// The reply has the address of the variable on the device, and its size.
struct Symbol {
  Token To = 0;
  int32_t Device = 0;
  uint64_t Offset = 0; ///< of the host's address in the executable
  FilePlace Library;   ///< the host's address, if it is in one
  GRIDSPAN_FIELDS(To, Device, Offset, Library)
};
/// Gives a kernel a number.
struct DefineKernel {
  Token To = 0;
  uint32_t Number = 0;
  uint32_t Module = 0;   ///< in the order of registration
  uint64_t Checksum = 0; ///< of the module
  uint32_t Index = 0;    ///< in the module
  uint32_t Variant = 0;  ///< KernelVariant
  FilePlace Library;     ///< of the module, in place of its number
  GRIDSPAN_FIELDS(To, Number, Module, Checksum, Index, Variant, Library)
};
/// Rank 0 has unloaded a library.
struct ForgetLibrary {
  FilePlace Library; ///< of some module in it
  GRIDSPAN_FIELDS(Library)
};
struct SetFunctionAttribute {
  uint32_t Kernel = 0;
  int32_t Attribute = 0, Value = 0;
  GRIDSPAN_FIELDS(Kernel, Attribute, Value)
};
struct DeviceAttribute {
  Token To = 0;
  int32_t Device = 0, Attribute = 0;
  GRIDSPAN_FIELDS(To, Device, Attribute)
};

//===--- Streams --------------------------------------------------------===//

struct CreateStream {
  uint64_t Stream = 0;
  int32_t Device = 0, Priority = 0;
  GRIDSPAN_FIELDS(Stream, Device, Priority)
};
struct DestroyStream {
  uint64_t Stream = 0;
  GRIDSPAN_FIELDS(Stream)
};
/// Records an event; Reached answers.
struct Record {
  uint64_t Stream = 0, Recording = 0;
  bool Timed = false;
  GRIDSPAN_FIELDS(Stream, Recording, Timed)
};
/// The stream waits for a recording of this rank.
struct WaitRecorded {
  uint64_t Stream = 0, Recording = 0;
  GRIDSPAN_FIELDS(Stream, Recording)
};
/// Tells Rank with Done when the recording is reached.
struct Tell {
  uint64_t Recording = 0;
  Token To = 0;
  int32_t Rank = 0;
  GRIDSPAN_FIELDS(Recording, To, Rank)
};
/// The stream waits for the token.
struct Hold {
  uint64_t Stream = 0;
  Token For = 0;
  GRIDSPAN_FIELDS(Stream, For)
};
/// When the stream comes here it sends Message to Rank, and waits for the
/// token.
struct Step {
  uint64_t Stream = 0;
  Token For = 0;
  int32_t Rank = 0;
  Payload Message;
  GRIDSPAN_FIELDS(Stream, For, Rank, Message)
};

//===--- Work in a stream -----------------------------------------------===//

/// Copies within the rank.
struct Copy {
  uint64_t Stream = 0;
  Rows Dst, Src;
  uint64_t Width = 0, Height = 0;
  GRIDSPAN_FIELDS(Stream, Dst, Src, Width, Height)
};
/// Writes the rows that come with it.
struct Write {
  uint64_t Stream = 0;
  Rows Dst;
  uint64_t Width = 0, Height = 0;
  Payload Bytes;
  GRIDSPAN_FIELDS(Stream, Dst, Width, Height, Bytes)
};
struct Fill {
  uint64_t Stream = 0, Address = 0, Bytes = 0;
  uint8_t Byte = 0;
  GRIDSPAN_FIELDS(Stream, Address, Bytes, Byte)
};
struct FillIdentity {
  uint64_t Stream = 0, Address = 0, Count = 0;
  uint8_t Reduction = 0;
  GRIDSPAN_FIELDS(Stream, Address, Count, Reduction)
};
struct Combine {
  uint64_t Stream = 0, Into = 0, From = 0, Count = 0;
  uint8_t Reduction = 0;
  GRIDSPAN_FIELDS(Stream, Into, From, Count, Reduction)
};
struct Launch {
  uint64_t Stream = 0;
  uint32_t Kernel = 0;
  bool NoAlias = false, Cooperative = false, HasTile = false;
  std::array<uint32_t, 3> Grid = {}, Block = {};
  std::array<uint32_t, 6> Tile = {};    ///< a GridspanTile
  std::array<uint32_t, 3> Cluster = {}; ///< all 0: none
  uint64_t SharedBytes = 0;
  Payload Arguments; ///< each at its offset
  GRIDSPAN_FIELDS(Stream, Kernel, NoAlias, Cooperative, HasTile, Grid, Block,
                  Tile, Cluster, SharedBytes, Arguments)
};

//===--- Work of any rank, on behalf of a stream ------------------------===//

/// Sends rows of this rank's memory to DstRank, which answers DoneRank.
struct Pull {
  Token For = 0;
  int32_t DoneRank = 0, DstRank = 0;
  Rows Src, Dst;
  uint64_t Width = 0, Height = 0;
  GRIDSPAN_FIELDS(For, DoneRank, DstRank, Src, Dst, Width, Height)
};
/// Rows, or a part of them.
struct Data {
  Token For = 0;
  int32_t DoneRank = 0;
  bool Last = false; ///< to be answered
  Rows Dst;
  uint64_t Width = 0, Height = 0;
  Payload Bytes;
  GRIDSPAN_FIELDS(For, DoneRank, Last, Dst, Width, Height, Bytes)
};
struct FillAt {
  Token For = 0;
  int32_t DoneRank = 0;
  uint64_t Address = 0, Bytes = 0;
  uint8_t Byte = 0;
  GRIDSPAN_FIELDS(For, DoneRank, Address, Bytes, Byte)
};
/// The receiver is done with so many bytes of data, or of Writes.
struct Credit {
  bool OfWrites = false;
  uint64_t Bytes = 0;
  GRIDSPAN_FIELDS(OfWrites, Bytes)
};
/// Calls a host function of rank 0.
struct Call {
  Token For = 0;
  int32_t DoneRank = 0;
  uint64_t Function = 0;
  GRIDSPAN_FIELDS(For, DoneRank, Function)
};

#undef GRIDSPAN_FIELDS

//===--- Messages as bytes ----------------------------------------------===//

using Message = std::variant<
#define GRIDSPAN_MESSAGE(Name) Name,
#include "runtime/backend/ranks/Messages.def"
    std::monostate>;

enum class MessageKind : uint32_t {
#define GRIDSPAN_MESSAGE(Name) Name,
#include "runtime/backend/ranks/Messages.def"
};

template <typename T> struct KindOf;
#define GRIDSPAN_MESSAGE(Name)                                                 \
  template <> struct KindOf<Name> {                                            \
    static constexpr MessageKind Value = MessageKind::Name;                    \
  };
#include "runtime/backend/ranks/Messages.def"

template <typename T> MessageBytes encode(const T &M) {
  WireWriter Out;
  Out(KindOf<T>::Value);
  const_cast<T &>(M).fields(Out); // writers change nothing
  return Out.take();
}

/// Returns a message whose last field is a Payload of Size bytes, which are to
/// be written at its end: data need not lie elsewhere before.
template <typename T> MessageBytes encodeWithRoom(const T &M, uint64_t Size) {
  MessageBytes Out = encode(M);
  std::memcpy(Out.data() + Out.size() - sizeof(Size), &Size, sizeof(Size));
  Out.resize(Out.size() + Size);
  return Out;
}

/// Returns nothing for bytes that are no message. What it returns may refer to
/// them.
std::optional<Message> decode(Payload Bytes);

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_MESSAGES_H
