//===- SelectIf.h - The way from CUB's selections ------------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The specialization of what DeviceSelect, DevicePartition and Thrust call.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_CALLS_SELECTIF_H
#define GRIDSPAN_CALLS_SELECTIF_H

#include "gridspan/calls/Select.h"

namespace gridspan::calls {

/// The policies that CUB chooses.
template <typename Input, typename Flags, typename Output, typename Offset,
          cub::SelectImpl How>
using SelectPolicies = cub::detail::select::policy_hub<
    cub::detail::it_value_t<Input>, cub::detail::it_value_t<Flags>,
    ::cuda::std::conditional_t<How == cub::SelectImpl::Partition, Offset,
                               cub::detail::select::per_partition_offset_t>,
    cub::detail::select::is_partition_distinct_output_t<Output>::value, How>;

} // namespace gridspan::calls

CUB_NAMESPACE_BEGIN

template <typename Input, typename Flags, typename Output, typename Number,
          typename Predicate, typename Equality, typename Offset,
          SelectImpl How>
struct DispatchSelectIf<
    Input, Flags, Output, Number, Predicate, Equality, Offset, How,
    ::gridspan::calls::SelectPolicies<Input, Flags, Output, Offset, How>>
    : DispatchSelectIf<
          Input, Flags, Output, Number, Predicate, Equality, Offset, How,
          ::gridspan::calls::Untouched<::gridspan::calls::SelectPolicies<
              Input, Flags, Output, Offset, How>>> {
  using Own = DispatchSelectIf<
      Input, Flags, Output, Number, Predicate, Equality, Offset, How,
      ::gridspan::calls::Untouched<::gridspan::calls::SelectPolicies<
          Input, Flags, Output, Offset, How>>>;
  using Own::Own;

  CUB_RUNTIME_FUNCTION static cudaError_t
  Dispatch(void *Storage, size_t &Bytes, Input In, Flags Of, Output Out,
           Number Selected, Predicate Takes, Equality Equal, Offset Count,
           cudaStream_t Stream) {
    namespace calls = ::gridspan::calls;
    const auto AskCub = [&](void *At, size_t &Room) {
      return Own::Dispatch(At, Room, In, Of, Out, Selected, Takes, Equal, Count,
                           Stream);
    };
    if (Storage) {
      constexpr auto WhyNot =
          calls::whyNotSelect<How, Input, Flags, Output, Number>();
      const auto Elements = static_cast<calls::Index>(Count);
      calls::MemoryList Memory;
      Memory.add(In, Elements);
      Memory.add(calls::Outputs<Output>::first(Out), Elements);
      if constexpr (!calls::IsNull<Flags>)
        Memory.add(Of, Elements);
      if (Memory.isTaken(How == SelectImpl::Partition ? "partition" : "select",
                         WhyNot, Stream))
        if constexpr (!WhyNot)
          if (calls::isRoomEnough(Bytes, AskCub))
            return calls::select<How>(In, Of, Out, Selected, Takes, Equal,
                                      Elements, Stream);
    }
    return AskCub(Storage, Bytes);
  }
};

CUB_NAMESPACE_END

#endif // GRIDSPAN_CALLS_SELECTIF_H
