//===- RepresentativeLaunch.cpp - A launch that is worth advice -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grid covers one number of elements along each axis that the kernel has
// blocks along. Parameters that thread indices are compared with as a bound, as
// in `i < n`, follow from it: they are what the indices reach, less what a
// border of some elements adds, since a pitch that is no round number would
// have its rows begin anywhere. So do grids from such parameters where those
// are given. All other integers keep a typical value, as they may be anything.
//
// A loop that strides over the grid goes round some times: that is what such
// loops are for. Its grid fills the GPU once.
//
// A size that is also a pitch or a trip count makes arrays or loops that nobody
// has. Bounds of how large offsets and trip counts get are sums and products of
// how large their operands get; the sizes are halved until these are sensible.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/RepresentativeLaunch.h"
#include "analysis/advice/sites/IndexExtents.h"
#include "analysis/machine/WarpRequest.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;

namespace gridspan {

/// A constant in an index that is no more than this may be for a border.
static constexpr int64_t MostBorder = 8;

static constexpr double MostBytes = double(uint64_t(1) << 34);
static constexpr double MostTrips = 65536;
static constexpr uint32_t MostBlocksYZ = 65535;

namespace {

class LaunchFinder {
public:
  LaunchFinder(const KernelSites &Kernel, const LaunchAssumptions &Known)
      : Kernel(Kernel), Graph(Kernel.Exprs), Known(Known),
        Bounds(findIndexExtents(Kernel)) {}

  RepresentativeLaunch run(const MachineModel &Machine);

private:
  /// Upper bounds of the absolute values; of a loop's counter its start only,
  /// or all of it.
  std::vector<double> magnitudes(bool WithLoops) const;
  double magnitude(const ExprNode &Node, ArrayRef<double> Of,
                   bool WithLoops) const;
  void findRounds();
  void setSizes(double Size);
  double roundsOf(const Extent &E) const;
  int64_t addedIn(ExprId Index) const;
  double limitOf(const Extent &E, ArrayRef<double> Reached) const;
  bool isSensible() const;
  bool isKnown(const ParamKey &Param) const {
    return !Out.AssumedParams.count(Param);
  }

