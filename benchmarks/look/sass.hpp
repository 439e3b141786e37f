#pragma once

/// \file
/// What kernels are made of, from the text that `cuobjdump` writes of a program. Pure functions:
/// bad text gives fewer instructions, never an error.

#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/profile.hpp"

namespace apod::look {

struct KernelCode {
  std::string name;          ///< demangled
  std::string architecture;  ///< "sm_90"; of PTX "compute_75"
  InstructionMix mix;
};

/// The kernels of a whole listing, made by `cuobjdump -sass` or `cuobjdump -ptx`, line by line: the
/// listing of a large program is large. Instructions of machine code are the lines that begin with
/// an offset such as `/*04d0*/`; NOP is padding and does not count in `all`. Source of the names:
/// CUDA Binary Utilities, "Instruction Set Reference", and PTX ISA, "Instruction Set".
class Listing {
 public:
  void add_line(std::string_view line);
  const std::vector<KernelCode>& kernels() const { return kernels_; }

 private:
  void add_ptx(char c);
  void begin_ptx_block();
  void end_ptx_statement();

  std::vector<KernelCode> kernels_;
  std::string architecture_;
  bool in_sass_ = false;
  bool in_kernel_ = false;
  int depth_ = 0;          ///< of PTX's braces
  std::string statement_;  ///< PTX, up to its semicolon
};

}  // namespace apod::look
