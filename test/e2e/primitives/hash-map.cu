// Maps in memory and beyond it, against std::unordered_map.
//
// RUN: %gridspan++ -O1 -Xarch_host -O0 %untraced -w %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t > %t.1
// RUN: FileCheck %s < %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | diff - %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1MiB %t | diff - %t.1
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=1MiB %t | diff - %t.1
// CHECK: PASS

#include "Inputs/memory.h"
#include <algorithm>
#include <gridspan/hash_map.h>
#include <limits>
#include <unordered_map>

/// A value of 16 bytes.
struct Moments {
  double Sum;
  float Most;
  unsigned Count;
};
struct AddMoments {
  __host__ __device__ Moments operator()(const Moments &L,
                                         const Moments &R) const {
    return {L.Sum + R.Sum, L.Most < R.Most ? R.Most : L.Most,
            L.Count + R.Count};
  }
};
/// x -> A x + B, so that the order of values shows.
struct InOrder {
  __host__ __device__ uint64_t operator()(uint64_t L, uint64_t R) const {
    const Affine X = {uint32_t(L), uint32_t(L >> 32)},
                 Y = {uint32_t(R), uint32_t(R >> 32)}, Z = Compose()(X, Y);
    return Z.A | uint64_t(Z.B) << 32;
  }
};

template <class Key, class Value> struct Checked {
  gridspan::hash_map<Key, Value> Map;
  std::unordered_map<Key, Value> Want;

  /// All keys of the map, and some that are not there.
  void check() {
    EXPECT(Map.size() == Want.size());
    std::vector<Key> Keys;
    std::vector<Value> Values;
    for (const auto &[K, V] : Want) {
      Keys.push_back(K);
      Values.push_back(V);
    }
    std::vector<Key> AllKeys(Want.size());
    std::vector<Value> AllValues(Want.size());
    CHECK(Map.retrieve_all(AllKeys.begin(), AllValues.begin()));
    for (size_t I = 0; I < AllKeys.size(); ++I) {
      const auto It = Want.find(AllKeys[I]);
      EXPECT(It != Want.end() &&
             !memcmp(&It->second, &AllValues[I], sizeof(Value)));
    }
    const size_t There = Keys.size();
    for (Key K = 0; K < 100; ++K)
      if (!Want.count(Key(K * 7919)))
        Keys.push_back(Key(K * 7919));
    std::vector<Value> Found(Keys.size());
    std::vector<char> Contained(Keys.size(), 5);
    Value Other;
    memset(&Other, 0x77, sizeof Other);
    CHECK(Map.find(Keys.begin(), Keys.end(), Found.begin(), Other));
    CHECK(Map.contains(Keys.begin(), Keys.end(), Contained.begin()));
    for (size_t I = 0; I < Keys.size(); ++I) {
      EXPECT(!memcmp(&Found[I], I < There ? &Values[I] : &Other, sizeof Other));
      EXPECT(Contained[I] == (I < There));
    }
  }

  template <class Operation>
  void upsert(Kind K, const std::vector<Key> &Keys,
              const std::vector<Value> &Values, Operation Op) {
    Array<Key> OnKind(K, Keys);
    Array<Value> ValuesOnKind(K, Values);
    CHECK(Map.upsert(OnKind.begin(), OnKind.end(), ValuesOnKind.begin(), Op));
    for (size_t I = 0; I < Keys.size(); ++I) {
      const auto [It, IsNew] = Want.emplace(Keys[I], Values[I]);
      if (!IsNew)
        It->second = Op(It->second, Values[I]);
    }
  }

  void erase(const std::vector<Key> &Keys) {
    CHECK(Map.erase(Keys.begin(), Keys.end()));
    for (Key K : Keys)
      Want.erase(K);
  }
};

template <class Key> static std::vector<Key> keys(size_t N, size_t Most) {
  std::vector<Key> Out = randomValues<Key>(N, Most);
  for (Key &K : Out)
    K = Key(K * 2654435769U);
  return Out;
}

