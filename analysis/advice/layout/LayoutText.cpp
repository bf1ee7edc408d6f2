//===- LayoutText.cpp - Layouts and what they gain, in words --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sentences and JSON of layouts. Names of reasons and forms are stable.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/layout/LayoutEvaluation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace gridspan {

std::string layoutName(const LayoutForm &Form) {
  switch (Form.Kind) {
  case LayoutKind::Structs:
    return "array of structs";
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
  case LayoutKind::Structs:
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

static constexpr struct {
  StringLiteral Name, Text;
} Reasons[] = {
#define GRIDSPAN_LAYOUT_REASON(Kind, Name, Text) {Name, Text},
#include "analysis/advice/layout/LayoutReasons.def"
};

StringRef layoutReasonName(LayoutReason Reason) {
  return Reasons[unsigned(Reason)].Name;
}

StringRef layoutReasonText(LayoutReason Reason) {
  return Reasons[unsigned(Reason)].Text;
}

std::string fieldUse(const StructArray &A) {
  unsigned Deepest = 0;
  for (const StructField &Field : A.Fields)
    Deepest = std::max(Deepest, Field.Depth);
  std::string Hot, Cold;
  raw_string_ostream HotOS(Hot), ColdOS(Cold);
  ListSeparator HotComma, ColdComma;
  for (const StructField &Field : A.Fields)
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
  const ResourceTimes &Now = A.Forms.front().Time;
  std::string Name =
      A.Array.Name.empty() ? "" : formatv(" ({0})", A.Array.Name).str();
  std::string What =
      A.Array.isApart()
          ? formatv("{0} are accessed at the same indices, {1} bytes in all",
                    llvm::join(A.Array.Apart, ", "), A.Array.RecordBytes)
                .str()
          : formatv("{0}{1} is {2} of {3} bytes", A.Array.Base, Name,
                    A.Array.Name.empty() ? "accessed in records"
                                         : "an array of structs",
                    A.Array.RecordBytes)
                .str();
  return formatv("{0}; a launch of about {1:f1} us is bound by the {2}", What,
                 Now.seconds() * 1e6, resourceName(Now.limit()));
}

std::string layoutAdvice(const ArrayLayout &A) {
  if (!A.Best)
    return "";
  const FormTime &Best = A.Forms[A.Best];
  std::string What;
  switch (Best.Form.Kind) {
  case LayoutKind::Structs:
    What = "put the fields of an index into one struct";
    break;
  case LayoutKind::Aligned:
    // Numbers that are addressed like a struct have no type to be aligned.
    What = !A.Array.isApart() && A.Array.Name.empty()
               ? formatv("access a record as vectors of {0} bytes, as float4 "
                         "is, from an address that is aligned to them",
                         alignmentFor(A.Array.RecordBytes))
                     .str()
           : A.Array.isApart()
               ? formatv("put the fields of an index into one struct that is "
                         "aligned to {0} bytes (alignas)",
                         alignmentFor(A.Array.RecordBytes))
                     .str()
               : formatv("align the struct to {0} bytes (alignas)",
                         alignmentFor(A.Array.RecordBytes))
                     .str();
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
  if (A.Array.isApart())
    What += ", if the arrays have as many elements";
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
  if (!A.Array.Type.Header.empty())
    Out += formatv("; the struct is declared in {0}: host code that fills or "
                   "reads the records changes with it",
                   A.Array.Type.Header);
  return Out;
}

} // namespace gridspan
