// The order of numbers, which merging and radix sorting have in common, on one
// device and on several, each of which sorts a part.
//
// RUN: %gridspan++ -O1 -Xarch_host -O0 %untraced -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PARTS
// RUN: env GRIDSPAN_DEVICES=cpu:3 %t | FileCheck %s
// Beyond memory pieces come and go around CUB's calls.
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_REPORT=1 \
// RUN:   %t beyond 2>&1 | FileCheck %s --check-prefixes=CHECK,CHAIN
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_REPORT=1 \
// RUN:   %t beyond 2>&1 | FileCheck %s --check-prefixes=CHECK,CHAIN
// Pinned memory that the program lends is copied without frames of it.
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_REPORT=%t.3.json \
// RUN:   %t beyond | FileCheck %s
// RUN: FileCheck --check-prefix=DIRECT --input-file=%t.3.json %s
// Where the program has other memory there, the work space stays there as well.
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_REPORT=1 \
// RUN:   %t beyond held 2>&1 | FileCheck %s --check-prefixes=CHECK,CHAIN
// CHECK: PASS
// CHAIN: library call: {{.*}} in chains
// DIRECT: "name": "cudaMemcpy"
// DIRECT: "why": "copied-directly"
// PARTS: takeKeys<{{.*}} device-chosen

#include "Inputs/memory.h"
#include <algorithm>
#include <cmath>
#include <gridspan/algorithm.h>
#include <limits>

using namespace gridspan::detail;

/// Any bits, and few distinct ones, among them those of special values.
template <class Key> static std::vector<Key> keys(size_t N) {
  using Bits = typename OrderedBits<Key>::Type;
  std::vector<Key> Out(N);
  uint64_t State = N + sizeof(Key);
  for (size_t I = 0; I < N; ++I) {
    const uint64_t Any = next(State) << 33 ^ next(State) << 11 ^ next(State);
    Bits Of = Bits(Any);
    if (I % 3 == 0)
      Of = Bits(Any % 5) - Bits(2);
    if constexpr (std::is_floating_point_v<Key>)
      if (I % 3 == 1) {
        const Key Special[] = {0, 1, std::numeric_limits<Key>::infinity(),
                               std::numeric_limits<Key>::quiet_NaN(),
                               std::numeric_limits<Key>::denorm_min()};
        const Key K = Special[Any % std::size(Special)];
        memcpy(&Of, &K, sizeof Of);
        Of ^= Any & 64 ? OrderedBits<Key>::Sign : 0;
      }
    memcpy(&Out[I], &Of, sizeof Of);
  }
  return Out;
}

/// By radix: on one device, or on as many as there are.
struct Way {
  bool ByRadix;
  Index LeastPart;
};
static constexpr Way Ways[] = {{false, 1}, {true, 1 << 20}, {true, 1}};

template <class Array, class Order>
static void sortBy(const Way &By, bool IsThere, Array Data, size_t N,
                   Order Less) {
  CHECK((Sorter<Array, Order>(Less, nullptr, By.ByRadix, By.LeastPart)
             .sort(Data, Data, Index(N), IsThere)));
}

/// IsBeyond: the data are larger than the devices. Merging such is sort.cu's.
template <class Key, class Value, class Order>
static void agree(Order Less, size_t N = 9001, bool IsBeyond = false) {
  const std::vector<Key> A = keys<Key>(N);
  std::vector<size_t> Places(N);
  for (size_t I = 0; I < N; ++I)
    Places[I] = I;
  std::stable_sort(Places.begin(), Places.end(),
                   [&](size_t L, size_t R) { return Less(A[L], A[R]); });
  std::vector<Key> Want(N);
  std::vector<Value> V(N), WantValues(N);
  for (size_t I = 0; I < N; ++I)
    V[I] = Value{char(I)};
  for (size_t I = 0; I < N; ++I) {
    Want[I] = A[Places[I]];
    WantValues[I] = V[Places[I]];
  }
  for (const Way &By : Ways)
    for (bool IsThere : {true, false}) {
      if (IsBeyond && (IsThere || !By.ByRadix))
        continue;
      ::Array<Key> OnlyKeys(Kind::Device, A), WithValues(Kind::Device, A);
      ::Array<Value> Values(Kind::Device, V);
      sortBy(By, IsThere, Keys<Key>{OnlyKeys.begin()}, N, Less);
      EXPECT(same(OnlyKeys.contents(), Want));
      sortBy(By, IsThere,
             KeysAndValues<Key, Value>{WithValues.begin(), Values.begin()}, N,
             ByKey<Order>{Less});
      EXPECT(same(WithValues.contents(), Want));
      EXPECT(same(Values.contents(), WantValues));
    }
}

