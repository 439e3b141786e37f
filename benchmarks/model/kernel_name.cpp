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

}  // namespace apod
