//===- MpiTransport.cpp - Messages over MPI -------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where devices are CPUs the thread does not spin, but while a message is
// coming in: they want the processor, and whoever has slept is the first to get
// one. Where all ranks have bells it looks without being rung each millisecond
// only, as MPI may hold back a part of what it has taken. Else, and while MPI
// is sending, it sleeps for times that grow with how long nothing has happened.
// A message without bytes says that its sender is there.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/MpiTransport.h"
#include "runtime/backend/SpinningCondition.h"
#include "runtime/support/ProcessLimits.h"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gridspan::ranks {

using namespace std::chrono_literals;

static constexpr auto BeatEvery = 1s;
/// The longest that a rank may be silent. All ranks are to be gone within 10
/// seconds.
static constexpr auto LongestSilence = 7s;
/// How many processors each rank of a machine has where threads may spin, which
/// up to half as many do at the same time, besides the one that owns MPI.
static constexpr unsigned ProcessorsToSpin = 12;
static constexpr auto LongestSpin = 3ms;

MpiTransport::MpiTransport(const GridspanMpiCalls &Calls)
    : Calls(Calls), Worker([this] { work(); }) {}

MpiTransport::~MpiTransport() {
  // Processes keep it until they end; finish() has been called.
  if (Worker.joinable())
    Worker.detach();
}

bool MpiTransport::waitUntilReady() {
  MutexLock Guard(Lock);
  while (!IsReady && !HasFailed)
    Guard.wait(Changed);
  return IsReady;
}

void MpiTransport::start(Handler New) {
  MutexLock Guard(Lock);
  Handle = std::make_shared<const Handler>(std::move(New));
  Own->ring();
}

void MpiTransport::stop() {
  MutexLock Guard(Lock);
  Handle = nullptr;
  while (IsHandling && std::this_thread::get_id() != Worker.get_id())
    Guard.wait(Changed);
}

void MpiTransport::send(int To, MessageBytes Message) {
  Bell *Rung = nullptr;
  {
    MutexLock Guard(Lock);
    // Who has said goodbye to a rank is not waited for by it.
    if (Finishing)
      return;
    Queue.push_back({To, std::move(Message)});
    Rung = Own;
    ++Ringers;
  }
  // Not under the lock, which the thread wants as soon as it is awake.
  Rung->ring();
  --Ringers;
}

void MpiTransport::allowSpinning() {
  // Without bells it is not known who is here.
  const unsigned Ranks = NumHere ? NumHere.load() : unsigned(NumRanks.load());
  const unsigned Each = allowedProcessors() / Ranks;
  if (Each >= ProcessorsToSpin)
    setSpinning(LongestSpin, Each / 2);
}

bool MpiTransport::finish() {
  MutexLock Guard(Lock);
  for (int Other = 0; !Finishing && Other < NumRanks; ++Other)
    if (Other != Rank)
      Queue.push_back({Other, MessageBytes(GoodbyeBytes)});
  Finishing = true;
  Own->ring();
  const auto Latest = Clock::now() + LongestSilence;
  while (!Finished && !HasFailed && Clock::now() < Latest)
    Guard.waitUntil(Changed, Latest);
  return Finished;
}

void MpiTransport::abort(const std::string &Why) {
  fmt::print(stderr, "gridspan: {}\n", Why);
  std::fflush(stderr);
  // MPICH's launcher drops what it has not yet handed on when ranks end.
  std::this_thread::sleep_for(200ms);
  // Whatever thread this is: MPI is in nobody's hands any more.
  Calls.Abort(1);
  _exit(1);
}

//===--- The thread -----------------------------------------------------===//