/// Keys and values in memory that is pinned, larger than the devices.
static void agreeOnLent() {
  const size_t N = 70001;
  const std::vector<double> A = keys<double>(N);
  std::vector<double> Want = A;
  std::stable_sort(Want.begin(), Want.end(), Ascending());
  ::Array<double> K(Kind::Pinned, A), L(Kind::Pinned, A);
  ::Array<float> V(Kind::Pinned, N);
  const auto Values = [&](const double *From) {
    for (size_t I = 0; I < N; ++I)
      V.begin()[I] = static_cast<float>(From[I]);
  };
  const auto Sort = [](auto Data, auto Less) {
    return Sorter<decltype(Data), decltype(Less)>(Less, nullptr, true, 1)
        .sort(Data, Data, Index(N), false);
  };
  CHECK(withMemory(
      cudaStream_t(nullptr),
      [&](const auto &, auto *Keys0) {
        return Sort(Keys<double>{Keys0}, Ascending());
      },
      writes(K.begin(), Index(N))));
  EXPECT(same(K.contents(), Want));
  Values(L.begin());
  CHECK(withMemory(
      cudaStream_t(nullptr),
      [&](const auto &, auto *Keys0, auto *Values0) {
        return Sort(KeysAndValues<double, float>{Keys0, Values0},
                    ByKey<Ascending>());
      },
      writes(L.begin(), Index(N)), writes(V.begin(), Index(N))));
  EXPECT(same(L.contents(), Want));
  const std::vector<float> Sorted = V.contents();
  Values(Want.data());
  EXPECT(same(V.contents(), Sorted));
}

/// Keys, and keys with values, of several segments in pageable memory, which
/// begins anywhere in its first frame; those of the values may be cut elsewhere.
/// By radix and by merging.
static void agreeAnywhere() {
  const size_t N = 40001;
  constexpr struct {
    size_t Keys, Values;
  } Skips[] = {{0, 0}, {1, 1}, {4093, 7}};
  for (const auto &Skip : Skips) {
    std::vector<double> K = keys<double>(N), V(N);
    const Index Count = Index(N - std::max(Skip.Keys, Skip.Values));
    double *const First = K.data() + Skip.Keys;
    double *const Values = V.data() + Skip.Values;
    std::vector<double> Want(First, First + Count);
    std::stable_sort(Want.begin(), Want.end(), Ascending());
    for (Index I = 0; I < Count; ++I)
      Values[I] = -First[I];
    FrameGrid Frames;
    CHECK(withMemory(
        cudaStream_t(nullptr),
        [&](const auto &Where, auto *Keys0) {
          Frames = Where.template gridOfLast<double>();
          return Sorter<Keys<double>, Ascending>(Ascending(), nullptr, true, 1)
              .sort({Keys0}, {Keys0}, Count, false, Frames);
        },
        writes(First, Count)));
    EXPECT(Frames.Elements > 0 && Frames.Before < Frames.Elements);
    EXPECT(same(std::vector<double>(First, First + Count), Want));
    for (Index I = 0; I < Count; ++I)
      First[I] = -Values[I];
    CHECK(gridspan::sort_by_key(First, First + Count, Values));
    EXPECT(same(std::vector<double>(First, First + Count), Want));
    for (double &E : Want)
      E = -E;
    EXPECT(same(std::vector<double>(Values, Values + Count), Want));
  }
}

