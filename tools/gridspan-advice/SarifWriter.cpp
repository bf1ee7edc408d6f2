//===- SarifWriter.cpp - The ranked list as SARIF -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static Analysis Results Interchange Format (SARIF) 2.1.0, OASIS standard:
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/Writers.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

using nlohmann::ordered_json;

namespace gridspan {

namespace {
struct Rule {
  std::string_view Id, Text;
};
} // namespace

static constexpr std::array<Rule, 11> Rules = {{
    {"uncoalesced-access",
     "Nearly every lane of a warp touches a 32-byte sector of its own"},
    {"partly-coalesced-access",
     "A warp touches more 32-byte sectors than its lanes need"},
    {"bank-conflicts",
     "Lanes of a warp meet in the same banks of shared memory"},
    {"data-layout", "Another layout of an array of structs would be faster"},
    {"shared-memory-stage",
     "Threads of a block read the same bytes more often than L1 serves them "
     "well"},
    {"ordered-load",
     "A load in a loop waits for a store that may be to the same memory"},
    {"serial-reduction", "Threads add up long arrays one by one"},
    {"atomic-reduction", "Many threads add to few addresses by atomics"},
    {"global-counters",
     "Many threads count in few places of global memory by atomics"},
    {"few-blocks", "A reduction has too few blocks to keep the memory busy"},
    {"bare-tree", "Threads join one element each"},
}};

/// A path as a relative reference or, if it is absolute, a file: URI (RFC
/// 3986): what is not allowed there byte by byte as %XX.
static std::string uriOf(const std::string &Path) {
  std::string Out = Path.starts_with("/") ? "file://" : "";
  // A colon in the first part would make it a scheme.
  if (size_t Colon = Path.find(':'); Colon < Path.find('/'))
    Out = "./";
  for (unsigned char C : Path)
    if ((C < 128 && std::isalnum(C)) || std::strchr("-._~/!$&'()*+,;=:@", C))
      Out += static_cast<char>(C);
    else
      Out += fmt::format("%{:02X}", C);
  return Out;
}

static ordered_json resultOf(const Finding &F, const Findings &All) {
  const Kernel &K = All.kernelOf(F);
  ordered_json Result = {{"ruleId", F.Rule}};
  auto It = std::find_if(Rules.begin(), Rules.end(),
                         [&](const Rule &R) { return R.Id == F.Rule; });
  if (It != Rules.end())
    Result["ruleIndex"] = It - Rules.begin();
  Result["level"] = "warning";
  Result["message"]["text"] = K.Name + ": " + F.Message + ". " + F.Advice;
  if (!F.File.empty()) {
    ordered_json Physical;
    Physical["artifactLocation"]["uri"] = uriOf(F.File);
    if (F.Line)
      Physical["region"]["startLine"] = F.Line;
    if (F.Line && F.Column)
      Physical["region"]["startColumn"] = F.Column;
    ordered_json Location;
    Location["physicalLocation"] = Physical;
    ordered_json Function = {{"name", K.Name}, {"kind", "function"}};
    Location["logicalLocations"] = ordered_json::array({Function});
    Result["locations"] = ordered_json::array({Location});
  }
  Result["properties"] = {{"units", F.Units},
                          {"idealUnits", F.IdealUnits},
                          {"savedSeconds", All.saved(F)},
                          {"launches", K.Launches},
                          {"target", K.Target},
                          {"exact", F.IsExact}};
  if (F.Gain > 0)
    Result["properties"]["gain"] = F.Gain;
  return Result;
}

void writeSarif(std::ostream &OS, const Findings &F) {
  ordered_json Driver = {{"name", "gridspan-advice"},
                         {"version", GRIDSPAN_VERSION_STRING}};
  for (const Rule &R : Rules)
    Driver["rules"].push_back(
        {{"id", R.Id}, {"shortDescription", {{"text", R.Text}}}});
  ordered_json Run;
  Run["tool"]["driver"] = Driver;
  Run["columnKind"] = "utf16CodeUnits";
  Run["results"] = ordered_json::array();
  for (const Finding &One : F.List)
    Run["results"].push_back(resultOf(One, F));
  ordered_json Log;
  Log["$schema"] = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                   "schemas/sarif-schema-2.1.0.json";
  Log["version"] = "2.1.0";
  Log["runs"] = ordered_json::array({Run});
  // Names of files may be in any encoding.
  OS << Log.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

} // namespace gridspan
