//===- FullLaunch.cpp - A launch that is worth advice --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grid covers one number of elements along each axis that the kernel has
// blocks along. Parameters that thread indices are compared with as a bound, as
// in `i < n`, follow from it: they are what the indices reach. So do grids from
// such parameters where those are given. All other integers keep a typical
// value, as they may be anything.
//
// A size that is also a pitch or a trip count makes arrays or loops that nobody
// has. Bounds of how large offsets and trip counts get are sums and products of
// how large their operands get; the sizes are halved until these are sensible.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/FullLaunch.h"
#include "gridspan/Analysis/WarpRequest.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;

namespace gridspan {

/// Times that the GPU is filled.
static constexpr double Rounds = 4;

/// Sizes are not halved beyond this.
static constexpr double LeastSize = 1024;

static constexpr double MostBytes = double(uint64_t(1) << 34);
static constexpr double MostTrips = 65536;
static constexpr uint32_t MostBlocksYZ = 65535;

namespace {

using ParamKey = std::pair<unsigned, unsigned>;

/// Index is kept below something that grows with a parameter, or with the
/// product of as many as Factors.
struct Extent {
  ExprId Index;
  ParamKey Param;
  unsigned Factors;
};

class LaunchFinder {
public:
  LaunchFinder(const KernelSites &Kernel, const LaunchAssumptions &Known)
      : Kernel(Kernel), Pool(Kernel.Exprs), Known(Known) {}

  FullLaunch run(const MachineModel &Machine);

private:
  /// Upper bounds of the absolute values; of a loop's counter its start only,
  /// or all of it.
  std::vector<double> magnitudes(bool WithLoops) const;
  double magnitude(const ExprNode &Node, ArrayRef<double> Of,
                   bool WithLoops) const;
  void findDependences();
  void addBounds(ExprId Condition, bool IsNegated);
  void addLoopBounds(ExprId Taken);
  void addBound(ExprId Index, ExprId Limit);
  void addParams(ExprId Index, ExprId Limit, unsigned Factors);
  void findExtents();
  void setSizes(double Size);
  bool isSensible() const;
  bool isKnown(const ParamKey &Param) const {
    return !Out.AssumedParams.count(Param);
  }

  enum : uint8_t { OnThread = 1, OnBlock = 8, OnLoop = 64, OnParam = 128 };

