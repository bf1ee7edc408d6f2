//===- Layout.cpp - Which data layout serves a kernel best ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One trace of the launch is replayed with the array in each form. What comes
// from DRAM is the smaller of what L1 asks for and what the launch touches at
// least once, as the L2 cache keeps what blocks of one time share: the records
// in the range of the sites, times the sectors that a record's touched fields
// take in that form.
//
// The forms, and what they cost on GPUs: Strzodka, "Abstraction for AoS and SoA
// Layout in C++" (GPU Computing Gems, 2011); Mei and Tian, "Impact of data
// layouts on the efficiency of GPU-accelerated IDW interpolation" (2016); Sung
// et al., "DL: A data layout transformation system" (InPar 2012), for tiles.
//
//===----------------------------------------------------------------------===//

#include "gridspan/Analysis/Layout.h"
#include "gridspan/Analysis/WarpRequest.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace gridspan {

/// What a form must gain to be worth a change of the source.
static constexpr double MinGain = 1.05;

/// Forms within this share of the best are as good: the first one counts.
static constexpr double Tie = 1.01;

/// Between the arrays of a struct of arrays.
static constexpr uint64_t FieldDistance = uint64_t(1) << 38;

static constexpr unsigned Tiles[] = {32, 128, 8};

/// Instructions for the address of a further field of a record in a struct of
/// arrays, where an array of structs has a constant in the load; and for
/// quotient and remainder of an index by the tile (counted in the loops of
/// bench/layout).
static constexpr double SoaAddress = 3, TiledAddress = 5;

std::string layoutName(const LayoutForm &Form) {
  switch (Form.Kind) {
  case LayoutKind::Present:
    return "as it is";
  case LayoutKind::Aligned:
    return "aligned array of structs";
  case LayoutKind::Soa:
    return "struct of arrays";
  case LayoutKind::Tiled:
    return formatv("tiles of {0} records", Form.Tile);
  case LayoutKind::Split:
    return "split array of structs";
  }
  llvm_unreachable("layout without a name");
}

std::string layoutKey(const LayoutForm &Form) {
  switch (Form.Kind) {
  case LayoutKind::Present:
    return "aos";
  case LayoutKind::Aligned:
    return "aligned";
  case LayoutKind::Soa:
    return "soa";
  case LayoutKind::Tiled:
    return formatv("tiled{0}", Form.Tile);
  case LayoutKind::Split:
    return "split";
  }
  llvm_unreachable("layout without a key");
}

StringRef layoutReasonName(LayoutReason Reason) {
  static constexpr StringRef Names[] = {
#define GRIDSPAN_LAYOUT_REASON(Name, Text, Sentence) Text,
#include "gridspan/Analysis/LayoutReasons.def"
  };
  return Names[unsigned(Reason)];
}

StringRef layoutReasonText(LayoutReason Reason) {
  static constexpr StringRef Texts[] = {
#define GRIDSPAN_LAYOUT_REASON(Name, Text, Sentence) Sentence,
#include "gridspan/Analysis/LayoutReasons.def"
  };
  return Texts[unsigned(Reason)];
}

namespace {

/// Where a form has a field, and how large records are.
struct FormShape {
  int64_t RecordBytes = 0; ///< of the form, padding included
  unsigned Alignment = 1;
  SmallVector<int64_t, 8> FieldAt; ///< beside RecordArray::Fields
};

class LayoutEvaluation {
public:
  LayoutEvaluation(const KernelSites &Kernel, const LaunchTrace &Trace,
                   const MachineModel &Machine, ArrayRef<RecordArray> Arrays)
      : Kernel(Kernel), Trace(Trace), Machine(Machine), Arrays(Arrays),
        Forms(Arrays.size()), Present(presentPlacements(Kernel)) {}

  /// With array Index in Form and the others as they were set last.
  LaunchTime timeWith(size_t Index, const LayoutForm &Form);
  double conversionSeconds(size_t Index, const LayoutForm &Form) const;

private:
  void place(const RecordArray &Array, const LayoutForm &Form,
             std::vector<SitePlacement> &Out) const;
  /// Bytes that the launch touches of the records, by loads or stores.
  std::optional<double> touchedBytes(const RecordArray &Array,
                                     const LayoutForm &Form,
                                     bool IsStore) const;
  double numRecords(const RecordArray &Array,
                    std::optional<bool> IsStore) const;
  DramTraffic dramTraffic(const MemoryCounts &Counts,
                          ArrayRef<SitePlacement> Placements) const;
  /// Instructions that the forms add, by level of Kernel.Work.
  std::vector<double> extraIssue(ArrayRef<SitePlacement> Placements) const;