/// Asks for short turns on the processor, which come soon after the thread has
/// slept although threads of devices are running. They also interrupt whoever
/// rings, so that they pay only where processors are short. Linux from 6.12 on
/// heeds it (sched(7), sched_setattr(2)); others ignore or refuse it.
static void askForShortTurns() {
  struct {
    uint32_t Size = 48, Policy = 0;
    uint64_t Flags = 0;
    int32_t Nice = 0;
    uint32_t Priority = 0;
    uint64_t Runtime = 0, Deadline = 0, Period = 0;
  } Attributes;
  static_assert(sizeof(Attributes) == 48, "the first version of sched_attr");
  if (syscall(SYS_sched_getattr, 0, &Attributes, sizeof(Attributes), 0) != 0 ||
      Attributes.Policy != SCHED_OTHER)
    return;
  Attributes.Size = sizeof(Attributes);
  Attributes.Runtime = std::chrono::nanoseconds(100us).count();
  (void)syscall(SYS_sched_setattr, 0, &Attributes, 0);
}

void MpiTransport::findBells() {
  static_assert(sizeof(Bell) <= GRIDSPAN_MPI_BELL_BYTES);
  for (int Other = 0; Other < NumRanks; ++Other) {
    void *Memory = Calls.Bell(Other);
    Bells.push_back(static_cast<Bell *>(Memory));
    AllHaveBells &= Memory != nullptr;
    NumHere += Memory != nullptr;
  }
  if (NumHere > allowedProcessors())
    askForShortTurns();
  MutexLock Guard(Lock);
  if (Bell *Shared = Bells[static_cast<size_t>(Rank)])
    Own = Shared;
}

/// To be called behind what the rank is to find.
void MpiTransport::ring(int To) {
  if (Bell *Known = Bells[static_cast<size_t>(To)])
    Known->ring();
}

bool MpiTransport::sendWaiting() {
  std::deque<Outgoing> Waiting;
  {
    MutexLock Guard(Lock);
    Waiting.swap(Queue);
  }
  for (Outgoing &Next : Waiting) {
    if (Next.To == Rank) {
      ToItself.push_back(std::move(Next.Bytes));
      continue;
    }
    Sending New = {Next.To, nullptr, std::move(Next.Bytes)};
    if (Calls.Send(Next.To, New.Bytes.data(), New.Bytes.size(), &New.Request))
      abort(
          fmt::format("rank {} cannot send to rank {}", Rank.load(), Next.To));
    ring(Next.To);
    InFlight.push_back(std::move(New));
  }
  return !Waiting.empty();
}

bool MpiTransport::isDone(void *Request) {
  const int State = Calls.IsDone(Request);
  if (State < 0)
    abort(fmt::format("rank {} has lost another rank", Rank.load()));
  return State == 1;
}

bool MpiTransport::noteSent() {
  return std::erase_if(InFlight,
                       [&](const Sending &S) { return isDone(S.Request); });
}

/// Returns the next message that MPI has; null if there is none yet.
Buffer MpiTransport::take(int &From) {
  if (!Incoming) {
    int32_t Other = 0;
    uint64_t Count = 0;
    void *Message = nullptr;
    const int State = Calls.Probe(&Other, &Count, &Message);
    if (State < 0)
      abort(fmt::format("rank {} has lost another rank", Rank.load()));
    if (State != 1)
      return nullptr;
    Incoming = {Other, nullptr, MessageBytes(Count)};
    if (Calls.Receive(Message, Incoming->Bytes.data(), Count,
                      &Incoming->Request))
      abort(fmt::format("rank {} cannot receive from rank {}", Rank.load(),
                        Other));
  }
  if (!isDone(Incoming->Request))
    return nullptr;
  From = Incoming->From;
  Heard[static_cast<size_t>(From)] = Clock::now();
  auto Out = std::make_shared<const MessageBytes>(std::move(Incoming->Bytes));
  Incoming.reset();
  return Out;
}

/// Takes one message. Returns false if there is none, or nobody who handles it.
bool MpiTransport::receive() {
  std::shared_ptr<const Handler> To;
  bool Ends;
  {
    MutexLock Guard(Lock);
    To = Handle;
    Ends = Finishing;
    IsHandling = To != nullptr;
  }
  int From = Rank;
  Buffer Bytes;
  bool IsBeat = false;
  if (To && !ToItself.empty()) {
    Bytes = std::make_shared<const MessageBytes>(std::move(ToItself.front()));
    ToItself.pop_front();
  } else {
    // At the end messages are taken without being read: senders wait for that.
    Bytes = To || Ends ? take(From) : nullptr;
    if (Bytes) {
      IsBeat = Bytes->size() <= GoodbyeBytes;
      Goodbyes += Bytes->size() == GoodbyeBytes;
    }
  }
  if (To && Bytes && !IsBeat)
    (*To)(From, Bytes);
  MutexLock Guard(Lock);
  IsHandling = false;
  Changed.notify_all();
  return Bytes != nullptr;
}

