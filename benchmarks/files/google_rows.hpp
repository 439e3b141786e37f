#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {

/// Rows of Google Benchmark, from its JSON or made from its CSV. Internal to files/.
class GoogleRows {
 public:
  GoogleRows(const std::string& file, Events& events);

  Result& run() { return rows_.run; }
  void context(const Piece& context);
  void row(const Piece& row, const std::string& place);
  /// Hands on the aggregates of the cases that have no repetitions.
  void finish();

 private:
  struct Aggregate {
    ForeignRow row;
    bool is_median = false;
  };

  std::optional<ForeignRow> read(const Piece& json);
  void keep(ForeignRow&& row, bool is_median);

  ForeignRows rows_;
  std::unordered_set<std::string> has_rows_;
  std::vector<std::pair<std::string, Aggregate>> aggregates_;  ///< by name, in their order
  std::unordered_map<std::string, std::size_t> index_;         ///< of a name among them
};

}  // namespace apod::files
