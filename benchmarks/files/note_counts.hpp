#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace apod::files {

/// Notes on a file and on its cases: equal ones are counted.
class NoteCounts {
 public:
  /// `name` is a case's; empty: of the whole file.
  void add(const std::string& text, const std::string& name);
  /// "skipped, too large: 3 cases, the first BM_a".
  std::vector<std::string> lines() const;

 private:
  struct Noted {
    std::string text;
    std::string first;  ///< the first case; empty: the whole file
    std::size_t count = 0;
  };

  std::vector<Noted> noted_;
  std::unordered_map<std::string, std::size_t> index_;  ///< text of a case's note to place
};

}  // namespace apod::files
