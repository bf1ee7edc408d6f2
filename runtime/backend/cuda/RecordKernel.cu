//===- RecordKernel.cu - Arrays of records in another order ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to PTX by the build, without headers of CUDA. A block converts some
// neighbouring records at a time, by way of shared memory: so its warps read
// and write neighbouring words on both sides. Words are the largest that record
// and fields are multiples of.
//
//===----------------------------------------------------------------------===//

namespace {

constexpr unsigned MostFields = 64;     // of RecordConverter.cpp
constexpr unsigned SharedBytes = 32768; // of RecordConverter.cpp

/// RecordConversion of RecordConverter.cpp.
struct Conversion {
  unsigned char *Records;
  unsigned char *Fields;
  unsigned long long Bytes;
  unsigned long long Room;
  unsigned RecordBytes;
  unsigned PerBlock; ///< records that fit
  unsigned NumFields;
  unsigned ToFields;
  unsigned Begins[MostFields + 1]; ///< the last one is RecordBytes
};

__attribute__((shared)) unsigned long long Tile[SharedBytes / 8];

template <typename Word>
__attribute__((device)) inline void convert(const Conversion &C) {
  Word *Staged = reinterpret_cast<Word *>(Tile);
  const unsigned Thread = __nvvm_read_ptx_sreg_tid_x();
  const unsigned Threads = __nvvm_read_ptx_sreg_ntid_x();
  const unsigned long long Step =
      (unsigned long long)__nvvm_read_ptx_sreg_nctaid_x() * C.PerBlock;
  const unsigned RecordWords = C.RecordBytes / sizeof(Word);
  const unsigned long long Words = C.Bytes / sizeof(Word);
  Word *Records = reinterpret_cast<Word *>(C.Records);
  for (unsigned long long First =
           (unsigned long long)__nvvm_read_ptx_sreg_ctaid_x() * C.PerBlock;
       First * RecordWords < Words; First += Step) {
    const unsigned long long At = First * RecordWords;
    const unsigned long long Left = Words - At;
    const unsigned Most = C.PerBlock * RecordWords;
    // Of the last record a part may be missing.
    const unsigned Here = Left < Most ? unsigned(Left) : Most;
    const unsigned Count = (Here + RecordWords - 1) / RecordWords;
    if (C.ToFields)
      for (unsigned I = Thread; I < Here; I += Threads)
        Staged[I] = Records[At + I];
    __syncthreads();
    for (unsigned F = 0; F != C.NumFields; ++F) {
      const unsigned Begin = C.Begins[F] / sizeof(Word);
      const unsigned Size = C.Begins[F + 1] / sizeof(Word) - Begin;
      Word *Field = reinterpret_cast<Word *>(
                        C.Fields + (unsigned long long)C.Begins[F] * C.Room) +
                    First * Size;
      for (unsigned I = Thread; I < Count * Size; I += Threads) {
        const unsigned Record = I / Size;
        const unsigned Place =
            Record * RecordWords + Begin + (I - Record * Size);
        if (Place >= Here)
          continue;
        if (C.ToFields)
          Field[I] = Staged[Place];
        else
          Staged[Place] = Field[I];
      }
    }
    __syncthreads();
    if (!C.ToFields)
      for (unsigned I = Thread; I < Here; I += Threads)
        Records[At + I] = Staged[I];
    __syncthreads();
  }
}

} // namespace

#define KERNEL(Bytes, Word)                                                    \
  extern "C" __attribute__((global)) void gridspan_convert_records_##Bytes(    \
      const Conversion C) {                                                    \
    convert<Word>(C);                                                          \
  }

KERNEL(1, unsigned char)
KERNEL(2, unsigned short)
KERNEL(4, unsigned)
KERNEL(8, unsigned long long)