  const KernelSites &Kernel;
  const LaunchTrace &Trace;
  const MachineModel &Machine;
  ArrayRef<RecordArray> Arrays;
  std::vector<LayoutForm> Forms;
  std::vector<SitePlacement> Present;
};

} // namespace

static unsigned alignmentFor(int64_t Bytes) {
  return unsigned(
      std::min<uint64_t>(PowerOf2Ceil(uint64_t(Bytes)), MaxLaneBytes));
}

static FormShape shapeOf(const RecordArray &Array, const LayoutForm &Form) {
  FormShape Out;
  Out.RecordBytes = Array.RecordBytes;
  Out.Alignment = Array.Alignment;
  int64_t Packed = 0;
  for (const RecordField &Field : Array.Fields) {
    if (Form.Kind == LayoutKind::Split)
      Packed = int64_t(
          alignTo(uint64_t(Packed), MinAlign(Field.Bytes, MaxLaneBytes)));
    Out.FieldAt.push_back(Form.Kind == LayoutKind::Split ? Packed
                                                         : Field.Offset);
    Packed += Field.Bytes;
  }
  if (Form.Kind == LayoutKind::Split)
    Out.RecordBytes = Packed;
  if (Form.Kind == LayoutKind::Aligned || Form.Kind == LayoutKind::Split) {
    Out.Alignment = std::max(Out.Alignment, alignmentFor(Out.RecordBytes));
    Out.RecordBytes =
        int64_t(alignTo(uint64_t(Out.RecordBytes), Out.Alignment));
  }
  return Out;
}

void LayoutEvaluation::place(const RecordArray &Array, const LayoutForm &Form,
                             std::vector<SitePlacement> &Out) const {
  FormShape Shape = shapeOf(Array, Form);
  // Joining goes by where fields are in the form.
  RecordArray Moved = Array;
  bool IsRecord = Form.Kind == LayoutKind::Present ||
                  Form.Kind == LayoutKind::Aligned ||
                  Form.Kind == LayoutKind::Split;
  std::vector<JoinedAccess> Joined =
      joinAccesses(Kernel, Moved, IsRecord ? Shape.Alignment : 1);
  for (size_t I = 0; I != Array.Sites.size(); ++I) {
    uint32_t Site = Array.Sites[I];
    SitePlacement &P = Out[Site];
    P.RecordBytes = Array.RecordBytes;
    P.IsMerged = Joined[I].Leader != Site;
    if (P.IsMerged)
      continue;
    auto Field = find_if(Array.Fields, [&](const RecordField &F) {
      return F.Offset == Joined[I].Offset;
    });
    size_t Number = size_t(Field - Array.Fields.begin());
    P.FieldOffset = Shape.FieldAt[Number];
    P.Bytes = Joined[I].Bytes;
    P.TileBytes = Shape.RecordBytes;
    if (Form.Kind == LayoutKind::Soa) {
      P.Base += (Number + 1) * FieldDistance;
      P.FieldOffset = 0;
      P.TileBytes = Field->Bytes;
    } else if (Form.Kind == LayoutKind::Tiled) {
      P.Tile = Form.Tile;
      P.TileBytes = Form.Tile * Array.RecordBytes;
      P.Stride = Field->Bytes;
      P.FieldOffset *= Form.Tile;
    }
    // One instruction moves 16 bytes, and no more than the alignment.
    unsigned Piece = IsRecord
                         ? unsigned(MinAlign(MinAlign(P.Bytes, Shape.Alignment),
                                             MaxLaneBytes))
                         : unsigned(MinAlign(P.Bytes, MaxLaneBytes));
    Piece = std::max(Piece, std::min(P.Bytes, Kernel.Sites[Site].Piece));
    P.Pieces = P.Bytes / Piece;
    P.Bytes = Piece;
  }
}

double LayoutEvaluation::numRecords(const RecordArray &Array,
                                    std::optional<bool> IsStore) const {
  OffsetRange All;
  for (uint32_t Site : Array.Sites) {
    const OffsetRange &R = Trace.Ranges[Site];
    if (R.isEmpty() ||
        (IsStore && *IsStore != (Kernel.Sites[Site].Kind != SiteKind::Load)))
      continue;
    if (All.isEmpty())
      All = R;
    All.Lo = std::min(All.Lo, R.Lo);
    All.Hi = std::max(All.Hi, R.Hi);
  }
  return All.isEmpty() ? 0 : double((All.Hi - All.Lo) / Array.RecordBytes + 1);
}

