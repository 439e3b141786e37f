#include "benchmarks/plan/config/problems.hpp"

#include <algorithm>
#include <tuple>

#include "benchmarks/base/text/closest.hpp"

namespace apod::config {

void Problems::add(SourcePlace place, std::string message, std::string hint) {
  all_.push_back({file_, place, std::move(message), std::move(hint)});
}

Diagnostics Problems::sorted() const {
  const auto key = [](const Diagnostic& d) {
    return std::tie(d.place.line, d.place.column, d.message);
  };
  Diagnostics result = all_;
  std::stable_sort(result.begin(), result.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  result.erase(std::unique(result.begin(), result.end(),
                           [&](const auto& a, const auto& b) { return key(a) == key(b); }),
               result.end());
  return result;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  std::string list;
  for (const auto& candidate : candidates) list += (list.empty() ? "" : ", ") + candidate;
  return text::did_you_mean(text::closest(word, candidates),
                            candidates.empty() ? "" : "one of " + list);
}

}  // namespace apod::config
