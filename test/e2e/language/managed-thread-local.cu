// The constructor that completes initializers runs in one thread only.
// RUN: not %gridspan++ -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: gridspan: the thread_local variable Last starts with the address of a __managed__ variable
__managed__ int Counter;
thread_local int *Last = &Counter;
int *last() { return Last; }