std::optional<double> LayoutEvaluation::touchedBytes(const RecordArray &Array,
                                                     const LayoutForm &Form,
                                                     bool IsStore) const {
  for (uint32_t Site : Array.Sites)
    if (Trace.IsScattered[Site])
      return std::nullopt;
  FormShape Shape = shapeOf(Array, Form);
  // As many records as bring every offset to sectors.
  constexpr int64_t Records = 256;
  DenseSet<uint64_t> Sectors;
  for (size_t I = 0; I != Array.Fields.size(); ++I) {
    const RecordField &Field = Array.Fields[I];
    if (!(IsStore ? Field.IsStored : Field.IsLoaded))
      continue;
    for (int64_t R = 0; R != Records; ++R) {
      int64_t At = R * Shape.RecordBytes + Shape.FieldAt[I];
      if (Form.Kind == LayoutKind::Soa)
        At = int64_t((I + 1) * FieldDistance) + R * Field.Bytes;
      else if (Form.Kind == LayoutKind::Tiled)
        At = R / Form.Tile * Form.Tile * Array.RecordBytes +
             Shape.FieldAt[I] * Form.Tile + R % Form.Tile * Field.Bytes;
      for (int64_t Byte = At / SectorBytes;
           Byte <= (At + Field.Bytes - 1) / SectorBytes; ++Byte)
        Sectors.insert(uint64_t(Byte));
    }
  }
  return numRecords(Array, IsStore) * double(Sectors.size()) * SectorBytes /
         double(Records);
}

DramTraffic
LayoutEvaluation::dramTraffic(const MemoryCounts &Counts,
                              ArrayRef<SitePlacement> Placements) const {
  struct Touched {
    double Load = 0, Store = 0;
    bool IsKnown = true;
  };
  std::vector<Touched> ByArray(Counts.Arrays.size());
  std::vector<bool> IsRecord(Counts.Arrays.size());
  for (size_t A = 0; A != Arrays.size(); ++A) {
    Touched &T = ByArray[Placements[Arrays[A].Sites.front()].Array];
    IsRecord[Placements[Arrays[A].Sites.front()].Array] = true;
    std::optional<double> Load = touchedBytes(Arrays[A], Forms[A], false);
    std::optional<double> Store = touchedBytes(Arrays[A], Forms[A], true);
    T = {Load.value_or(0), Store.value_or(0), Load && Store};
  }
  // Other arrays: what lies between the lowest and the highest offset.
  std::vector<std::array<OffsetRange, 2>> Spans(Counts.Arrays.size());
  for (size_t I = 0; I != Kernel.Sites.size(); ++I) {
    unsigned A = Placements[I].Array;
    const OffsetRange &R = Trace.Ranges[I];
    if (IsRecord[A] || Kernel.Sites[I].Space != MemorySpace::Global)
      continue;
    if (R.isEmpty()) {
      ByArray[A].IsKnown = false;
      continue;
    }
    OffsetRange &Span = Spans[A][Kernel.Sites[I].Kind != SiteKind::Load];
    int64_t End = R.Hi + Kernel.Sites[I].Size;
    Span = Span.isEmpty()
               ? OffsetRange{R.Lo, End}
               : OffsetRange{std::min(Span.Lo, R.Lo), std::max(Span.Hi, End)};
  }
  DramTraffic Out;
  Out.Streams = 0;
  for (size_t A = 0; A != Arrays.size(); ++A)
    for (const RecordField &Field : Arrays[A].Fields)
      Out.Streams += Forms[A].Kind == LayoutKind::Soa
                         ? Field.IsLoaded + Field.IsStored
                         : 0;
  for (size_t A = 0; A != Counts.Arrays.size(); ++A) {
    Touched T = ByArray[A];
    if (!IsRecord[A]) {
      T.Load =
          Spans[A][0].isEmpty() ? 0 : double(Spans[A][0].Hi - Spans[A][0].Lo);
      T.Store =
          Spans[A][1].isEmpty() ? 0 : double(Spans[A][1].Hi - Spans[A][1].Lo);
    }
    double Load = Counts.Arrays[A].LoadBytes,
           Store = Counts.Arrays[A].StoreBytes;
    // What loaded indices reach is taken to be in L2, as the upper levels of a
    // tree are; where it is not, it costs all forms alike.
    Out.ReadBytes += T.IsKnown ? std::min(Load, T.Load) : 0;
    Out.WriteBytes += T.IsKnown ? std::min(Store, T.Store) : 0;
  }
  return Out;
}

LaunchTime LayoutEvaluation::timeWith(size_t Index, const LayoutForm &Form) {
  Forms[Index] = Form;
  std::vector<SitePlacement> Placements = Present;
  for (size_t A = 0; A != Arrays.size(); ++A)
    place(Arrays[A], Forms[A], Placements);
  MemoryCounts Counts = replay(Kernel, Trace, Machine, Placements);
  return launchTime(Kernel, Trace, Counts, dramTraffic(Counts, Placements),
                    Machine, extraIssue(Placements));
}

