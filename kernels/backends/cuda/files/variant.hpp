#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/files/kernel_family.hpp"

namespace apod::cuda {

/// Kernels from files, for the registry.
KernelFiles kernel_files();

/// The captured kernel, or a kernel of a file in its place. The family must be of a capture.
std::unique_ptr<Variant> make_captured_variant(std::shared_ptr<const file::KernelFamily> family);

/// As KernelFiles::compile, for such a family.
std::vector<std::string> compile_captured(const file::KernelFamily& family, const Params& params,
                                          const std::string& compute_capability);

}  // namespace apod::cuda
