#include "benchmarks/base/text/closest.hpp"

#include <algorithm>
#include <cstddef>

#include "benchmarks/base/text/plain.hpp"

namespace apod::text {
namespace {

/// Levenshtein distance with transpositions (optimal string alignment), in characters.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string closest(const std::string& word, const std::vector<std::string>& candidates) {
  // No name is as long; a distance over a pasted page of text would cost quadratic time.
  constexpr std::size_t longest_word = 64;
  if (word.empty() || word.size() > longest_word) return "";
  std::string best;
  // A third of the letters may be wrong: enough for a slip, too little for another word.
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    if (candidate.size() > 2 * longest_word) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& near, const std::string& otherwise) {
  return near.empty() ? otherwise : "did you mean '" + printable(near) + "'?";
}

std::string in_brackets(const std::string& text) {
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace apod::text
