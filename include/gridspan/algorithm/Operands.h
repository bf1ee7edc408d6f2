//===- Operands.h - Memory that a primitive works on ---------- -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gridspan/algorithm.h asks the runtime for: that kernels may work on
// memory which the program has, wherever that is.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ALGORITHM_OPERANDS_H
#define GRIDSPAN_ALGORITHM_OPERANDS_H

#include <cuda_runtime_api.h>
#include <stdint.h>

/// How kernels use an operand; bits.
enum GridspanOperandUse {
  GridspanOperandReads = 1,
  GridspanOperandWrites = 2,
  /// It writes every byte of it, and reads none before.
  GridspanOperandOverwrites = 4,
};

/// What was done so that kernels may use it.
enum GridspanOperandKind {
  GridspanOperandAsIs = 0,    ///< memory of devices, or managed
  GridspanOperandLent = 1,    ///< the host's, where it is
  GridspanOperandCopied = 2,  ///< the host's, by a copy on the devices
  GridspanOperandOfOther = 3, ///< the same, as part of an earlier one's memory
};

/// For __gridspan_choose_device, beside the numbers of devices.
enum { GridspanAnyDevice = -1, GridspanEveryDevice = -2 };

struct GridspanOperand {
  void *Address;       ///< as the program has it
  uint64_t Bytes;      ///< 0: not used
  uint32_t Use;        ///< GridspanOperandUse
  uint32_t Kind;       ///< GridspanOperandKind; set by the runtime, as the rest
  void *OnDevice;      ///< for kernels
  uint64_t Lo;         ///< bytes before it, with operands that overlap it
  uint64_t AllBytes;   ///< bytes of all these
  uint64_t FrameBytes; ///< it comes to devices in such pieces; 0: it is there
  uint64_t FrameOffset; ///< bytes of its first such piece that are before it
};

extern "C" {
/// Sets OnDevice of each operand to an address that kernels may use, in the
/// order of the stream and until __gridspan_give_back. Operands may overlap. On
/// an error nothing is borrowed.
cudaError_t __gridspan_borrow(struct GridspanOperand *Operands, unsigned Count,
                              cudaStream_t Stream);
/// Brings operands on the host up to date with what the stream holds, and waits
/// for that. Where there are none it does nothing, and waits for nothing.
cudaError_t __gridspan_give_back(struct GridspanOperand *Operands,
                                 unsigned Count, cudaStream_t Stream);
/// Returns the number of devices that launches may be divided over now, all of
/// which reach the memory of all; 1 if there are others that do not, or are not
/// open yet; 0 on an error, which other calls tell of.
unsigned __gridspan_num_devices();
/// Says that what the calling thread launches and fills in the stream until
/// __gridspan_end_group touches nothing but the operands, memory of one device.
/// Address and Bytes of them count; most are 4. So a library's function, whose
/// kernels nobody may look into, runs between the parts of launches on data
/// larger than the devices, where such launches wait. Decides speed only.
cudaError_t __gridspan_begin_group(const struct GridspanOperand *Operands,
                                   unsigned Count, cudaStream_t Stream);
/// Returns the error of launches that were kept until now.
cudaError_t __gridspan_end_group(void);
/// Has the launches of the calling thread run whole on Device, and its new
/// allocations be there, until it is called again. GridspanEveryDevice: has new
/// allocations be spread evenly; GridspanAnyDevice: as Gridspan sees fit. Data
/// larger than the devices stream through that device. The kernels may not
/// use variables of the module, of which each device has its own. Returns what
/// was set before.
int __gridspan_choose_device(int Device);
}

#endif // GRIDSPAN_ALGORITHM_OPERANDS_H
