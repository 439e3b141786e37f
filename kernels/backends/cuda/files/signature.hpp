#pragma once

/// \file
/// The names and parameters of compiled kernels, and whether an experiment's arguments fit them.
/// Plain C++: no toolkit.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backends/cuda/files/resources.hpp"
#include "kernels/files/launch.hpp"
#include "kernels/files/sketch.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cuda {

using Parameter = file::KernelSketch::Parameter;

/// A kernel in compiled code.
struct CompiledKernel {
  std::string mangled;
  int registers = 0;                 ///< a thread; 0: not known
  std::uint64_t most_threads = 0;    ///< in a block, by __launch_bounds__; 0: not known
  std::vector<std::size_t> block{};  ///< the only one that it runs in; empty: not known
  /// Nothing: an extern "C" kernel of a file that was not compiled here has no types.
  std::optional<std::vector<Parameter>> parameters{};
  /// Bytes of each parameter, 0: not known. Nothing: their number is not known.
  std::optional<std::vector<std::size_t>> sizes{};
  std::vector<std::size_t> most{};  ///< sides of the largest block; empty: not known
  std::vector<Parameter> seen{};    ///< what PTX makes of each; empty: not known
};

/// Lines behind a source that make the compiler name `kernels`, such as "ns::conv<4>": each is
/// instantiated, and is an argument of a kernel that does nothing. Line i + 2 is of kernel i.
std::string naming_lines(const std::vector<std::string>& kernels);
/// The kernels that such lines named, in code that was compiled with them; by their place.
std::map<std::size_t, CompiledKernel> named_kernels(const CubinContent& code);

/// The parameters in a mangled C++ name; nothing for the name of an extern "C" kernel, which has
/// none.
std::optional<std::vector<Parameter>> parameters_of(const std::string& mangled);
/// The kernels of PTX by their mangled names, without `parameters`.
std::map<std::string, CompiledKernel> kernels_of_ptx(std::string_view ptx);

/// Why `args` (of the spec, by their positions) do not fit; empty if they may. `name` is the
/// kernel's in messages.
std::string misfit(const file::KernelSpec& spec, const std::vector<std::size_t>& args,
                   const std::string& name, const CompiledKernel& kernel);

}  // namespace apod::cuda
