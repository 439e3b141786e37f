#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/diagnostic.hpp"

namespace apod::config {

/// Collects the mistakes in one file (or flag). The same problem at the same place is kept once: an
/// alias, or a block that is read for both backends, would repeat it.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(SourcePlace place, std::string message, std::string hint = {});
  bool empty() const { return all_.empty(); }
  std::size_t count() const { return all_.size(); }
  /// In the order of their places, without repetitions.
  Diagnostics sorted() const;

 private:
  std::string file_;
  Diagnostics all_;
};

/// The result of `read()`, or nothing if it added a problem. So a value is read completely or not
/// at all, and no second problem follows from the first.
template <class Read>
auto whole(const Problems& problems, Read read) -> std::optional<decltype(read())> {
  const auto before = problems.count();
  std::optional value = read();
  if (problems.count() > before) value.reset();
  return value;
}

/// "did you mean 'streams'?" if a candidate is close, else "one of a, b, c".
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace apod::config
