#pragma once

/// \file
/// Compares a kernel's parameters, from its compiled name or its PTX, with the experiment's
/// arguments. Plain C++: no toolkit.

#include <optional>
#include <string>
#include <vector>

#include "kernels/files/sketch.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cuda {

using Parameter = file::KernelSketch::Parameter;

/// The parameters in a mangled C++ name; nothing for the name of an extern "C" kernel, which has
/// none.
std::optional<std::vector<Parameter>> parameters_of(const std::string& mangled);
/// The number of parameters of an entry in PTX; nothing if there is none of that name.
std::optional<std::size_t> parameter_count(const std::string& ptx, const std::string& mangled);

/// Why `args` (of the spec, by their positions) do not fit; empty if they may. `kernel` is its name
/// in messages.
std::string misfit(const file::KernelSpec& spec, const std::vector<std::size_t>& args,
                   const std::string& kernel, const std::string& mangled, const std::string& ptx);

}  // namespace apod::cuda
