//===- UnifiedMemory.cpp - Memory whose pages the driver moves ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver moves pages of managed memory to whoever touches them. Their home
// is the preferred location, and is counted so that devices are not promised
// more than they have.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/UnifiedMemory.h"
#include "runtime/backend/cuda/Queues.h"
#include <algorithm>

namespace gridspan::cuda {

// Programs use the runtime's numbers.
constexpr bool same(CUmem_advise L, cudaMemoryAdvise R) {
  return static_cast<int>(L) == static_cast<int>(R);
}
static_assert(same(CU_MEM_ADVISE_SET_READ_MOSTLY, cudaMemAdviseSetReadMostly));
static_assert(same(CU_MEM_ADVISE_UNSET_ACCESSED_BY,
                   cudaMemAdviseUnsetAccessedBy));

UnifiedMemory::UnifiedMemory(const DeviceList &Devices, Memory &Counts)
    : Devices(Devices), D(Devices[0]->driver()), Counts(Counts),
      Concurrent(
          std::all_of(Devices.begin(), Devices.end(), [](const auto &Dev) {
            return Dev->attribute(
                       CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) != 0;
          })) {}

CUmemLocation UnifiedMemory::locationOf(Location Where) const {
  // A device that pages are to go to has a context.
  if (Where != Host)
    (void)Devices[Where]->context();
  CUmemLocation Out = {};
  Out.type =
      Where == Host ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  Out.id = Where == Host ? 0 : Devices[Where]->handle();
  return Out;
}

cudaError_t UnifiedMemory::allocate(size_t Bytes, void *&Out) {
  if (!Concurrent)
    return cudaErrorNotSupported;
  CurrentDevice Scope(Devices, 0);
  CUdeviceptr P = 0;
  const CUresult R = D.cuMemAllocManaged(&P, Bytes, CU_MEM_ATTACH_GLOBAL);
  Out = reinterpret_cast<void *>(P);
  return toError(R);
}

cudaError_t UnifiedMemory::free(void *Address) {
  CurrentDevice Scope(Devices, 0);
  return toError(D.cuMemFree(toDevicePtr(Address)));
}

cudaError_t UnifiedMemory::preferHome(void *Address, size_t Bytes,
                                      Location From, Location To) {
  if (To != Host)
    if (cudaError_t Error = Counts.claim(To, Bytes))
      return Error;
  // A single device gets the pages without advice of ours.
  cudaError_t Error = cudaSuccess;
  if (To != Host && Devices.size() > 1)
    Error = advise(Address, Bytes, cudaMemAdviseSetPreferredLocation, To);
  const Location Not = Error ? To : From;
  if (Not != Host)
    Counts.disclaim(Not, Bytes);
  return Error;
}

cudaError_t UnifiedMemory::prefetch(Stream &S, void *Address, size_t Bytes,
                                    Location To) {
  CurrentDevice Scope(Devices, S.device());
  return toError(D.cuMemPrefetchAsync(toDevicePtr(Address), Bytes,
                                      locationOf(To), 0, S.native()));
}

cudaError_t UnifiedMemory::advise(void *Address, size_t Bytes,
                                  cudaMemoryAdvise Advice, Location Where) {
  CurrentDevice Scope(Devices, 0);
  return toError(D.cuMemAdvise(toDevicePtr(Address), Bytes,
                               static_cast<CUmem_advise>(Advice),
                               locationOf(Where)));
}

} // namespace gridspan::cuda