  const KernelSites &Kernel;
  const ExprPool &Pool;
  const LaunchAssumptions &Known;
  FullLaunch Out;
  /// By node: OnThread and OnBlock shifted by the axis, OnLoop, OnParam.
  std::vector<uint8_t> Depends;
  std::vector<Extent> Extents;
  std::set<std::pair<ExprId, bool>> Visited; ///< conditions, and if negated
  std::set<ExprId> VisitedCounts;
  std::array<bool, 3> HasBlocks = {};
};

} // namespace

void LaunchFinder::findDependences() {
  for (const ExprNode &Node : Pool.nodes()) {
    uint8_t D = 0;
    if (Node.Kind == ExprKind::ThreadIdx)
      D = uint8_t(OnThread << Node.A);
    else if (Node.Kind == ExprKind::BlockIdx)
      D = uint8_t(OnBlock << Node.A);
    else if (Node.Kind == ExprKind::Param)
      D = OnParam;
    else if (Node.Kind == ExprKind::Iter)
      D = OnLoop | Depends[Node.Ops[0]];
    else
      for (unsigned I = 0; I != exprNumOperands(Node.Kind); ++I)
        if (Node.Ops[I] != NoExpr)
          D |= Depends[Node.Ops[I]];
    Depends.push_back(D);
  }
}

double LaunchFinder::magnitude(const ExprNode &Node, ArrayRef<double> Of,
                               bool WithLoops) const {
  auto op = [&](unsigned I) {
    return Node.Ops[I] == NoExpr ? LeastSize : Of[Node.Ops[I]];
  };
  auto shift = [&] {
    return std::exp2(double(Pool.constantValue(Node.Ops[1]).value_or(0) & 63));
  };
  switch (Node.Kind) {
  case ExprKind::Const:
    return std::abs(double(Node.A));
  case ExprKind::Param: {
    auto It = Out.Launch.Params.find({unsigned(Node.A), unsigned(Node.B)});
    return It == Out.Launch.Params.end() ? 0 : std::abs(double(It->second));
  }
  case ExprKind::ThreadIdx:
    return Out.Launch.Block[Node.A] - 1.0;
  case ExprKind::BlockIdx:
    return Out.Launch.Grid[Node.A] - 1.0;
  case ExprKind::BlockDim:
    return Out.Launch.Block[Node.A];
  case ExprKind::GridDim:
  case ExprKind::TileCount:
    return Out.Launch.Grid[Node.A];
  case ExprKind::Bounded:
    return std::max(std::abs(double(Node.A)), std::abs(double(Node.B)));
  case ExprKind::TileOrigin:
  case ExprKind::Unknown:
  case ExprKind::Load:
    return 0;
  case ExprKind::Add:
  case ExprKind::Sub:
  case ExprKind::Or:
  case ExprKind::Xor:
    return op(0) + op(1);
  case ExprKind::Mul:
    return op(0) * op(1);
  case ExprKind::UDiv:
  case ExprKind::SDiv:
    return op(0) / std::max(1.0, op(1));
  case ExprKind::URem:
  case ExprKind::SRem:
    return std::min(op(0), std::max(0.0, op(1) - 1));
  case ExprKind::And: {
    std::optional<int64_t> Mask = Pool.constantValue(Node.Ops[1]);
    return Mask && *Mask < 0 ? op(0) : std::min(op(0), op(1));
  }
  case ExprKind::Shl:
    return op(0) * shift();
  case ExprKind::LShr:
  case ExprKind::AShr:
    return op(0) / shift();
  case ExprKind::UMin:
  case ExprKind::SMin:
    return std::min(op(0), op(1));
  case ExprKind::UMax:
  case ExprKind::SMax:
  case ExprKind::Merge:
    return std::max(op(0), op(1));
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc:
  case ExprKind::Assume:
    return op(0);
  case ExprKind::ICmp:
    return 1;
  case ExprKind::Select:
    return std::max(op(1), op(2));
  case ExprKind::Iter:
    return WithLoops ? op(0) + op(1) * op(2) : op(0);
  }
  llvm_unreachable("kind of expression without a magnitude");
}

std::vector<double> LaunchFinder::magnitudes(bool WithLoops) const {
  std::vector<double> Of;
  for (const ExprNode &Node : Pool.nodes())
    Of.push_back(magnitude(Node, Of, WithLoops));
  return Of;
}

//===----------------------------------------------------------------------===//
// What indices are compared with
//===----------------------------------------------------------------------===//

/// Parameters with which Limit grows.
void LaunchFinder::addParams(ExprId Index, ExprId Limit, unsigned Factors) {
  const ExprNode &Node = Pool[Limit];
  switch (Node.Kind) {
  case ExprKind::Param:
    Extents.push_back({Index, {unsigned(Node.A), unsigned(Node.B)}, Factors});
    return;
  case ExprKind::Mul:
    if (!Pool.constantValue(Node.Ops[0]) && !Pool.constantValue(Node.Ops[1]))
      Factors *= 2;
    [[fallthrough]];
  case ExprKind::Add:
  case ExprKind::UMin:
  case ExprKind::SMin:
  case ExprKind::UMax:
  case ExprKind::SMax:
    addParams(Index, Node.Ops[0], Factors);
    addParams(Index, Node.Ops[1], Factors);
    return;
  case ExprKind::Sub:
  case ExprKind::UDiv:
  case ExprKind::SDiv:
  case ExprKind::Shl:
  case ExprKind::LShr:
  case ExprKind::AShr:
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc:
    addParams(Index, Node.Ops[0], Factors);
    return;
  default:
    return;
  }
}

void LaunchFinder::addBound(ExprId Index, ExprId Limit) {
  constexpr uint8_t AnyIndex = (OnThread | OnBlock) * 7;
  if ((Depends[Index] & AnyIndex) && !(Depends[Limit] & AnyIndex) &&
      (Depends[Limit] & OnParam))
    addParams(Index, Limit, 1);
}

void LaunchFinder::addBounds(ExprId Condition, bool IsNegated) {
  if (!Visited.insert({Condition, IsNegated}).second)
    return;
  const ExprNode &Node = Pool[Condition];
  if (Node.Kind == ExprKind::And || Node.Kind == ExprKind::Or ||
      Node.Kind == ExprKind::Xor) {
    bool Flips = Node.Kind == ExprKind::Xor &&
                 Pool.constantValue(Node.Ops[1]).value_or(0) != 0;
    addBounds(Node.Ops[0], IsNegated != Flips);
    addBounds(Node.Ops[1], IsNegated != Flips);
    return;
  }
  if (Node.Kind == ExprKind::Select) {
    for (ExprId Op : Node.Ops)
      addBounds(Op, IsNegated);
    return;
  }
  if (Node.Kind != ExprKind::ICmp)
    return;
  auto Predicate = static_cast<CmpInst::Predicate>(Node.A);
  if (IsNegated)
    Predicate = CmpInst::getInversePredicate(Predicate);
  if (ICmpInst::isLT(Predicate) || ICmpInst::isLE(Predicate))
    addBound(Node.Ops[0], Node.Ops[1]);
  else if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate))
    addBound(Node.Ops[1], Node.Ops[0]);
}

/// Counts of loops that start at a thread's index have the larger of it and the
/// end in them.
void LaunchFinder::addLoopBounds(ExprId Taken) {
  if (!VisitedCounts.insert(Taken).second)
    return;
  const ExprNode &Node = Pool[Taken];
  if (Node.Kind == ExprKind::SMax || Node.Kind == ExprKind::UMax) {
    addBound(Node.Ops[0], Node.Ops[1]);
    addBound(Node.Ops[1], Node.Ops[0]);
  }
  for (unsigned I = 0; I != exprNumOperands(Node.Kind); ++I)
    if (Node.Ops[I] != NoExpr)
      addLoopBounds(Node.Ops[I]);
}