std::vector<double>
LayoutEvaluation::extraIssue(ArrayRef<SitePlacement> Placements) const {
  std::vector<double> Out(Kernel.Work.size());
  for (size_t A = 0; A != Arrays.size(); ++A)
    for (size_t L = 0; L != Kernel.Work.size(); ++L) {
      const auto &Loops = Kernel.Work[L].Loops;
      using Terms = SmallVector<std::pair<ExprId, int64_t>, 2>;
      SmallVector<std::pair<Terms, int64_t>, 8> Records;
      unsigned NumSites = 0, NumJoined = 0;
      for (uint32_t Index : Arrays[A].Sites) {
        const MemorySite &Site = Kernel.Sites[Index];
        if (Site.Loops.size() != Loops.size() ||
            (!Loops.empty() && Site.Loops.back().Number != Loops.back().Number))
          continue;
        ++NumSites;
        NumJoined += Placements[Index].IsMerged;
        RecordOffset Offset = recordOffset(Kernel.Exprs, Site.Offset);
        std::pair<Terms, int64_t> Record = {
            Offset.Terms,
            divideFloorSigned(Offset.Constant, Arrays[A].RecordBytes)};
        if (!is_contained(Records, Record))
          Records.push_back(Record);
      }
      Out[L] -= NumJoined;
      if (Forms[A].Kind == LayoutKind::Soa)
        Out[L] += SoaAddress * double(NumSites - Records.size());
      else if (Forms[A].Kind == LayoutKind::Tiled)
        Out[L] += TiledAddress * double(Records.size());
    }
  return Out;
}

