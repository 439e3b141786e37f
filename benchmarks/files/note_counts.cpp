#include "benchmarks/files/note_counts.hpp"

namespace apod::files {

void NoteCounts::add(const std::string& text, const std::string& name) {
  if (name.empty()) return noted_.push_back({text, "", 1});
  const auto [found, is_new] = index_.try_emplace(text, noted_.size());
  if (is_new) {
    noted_.push_back({text, name, 1});
  } else {
    ++noted_[found->second].count;
  }
}

std::vector<std::string> NoteCounts::lines() const {
  std::vector<std::string> lines;
  for (const auto& [text, first, count] : noted_) {
    std::string of = first;
    if (count > 1) of = std::to_string(count) + " cases, the first " + first;
    lines.push_back(of.empty() ? text : text + ": " + of);
  }
  return lines;
}

}  // namespace apod::files
