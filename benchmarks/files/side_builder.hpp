#pragma once

/// \file
/// The rows of any number of files, merged into one Side. Internal to files/.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/side.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/files/metric.hpp"

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

/// Both lists together, sorted; each pair once.
Labels together(const Labels& a, const Labels& b);
/// Likewise; the first of an id counts.
SideFindings together(const SideFindings& a, const SideFindings& b);

/// A case while its rows come in.
struct CaseTally {
  SideCase info;   ///< without its facts
  FactSums facts;  ///< of its processes

  void add_time(double seconds, std::uint32_t session) { info.times.push_back({seconds, session}); }
  /// The first failure counts.
  void fail(const std::string& reason);
  /// Says how the case was measured; a second way is a failure.
  void set_version(const std::string& version);
  /// Merges another row of the same case.
  void merge(CaseTally&& other);
  /// The rows of its file are complete.
  void end_file(const std::string& file);
  /// Merges a later file of the same case. One in which it failed has no times; the last one tells
  /// whether it fails.
  void merge_file(CaseTally&& later);

  bool in_two_ways = false;              ///< which no file mends
  std::vector<std::string> failed_in{};  ///< files, with the reasons
};

/// Cases by name, in order of first appearance.
class Tallies {
 public:
  /// Merges it into the case of the same name. Throws std::runtime_error beyond most_cases.
  void add(CaseTally&& tally);
  /// All of them, or none where that throws.
  void add_all(Tallies&& others);

  std::deque<CaseTally> cases;

 private:
  void check_room_for(std::size_t more) const;
  /// The name of each of `cases`, which stays where it is, to its index.
  std::unordered_map<std::string_view, std::size_t> index_;
};

class SideBuilder {
 public:
  SideBuilder(std::string label, text::Pattern filter, bool wants_spread = false,
              Metric metric = {});

  /// Whether to read the spread of the samples if a file has them.
  bool wants_spread() const { return wants_spread_; }

  const Metric& metric() const { return metric_; }
  /// Adds the value of a case, and its remarks. A value that has no ratio to another is a failure
  /// of the case. Throws std::runtime_error for a time whose metric says that more is better.
  void add_value(CaseTally& tally, const MetricValue& value);
  /// Counts a case that lacks the metric, and has `others`.
  void lacks_metric(const std::string& name, const std::vector<std::string>& others);

  /// Begins the file whose rows come next; its index is session(). An earlier file that was not
  /// ended is dropped. `format` is "apod" for files of bench.
  void begin(const std::string& file, const std::string& format, bool one_process = false);
  bool is_foreign() const { return side_.sessions.back().format != "apod"; }
  std::uint32_t session() const { return static_cast<std::uint32_t>(side_.sessions.size() - 1); }
  /// Stores the known facts of the machine and the build.
  void context(const Result& run);
  /// Removes the stored facts of the program: the cases were commands, which it only started.
  void forget_program();

  /// Whether the filter keeps a case of this name. Throws std::runtime_error for an empty name, and
  /// for one that is too long to match against a filter.
  bool wants(const std::string& name);
  void add(CaseTally&& tally);

  /// A note on the whole file, or on a case of it.
  void note(const std::string& text, const std::string& name = "") { noted_.add(text, name); }
  /// Ends the file: its notes are stored. Throws std::runtime_error if the file has no case at all,
  /// filtered or not, and if none of them has the metric.
  void end();

  /// The side, with `left_out` before its notes. Throws std::runtime_error if no file is left, or
  /// no case after the filter.
  Side finish(const std::vector<std::string>& left_out = {});

 private:
  void drop_unended();

  Side side_;
  Tallies tallies_;
  Tallies of_file_;       ///< of the file that is being read
  bool is_ended_ = true;  ///< no file is
  text::Pattern filter_;
  std::vector<std::string> left_out_;  ///< names, the first of those that the filter drops
  bool wants_spread_ = false;
  Metric metric_;
  std::vector<std::string> remarks_;  ///< notes on the whole side
  bool any_value_ = false;            ///< this file has the metric
  std::vector<std::string> others_;   ///< what its cases have instead
  bool any_case_ = false;             ///< this file has a case, filtered or not
  NoteCounts noted_;                  ///< of this file
};

}  // namespace apod::files