/// Every record is read and written once; what a form pads is written too.
double LayoutEvaluation::conversionSeconds(size_t Index,
                                           const LayoutForm &Form) const {
  FormShape Shape = shapeOf(Arrays[Index], Form);
  double Bytes = numRecords(Arrays[Index], std::nullopt) *
                 double(Arrays[Index].RecordBytes + Shape.RecordBytes);
  return Bytes / (Machine.DramCopyGBs * 1e9) +
         Machine.LaunchMicroseconds * 1e-6;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static std::vector<LayoutForm> formsFor(const RecordArray &Array) {
  std::vector<LayoutForm> Out = {{LayoutKind::Present, 1}};
  if (Array.Alignment < alignmentFor(Array.RecordBytes))
    Out.push_back({LayoutKind::Aligned, 1});
  Out.push_back({LayoutKind::Soa, 1});
  for (unsigned Tile : Tiles)
    Out.push_back({LayoutKind::Tiled, Tile});
  if (Array.untouchedBytes() > 0)
    Out.push_back({LayoutKind::Split, 1});
  return Out;
}

/// Whether accesses that may be to any array matter.
static bool hasUnknownAccesses(const KernelSites &Kernel) {
  return any_of(Kernel.Sites, [](const MemorySite &Site) {
    return Site.Space == MemorySpace::Global &&
           (Site.Base.empty() || Site.Size == 0);
  });
}

static void choose(ArrayLayout &A, const KernelSites &Kernel,
                   const LayoutOptions &Options) {
  const LaunchTime &Now = A.Forms.front().Time;
  auto cost = [&](const FormTime &F) { return F.Time.seconds(); };
  double Least = cost(A.Forms.front());
  for (const FormTime &F : A.Forms)
    Least = std::min(Least, cost(F));
  // Of equals the one that changes least.
  size_t Best = 0;
  while (cost(A.Forms[Best]) > Least * Tie)
    ++Best;
  A.Best = 0;
  switch (Now.limit()) {
  case Resource::Atomics:
    A.Reason = LayoutReason::AtomicsBound;
    return;
  case Resource::Latency:
    A.Reason = LayoutReason::OccupancyBound;
    return;
  default:
    break;
  }
  if (hasUnknownAccesses(Kernel)) {
    A.Reason = LayoutReason::UnknownAccesses;
    return;
  }
  if (cost(A.Forms.front()) < MinGain * cost(A.Forms[Best])) {
    A.Reason = Now.isBoundByMemory() ? LayoutReason::NoGain
                                     : LayoutReason::ComputeBound;
    return;
  }
  A.Best = Best;
}

KernelLayout analyzeLayout(KernelSites Kernel, const LaunchAssumptions &Known,
                           const MachineModel &Machine,
                           const LayoutOptions &Options) {
  KernelLayout Out;
  Out.Launch = assumedLaunch(Kernel, Known);
  RecordArrays Found = findRecordArrays(Kernel);
  Out.Refusals = std::move(Found.Refusals);
  Out.Trace = traceLaunch(Kernel, Out.Launch, Machine);
  LayoutEvaluation Evaluation(Kernel, Out.Trace, Machine, Found.Arrays);
  for (size_t I = 0; I != Found.Arrays.size(); ++I) {
    ArrayLayout A;
    A.Array = Found.Arrays[I];
    for (uint32_t Site : A.Array.Sites)
      if (A.Where.empty())
        A.Where = Kernel.Sites[Site].Where;
    for (const LayoutForm &Form : formsFor(A.Array))
      A.Forms.push_back({Form, Evaluation.timeWith(I, Form)});
    choose(A, Kernel, Options);
    if (A.Best) {
      A.ConversionSeconds =
          Evaluation.conversionSeconds(I, A.Forms[A.Best].Form);
      double Gained =
          A.Forms.front().Time.seconds() - A.Forms[A.Best].Time.seconds();
      if (Options.ConvertedFor > 0 &&
          Gained * Options.ConvertedFor <= A.ConversionSeconds) {
        A.Best = 0;
        A.Reason = LayoutReason::ConversionCost;
      }
    }
    // The next array is looked at with this one improved.
    Evaluation.timeWith(I, A.Forms[A.Best].Form);
    Out.Arrays.push_back(std::move(A));
  }
  Out.Kernel = std::move(Kernel);
  return Out;
}

//===----------------------------------------------------------------------===//
// In words
//===----------------------------------------------------------------------===//

std::string fieldUse(const RecordArray &A) {
  unsigned Deepest = 0;
  for (const RecordField &Field : A.Fields)
    Deepest = std::max(Deepest, Field.Depth);
  std::string Hot, Cold;
  raw_string_ostream HotOS(Hot), ColdOS(Cold);
  ListSeparator HotComma, ColdComma;
  for (const RecordField &Field : A.Fields)
    if (Field.Depth == Deepest)
      HotOS << HotComma << Field.Offset;
    else
      ColdOS << ColdComma << Field.Offset;
  std::string Out;
  if (!Cold.empty())
    Out += formatv("fields at byte {0} are touched in the innermost loop, at "
                   "{1} outside of it",
                   Hot, Cold);
  if (int64_t Bytes = A.untouchedBytes(); Bytes > 0)
    Out += formatv("{0}{1} of {2} bytes are not touched: keep them apart",
                   Out.empty() ? "" : "; ", Bytes, A.RecordBytes);
  return Out;
}

std::string layoutMessage(const KernelLayout &K, const ArrayLayout &A) {
  const LaunchTime &Now = A.Forms.front().Time;
  std::string Name =
      A.Array.Name.empty() ? "" : formatv(" ({0})", A.Array.Name).str();
  return formatv(
      "{0}{1} is an array of structs of {2} bytes; a launch of about "
      "{3:f1} us is bound by the {4}",
      A.Array.Base, Name, A.Array.RecordBytes, Now.seconds() * 1e6,
      resourceName(Now.limit()));
}

std::string layoutAdvice(const ArrayLayout &A) {
  if (!A.Best)
    return "";
  const FormTime &Best = A.Forms[A.Best];
  std::string What;
  switch (Best.Form.Kind) {
  case LayoutKind::Present:
    return "";
  case LayoutKind::Aligned:
    What = formatv("align the struct to {0} bytes (alignas)",
                   alignmentFor(A.Array.RecordBytes));
    break;
  case LayoutKind::Soa:
    What = "make it a struct of arrays";
    break;
  case LayoutKind::Tiled:
    What = formatv("store it in tiles of {0} records, a struct of arrays in "
                   "each",
                   Best.Form.Tile);
    break;
  case LayoutKind::Split:
    What = "move the fields that are touched into an aligned struct of their "
           "own";
    break;
  }
  std::string Out =
      formatv("{0}: predicted {1:f2} times as fast", What, A.gain());
  double Saved = A.Forms.front().Time.seconds() - Best.Time.seconds();
  if (A.ConversionSeconds > 0 && Saved > 0)
    Out += formatv(
        "; converting the data once takes {0:f1} us, {1}",
        A.ConversionSeconds * 1e6,
        Saved > A.ConversionSeconds
            ? std::string("less than a launch saves")
            : formatv("what {0:f1} launches save", A.ConversionSeconds / Saved)
                  .str());
  if (std::string Use = fieldUse(A.Array); !Use.empty())
    Out += "; " + Use;
  return Out;
}

} // namespace gridspan
