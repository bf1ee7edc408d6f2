//===- WarpEvalStandIns.cpp - Stand-ins in all lanes of a warp ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The carried values of a loop are a vector that steps from one iteration to
// the next: all next values are computed with the present ones, then all of
// them change together. To have them in iteration K, the evaluator turns the
// loop back to its first iteration and steps K times, or goes on from where the
// vector stands if nothing else has changed. That is exact, as each step is the
// program's own. It costs a step for each iteration, so there is a limit. Past
// it they are unknown, and so are those of loops that need each other's; but
// where lanes share one, it is open.
//
// Only those step that were asked for. What is asked for later catches up with
// the others, which does not count. A state that another evaluator of the same
// launch has been in is taken over from it; such steps count as if they had
// been taken, so that what is known does not depend on what others did.
//
// While it steps, other nodes of the loop get the values of other iterations.
// So carried values are brought to where they are asked for before anything is
// computed that uses them, those of outer loops first.
//
// Open values are tried: round numbers first, as sizes and the starts of rows
// are; then one; then two odd lots. A statement that holds in all tries is
// taken to hold, and is never called exact.
//
//===----------------------------------------------------------------------===//

#include "analysis/expr/WarpEval.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace llvm;

namespace gridspan {

/// Steps of one evaluator, beyond which carried values are unknown.
static constexpr uint64_t MaxSteps = 1u << 18;

/// Values of lanes that evaluators keep for each other: 64 MB.
static constexpr size_t MaxKeptValues = (64u << 20) / sizeof(LaneValues);

/// Conditions that they keep, of 100 bytes or so each.
static constexpr size_t MaxKeptConditions = 1u << 18;

const LaunchMemo::Values *LaunchMemo::carriedAt(const Position &P,
                                                ArrayRef<ExprId> Of) const {
  const auto It = Carried.find(P);
  if (It == Carried.end())
    return nullptr;
  const bool HasAll = all_of(Of, [&](ExprId Id) {
    return is_contained(make_first_range(It->second), Id);
  });
  return HasAll ? &It->second : nullptr;
}

const LaunchMemo::ConditionLanes *
LaunchMemo::conditionAt(const Position &P) const {
  const auto It = Conditions.find(P);
  return It == Conditions.end() ? nullptr : &It->second;
}

void LaunchMemo::keep(const Position &P, Values V) {
  if (NumValues + V.size() > MaxKeptValues)
    return;
  Values &Here = Carried[P];
  NumValues += V.size() - Here.size();
  Here = std::move(V);
}

void LaunchMemo::keep(const Position &P, const ConditionLanes &Lanes) {
  if (Conditions.size() < MaxKeptConditions)
    Conditions.try_emplace(P, Lanes);
}

/// Adds what From depends on to Into; true if that was news.
bool WarpEval::mergeDependences(ExprId Into, ExprId From) {
  Node &To = Nodes[Into];
  const Node &Of = Nodes[From];
  bool IsNews = (Of.Depends & ~To.Depends) || (Of.Carried & ~To.Carried) ||
                (To.IsUniform && !Of.IsUniform);
  To.Depends |= Of.Depends;
  To.Carried |= Of.Carried;
  To.IsUniform &= Of.IsUniform;
  return IsNews;
}

void WarpEval::findDependences() {
  for (ExprId Id = 0, E = Graph.size(); Id != E; ++Id) {
    const ExprNode &N = Graph[Id];
    Node &Out = Nodes[Id];
    const StandIn *S = Graph.standInOf(Id);
    if (N.Kind == ExprKind::ThreadIdx) {
      Out.Depends |= uint64_t(1) << OnWarp;
      Out.IsUniform = false;
    } else if (N.Kind == ExprKind::BlockIdx) {
      Out.Depends |= uint64_t(1) << OnBlock;
    } else if (N.Kind == ExprKind::Iter) {
      Out.Depends |= uint64_t(1) << bitOf(N.B);
    } else if (S &&
               (S->Kind == StandIn::OfLane || S->Kind == StandIn::LaneNumber)) {
      Out.IsUniform = false;
    } else if (S && S->Kind == StandIn::Carried) {
      unsigned Bit = bitOf(S->Loop);
      Out.Depends |= uint64_t(1) << Bit;
      Out.Carried |= uint64_t(1) << Bit;
      CarriedLoops[Bit].Values.push_back(Id);
    }
  }
  // A carried value depends on what its users are: until nothing changes.
  bool IsOpen = true;
  while (IsOpen) {
    IsOpen = false;
    for (ExprId Id = 0, E = Graph.size(); Id != E; ++Id) {
      for (ExprId Op : Graph[Id].Ops)
        if (Op != NoExpr)
          mergeDependences(Id, Op);
      const StandIn *S = Graph.standInOf(Id);
      if (S && S->Kind == StandIn::SharedIfSame)
        mergeDependences(Id, S->Start);
    }
    for (auto &[Bit, Loop] : CarriedLoops)
      for (ExprId Id : Loop.Values)
        for (ExprId From :
             {Graph.standInOf(Id)->Start, Graph.standInOf(Id)->Next})
          IsOpen |= mergeDependences(Id, From);
  }
  for (auto &[Bit, Loop] : CarriedLoops) {
    for (ExprId Id : Loop.Values) {
      Loop.Depends |= Nodes[Id].Depends;
      Loop.Needs |= Nodes[Id].Carried;
    }
    Loop.Depends &= ~(uint64_t(1) << Bit);
    Loop.Needs &= ~(uint64_t(1) << Bit);
  }
  // Loops that need each other: one is asked for the last value of the other,
  // which is not followed.
  for (auto &[Bit, Loop] : CarriedLoops)
    for (auto &[Other, Of] : CarriedLoops)
      Loop.IsFollowed &= !(Loop.Needs >> Other & 1 && Of.Needs >> Bit & 1);
}

void WarpEval::setTry(std::optional<unsigned> Number) {
  Try = Number;
  for (Node &N : Nodes)
    N.Computed = 0;
  for (auto &[Bit, Loop] : CarriedLoops)
    Loop.Computed = 0;
}

/// A number without a pattern.
static uint64_t scrambled(uint64_t X) {
  X = (X + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  return X ^ X >> 29;
}

ConcreteValue WarpEval::openValue(const ExprNode &N, unsigned Lane) const {
  const StandIn &Open = Graph.standIns()[N.B - 1];
  const StandIn::StandInKind Kind = Open.Kind;
  if (Kind == StandIn::LaneNumber)
    return {ConcreteValue::Known, Lane};
  if (!Try || Kind == StandIn::Failed ||
      (Kind == StandIn::Carried && !Open.IsShared))
    return {};
  uint64_t Lot = scrambled(uint64_t(N.B) * NumTries + *Try);
  uint64_t Value;
  if (Kind == StandIn::OfLane)
    Value = *Try < 2 ? *Try : scrambled(Lot + Lane) >> 7;
  else if (*Try < 2)
    Value = *Try ? 1 : 4096;
  else
    Value = 1001 + Lot % 60000;
  return {ConcreteValue::Known, SignExtend64(Value, N.Width)};
}

/// Lanes that have an open value from one place have the same one. Those that
/// do not get there do not count.
void WarpEval::fillWhereSame(ExprId Id, ExprId Place) {
  const LaneValues &From = Lanes[Place];
  std::optional<int64_t> Common;
  bool IsSame = true;
  for (unsigned Lane = 0; Lane != (Nodes[Place].IsUniform ? 1 : WarpSize);
       ++Lane) {
    const ConcreteValue V = From.at(Lane);
    if (!(LaneMask >> Lane & 1) || V.State == ConcreteValue::Inactive)
      continue;
    IsSame &= V.isKnown() && (!Common || *Common == V.Value);
    Common = V.Value;
  }
  Lanes[Id].fill(IsSame ? openValue(Graph[Id], 0) : ConcreteValue());
}

void WarpEval::prepare(ExprId Id) {
  askFor(Id);
  // Twice: a loop that has stepped makes those stale that depend on it.
  for ([[maybe_unused]] int Pass : {0, 1})
    for (uint64_t Bits = Nodes[Id].Carried; Bits; Bits &= Bits - 1)
      advance(countr_zero(Bits));
}

/// Has the carried values step that the node needs.
void WarpEval::askFor(ExprId Id) {
  if (Nodes[Id].IsAskedFor)
    return;
  SmallVector<ExprId, 32> Work = {Id};
  while (!Work.empty()) {
    Id = Work.pop_back_val();
    if (Id == NoExpr || std::exchange(Nodes[Id].IsAskedFor, true))
      continue;
    Work.append(Graph[Id].Ops.begin(), Graph[Id].Ops.end());
    const StandIn *S = Graph.standInOf(Id);
    if (!S || (S->Kind != StandIn::Carried && S->Kind != StandIn::SharedIfSame))
      continue;
    Work.append({S->Start, S->Next});
    if (S->Kind != StandIn::Carried)
      continue;
    CarriedLoop &Loop = CarriedLoops.at(bitOf(S->Loop));
    Loop.AskedFor.push_back(Id);
    Loop.HasGrown = true;
  }
}

/// Has the loop stand in iteration K, with its carried values as they are.
void WarpEval::turnTo(unsigned Bit, CarriedLoop &Loop, uint64_t K) {
  Iteration[Bit] = K;
  Changed[Bit] = ++Clock;
  for (ExprId Id : Loop.AskedFor)
    Nodes[Id].Computed = Clock;
}

/// Computes the carried values of the first iteration, or those of the one
/// after the present one.
void WarpEval::step(unsigned Bit, CarriedLoop &Loop, bool IsFirst) {
  const uint64_t Before = NumComputed;
  turnTo(Bit, Loop, IsFirst ? 0 : Loop.K);
  std::vector<LaneValues> Next;
  Next.reserve(Loop.AskedFor.size());
  for (ExprId Id : Loop.AskedFor) {
    const StandIn *S = Graph.standInOf(Id);
    ExprId From = IsFirst ? S->Start : S->Next;
    require(From);
    Next.push_back(Lanes[From]);
  }
  for (auto [Id, Values] : zip_equal(Loop.AskedFor, Next))
    Lanes[Id] = Values;
  Loop.K = IsFirst ? 0 : Loop.K + 1;
  Loop.StepNodes = std::max(Loop.StepNodes, NumComputed - Before);
  ++Steps;
}

/// Brings values that are asked for since to where the others stand.
void WarpEval::catchUp(unsigned Bit, CarriedLoop &Loop) {
  if (!std::exchange(Loop.HasGrown, false) ||
      !isCurrent(Loop.Depends, Loop.Computed))
    return;
  const uint64_t At = Iteration[Bit], Before = Steps;
  if (Loop.IsKnown)
    stepTo(Bit, Loop, Loop.K, /*GoesOn=*/false);
  else
    for (ExprId Id : Loop.AskedFor)
      Lanes[Id].fill(openValue(Graph[Id], 0));
  Steps = Before;
  turnTo(Bit, Loop, At);
  Loop.Computed = Clock;
}

/// Returns where What stands, which depends on the bits of Depends and needs
/// the carried values of the loops Needs; or nothing if these are past the
/// limit.
std::optional<LaunchMemo::Position>
WarpEval::positionOf(uint64_t What, uint64_t Depends, uint64_t Needs) const {
  for (uint64_t Bits = Needs; Bits; Bits &= Bits - 1)
    if (!CarriedLoops.at(countr_zero(Bits)).IsKnown)
      return std::nullopt;
  LaunchMemo::Position Out = {What, Try ? *Try : NumTries};
  Out.reserve(10);
  if (Depends >> OnBlock & 1)
    Out.insert(Out.end(), Block.begin(), Block.end());
  if (Depends >> OnWarp & 1)
    Out.push_back(Warp);
  for (uint64_t Bits = Depends >> FirstLoop << FirstLoop; Bits;
       Bits &= Bits - 1) {
    const unsigned Loop = countr_zero(Bits);
    Out.push_back(HasIteration[Loop] ? Iteration[Loop] : ~uint64_t(0));
  }
  return Out;
}

/// Has the carried values be those of iteration K, from where they are or from
/// the first one.
void WarpEval::stepTo(unsigned Bit, CarriedLoop &Loop, uint64_t K,
                      bool GoesOn) {
  const uint64_t NumSteps = GoesOn ? K - Loop.K : K + 1;
  std::optional<LaunchMemo::Position> P;
  if (Memo && NumSteps * std::max<uint64_t>(Loop.StepNodes, 1) >= LeastWork)
    P = positionOf(Bit, Loop.Depends, Loop.Needs);
  if (P) {
    P->push_back(K);
    if (const auto *Known = Memo->carriedAt(*P, Loop.AskedFor)) {
      for (const auto &[Id, Values] : *Known)
        Lanes[Id] = Values;
      Steps += NumSteps;
      Loop.K = K;
      return;
    }
  }
  if (!GoesOn)
    step(Bit, Loop, /*IsFirst=*/true);
  while (Loop.K != K)
    step(Bit, Loop, /*IsFirst=*/false);
  if (!P)
    return;
  LaunchMemo::Values Now;
  for (ExprId Id : Loop.AskedFor)
    Now.emplace_back(Id, Lanes[Id]);
  Memo->keep(*P, std::move(Now));
}

void WarpEval::advance(unsigned Bit) {
  CarriedLoop &Loop = CarriedLoops.at(Bit);
  for (uint64_t Bits = Loop.IsFollowed ? Loop.Needs : 0; Bits; Bits &= Bits - 1)
    advance(countr_zero(Bits));
  catchUp(Bit, Loop);
  const uint64_t K = Iteration[Bit];
  bool IsKnown = Loop.IsFollowed && HasIteration[Bit] &&
                 K < MaxSteps - std::min(Steps, MaxSteps);
  uint64_t On = Loop.Depends | uint64_t(1) << Bit;
  if (Loop.K == K && IsKnown == Loop.IsKnown && isCurrent(On, Loop.Computed))
    return;
  bool GoesOn =
      Loop.IsKnown && Loop.K <= K && isCurrent(Loop.Depends, Loop.Computed);
  if (IsKnown)
    stepTo(Bit, Loop, K, GoesOn);
  else
    for (ExprId Id : Loop.AskedFor)
      Lanes[Id].fill(openValue(Graph[Id], 0));
  turnTo(Bit, Loop, K);
  Loop.K = K;
  Loop.IsKnown = IsKnown;
  Loop.Computed = Clock;
}

} // namespace gridspan
