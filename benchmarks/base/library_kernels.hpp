#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "benchmarks/base/profile.hpp"
#include "kernels/api/types.hpp"

namespace apod {

/// "void scale<2>(float*)" as "void scale<2>": parameters are long and say little.
std::string without_parameters(const std::string& kernel);

/// "ns::reduce" of "void ns::reduce<256>(float*, int)": without result type, template arguments and
/// parameters. Anonymous namespaces are removed too.
std::string short_kernel_name(const std::string& name);

/// A grid or a block: {128, 1, 1} as "128", {16, 16, 1} as "16x16".
std::string shape(const std::array<std::uint32_t, 3>& sizes);

/// `unused`: a product of matrices (or a convolution, which is one) on the ordinary cores.
/// `unknown`: it is not known to be a product.
enum class TensorCores : std::uint8_t { unknown, unused, used };

/// From the name alone. NVIDIA's libraries put the kernel's main instruction into its name.
TensorCores tensor_cores_by_name(const std::string& kernel);

/// From the code, the counters or the name, whichever knows; nothing if none does. Code without
/// matrix instructions overrides the counter, because the tensor pipe also executes some half
/// precision (HFMA2), which ptxas writes into kernels of any type.
std::optional<bool> uses_tensor_cores(const KernelProfile& kernel);

/// The purpose of a kernel, by the words in its name; `other`: no word says it.
enum class KernelFamily : std::uint8_t {
  other,
  matrix_product,
  convolution,
  attention,
  normalization,
  softmax,
  optimizer,
  elementwise,
  reduction,
  sorting,
  copying,
  communication,
};
template <>
struct EnumNames<KernelFamily> {
  static constexpr std::array<std::string_view, 12> names{
      "other kernels", "matrix product", "convolution", "attention",
      "normalization", "softmax",        "optimizer",   "elementwise",
      "reduction",     "sorting",        "copying",     "communication"};
};
KernelFamily kernel_family(const std::string& kernel);

/// Whether the kernel moves data and computes nothing: a concatenation, a change of layout or type.
bool only_copies(const std::string& kernel);

/// Whether the kernel computes in double precision, from the types in its name: a template
/// argument, an array, a word such as "float64". A parameter that is one number does not count.
bool is_in_double(const std::string& kernel);

/// Whether the kernel comes from a library or a compiler's run-time library: its user can't change
/// its grid, registers or threads.
bool is_library_kernel(const std::string& kernel);

}  // namespace apod
