#pragma once

/// \file
/// An experiment for a kernel of which only the code is known.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/files/sketch.hpp"

namespace apod::cli {

struct KernelWish {
  std::string file;    ///< as the experiment names it
  std::string kernel;  ///< empty: the only one, or the first
  std::optional<std::int64_t> size;
  std::optional<std::int64_t> block;
  std::string grid;               ///< empty: ceil(size / block)
  std::string reference;          ///< an expression for the first output
  std::vector<std::string> args;  ///< "1=out", "p3=size / 2", "0=[size, 3]"
};

/// The text of an experiment file. Pointers to const are inputs, other pointers are arrays that are
/// changed in place, of `size` elements each; integers are the size, other scalars 1. Throws
/// std::runtime_error if the wish does not fit the kernel, or a type has no name here.
std::string experiment_for(const std::vector<file::KernelSketch>& sketches, const KernelWish& wish);

}  // namespace apod::cli
