#include "benchmarks/base/library_kernels.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace apod {
namespace {

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

template <std::size_t size>
bool holds_any(std::string_view name, const std::array<std::string_view, size>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](auto word) { return name.find(word) != std::string_view::npos; });
}

}  // namespace

TensorCores tensor_cores_by_name(const std::string& kernel) {
  // The shapes (m, n, k) of matrix instructions.
  static constexpr std::array<std::string_view, 7> shapes{"884",   "1688",  "8816",  "16816",
                                                          "16832", "16864", "161616"};
  // CUTLASS writes MmaTensorOp and Simt into its types (from its third version on the instruction,
  // as in MainloopSm90TmaGmma and MainloopSm100TmaUmma), tensorop into its names. Groups of warps
  // work together on matrix instructions alone.
  static constexpr std::array<std::string_view, 11> on_tensor_cores{
      "hmma",     "imma",        "bmma",       "gmma",  "Gmma",          "Umma",
      "tensorop", "MmaTensorOp", "tensor16x8", "nvjet", "_warpgroupsize"};
  static constexpr std::array<std::string_view, 5> on_ordinary_cores{"sgemm", "scudnn", "_ffma_",
                                                                     "wgrad_alg0_engine", "Simt"};
  const std::string_view name(kernel);
  const bool shaped =
      std::any_of(shapes.begin(), shapes.end(), [&](auto shape) { return has_shape(name, shape); });
  if (shaped || holds_any(name, on_tensor_cores)) return TensorCores::used;
  return holds_any(name, on_ordinary_cores) ? TensorCores::unused : TensorCores::unknown;
}

std::optional<bool> uses_tensor_cores(const KernelProfile& kernel) {
  const auto& code = kernel.instructions;
  // The tensor pipe executes some half precision too (HFMA2): what is written decides.
  if (code && code->tensor == 0) return false;
  const auto counted = kernel.counters.find("tensor_instructions");
  if (counted != kernel.counters.end()) return counted->second > 0;
  if (code) return true;
  const auto by_name = tensor_cores_by_name(kernel.name);
  if (by_name == TensorCores::unknown) return std::nullopt;
  return by_name == TensorCores::used;
}

}  // namespace apod