  const KernelSites &Kernel;
  const ExprGraph &Graph;
  const LaunchAssumptions &Known;
  RepresentativeLaunch Out;
  IndexExtents Bounds;
  std::array<bool, 3> HasBlocks = {};
  /// The rounds of a loop that strides over the grid, by axis.
  std::array<unsigned, 3> StrideRounds = {1, 1, 1};
};

} // namespace

double LaunchFinder::magnitude(const ExprNode &Node, ArrayRef<double> Of,
                               bool WithLoops) const {
  auto Op = [&](unsigned I) {
    return Node.Ops[I] == NoExpr ? double(LeastSize) : Of[Node.Ops[I]];
  };
  auto Shift = [&] {
    return std::exp2(double(Graph.constantValue(Node.Ops[1]).value_or(0) & 63));
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
    return Op(0) + Op(1);
  case ExprKind::Mul:
    return Op(0) * Op(1);
  case ExprKind::UDiv:
  case ExprKind::SDiv:
    return Op(0) / std::max(1.0, Op(1));
  case ExprKind::URem:
  case ExprKind::SRem:
    return std::min(Op(0), std::max(0.0, Op(1) - 1));
  case ExprKind::And: {
    std::optional<int64_t> Mask = Graph.constantValue(Node.Ops[1]);
    return Mask && *Mask < 0 ? Op(0) : std::min(Op(0), Op(1));
  }
  case ExprKind::Shl:
    return Op(0) * Shift();
  case ExprKind::LShr:
  case ExprKind::AShr:
    return Op(0) / Shift();
  case ExprKind::UMin:
  case ExprKind::SMin:
    return std::min(Op(0), Op(1));
  case ExprKind::UMax:
  case ExprKind::SMax:
  case ExprKind::Merge:
    return std::max(Op(0), Op(1));
  case ExprKind::ZExt:
  case ExprKind::SExt:
  case ExprKind::Trunc:
  case ExprKind::Assume:
    return Op(0);
  case ExprKind::ICmp:
    return 1;
  case ExprKind::Select:
    return std::max(Op(1), Op(2));
  case ExprKind::Iter:
    return WithLoops ? Op(0) + Op(1) * Op(2) : Op(0);
  }
  llvm_unreachable("kind of expression without a magnitude");
}

std::vector<double> LaunchFinder::magnitudes(bool WithLoops) const {
  std::vector<double> Of;
  for (const ExprNode &Node : Graph.nodes())
    Of.push_back(magnitude(Node, Of, WithLoops));
  return Of;
}

/// Sets the rounds: of axes whose blocks start loops that stride over the grid,
/// one has all rounds, or two of them as many together.
void LaunchFinder::findRounds() {
  SmallVector<unsigned, 3> Axes;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (any_of(Bounds.Extents, [&](const Extent &E) {
          return E.IsStride && (Bounds.Depends[E.Index] & OnBlock << Axis);
        }))
      Axes.push_back(Axis);
  for (unsigned I = 0; I != std::min<size_t>(Axes.size(), 2); ++I)
    StrideRounds[Axes[I]] = Axes.size() == 1 ? FilledRounds : 2;
}

/// Returns how often the loop goes round whose index it is.
double LaunchFinder::roundsOf(const Extent &E) const {
  double Product = 1;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    if (E.IsStride && (Bounds.Depends[E.Index] & OnBlock << Axis))
      Product *= StrideRounds[Axis];
  return Product;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Returns the sum of the constants that are added in an index.
int64_t LaunchFinder::addedIn(ExprId Index) const {
  const ExprNode &Node = Graph[Index];
  if (Node.Kind == ExprKind::SExt || Node.Kind == ExprKind::ZExt)
    return addedIn(Node.Ops[0]);
  if (Node.Kind == ExprKind::Add)
    return addedIn(Node.Ops[0]) + addedIn(Node.Ops[1]);
  return Graph.constantValue(Index).value_or(0);
}

/// Returns what an index reaches, and one more, without a border.
double LaunchFinder::limitOf(const Extent &E, ArrayRef<double> Reached) const {
  double Limit = Reached[E.Index] + 1;
  int64_t Added = addedIn(E.Index);
  if (Added > 0 && Added <= MostBorder)
    Limit -= std::min(double(Added), std::fmod(Limit, WarpSize));
  return Limit * roundsOf(E);
}

void LaunchFinder::setSizes(double Size) {
  LaunchValues &L = Out.Launch;
  if (Out.IsGridAssumed) {
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      if (HasBlocks[Axis])
        L.Grid[Axis] =
            uint32_t(std::ceil(Size / L.Block[Axis] / StrideRounds[Axis]));
    // As many blocks as a given size needs.
    std::vector<double> Reached = magnitudes(/*WithLoops=*/false);
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      for (const Extent &E : Bounds.Extents)
        if (isKnown(E.Param) && HasBlocks[Axis] && E.Factors == 1 &&
            Bounds.Depends[E.Index] / OnBlock % 8 == 1u << Axis &&
            !(Bounds.Depends[E.Index] & OnLoop)) {
          double Blocks = std::ceil(L.Grid[Axis] * E.Scale *
                                    std::abs(double(L.Params[E.Param])) /
                                    (Reached[E.Index] + 1));
          double Most = E.IsStride ? L.Grid[Axis] : double(INT32_MAX);
          L.Grid[Axis] = uint32_t(std::clamp(Blocks, 1.0, Most));
          break;
        }
    for (unsigned Axis : {1u, 2u})
      L.Grid[Axis] = std::min(L.Grid[Axis], MostBlocksYZ);
  }
  std::vector<double> Reached = magnitudes(/*WithLoops=*/false);
  std::map<ParamKey, double> Sizes;
  for (const Extent &E : Bounds.Extents) {
    bool IsOfBlock = !(Bounds.Depends[E.Index] & AnyBlock);
    if (IsOfBlock && Bounds.InBlocks.count(E.Param))
      continue;
    double &Most = Sizes[E.Param];
    Most = std::max(Most, std::ceil(std::pow(limitOf(E, Reached) / E.Scale,
                                             1.0 / E.Factors)));
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
    if (Graph.nodes()[I].Width == 32 && Of[I] > double(UINT32_MAX))
      return false;
  return true;
}

RepresentativeLaunch LaunchFinder::run(const MachineModel &Machine) {
  Out.Launch = assumedLaunch(Kernel, Known);
  Out.IsBlockAssumed = !Known.Block.find(Kernel.Name);
  Out.IsGridAssumed = !Known.Grid.find(Kernel.Name);
  Out.IsDynamicSharedAssumed =
      Kernel.UsesDynamicShared && !Known.DynamicShared.find(Kernel.Name);
  std::array<bool, 3> HasThreads = {};
  for (const ExprNode &Node : Graph.nodes()) {
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
  findRounds();

  double Elements = double(FilledRounds) * Machine.Multiprocessors *
                    Machine.MaxWarps * WarpSize /
                    (double(L.Block[0]) * L.Block[1] * L.Block[2]);
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

RepresentativeLaunch representativeLaunch(const KernelSites &Kernel,
                                          const LaunchAssumptions &Known,
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

std::string RepresentativeLaunch::text() const {
  if (!IsBlockAssumed && !IsGridAssumed)
    return "";
  return formatv("an assumed launch of {0} blocks of {1} threads",
                 shapeText(Launch.Grid), shapeText(Launch.Block));
}

} // namespace gridspan
