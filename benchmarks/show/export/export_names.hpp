#pragma once

/// \file
/// Pieces that the exports share. Internal to report/.

#include <iosfwd>
#include <string>
#include <unordered_map>

#include "benchmarks/base/side.hpp"

namespace apod::exports {

/// Keeps names apart that became equal on the way into a format: the second one is "name#01", as Go
/// names its tests.
class UniqueNames {
 public:
  std::string add(const std::string& name) {
    std::string candidate = name;
    while (!next_.emplace(candidate, 1).second) {
      const std::string number = std::to_string(next_[name]++);
      candidate = name + '#' + (number.size() < 2 ? "0" : "") + number;
    }
    return candidate;
  }

 private:
  std::unordered_map<std::string, std::size_t> next_;  ///< the number that a name is given next
};

/// export_side's ExportFormat::go.
void export_go(std::ostream& out, const Side& side);

}  // namespace apod::exports
