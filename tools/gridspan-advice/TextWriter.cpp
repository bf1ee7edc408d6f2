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
    return F.Source + " (no line information)";
  std::string Out = F.File;
  for (unsigned Number : {F.Line, F.Column})
    if (Number)
      Out += fmt::format(":{}", Number);
  return Out;
}

std::string expectedGain(const Finding &One, const Findings &All) {
  std::string Where = All.HasReport
                          ? fmt::format("in {} launches", One.Launches)
                          : std::string("a launch");
  if (One.Gain > 0)
    return fmt::format("saves about {:.4g} us {}", One.saved() * 1e6, Where);
  std::string Out = fmt::format("{:.0f} too many {}", One.excess(), Where);
  if (One.SavedSeconds > 0)
    Out += fmt::format(", up to {:.4g} us", One.saved() * 1e6);
  return Out;
}

void writeText(std::ostream &OS, const Findings &F) {
  unsigned Number = 0;
  for (const Finding &One : F.List) {
    fmt::print(OS, "{}. {}: {} [{}{}]\n", ++Number, place(One), One.Kernel,
               One.Rule, F.HasSeveralTargets ? ", " + One.Target : "");
    fmt::print(OS, "   {}; {}{}\n", One.Message, expectedGain(One, F),
               One.IsExact || One.Gain > 0 ? "" : " (estimated)");
    fmt::print(OS, "   {}\n", One.Advice);
  }
  fmt::print(OS, "{} accesses, {} not known, {} to improve\n", F.NumSites,
             F.NumUnknown, F.List.size());
}

} // namespace gridspan
