// A program that links the driver's library may give work to devices through
// it, also where another compiler than gridspan++ has compiled the calls.
//
// RUN: %clangxx -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %clangxx -c %s -o %t.o
// RUN: %gridspan++ %t.o -o %t.without
// RUN: env GRIDSPAN_DEVICES=cpu %t.without | FileCheck %s --check-prefix=WITHOUT
// RUN: %clangxx -DCALLS -c %s -o %t.o
// RUN: %gridspan++ %t.o %t.so -o %t.with
// RUN: env GRIDSPAN_DEVICES=cpu %t.with | FileCheck %s --check-prefix=WITH
// WITHOUT: driver: 0
// WITH: driver: 1

#ifdef LIBRARY
extern "C" int cuLaunchKernel() { return 0; }
#else
#include <cstdio>
namespace gridspan {
bool givesDriverWork();
}
extern "C" int cudaDeviceSynchronize();
#ifdef CALLS
extern "C" int cuLaunchKernel();
int launch() { return cuLaunchKernel(); }
#else
int launch() { return 0; }
#endif
int main() {
  if (cudaDeviceSynchronize() || launch())
    return 1;
  std::printf("driver: %d\n", gridspan::givesDriverWork());
}
#endif
