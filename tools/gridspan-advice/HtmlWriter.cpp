//===- HtmlWriter.cpp - The ranked list as a page -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One self-contained page without scripts: sources with findings beside the
// lines, then the kernels.
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-advice/Html.h"
#include "tools/gridspan-advice/Writers.h"
#include <algorithm>
#include <fmt/ostream.h>

namespace gridspan {

std::string escaped(const std::string &Text) {
  std::string Out;
  for (char C : Text)
    switch (C) {
    case '&':
      Out += "&amp;";
      break;
    case '<':
      Out += "&lt;";
      break;
    case '>':
      Out += "&gt;";
      break;
    case '"':
      Out += "&quot;";
      break;
    default:
      Out += C;
    }
  return Out;
}

static constexpr const char *Head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Gridspan advice</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 15px/1.45 system-ui, sans-serif; color: #222; margin: 2em auto;
  max-width: 78em; padding: 0 1em; }
h1 { margin-bottom: 0; }
h2 { margin-top: 2em; border-bottom: 2px solid #ddd; }
h3 { margin: 0; overflow-wrap: anywhere; }
h4 { margin: 1em 0 .3em; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; }
td, th { border-bottom: 1px solid #e4e4e4; padding: .35em .6em;
  text-align: left; vertical-align: top; }
table.ranked { width: 100%; }
table.ranked td:nth-child(2), table.ranked td:nth-child(3) {
  overflow-wrap: break-word; min-width: 9em; max-width: 14em; }
td.number, td.gain { text-align: right; white-space: nowrap; }
td.gain { white-space: normal; min-width: 9em; }
.rule { display: inline-block; background: #e8eef7; border-radius: 4px;
  padding: 0 .4em; font-size: 12px; white-space: nowrap; }
.also { color: #666; font-size: 13px; margin: .3em 0 0; padding-left: 1.2em; }
.share { background: #e4e4e4; height: 6px; margin-top: 4px; }
.share div, .bar div { background: #d9822b; height: 100%; }
table.bars { font-size: 13px; }
table.bars td { border: 0; padding: .1em .6em .1em 0; vertical-align: middle; }
td.bar { width: 14em; }
.bar div { height: 10px; background: #9fb3cc; min-width: 1px; }
tr.limit { font-weight: bold; }
tr.limit .bar div { background: #d9822b; }
table.plain { font-size: 14px; }
.columns { display: flex; flex-wrap: wrap; gap: 2em; }
.card { border: 1px solid #ddd; border-radius: 6px; padding: 1em 1.2em;
  margin: 1em 0; }
.card p { margin: .3em 0; }
.warning { background: #fff4d6; border-left: 4px solid #d9a400;
  padding: .5em 1em; }
.cards { display: flex; flex-wrap: wrap; gap: 1em; margin: 1em 0; }
.number-card { border: 1px solid #ddd; border-radius: 6px; padding: .6em 1em;
  min-width: 9em; }
.number-card b { display: block; font-size: 22px; }
table.kernels { width: 100%; }
table.kernels td { border: 0; padding: .2em .6em .2em 0; }
table.kernels td:first-child { overflow-wrap: anywhere; max-width: 24em; }
.two { min-width: 16em; }
.two div { height: 9px; margin: 1px 0; min-width: 1px; }
.measured { background: #d9822b; }
.predicted { background: #9fb3cc; }
td.compare { min-width: 9em; font-size: 12px; color: #555; }
.before div { background: #d9822b; height: 8px; min-width: 1px; }
.after div { background: #4a9a5b; height: 8px; min-width: 1px; }
.legend span { display: inline-block; width: .8em; height: .8em;
  margin: 0 .3em 0 1em; }
pre .cost { color: #6a6a6a; user-select: none; }
pre .heat { display: inline-block; width: 3.5em; height: .7em;
  background: #eee; margin-right: .5em; }
pre .heat span { display: block; height: 100%; background: #d9822b; }
svg { background: #f7f7f7; }
svg .grid { stroke: #ddd; }
svg .measured { fill: #d9822b; }
svg .predicted { fill: #9fb3cc; }
svg text { font: 11px sans-serif; fill: #666; }
.roof { fill: none; stroke: #555; stroke-width: 2; }
circle { fill: #d9822b; }
pre { background: #f7f7f7; padding: 1em 0; overflow-x: auto; }
.line { color: #6a6a6a; user-select: none; }
.gap { color: #6a6a6a; display: block; padding-left: 1em; }
.hit { background: #fff4d6; }
.finding { display: block; white-space: normal; background: #ffe8c0;
  border-left: 4px solid #d9822b; padding: .3em 1em; margin: .1em 0;
  font: 14px/1.4 system-ui, sans-serif; }
.finding:target { background: #ffd591; }
/* Narrow windows have no room for six columns: a row becomes a paragraph. */
@media (max-width: 60em) {
  table.ranked, table.ranked tbody, table.ranked tr, table.ranked td {
    display: block; max-width: none !important; text-align: left !important; }
  table.ranked th { display: none; }
  table.ranked td { border: 0; padding: .15em 0; }
  table.ranked tr { border-bottom: 1px solid #e4e4e4; padding: .6em 0; }
  table.kernels, table.kernels tbody { display: block; }
  table.kernels tr { display: flex; flex-wrap: wrap; }
  table.kernels td:first-child { flex: 1 0 100%; max-width: none; }
  table.kernels td.two { flex: 1; min-width: 6em; }
}
</style></head><body>
<h1>Gridspan advice</h1>
)";

/// Two bars: what it is, and what it would be.
static void writeBeforeAfter(std::ostream &OS, const Finding &One,
                             const Findings &F) {
  const Kernel &K = F.kernelOf(One);
  double Before = One.Units, After = One.IdealUnits;
  const bool IsTime = One.Gain > 0 && K.Cost;
  if (IsTime) {
    Before = K.Cost->Microseconds * 1e-6 * K.scale();
    After = std::max(0.0, Before - One.SavedSeconds * K.scale());
  }
  if (!(Before > 0))
    return;
  auto Text = [&](double Value) {
    return IsTime ? timeText(Value)
                  : fmt::format("{} {}", countText(Value),
                                One.Rule == "bank-conflicts" ? "passes"
                                                             : "sectors");
  };
  fmt::print(OS,
             "<div class=\"before\"><div style=\"width:100.0%\"></div>{}</div>"
             "<div class=\"after\"><div style=\"width:{:.1f}%\"></div>{}</div>",
             escaped(Text(Before)), 100 * std::min(1.0, After / Before),
             escaped(Text(After)));
}

static void writeTable(std::ostream &OS, const Findings &F) {
  fmt::print(OS,
             "<p>{}, {} not known, {} to improve{}. Expected gains are "
             "for {}, predicted for the launch that each kernel was looked at "
             "with.</p>\n",
             accessesText(F), F.NumUnknown, F.List.size(), smallText(F),
             F.HasReport ? "as many launches as the reported run had"
                         : "one launch");
  size_t NumOther =
      std::count_if(F.Kernels.begin(), F.Kernels.end(),
                    [](const Kernel &K) { return !K.RanInstead.empty(); });
  if (NumOther)
    fmt::print(
        OS,
        "<p class=\"warning\">{} of {} kernels ran in another way than "
        "they were looked at: see <a href=\"#k{}\">below</a> for the "
        "options that say so to the compiler.</p>\n",
        NumOther, F.Kernels.size(),
        std::find_if(F.Kernels.begin(), F.Kernels.end(), [](const Kernel &K) {
          return !K.RanInstead.empty();
        }) - F.Kernels.begin());
  if (F.List.empty())
    return;
  OS << "<table class=\"ranked\"><tr><th>#</th><th>place</th><th>kernel</th>"
        "<th>problem, and what to do</th><th>before, after</th>"
        "<th>expected gain</th></tr>\n";
  double Most = F.saved(F.List.front());
  size_t Number = 0;
  for (const Finding &One : F.List) {
    ++Number;
    std::string Place =
        escaped(One.File.empty() ? F.kernelOf(One).Source : One.File);
    if (One.Line)
      Place =
          fmt::format("<a href=\"#f{}\">{}:{}</a>", Number, Place, One.Line);
    fmt::print(OS,
               "<tr><td>{}</td><td>{}</td><td><a href=\"#k{}\">{}</a></td>"
               "<td><span class=\"rule\">{}</span> {}.<br><b>{}</b>",
               Number, Place, One.Kernel,
               escaped(F.kernelName(F.kernelOf(One))), escaped(One.Rule),
               escaped(One.Message), escaped(One.Advice));
    if (!One.Also.empty()) {
      OS << "<ul class=\"also\">";
      for (const Finding &Also : One.Also)
        fmt::print(OS, "<li>{}: {}; {}</li>\n", escaped(placeText(Also, F)),
                   escaped(Also.Message), escaped(expectedGain(Also, F)));
      OS << "</ul>";
    }
    OS << "</td><td class=\"compare\">";
    writeBeforeAfter(OS, One, F);
    fmt::print(OS,
               "</td><td class=\"gain\">{}{}<div class=\"share\"><div "
               "style=\"width:{:.1f}%\"></div></div></td></tr>\n",
               One.IsExact || One.Gain > 0 ? "" : "~",
               escaped(expectedGain(One, F)),
               Most > 0 ? 100 * F.saved(One) / Most : 0);
  }
  OS << "</table>\n";
}

void writeHtml(std::ostream &OS, const Findings &F,
               const std::string &SourceDir) {
  OS << Head;
  writeOverview(OS, F);
  OS << "<h2>Advice</h2>\n";
  writeTable(OS, F);
  writeSources(OS, F, SourceDir);
  writeKernelCards(OS, F);
  OS << "</body></html>\n";
}

} // namespace gridspan
