#include "benchmarks/base/diagnostic.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace apod {
std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.place.line > 0) {
    text += ":" + std::to_string(diagnostic.place.line);
    if (diagnostic.place.column > 0) text += ":" + std::to_string(diagnostic.place.column);
  }
  if (!text.empty()) text += ": ";
  text += diagnostic.message;
  if (!diagnostic.hint.empty()) text += " (" + diagnostic.hint + ")";
  return text;
}

Diagnostics in_order(Diagnostics diagnostics) {
  const auto is_flag = [](const Diagnostic& d) { return d.file.starts_with("--"); };
  const auto flags = std::stable_partition(diagnostics.begin(), diagnostics.end(),
                                           [&](const auto& d) { return !is_flag(d); });
  const auto key = [](const Diagnostic& d) {
    return std::tie(d.file, d.place.line, d.place.column, d.message);
  };
  std::stable_sort(diagnostics.begin(), flags,
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(),
                                [&](const auto& a, const auto& b) { return key(a) == key(b); }),
                    diagnostics.end());
  return diagnostics;
}

}  // namespace apod
