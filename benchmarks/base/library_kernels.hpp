#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "benchmarks/base/profile.hpp"

namespace apod {

/// `unused`: a product of matrices (or a convolution, which is one) on the ordinary cores.
/// `unknown`: nothing says that it is a product.
enum class TensorCores : std::uint8_t { unknown, unused, used };

/// By the name alone. NVIDIA's libraries put the instruction that a kernel is made of into its
/// name.
TensorCores tensor_cores_by_name(const std::string& kernel);

/// By the code, the counters or the name, whichever tells; nothing: none does. Code without matrix
/// instructions is believed before the counter, as the tensor pipe executes some half precision
/// (HFMA2) too, which ptxas writes into kernels of any type.
std::optional<bool> uses_tensor_cores(const KernelProfile& kernel);

}  // namespace apod
