#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/model/diagnostic.hpp"

namespace apod::config {

/// Collects what is wrong with one file (or flag). The same problem at the same place is kept once:
/// an alias, or a block that is read for both backends, would repeat it.
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

/// Whether anything was added since: what is read meanwhile is either whole or has its problems.
class Watch {
 public:
  explicit Watch(const Problems& problems) : problems_(problems), before_(problems.count()) {}
  bool clean() const { return problems_.count() == before_; }

 private:
  const Problems& problems_;
  std::size_t before_;
};

/// "did you mean 'streams'?" where a candidate is close, else "one of a, b, c".
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace apod::config