void LaunchFinder::findExtents() {
  for (const MemorySite &Site : Kernel.Sites) {
    for (ExprId Guard : Site.Guards)
      addBounds(Guard, false);
    for (const SiteLoop &L : Site.Loops)
      if (L.BackedgeTaken != NoExpr)
        addLoopBounds(L.BackedgeTaken);
  }
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

void LaunchFinder::setSizes(double Size) {
  LaunchValues &L = Out.Launch;
  if (Out.IsGridAssumed) {
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      if (HasBlocks[Axis])
        L.Grid[Axis] = uint32_t(std::ceil(Size / L.Block[Axis]));
    // As many blocks as a given size needs.
    std::vector<double> Reached = magnitudes(/*WithLoops=*/false);
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      for (const Extent &E : Extents)
        if (isKnown(E.Param) && HasBlocks[Axis] && E.Factors == 1 &&
            Depends[E.Index] / OnBlock % 8 == 1u << Axis &&
            !(Depends[E.Index] & OnLoop)) {
          double Blocks =
              std::ceil(L.Grid[Axis] * std::abs(double(L.Params[E.Param])) /
                        (Reached[E.Index] + 1));
          L.Grid[Axis] = uint32_t(std::clamp(Blocks, 1.0, double(INT32_MAX)));
          break;
        }
    for (unsigned Axis : {1u, 2u})
      L.Grid[Axis] = std::min(L.Grid[Axis], MostBlocksYZ);
  }
  std::vector<double> Reached = magnitudes(/*WithLoops=*/false);
  std::map<ParamKey, double> Sizes;
  for (const Extent &E : Extents) {
    double &Most = Sizes[E.Param];
    Most = std::max(Most,
                    std::ceil(std::pow(Reached[E.Index] + 1, 1.0 / E.Factors)));
  }
  for (auto [Param, Value] : Sizes)
    if (!isKnown(Param))
      L.Params[Param] = int64_t(Value);
}

bool LaunchFinder::isSensible() const {
  std::vector<double> Of = magnitudes(/*WithLoops=*/true);
  for (const MemorySite &Site : Kernel.Sites) {
    if (Of[Site.Offset] > MostBytes)
      return false;
    for (const SiteLoop &L : Site.Loops)
      if (L.BackedgeTaken != NoExpr && Of[L.BackedgeTaken] > MostTrips)
        return false;
  }
  // An index of 32 bits that wraps is not meant.
  for (size_t I = 0; I != Of.size(); ++I)
    if (Pool.nodes()[I].Width == 32 && Of[I] > double(UINT32_MAX))
      return false;
  return true;
}

FullLaunch LaunchFinder::run(const MachineModel &Machine) {
  Out.Launch = assumedLaunch(Kernel, Known);
  Out.IsBlockAssumed = !Known.Block.find(Kernel.Name);
  Out.IsGridAssumed = !Known.Grid.find(Kernel.Name);
  Out.IsDynamicSharedAssumed =
      Kernel.UsesDynamicShared && !Known.DynamicShared.find(Kernel.Name);
  std::array<bool, 3> HasThreads = {};
  for (const ExprNode &Node : Pool.nodes()) {
    if (Node.Kind == ExprKind::ThreadIdx)
      HasThreads[Node.A] = true;
    if (Node.Kind == ExprKind::BlockIdx)
      HasBlocks[Node.A] = true;
  }
  for (const auto &[Param, Value] : Out.Launch.Params)
    if (!Known.param(Kernel.Name, Param))
      Out.AssumedParams.insert(Param);
  LaunchValues &L = Out.Launch;
  if (Out.IsBlockAssumed)
    L.Block = typicalBlock(HasThreads, Kernel.MaxThreads);
  if (Out.IsGridAssumed)
    L.Grid = {1, 1, 1};
  findDependences();
  findExtents();

  double Elements = Rounds * Machine.Multiprocessors * Machine.MaxWarps *
                    WarpSize / (double(L.Block[0]) * L.Block[1] * L.Block[2]);
  int Axes = 0;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (HasBlocks[Axis]) {
      Elements *= L.Block[Axis];
      ++Axes;
    }
  double Size = std::exp2(std::round(std::log2(Elements) / std::max(1, Axes)));
  for (setSizes(Size); Size > LeastSize && !isSensible(); setSizes(Size))
    Size /= 2;
  return std::move(Out);
}

FullLaunch fullLaunch(const KernelSites &Kernel, const LaunchAssumptions &Known,
                      const MachineModel &Machine) {
  return LaunchFinder(Kernel, Known).run(Machine);
}

static std::string shapeText(const std::array<uint32_t, 3> &Shape) {
  std::string Text = std::to_string(Shape[0]);
  if (Shape[1] > 1 || Shape[2] > 1)
    Text += formatv("x{0}", Shape[1]);
  if (Shape[2] > 1)
    Text += formatv("x{0}", Shape[2]);
  return Text;
}

std::string FullLaunch::text() const {
  if (!IsBlockAssumed && !IsGridAssumed)
    return "";
  return formatv("an assumed launch of {0} blocks of {1} threads",
                 shapeText(Launch.Grid), shapeText(Launch.Block));
}

} // namespace gridspan
