//===- MessagesTest.cpp - Messages and garbage ----------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kind of message comes back as it was sent; bytes that are no message,
// among them changed and cut ones, are refused, and change nothing but the
// answer: a server that gets them goes on, and so does rank 0. Rank 0 may be
// told of any address of the program, so those that it gets are in memory of the
// test.
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include "test/unit/runtime/backend/ranks/LoopNetwork.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace gridspan::ranks {
namespace {

using Bytes = MessageBytes;

/// Fills the fields of a message with values that tell them apart.
struct Filler {
  uint64_t Next = 1;
  Bytes Text = Bytes(37, std::byte(0x5a));

  template <typename T>
    requires std::is_arithmetic_v<T>
  void operator()(T &Value) {
    Value = static_cast<T>(Next++);
  }
  void operator()(bool &Value) { Value = Next++ % 2; }
  void operator()(std::string &Value) {
    Value = "text " + std::to_string(Next++);
  }
  void operator()(Payload &Value) { Value = Text; }
  void operator()(FilePlace &Value) { Value.fields(*this); }
  void operator()(Rows &Value) { Value = {Next++, Next++}; }
  template <typename T, size_t N> void operator()(std::array<T, N> &Values) {
    for (T &Value : Values)
      (*this)(Value);
  }
  template <typename T> void operator()(std::vector<T> &Values) {
    Values.resize(3);
    for (T &Value : Values)
      if constexpr (requires { Value.fields(*this); })
        Value.fields(*this);
      else
        (*this)(Value);
  }
};

/// Returns one of each kind.
std::vector<Bytes> allKinds() {
  static Filler Values;
  std::vector<Bytes> Out;
#define GRIDSPAN_MESSAGE(Name)                                                 \
  {                                                                            \
    Name M;                                                                    \
    M.fields(Values);                                                          \
    Out.push_back(encode(M));                                                  \
  }
#include "runtime/backend/ranks/Messages.def"
  return Out;
}

Bytes encoded(const Message &Of) {
  return std::visit(
      [](const auto &M) {
        if constexpr (std::is_same_v<std::decay_t<decltype(M)>, std::monostate>)
          return Bytes();
        else
          return encode(M);
      },
      Of);
}

TEST(MessagesTest, ComeBackAsTheyWere) {
  size_t Kind = 0;
  for (const Bytes &Sent : allKinds()) {
    const std::optional<Message> Got = decode(Sent);
    ASSERT_TRUE(Got) << Kind;
    EXPECT_EQ(Got->index(), Kind);
    EXPECT_EQ(encoded(*Got), Sent) << Kind;
    ++Kind;
  }
}

TEST(MessagesTest, CutAndLongerOnesAreNone) {
  for (const Bytes &Sent : allKinds()) {
    for (size_t Size = 0; Size != Sent.size(); ++Size)
      EXPECT_FALSE(decode(Payload(Sent).first(Size)));
    Bytes Longer = Sent;
    Longer.push_back(std::byte(0));
    EXPECT_FALSE(decode(Longer));
  }
}

/// Returns a message with some bytes changed, or random bytes.
Bytes garbage(std::mt19937_64 &Random, const std::vector<Bytes> &Kinds) {
  Bytes Out = Kinds[Random() % Kinds.size()];
  if (Random() % 8 == 0)
    Out.resize(Random() % 200);
  const size_t Changes = Random() % 6;
  for (size_t I = 0; I != Changes && !Out.empty(); ++I) {
    const size_t At = Random() % Out.size();
    constexpr unsigned char Wild[] = {0, 1, 0x7f, 0x80, 0xff};
    Out[At] = std::byte(Random() % 2 ? Wild[Random() % std::size(Wild)]
                                     : static_cast<unsigned char>(Random()));
  }
  return Out;
}

TEST(MessagesTest, GarbageIsRefused) {
  std::mt19937_64 Random(1);
  const std::vector<Bytes> Kinds = allKinds();
  for (unsigned I = 0; I != 200000; ++I) {
    const Bytes Sent = garbage(Random, Kinds);
    const std::optional<Message> Got = decode(Sent);
    if (!Got)
      continue;
    EXPECT_EQ(encoded(*Got), Sent);
  }
}

/// A transport that counts what is sent.
class Sink : public Transport {
public:
  int rank() const override { return 1; }
  int numRanks() const override { return 3; }
  void start(Handler) override {}
  void stop() override {}
  void send(int, MessageBytes Message) override {
    if (const auto M = decode(Message))
      NumWelcomes += std::holds_alternative<Welcome>(*M);
  }
  std::atomic<unsigned> NumWelcomes{0};
};

/// Whether garbage may touch the same bytes from several threads. It keeps no
/// order, as who sends work does.
#if defined(__has_feature) && __has_feature(thread_sanitizer)
constexpr bool MayRace = false;
#else
constexpr bool MayRace = true;
#endif

template <typename... Kinds> bool isOneOf(const Message &M) {
  return (std::holds_alternative<Kinds>(M) || ...);
}

/// Whether who gets this touches memory outside all streams, although nothing
/// orders that.
bool races(const Message &M) {
  return !MayRace && isOneOf<Pull, Data, FillAt>(M);
}

/// Whether a server that gets this races, or waits for a token that never comes.
bool isLeftOut(const Message &M) { return isOneOf<Hold, Step>(M) || races(M); }

TEST(MessagesTest, GarbageDoesNotEndAServer) {
  std::mt19937_64 Random(2);
  const std::vector<Bytes> Kinds = allKinds();
  Sink Way;
  RankServer Server(Way,
                    [](const Hello &, std::string &Message) {
                      CpuBackendOptions Options;
                      Options.NumDevices = 2;
                      Options.MemoryPerDevice = uint64_t(64) << 20;
                      return createCpuBackend(Options, Message);
                    },
                    {});
  const auto Send = [&](const Bytes &M) {
    Server.handle(static_cast<int>(Random() % 3),
                  std::make_shared<const Bytes>(M));
  };
  // Before there are devices, and then with some that can be named.
  for (unsigned I = 0; I != 2000; ++I)
    Send(garbage(Random, Kinds));
  Server.waitUntilHandled();
  const unsigned Before = Way.NumWelcomes;
  Send(encode(Hello()));
  Server.waitUntilHandled();
  EXPECT_EQ(Way.NumWelcomes, Before + 1);
  const uint64_t NumStreams = MayRace ? 3 : 1;
  for (uint64_t Stream = 1; Stream <= NumStreams; ++Stream)
    Send(encode(CreateStream{Stream, static_cast<int32_t>(Stream % 2), 0}));
  Send(encode(CreatePages{1, 1, 0, 1 << 20}));
  Send(encode(Reserve{0x7c1000000000, 1 << 20}));
  Send(encode(MapPages{2, 0x7c1000000000, 1, 0, 1 << 20}));
  std::vector<Bytes> Likely = Kinds;
  const Rows All = {0x7c1000000000, 4096};
  for (uint64_t Stream : {1, 2, 3}) {
    Likely.push_back(
        encode(Copy{Stream, All, {All.Address + 65536, 4096}, 64, 16}));
    Likely.push_back(encode(Fill{Stream, All.Address, 4096, 7}));
    Likely.push_back(encode(Record{Stream, Stream + 10, true}));
    Likely.push_back(encode(WaitRecorded{Stream, Stream + 9}));
    Likely.push_back(encode(FillIdentity{Stream, All.Address, 100, 1}));
    Likely.push_back(
        encode(Combine{Stream, All.Address, All.Address + 65536, 100, 1}));
  }
  Likely.push_back(encode(Pull{5, 0, 2, All, All, 4096, 8}));
  Likely.push_back(encode(Tell{11, 6, 2}));
  for (unsigned I = 0; I != 20000; ++I) {
    const Bytes M = garbage(Random, Likely);
    if (const std::optional<Message> Known = decode(M);
        Known && isLeftOut(*Known))
      continue;
    Send(M);
  }
}

/// Returns whether rank 0, which may touch all of the program's memory, would
/// touch some of it outside of Mine, or take the answer for one that it waits
/// for now or later.
bool isLeftOutAtRankZero(const Message &M, std::span<std::byte> Mine) {
  const auto Begin = reinterpret_cast<uint64_t>(Mine.data());
  const auto IsOutside = [&](const Rows &R, uint64_t Width, uint64_t Height) {
    return DataMover::areSane(R, Width, Height, [&](uint64_t At, uint64_t N) {
      return At < Begin || N > Mine.size() || At - Begin > Mine.size() - N;
    });
  };
  constexpr Token FirstUnused = 1 << 20;
  if (races(M))
    return true;
  if (const auto *P = std::get_if<Pull>(&M))
    return P->For < FirstUnused || P->DstRank == 0 ||
           IsOutside(P->Src, P->Width, P->Height);
  if (const auto *D = std::get_if<Data>(&M))
    return D->For < FirstUnused || IsOutside(D->Dst, D->Width, D->Height);
  if (const auto *F = std::get_if<FillAt>(&M))
    return F->For < FirstUnused || F->Address < Begin ||
           F->Address - Begin > Mine.size() ||
           F->Bytes > Mine.size() - (F->Address - Begin);
  if (const auto *D = std::get_if<Done>(&M))
    return D->To < FirstUnused;
  if (const auto *R = std::get_if<Reply>(&M))
    return R->To < FirstUnused;
  if (const auto *R = std::get_if<Reached>(&M))
    return R->Recording < FirstUnused || R->Error != 0;
  // What ranks say goes to the terminal, and an error stays.
  return isOneOf<Print, Failure>(M);
}

TEST(MessagesTest, GarbageDoesNotEndRankZero) {
  std::mt19937_64 Random(3);
  auto Net = std::make_shared<LoopNetwork>(3);
  LoopServer First(Net, 1), Second(Net, 2);
  LoopTransport Way(Net, 0), Liar(Net, 1);
  RankBackend::Options Settings;
  Settings.Wanted.DeviceMemory = uint64_t(64) << 20;
  CpuBackendOptions Options;
  Options.MemoryPerDevice = Settings.Wanted.DeviceMemory;
  std::string Why;
  std::unique_ptr<Backend> Own = createCpuBackend(Options, Why);
  ASSERT_TRUE(Own) << Why;
  void *Pinned = nullptr;
  constexpr size_t PinnedBytes = 1 << 20;
  ASSERT_EQ(Own->hostAlloc(PinnedBytes, 0, Pinned), cudaSuccess);
  std::memset(Pinned, 0, PinnedBytes);
  const std::span<std::byte> Mine(static_cast<std::byte *>(Pinned),
                                  PinnedBytes);
  std::unique_ptr<Backend> B =
      RankBackend::create(Way, std::move(Own), Settings, Why);
  ASSERT_TRUE(B) << Why;

  const Rows All = {reinterpret_cast<uint64_t>(Mine.data()), 4096};
  std::vector<Bytes> Likely = allKinds();
  static constexpr std::byte Some[64 * 16] = {};
  constexpr Token Unused = Token(1) << 40;
  Likely.push_back(encode(Pull{Unused, 1, 2, All, All, 64, 16}));
  Likely.push_back(encode(Data{Unused, 2, true, All, 64, 16, Some}));
  Likely.push_back(encode(FillAt{Unused, 1, All.Address + 64, 4096, 7}));
  Likely.push_back(encode(Credit{true, 4096}));
  Likely.push_back(encode(Reached{Unused, 0, 1}));

  const size_t Page = B->system().PageSize;
  void *Address = nullptr;
  std::unique_ptr<Pages> P;
  std::unique_ptr<Stream> S;
  ASSERT_EQ(B->reserve(Page, Address), cudaSuccess);
  ASSERT_EQ(B->createPages(1, Page, P), cudaSuccess);
  ASSERT_EQ(B->map(Address, *P, 0, Page), cudaSuccess);
  ASSERT_EQ(B->createStream(1, StreamKind::NonBlocking, 0, S), cudaSuccess);
  std::vector<unsigned char> Got(Page);
  for (int Round = 1; Round != 40; ++Round) {
    for (unsigned I = 0; I != 500; ++I) {
      const Bytes M = garbage(Random, Likely);
      if (const std::optional<Message> Known = decode(M);
          !Known || !isLeftOutAtRankZero(*Known, Mine))
        Liar.send(0, M);
    }
    ASSERT_EQ(B->fill(*S, Address, Round, Page), cudaSuccess);
    ASSERT_EQ(B->copy(*S, Got.data(), Address, Page), cudaSuccess);
    ASSERT_EQ(B->synchronize(*S), cudaSuccess);
    ASSERT_EQ(std::ranges::count(Got, Round), static_cast<ptrdiff_t>(Page));
  }
  S = nullptr;
  EXPECT_EQ(B->unmap(Address, Page), cudaSuccess);
  B->release(Address, Page);
  // Some of it was no garbage.
  if (MayRace)
    EXPECT_NE(std::ranges::count(Mine, std::byte(7)), 0);
}

TEST(MessagesTest, OtherProgramsAreRefused) {
  struct LastSent : Sink {
    void send(int, MessageBytes Message) override {
      Last = std::make_shared<const Bytes>(std::move(Message));
    }
    Buffer Last;
  } Way;
  RankServer Server(
      Way,
      [](const Hello &, std::string &) -> std::unique_ptr<Backend> {
        ADD_FAILURE() << "devices of another program";
        return nullptr;
      },
      {.Program = 7, .Host = "here"});
  Hello Other;
  Other.Program = 8;
  Server.handle(0, std::make_shared<const Bytes>(encode(Other)));
  Server.waitUntilHandled();
  const std::optional<Message> Got = decode(*Way.Last);
  ASSERT_TRUE(Got && std::holds_alternative<Welcome>(*Got));
  EXPECT_EQ(std::get<Welcome>(*Got).Host, "here");
  EXPECT_NE(std::get<Welcome>(*Got).Refusal.find("another executable"),
            std::string::npos);
  Other.Program = 7;
  Other.CpuVectors = 1 + static_cast<uint32_t>(VectorLevel::Avx512);
  Server.handle(0, std::make_shared<const Bytes>(encode(Other)));
  Server.waitUntilHandled();
  const std::optional<Message> Vectors = decode(*Way.Last);
  ASSERT_TRUE(Vectors && std::holds_alternative<Welcome>(*Vectors));
  EXPECT_NE(std::get<Welcome>(*Vectors).Refusal.find("vectors"),
            std::string::npos);
}

} // namespace
} // namespace gridspan::ranks
