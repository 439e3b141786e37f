#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/files/events.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {

/// Gives the row a time of `number` in a unit as tools write it: "ns/iter", "sec"; for a rate
/// ("ops/ms") the inverse. Throws std::runtime_error if it is neither.
void take_time(ForeignRow& row, double number, const std::string& unit);

/// A `data.js` of github-action-benchmark: many runs in one file. What its suites measured of one
/// commit is one run. Internal to files/.
class GithubActionFile {
 public:
  /// Throws std::runtime_error if there is no run in it.
  explicit GithubActionFile(const std::string& file);

  std::size_t runs() const { return runs_.size(); }  ///< in the order of their dates
  void read(std::size_t index, Events& events) const;

 private:
  struct Run {
    std::string commit;
    std::string date;
    std::vector<std::pair<std::string, const Piece*>> parts;  ///< by what their names begin with
  };

  std::string file_;
  Piece json_;
  std::vector<Run> runs_;
};

}  // namespace apod::files
