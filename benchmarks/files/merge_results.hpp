#pragma once

/// \file
/// Parts of one study, measured anywhere, as the one result that a single run would have made.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/result.hpp"

namespace apod::files {

/// What a new axis distinguishes.
enum class MergeBy : std::uint8_t { nothing, host, device };

/// A merged result, and what is missing from it.
struct Merged {
  Result result;
  std::size_t missing = 0;  ///< cases that no part has measured
  /// Shards to run again, "3/8": interrupted ones, and those without a file if all parts are
  /// shards.
  std::vector<std::string> absent{};
  /// Machines of which every part with all cases was interrupted, Machine::name().
  std::vector<std::string> cut_short{};
  std::size_t pooled = 0;  ///< cases that several machines measured

  bool is_whole() const { return missing == 0 && absent.empty() && cut_short.empty(); }
};

/// A number of all that was measured: that of a merged result is the sum of its parts', modulo
/// 2^64.
std::uint64_t checksum_of(const Result& result);

/// Takes parts in any order; the same measurement may come twice.
class Merger {
 public:
  explicit Merger(MergeBy by = MergeBy::nothing) : by_(by) {}

  /// Adds a part. Throws std::runtime_error, with no change, if the result does not belong to the
  /// same study as the earlier ones: it has no plan, or is of another plan, build, driver or GPU
  /// model (the latter two may differ with an axis); or one machine has measured the same process
  /// of a case twice, with different times; or it is merged from several values of the axis. `name`
  /// is the part's name in messages about a later one that differs.
  void add(Result part, const std::string& name);
  /// The cases in the order of the plan; their measurements by process, then machine. Where several
  /// machines measured one case their processes are numbered through. Date, environment, seed and
  /// command are of the part that holds the earliest case, wall_s is the sum of the measurements'.
  /// Throws std::runtime_error without parts.
  Merged finish();

 private:
  /// Of a machine: the part that they belong to, and the outcomes.
  using Judgements = std::map<std::string, std::pair<std::string, std::vector<ExpectationOutcome>>>;
  struct Held {
    Case info;         ///< its baseline is a position
    std::string from;  ///< the part that the rest is of: whole, machine and date in one word
    std::vector<Finding> findings;
    Judgements expectations;
    /// By process and machine.
    std::map<std::pair<int, std::string>, Measurement> measurements;
  };
  /// In the whole plan, once for each value of the axis.
  using Position = std::pair<std::size_t, std::string>;

  void check_fits(const Result& part) const;
  void check_measurement(const Measurement& measurement, const Position& position) const;
  void take_cases(Result& part, const std::vector<Position>& positions, const std::string& machine,
                  const std::string& from);
  void name(Case& info, const std::string& label) const;

  MergeBy by_;
  std::map<Position, Held> cases_;
  std::set<Machine> machines_;
  /// Of a part: its earliest case, and its machine. The first part in this order supplies the
  /// shared data.
  using Order = std::pair<std::size_t, std::string>;
  Result head_;                 ///< all but its cases
  std::optional<Order> first_;  ///< of the part that the head is of
  std::string name_;            ///< and what that is called
  /// Of the first part of each kind: a shard may have only cases of the host.
  std::map<BackendKind, std::pair<Order, DeviceFacts>> devices_;
  bool same_peaks_ = true;     ///< of all devices of a kind
  bool same_ceilings_ = true;  ///< in all parts
  std::set<int> shards_;       ///< seen whole, by their number
  std::string shard_;          ///< one of them, "2/8"
  int shard_count_ = 0;        ///< 0: not known
  /// Machines with a part that has all cases, by name: whether one of these was not interrupted.
  std::map<std::string, bool> whole_;
};

}  // namespace apod::files
