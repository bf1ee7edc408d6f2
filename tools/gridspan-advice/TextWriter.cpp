//===- TextWriter.cpp - The ranked list for a terminal -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writers.h"
#include <fmt/ostream.h>

namespace gridspan {

static std::string place(const Finding &F) {
  if (F.File.empty())
    return "(no line information)";
  std::string Out = F.File;
  for (unsigned Number : {F.Line, F.Column})
    if (Number)
      Out += fmt::format(":{}", Number);
  return Out;
}

void writeText(std::ostream &OS, const Findings &F) {
  unsigned Number = 0;
  for (const Finding &One : F.List) {
    fmt::print(OS, "{}. {}: {} [{}]\n", ++Number, place(One), One.Kernel,
               One.Rule);
    fmt::print(OS, "   {}; {:.0f} too many {}{}\n", One.Message, One.excess(),
               F.HasReport ? fmt::format("in {} launches", One.Launches)
                           : std::string("a launch"),
               One.IsExact ? "" : " (estimated)");
    fmt::print(OS, "   {}\n", One.Advice);
  }
  fmt::print(OS, "{} accesses, {} not known, {} to improve\n", F.NumSites,
             F.NumUnknown, F.List.size());
}

} // namespace gridspan
