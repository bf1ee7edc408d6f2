// Questions that mean little for the one device that the program sees.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t 2>&1 | FileCheck %s
// CHECK-NOT: gridspan:
// CHECK: PASS

#include "../Inputs/check.h"
#include <cstring>
#include <cuda_profiler_api.h>

int main() {
  int can = 1;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT(can == 0);
  EXPECT(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaErrorInvalidDevice);
  EXPECT(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessUnsupported);
  EXPECT(cudaDeviceEnablePeerAccess(0, 1) == cudaErrorInvalidValue);
  EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
  EXPECT(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);
  EXPECT(cudaDeviceDisablePeerAccess(1) == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int device = -1;
  CHECK(cudaChooseDevice(&device, &properties));
  EXPECT(device == 0);
  CHECK(cudaInitDevice(0, 0, 0));
  EXPECT(cudaInitDevice(1, 0, 0) == cudaErrorInvalidDevice);
  unsigned flags = 0;
  CHECK(cudaGetDeviceFlags(&flags));
  EXPECT(flags & cudaDeviceMapHost);
  cudaFuncCache cache;
  CHECK(cudaDeviceGetCacheConfig(&cache));
  EXPECT(cache == cudaFuncCachePreferNone);
  char bus[16] = {};
  CHECK(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
  EXPECT(strlen(bus) == 12);
  device = -1;
  CHECK(cudaDeviceGetByPCIBusId(&device, bus));
  EXPECT(device == 0);
  EXPECT(cudaDeviceGetByPCIBusId(&device, "no bus") == cudaErrorInvalidValue);
  EXPECT(cudaDeviceGetByPCIBusId(&device, "00ff:ff:1f.0") ==
         cudaErrorInvalidDevice);
  CHECK(cudaCtxResetPersistingL2Cache());
  CHECK(cudaProfilerStart());
  CHECK(cudaProfilerStop());
  return finish();
}
