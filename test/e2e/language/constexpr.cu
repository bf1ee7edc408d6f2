// constexpr functions of the standard library in device code, where they call
// the C library, or throw.
// RUN: %gridspan++ -std=c++20 --expt-relaxed-constexpr %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu %t 2>&1 | FileCheck %s
// CHECK: 0 wrong
// CHECK-NEXT: {{.*}}pastEnd{{.*}} executed a trap
// CHECK: ended: 1
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

__global__ void check(const char *Text, int *Wrong) {
  const std::string_view View(Text), Hello("hello");
  std::array<int, 4> A = {1, 2, 3, 4}, B = {1, 2, 3, int(View.size())};
  std::array<char, 3> C = {'a', 'b', 'c'}, D = {'a', 'b', View[2]};
  const std::optional<int> Four(B.at(3));
  *Wrong += View.size() != 4;
  *Wrong += !(A == B) || A < B || !(C == D);
  *Wrong += View == Hello || View.compare(Hello) >= 0;
  *Wrong += Hello.find('l') != 2 || Hello.find("lo") != 3;
  *Wrong += !View.substr(1, 2).starts_with("bc") || Four.value() != 4;
  *Wrong += std::wstring_view(L"wide").size() != 4;
  std::sort(A.begin(), A.end(), [](int X, int Y) { return X > Y; });
  *Wrong += A[0] != 4 || !std::equal(C.begin(), C.end(), Text);
}

__global__ void pastEnd(int *Index) {
  std::array<int, 4> A = {1, 2, 3, 4};
  *Index = A.at(*Index);
}

int main() {
  // strlen is one function in host code.
  const std::vector<const char *> Texts = {"a", "bcd"};
  std::vector<size_t> Lengths(2);
  std::transform(Texts.begin(), Texts.end(), Lengths.begin(), strlen);
  char *Text;
  int *Wrong;
  cudaMallocManaged(&Text, 5);
  cudaMallocManaged(&Wrong, sizeof(int));
  strcpy(Text, "abcd");
  *Wrong = Lengths[0] != 1 || Lengths[1] != 3;
  check<<<1, 1>>>(Text, Wrong);
  *Wrong += cudaDeviceSynchronize() != cudaSuccess;
  printf("%d wrong\n", *Wrong);
  fflush(stdout);
  *Wrong = 7;
  pastEnd<<<1, 1>>>(Wrong);
  printf("ended: %d\n", cudaDeviceSynchronize() != cudaSuccess);
}
