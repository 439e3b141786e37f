#pragma once

#include <cstdint>
#include <string>

#include "benchmarks/model/profile.hpp"

namespace apod {

/// `unused`: a product of matrices (or a convolution, which is one) on the ordinary cores.
/// `unknown`: nothing tells of a product.
enum class TensorCores : std::uint8_t { unknown, unused, used };

/// By the name alone. NVIDIA's libraries put the instruction that a kernel is made of into its
/// name.
TensorCores tensor_cores_by_name(const std::string& kernel);

/// By what was counted, else by code or name. Without tensor cores, more fp16 than fp32 in the code
/// is taken for a product too.
TensorCores tensor_cores_of(const KernelProfile& kernel);

}  // namespace apod
