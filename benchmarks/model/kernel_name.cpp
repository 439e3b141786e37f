#include "benchmarks/model/kernel_name.hpp"

namespace apod {

std::string without_parameters(const std::string& kernel) {
  if (!kernel.ends_with(')')) return kernel;
  int depth = 0;
  for (std::size_t i = kernel.size(); i-- > 0;) {
    if (kernel[i] == ')') ++depth;
    if (kernel[i] == '(' && --depth == 0) return i > 0 ? kernel.substr(0, i) : kernel;
  }
  return kernel;
}

std::string shape(const std::array<std::uint32_t, 3>& sizes) {
  std::string text = std::to_string(sizes[0]);
  if (sizes[1] > 1 || sizes[2] > 1) text += "x" + std::to_string(sizes[1]);
  if (sizes[2] > 1) text += "x" + std::to_string(sizes[2]);
  return text;
}

}  // namespace apod