/// Batches with equal keys, in order; erasing, growth, and putting in again.
template <class Key> static void ordered(Kind K, size_t N) {
  Checked<Key, uint64_t> C;
  C.check();
  std::vector<uint64_t> Values(N);
  uint64_t State = N;
  for (uint64_t &V : Values)
    V = (next(State) | 1) | next(State) << 32;
  for (size_t Most : {N / 3 + 1, N + 1, 4 * N + 1}) {
    C.upsert(K, keys<Key>(N, Most), Values, InOrder());
    C.check();
  }
  std::vector<Key> Some = keys<Key>(N / 2, 2 * N + 1);
  C.erase(Some);
  C.check();
  C.upsert(K, Some, Values, InOrder());
  C.check();
  CHECK(C.Map.clear());
  C.Want.clear();
  C.check();
}

/// Keys that all begin in an eighth of the table, so that parts of it are too
/// small where there are several.
static void skewed(size_t N) {
  std::vector<uint64_t> Keys(N), Values(N, 1);
  for (size_t I = 0; I < N; ++I)
    Keys[I] = gridspan::detail::MixedKey<uint64_t>::key(
        gridspan::detail::MixedKey<uint64_t>::of(I) >> 3);
  Checked<uint64_t, uint64_t> C;
  C.upsert(Kind::Pageable, Keys, Values, gridspan::detail::Plus());
  C.upsert(Kind::Pageable, Keys, Values, gridspan::detail::Plus());
  C.check();
}

/// Any bits are keys, and each function does what it says of equal ones.
static void smallest() {
  using Limits = std::numeric_limits<long long>;
  const std::vector<long long> Keys = {0, -1, Limits::min(), Limits::max(), 0};
  std::vector<Moments> Values(5);
  for (unsigned I = 0; I < 5; ++I)
    Values[I] = {I + 0.5, float(I), 1};
  Checked<long long, Moments> C;
  C.upsert(Kind::Pageable, Keys, Values, AddMoments());
  C.check();
  EXPECT(C.Want[0].Count == 2 && C.Want[0].Most == 4);
  gridspan::hash_map<unsigned, uint64_t> Map;
  const unsigned Twice[] = {7, 7, 8};
  const uint64_t First[] = {1, 2, 3}, Second[] = {4, 5, 6};
  uint64_t Found[2];
  CHECK(Map.insert(Twice, Twice + 3, First));
  CHECK(Map.find(Twice + 1, Twice + 3, Found));
  EXPECT(Found[0] == 1 && Found[1] == 3);
  CHECK(Map.insert(Twice, Twice + 3, Second));
  CHECK(Map.find(Twice + 1, Twice + 3, Found));
  EXPECT(Found[0] == 1 && Found[1] == 3);
  CHECK(Map.insert_or_assign(Twice, Twice + 3, Second));
  CHECK(Map.find(Twice + 1, Twice + 3, Found));
  EXPECT(Found[0] == 5 && Found[1] == 6);
  CHECK(Map.reserve(1000));
  EXPECT(Map.size() == 2 && Map.capacity() >= 1000);
  CHECK(Map.find(Twice + 1, Twice + 3, Found));
  EXPECT(Found[0] == 5 && Found[1] == 6);
}

/// Sums of rounded numbers depend on the order of equal keys alone.
static void rounded(size_t N) {
  std::vector<Moments> Values(N), Sums(N);
  uint64_t State = 1;
  for (Moments &V : Values)
    V = {double(next(State)) / 7, 0, 1};
  const std::vector<long long> Keys = keys<long long>(N, 100);
  gridspan::hash_map<long long, Moments> Map;
  CHECK(Map.upsert(Keys.begin(), Keys.end(), Values.begin(), AddMoments()));
  CHECK(Map.find(Keys.begin(), Keys.end(), Sums.begin()));
  uint64_t Hash = 0;
  for (const Moments &X : Sums) {
    uint64_t Bits;
    memcpy(&Bits, &X.Sum, sizeof Bits);
    Hash = Hash * 31 + Bits;
  }
  printf("%zu: %llx\n", N, (unsigned long long)Hash);
}

int main() {
  for (size_t N : {size_t(1), size_t(1000), size_t(20001)})
    for (Kind K : {Kind::Pageable, Kind::Device}) {
      ordered<unsigned>(K, N);
      ordered<uint64_t>(K, N);
    }
  skewed(8001);
  smallest();
  rounded(60001);
  return finish();
}
