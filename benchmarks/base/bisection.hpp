#pragma once

/// \file
/// The outcome of a search for the commit that made a case slower.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/stats/means.hpp"

namespace apod {

struct Commit {
  std::string id;       ///< 40 hexadecimal digits, or 64
  std::string author;   ///< "Name <mail>"
  std::string date;     ///< "2026-11-26 14:02:11 +0100"
  std::string subject;  ///< the first line of its message
  std::size_t parents = 1;
  std::string short_id() const { return id.substr(0, 10); }
};

enum class CommitState : std::uint8_t {
  untried,
  good,     ///< as fast as the good end
  bad,      ///< as slow as the bad end
  between,  ///< neither, so that there are changes before and after it
  skipped,  ///< it does not build or run
};
template <>
struct EnumNames<CommitState> {
  static constexpr std::array<std::string_view, 5> names{"untried", "good", "bad", "between",
                                                         "skipped"};
};

/// What is known of a commit.
struct BisectedCommit {
  CommitState state = CommitState::untried;
  std::optional<std::size_t> same_code_as = {};  ///< so it was not measured
  std::size_t base = 0;                          ///< the commit that it was measured against
  Estimate change = {};                          ///< from the base, a share
  std::size_t blocks = 0;                        ///< that the decision took; 0: not measured
  std::string why = {};                          ///< it is skipped
  Commit commit = {};
};

/// A change between two commits that were confirmed to differ. All between them are skipped.
struct CommitStep {
  std::size_t before = 0;
  std::size_t after = 0;
  Estimate change = {};  ///< a share, of the fresh blocks alone
};

enum class BisectionEnd : std::uint8_t {
  found,      ///< `steps` has at least one
  small,      ///< the ends differ by less than the threshold, or the bad one is faster
  same_code,  ///< the ends have the same machine code
  undecided,  ///< whether the ends differ by the threshold could not be shown
  /// No change between neighbours could be confirmed: many commits have a part in it.
  unconfirmed,
  no_end,   ///< an end does not build or run
  stopped,  ///< by the user
};
template <>
struct EnumNames<BisectionEnd> {
  static constexpr std::array<std::string_view, 7> names{
      "found", "small", "same code", "undecided", "unconfirmed", "no end", "stopped"};
};

struct Bisection {
  BisectionEnd end = BisectionEnd::stopped;
  std::vector<BisectedCommit> commits;  ///< the first is the good end, the last the bad one
  Estimate ends;                        ///< the change from the first to the last, a share
  std::vector<CommitStep> steps;        ///< in the order of the commits
  std::size_t low = 0;          ///< the last commit known to be good of the first change sought ...
  std::size_t high = 0;         ///< ... and the first one known to be bad
  std::size_t blocks = 0;       ///< all of the search, without those that confirm
  std::size_t disturbed = 0;    ///< of these, left out because their visits disagree
  std::size_t wrong_turns = 0;  ///< neighbours between which nothing was confirmed

  // What a search of real commits adds.
  std::string case_name;
  double threshold = 0;                 ///< a share
  std::vector<Comparison> comparisons;  ///< of each step: its two commits
  std::vector<std::string> again;       ///< of each step: the command that shows it again
  std::vector<std::string> notes;
};

}  // namespace apod
