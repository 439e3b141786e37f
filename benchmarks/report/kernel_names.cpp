#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "benchmarks/model/kernel_name.hpp"
#include "benchmarks/report/kernel_table.hpp"

namespace apod::report {
namespace {

/// As demanglers call a namespace without a name; the last is nsys's.
constexpr std::array<std::string_view, 2> anonymous{"(anonymous namespace)::", "<unnamed>::"};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Whether `shape` stands in `text` behind the letter of a type ("s884") and is no part of a longer
/// number.
bool has_shape(std::string_view text, std::string_view shape) {
  for (auto at = text.find(shape); at != std::string_view::npos; at = text.find(shape, at + 1)) {
    const auto end = at + shape.size();
    const bool typed = at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1])) != 0;
    if (typed && (end == text.size() || !is_digit(text[end]))) return true;
  }
  return false;
}

}  // namespace

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

bool names_tensor_cores(const std::string& kernel) {
  // The shapes (m, n, k) of matrix instructions, which NVIDIA's libraries put into names.
  static constexpr std::array<std::string_view, 7> shapes{"884",   "1688",  "8816",  "16816",
                                                          "16832", "16864", "161616"};
  static constexpr std::array<std::string_view, 7> words{"hmma",     "imma",       "bmma", "gmma",
                                                         "tensorop", "tensor16x8", "nvjet"};
  const std::string_view name(kernel);
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](auto shape) { return has_shape(name, shape); }) ||
         std::any_of(words.begin(), words.end(),
                     [&](auto word) { return name.find(word) != std::string_view::npos; });
}

}  // namespace apod::report
