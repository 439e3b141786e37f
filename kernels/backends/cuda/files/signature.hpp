#pragma once

/// \file
/// What a kernel takes, as its compiled name or its PTX tells, against what the experiment gives
/// it. Plain C++: no toolkit.

#include <optional>
#include <string>
#include <vector>

#include "kernels/files/sketch.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cuda {

using Parameter = file::KernelSketch::Parameter;

/// The parameters that a mangled C++ name tells of; nothing where it is the name of an extern "C"
/// kernel, which tells of none.
std::optional<std::vector<Parameter>> parameters_of(const std::string& mangled);
/// The number of parameters of an entry in PTX; nothing where it has none of that name.
std::optional<std::size_t> parameter_count(const std::string& ptx, const std::string& mangled);

/// Why `args` (of the spec, by their positions) do not fit; empty if they may. `kernel` is what it
/// is called in messages.
std::string misfit(const file::KernelSpec& spec, const std::vector<std::size_t>& args,
                   const std::string& kernel, const std::string& mangled, const std::string& ptx);

}  // namespace apod::cuda
