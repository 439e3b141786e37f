#pragma once

/// \file
/// The kernels that a program contains, without running it and without a GPU.

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/look/sass.hpp"

namespace apod::look {

struct ProgramCode {
  /// By architecture and name; equal ones once. Machine code, and the PTX from which the driver
  /// makes it for other devices.
  std::vector<KernelCode> kernels;
  std::string note;  ///< why there are none, or not all; empty where all were read
};

/// Reads the kernels of the file at `path` (a program, a library, an object or a cubin) with the
/// CUDA toolkit's `cuobjdump`, which is looked for at run time. The note says so where there is
/// none, or where it takes longer than `most`. Disassembling a large program is slow: with `only`,
/// the demangled names of some kernels, no others are disassembled.
ProgramCode code_of_program(const std::string& path,
                            std::chrono::milliseconds most = std::chrono::minutes(2),
                            const std::optional<std::set<std::string>>& only = std::nullopt);

/// The architecture of `code` that a device of `compute_capability` ("9.0") runs: machine code of
/// the same major version and the highest minor one that is not above its own, else PTX of the
/// highest version that is not. Empty where it can run none.
/// Source: CUDA C++ Programming Guide, "Binary Compatibility" and "PTX Compatibility".
std::string architecture_for(const ProgramCode& code, const std::string& compute_capability);

/// The mixes of one architecture by the kernels' names. Kernels of one name and different code are
/// left out: which of them ran can't be told.
std::map<std::string, InstructionMix> mixes_of(const ProgramCode& code,
                                               const std::string& architecture);

/// What the kernels of one program are made of, read when they are first asked for.
class ProgramMixes {
 public:
  /// `compute_capability` as for architecture_for().
  ProgramMixes(std::string path, std::string compute_capability)
      : path_(std::move(path)), compute_capability_(std::move(compute_capability)) {}

  /// Sets the instructions of the kernels whose code can be read within `most`. Why not, the first
  /// time that something can't be read, after which nothing more is; else empty.
  std::string describe(std::vector<KernelProfile>& kernels, std::chrono::milliseconds most);

 private:
  std::string path_;
  std::string compute_capability_;
  std::map<std::string, std::optional<InstructionMix>>
      known_;  ///< nothing where the program has no such kernel
  bool given_up_ = false;
};

}  // namespace apod::look
