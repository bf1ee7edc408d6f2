//===- DeviceUnit.cpp - A relocatable object's device side ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON object on a line, so that `ld -r`, which joins sections, leaves
// something that can be read. Zero bytes between them are padding.
//
//===----------------------------------------------------------------------===//

#include "passes/common/DeviceUnit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace gridspan;

std::string gridspan::toText(const DeviceUnit &Unit) {
  json::Array Entries;
  for (const DeviceEntry &E : Unit.Entries)
    Entries.push_back(json::Object{
        {"kernel", E.Kind == DeviceEntry::EntryKind::Kernel},
        {"device", E.DeviceName},
        {"host", E.HostName},
        {"bytes", E.Bytes},
        {"constant", E.Constant},
    });
  json::Value Value = json::Object{{"marker", Unit.Marker},
                                   {"source", Unit.Source},
                                   {"triple", Unit.Triple},
                                   {"layout", Unit.Layout},
                                   {"entries", std::move(Entries)}};
  return formatv("{0}\n", Value);
}

static bool fromJSON(const json::Value &Value, DeviceEntry &Entry,
                     json::Path Path) {
  json::ObjectMapper Map(Value, Path);
  bool Kernel = false;
  if (!Map || !Map.map("kernel", Kernel) ||
      !Map.map("device", Entry.DeviceName) ||
      !Map.map("host", Entry.HostName) || !Map.map("bytes", Entry.Bytes) ||
      !Map.map("constant", Entry.Constant))
    return false;
  Entry.Kind = Kernel ? DeviceEntry::EntryKind::Kernel
                      : DeviceEntry::EntryKind::Variable;
  return true;
}

static bool fromJSON(const json::Value &Value, DeviceUnit &Unit,
                     json::Path Path) {
  json::ObjectMapper Map(Value, Path);
  const json::Object *Object = Value.getAsObject();
  const json::Array *Entries = Object ? Object->getArray("entries") : nullptr;
  if (!Map || !Entries || !Map.map("marker", Unit.Marker) ||
      !Map.map("source", Unit.Source) || !Map.map("triple", Unit.Triple) ||
      !Map.map("layout", Unit.Layout))
    return false;
  for (const json::Value &Entry : *Entries)
    if (!fromJSON(Entry, Unit.Entries.emplace_back(), Path.field("entries")))
      return false;
  return true;
}

Expected<std::vector<DeviceUnit>> gridspan::parseDeviceUnits(StringRef Text) {
  std::vector<DeviceUnit> Units;
  SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  for (StringRef Line : Lines) {
    Line = Line.trim(StringRef("\0", 1));
    if (Line.empty())
      continue;
    Expected<json::Value> Value = json::parse(Line);
    if (!Value)
      return Value.takeError();
    json::Path::Root Root("device unit");
    if (!fromJSON(*Value, Units.emplace_back(), Root))
      return Root.getError();
  }
  return Units;
}
