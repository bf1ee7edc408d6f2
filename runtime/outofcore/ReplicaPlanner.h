//===- ReplicaPlanner.h - Copies instead of remote reads --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A frame has one home, and so has memory that is not paged: where chunks on
// several devices read the same, all but one read it over the link. Here it is
// counted how much that is in an out-of-core plan, and found of what each
// device should have a copy of its own (a replica) instead. Pure.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_OUTOFCORE_REPLICAPLANNER_H
#define GRIDSPAN_RUNTIME_OUTOFCORE_REPLICAPLANNER_H

#include "runtime/outofcore/OutOfCoreLegality.h"
#include "runtime/outofcore/OutOfCorePlan.h"
#include <optional>

namespace gridspan {

/// Bytes that the chunks of a plan touch, each once a chunk: upper bounds.
struct ReplicaTraffic {
  /// Bytes at home elsewhere, by allocation and device.
  std::vector<std::vector<double>> Remote;
  double Local = 0; ///< on the chunk's own device

  double remote() const;
};

ReplicaTraffic trafficOf(const OutOfCoreInput &In, const OutOfCorePlan &Plan);

/// True if all that the kernel does with the allocation is to read it through
/// pointers that may lead to a copy.
bool mayReplicate(const OutOfCoreInput &In, unsigned Allocation);

/// The copies that spare the plan reading the same again and again over links.
/// Empty for one device.
std::vector<OutOfCoreReplica> wantedReplicas(const OutOfCoreInput &In,
                                             const OutOfCorePlan &Plan,
                                             const ReplicaTraffic &Traffic);

/// The copies of memory that is not paged without which some device would not
/// reach what the launch touches; none if such memory cannot be copied.
std::optional<std::vector<OutOfCoreReplica>>
neededReplicas(const OutOfCoreInput &In, const SystemInfo &System);

/// Returns copies on the first Devices, for devices that do not reach each
/// other's memory. They are of what Plan has several devices load. A null Plan
/// asks for all that may be copied.
std::vector<OutOfCoreReplica> sharedReplicas(const OutOfCoreInput &In,
                                             const OutOfCorePlan *Plan,
                                             unsigned Devices);

/// Returns the least seconds of devices' accesses over links.
double linkSeconds(const OutOfCorePlan &Plan, const SystemInfo &System,
                   unsigned Devices);

/// Returns the bytes of all replicas on each device, in pages.
std::vector<uint64_t>
replicaBytes(const OutOfCoreInput &In,
             const std::vector<OutOfCoreReplica> &Replicas,
             const SystemInfo &System);

/// Bytes that cross the bus to fill those of paged memory that do not hold the
/// present contents: once for each allocation, as devices copy from each other,
/// or, Apart, for each replica.
uint64_t bytesToFill(const OutOfCoreInput &In,
                     const std::vector<OutOfCoreReplica> &Replicas, bool Apart);

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_OUTOFCORE_REPLICAPLANNER_H
