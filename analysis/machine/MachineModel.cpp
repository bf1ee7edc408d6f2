//===- MachineModel.cpp - Numbers of a GPU for predictions ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the model files that are built in as text, one for each architecture,
// and chooses the one for a kernel's architecture. A file that lacks a
// field is an error that names it.
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/MachineModel.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"
#include <vector>

using namespace llvm;

namespace gridspan {

/// The files of analysis/machine/, oldest architecture first.
static constexpr StringLiteral Files[] = {
#include "analysis/machine/MachineFiles.inc"
};

static Error missing(const Twine &What) {
  return createStringError(inconvertibleErrorCode(),
                           "machine model: no " + What);
}

Expected<MachineModel> machineModelFromJSON(StringRef Text) {
  Expected<json::Value> Root = json::parse(Text);
  if (!Root)
    return Root.takeError();
  const json::Object *Object = Root->getAsObject();
  const json::Object *Fields = Object ? Object->getObject("fields") : nullptr;
  if (!Fields)
    return missing("fields");
  MachineModel Model;
  Model.Arch = Object->getString("arch").value_or("").str();
  Model.Name = Object->getString("name").value_or("").str();
#define GRIDSPAN_MACHINE(Type, Field, Text)                                    \
  if (const json::Object *F = Fields->getObject(Text))                         \
    Model.Field = static_cast<Type>(F->getNumber("value").value_or(0));        \
  if (!(Model.Field > 0))                                                      \
    return missing(Text);
#include "analysis/machine/MachineModel.def"
  return Model;
}

static unsigned numberOf(StringRef Arch) {
  unsigned Number = 0;
  Arch.consume_front("sm_");
  // Letters after it: a variant of the architecture ("sm_90a").
  Arch.consumeInteger(10, Number);
  return Number;
}

const MachineModel &machineModelFor(StringRef Arch) {
  static const std::vector<MachineModel> Models = [] {
    std::vector<MachineModel> Out;
    for (StringRef File : Files) {
      Expected<MachineModel> Model = machineModelFromJSON(File);
      if (!Model)
        report_fatal_error(Model.takeError());
      Out.push_back(std::move(*Model));
    }
    return Out;
  }();
  const MachineModel *Best = &Models.front();
  for (const MachineModel &Model : Models)
    if (numberOf(Model.Arch) <= numberOf(Arch))
      Best = &Model;
  return *Best;
}

} // namespace gridspan
