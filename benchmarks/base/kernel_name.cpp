#include "benchmarks/base/kernel_name.hpp"

#include <algorithm>
#include <string_view>

namespace apod {
namespace {

/// As demanglers call a namespace without a name; the last is nsys's.
constexpr std::array<std::string_view, 2> anonymous{"(anonymous namespace)::", "<unnamed>::"};

}  // namespace

std::string without_parameters(const std::string& kernel) {
  if (!kernel.ends_with(')')) return kernel;
  int depth = 0;
  for (std::size_t i = kernel.size(); i-- > 0;) {
    if (kernel[i] == ')') ++depth;
    if (kernel[i] == '(' && --depth == 0) return i > 0 ? kernel.substr(0, i) : kernel;
  }
  return kernel;
}

std::string short_kernel_name(const std::string& name) {
  if (name.starts_with('[')) return name;  // no kernel's own name: "[CUDA graph 3]"
  std::string plain = name;
  for (const auto unnamed : anonymous) {
    for (auto at = plain.find(unnamed); at != std::string::npos; at = plain.find(unnamed)) {
      plain.erase(at, unnamed.size());
    }
  }
  plain = without_parameters(plain);
  // Numba's demangled names carry a long mark of their specialisation.
  if (plain.ends_with(']')) plain.erase(std::min(plain.find("[abi:"), plain.size()));
  // What is within template arguments goes, and all up to the last blank outside them.
  std::string result;
  int depth = 0;
  for (const char c : plain) {
    if (c == '>' && depth > 0) {
      --depth;
    } else if (c == '<') {
      ++depth;
    } else if (depth == 0) {
      c == ' ' ? result.clear() : result.push_back(c);
    }
  }
  return result.empty() ? name : result;
}

std::string shape(const std::array<std::uint32_t, 3>& sizes) {
  std::string text = std::to_string(sizes[0]);
  if (sizes[1] > 1 || sizes[2] > 1) text += "x" + std::to_string(sizes[1]);
  if (sizes[2] > 1) text += "x" + std::to_string(sizes[2]);
  return text;
}

}  // namespace apod
