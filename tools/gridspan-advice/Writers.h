//===- Writers.h - Forms of the ranked list ---------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms in which findings can be written, and the phrases that they share.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_WRITERS_H
#define GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_WRITERS_H

#include "tools/gridspan-advice/Findings.h"
#include "tools/gridspan-advice/TimeText.h"
#include <iosfwd>
#include <string>

namespace gridspan {

/// Returns what to expect of One, in words.
std::string expectedGain(const Finding &One, const Findings &All);

/// Returns the place of One: "k.cu:3:5".
std::string placeText(const Finding &One, const Findings &All);

/// The launch that a kernel's numbers are for, and what of it was assumed.
std::string launchText(const Kernel &K);

/// "array arg0", "arrays arg0, arg1".
std::string basesText(const LayoutTable &A);

/// Returns the place of a launch on the roofline, or an empty text.
std::string rooflineText(const Prediction &P);

/// Returns how many accesses were looked at: "1 access", "5 accesses".
std::string accessesText(const Findings &F);

/// Returns a number of sectors, or of something else, in four digits: "3072",
/// "1.234 M".
std::string countText(double Count);

/// Says how many findings are left out as they gain too little; or is empty.
std::string smallText(const Findings &F);

/// Returns the measured time of the kernel beside the predicted one, with what
/// is between them; empty without a profile.
std::string measuredText(const Kernel &K);

/// "64 blocks of 256 threads, 12 launches, 3.1 ms in all".
std::string otherText(const OtherClass &C);

/// Returns what the profiled run was.
std::string runText(const RunSummary &Run);

/// Accesses that are not known, each place once, with how many there are.
std::vector<std::pair<NotKnown, unsigned>> unknownPlaces(const Kernel &K);

/// Writes text for a terminal; one line that says so if there is nothing to
/// say.
void writeText(std::ostream &OS, const Findings &F);

/// SARIF 2.1.0 (OASIS), as editors and code hosts read it.
void writeSarif(std::ostream &OS, const Findings &F);

/// A page on its own: the list, the kernels, and the sources that can be found
/// under SourceDir or where the compiler had them, with the findings at their
/// lines.
void writeHtml(std::ostream &OS, const Findings &F,
               const std::string &SourceDir);

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPAN_ADVICE_WRITERS_H