/// Parts that end with frames, wherever the data begin.
static void cuts() {
  for (const FrameGrid Frames :
       {FrameGrid{}, FrameGrid{4, 3}, FrameGrid{4, 0}, FrameGrid{32, 5}})
    for (Index Count : {1, 13, 14, 100}) {
      const Cuts Parted(Count, 18, Frames);
      Index Next = 0;
      for (Index P = 0; P < Parted.parts(); ++P) {
        EXPECT(Parted.element(P) == Next);
        EXPECT(Parted.size(P) > 0 && Parted.size(P) <= 18);
        Next += Parted.size(P);
        if (Frames.Elements == 4 && Next < Count)
          EXPECT((Next + Frames.Before) % 4 == 0);
      }
      EXPECT(Next == Count);
    }
}

/// Accesses by parts, of which the order stays within a part.
static void agreeOnParts() {
  const size_t N = 9001;
  const std::vector<unsigned> Map = randomValues<unsigned>(N, 1000);
  std::vector<Access<unsigned>> Want(N), Sorted(N);
  for (size_t I = 0; I < N; ++I)
    Want[I] = {Index(Map[I]), unsigned(I)};
  const ByPart Less = {6, 4};
  std::stable_sort(Want.begin(), Want.end(), Less);
  ::Array<unsigned> Places(Kind::Device, Map);
  for (bool ByRadix : {false, true}) {
    ::Array<Access<unsigned>> Out(Kind::Device, N);
    using Accesses = GatherAccesses<unsigned *>;
    Sorter<Accesses, ByPart> Sort(Less, nullptr, ByRadix);
    CHECK(Sort.allocate(N));
    CHECK(Sort.sortSegment(Accesses{Places.begin()},
                           Keys<Access<unsigned>>{Out.begin()}, N));
    Sorted = Out.contents();
    for (size_t I = 0; I < N; ++I)
      EXPECT(Sorted[I].Place == Want[I].Place &&
             Sorted[I].With == Want[I].With);
  }
}

/// As documented.
template <class T> static void documented() {
  const T NaN = std::numeric_limits<T>::quiet_NaN(), Inf = INFINITY;
  std::vector<T> A = {3, -NaN, 0, NaN, -0.0, 1, -Inf, NaN, Inf, -2, 0};
  CHECK(gridspan::sort(A.begin(), A.end()));
  const T Want[] = {-Inf, -2, T(-0.0), 0, 0, 1, 3, Inf};
  for (size_t I = 0; I < std::size(Want); ++I)
    EXPECT(A[I] == Want[I] && std::signbit(A[I]) == std::signbit(Want[I]));
  for (size_t I = std::size(Want); I < A.size(); ++I)
    EXPECT(std::isnan(A[I]));
  EXPECT(!std::signbit(A[9]) && std::signbit(A[10]));
  // The same by the libraries' comparisons.
  std::vector<T> B = A;
  std::reverse(B.begin(), B.end());
  CHECK(gridspan::sort(B.begin(), B.end(), std::less<T>()));
  EXPECT(same(A, B));
  CHECK(gridspan::sort(B.begin(), B.end(), std::greater<>()));
  std::reverse(B.begin(), B.end());
  EXPECT(same(A, B));
}

struct Wide {
  long long A, B;
};
struct One {
  char A;
};

int main(int Count, char **) {
  if (Count > 1) {
    const ::Array<char> Held(Kind::Device, Count > 2 ? 1 << 17 : 1);
    agree<double, int>(Ascending(), 70001, true);
    agreeOnLent();
    if (Count == 2)
      agreeAnywhere();
    return finish();
  }
  agree<float, One>(Ascending());
  agree<double, Wide>(Descending());
  agree<signed char, Wide>(Ascending());
  agree<long long, One>(Descending());
  agreeOnParts();
  cuts();
  documented<float>();
  return finish();
}