/// Returns true if a bell is rung for all that this thread waits for.
bool MpiTransport::onlyBellsMatter() const {
  return AllHaveBells && InFlight.empty() && !Incoming;
}

/// Returns how long to sleep at most when nothing has happened for some time.
MpiTransport::Clock::duration MpiTransport::pause(Clock::duration Idle) const {
  if (onlyBellsMatter())
    return 1ms;
  return Idle < 200us   ? 5us
         : Idle < 5ms   ? 20us
         : Idle < 100ms ? 60us
         : Idle < 2s    ? 250us
                        : 1000us;
}

/// Sleeps until the next look, or a ring since Rings were counted; not at all
/// while it may spin.
void MpiTransport::rest(uint32_t Rings, Clock::duration Idle) {
  constexpr unsigned Looks = 1000;
  if (Idle < spinTime()) {
    for (unsigned I = 0;
         onlyBellsMatter() && I != Looks && Ears->count() == Rings; ++I)
      relaxProcessor();
    return;
  }
  // A message that is coming in moves on only while somebody looks.
  if (Incoming && Idle < 1ms)
    std::this_thread::yield();
  else
    Ears->sleep(Rings, pause(Idle));
}

/// Tells others that this rank is there, and looks for those that are not.
void MpiTransport::beat(Clock::time_point Now) {
  // After a pause of this process nothing that was sent meanwhile is missing.
  if (Now - LastLook > 2s)
    std::fill(Heard.begin(), Heard.end(), Now);
  LastLook = Now;
  if (Now - LastBeat < BeatEvery)
    return;
  LastBeat = Now;
  const int First = Rank == 0 ? 1 : 0, End = Rank == 0 ? NumRanks.load() : 1;
  for (int Other = First; Other < End; ++Other) {
    send(Other, {});
    if (Watching && Now - Heard[static_cast<size_t>(Other)] > LongestSilence)
      abort(fmt::format("rank {} does not answer any more (said by rank {}); "
                        "all ranks are ended",
                        Other, Rank.load()));
  }
}

void MpiTransport::work() {
  (void)prctl(PR_SET_TIMERSLACK, 1000UL);
  int32_t Number = 0, Count = 0;
  const bool Failed = Calls.Init(&Number, &Count) != 0;
  Rank = Number;
  NumRanks = Count;
  if (!Failed)
    findBells();
  {
    MutexLock Guard(Lock);
    IsReady = !Failed;
    HasFailed = Failed;
    Changed.notify_all();
  }
  if (Failed)
    return;
  Clock::time_point LastActive = Clock::now();
  LastBeat = LastLook = LastActive;
  Heard.assign(static_cast<size_t>(Count), LastActive);
  {
    MutexLock Guard(Lock);
    Ears = Own;
  }
  while (true) {
    const uint32_t Rings = Ears->count();
    bool Active = sendWaiting();
    Active |= noteSent();
    Active |= receive();
    const Clock::time_point Now = Clock::now();
    if (Active) {
      LastActive = Now;
      beat(Now);
      continue;
    }
    {
      MutexLock Guard(Lock);
      // Whoever sends to this rank has done so when it has said goodbye.
      if (Finishing && Queue.empty() && InFlight.empty() &&
          Goodbyes + 1 >= NumRanks)
        break;
    }
    beat(Now);
    rest(Rings, Now - LastActive);
  }
  {
    MutexLock Guard(Lock);
    Own = &Private;
  }
  // MPI takes the memory of the bell back.
  while (Ringers != 0)
    std::this_thread::yield();
  const bool Ended = Calls.Finalize() == 0;
  MutexLock Guard(Lock);
  Finished = Ended;
  HasFailed = !Ended;
  Changed.notify_all();
}

} // namespace gridspan::ranks
