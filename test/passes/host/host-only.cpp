// A C++ file without kernels: its calls are redirected, nothing is described.
// RUN: %clang_plugin -O1 -S -emit-llvm -o - %s | FileCheck %s

// CHECK: call {{.*}} @__gridspan_cudaDeviceSynchronize
// CHECK-NOT: __gridspan_register_module
extern "C" int cudaDeviceSynchronize();
int f() { return cudaDeviceSynchronize(); }
