//===- Html.h - Parts of the page -------------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the page that HtmlWriter joins.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_HTML_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_HTML_H

#include "tools/gridspan-advice/Findings.h"
#include <iosfwd>
#include <string>

namespace gridspan {

/// Text as it may stand between tags and in attributes.
std::string escaped(const std::string &Text);

/// Writes the numbers of the program, and a bar for each kernel.
void writeOverview(std::ostream &OS, const Findings &F);

/// Writes the sources that can be found, around accesses and findings, with
/// what each line moves and takes.
void writeSources(std::ostream &OS, const Findings &F,
                  const std::string &SourceDir);

/// Writes what is known of each kernel: its launch and predicted time, what
/// limits it, its place on the roofline, layouts of its arrays, and what is not
/// known.
void writeKernelCards(std::ostream &OS, const Findings &F);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_HTML_H
