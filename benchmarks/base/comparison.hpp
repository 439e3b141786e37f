#pragma once

/// \file
/// The outcome of comparing two sides, or a ladder of them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "benchmarks/base/side.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "kernels/api/types.hpp"

namespace apod {

enum class Verdict : std::uint8_t {
  regression,   ///< slower: sure, and by at least the threshold
  improvement,  ///< faster, likewise
  suspect,    ///< differs by more than its history or the other cases, not with certainty; of files
  small,      ///< a significant change that is shown to lie within the threshold (TOST)
  unchanged,  ///< shown to lie within the threshold, and no change is sure
  within_noise,  ///< does not differ by more than its noise, without a threshold; of files
  inconclusive,  ///< none of these could be shown
  missing,       ///< the base has it, the new side has not
  added,         ///< the new side has it, the base has not
  invalid,       ///< the two can't be compared; `reason` says why
  identical,     ///< it was not run: both builds have the same code for it
};
template <>
struct EnumNames<Verdict> {
  static constexpr std::array<std::string_view, 11> names{
      "regression",   "improvement", "suspect", "small",   "unchanged", "within noise",
      "inconclusive", "missing",     "new",     "invalid", "identical"};
};

/// Whether a verdict says that the time has changed, or may have.
constexpr bool is_change(Verdict verdict) {
  return verdict == Verdict::regression || verdict == Verdict::improvement ||
         verdict == Verdict::suspect || verdict == Verdict::small;
}

/// The unit that a comparison averages over and counts. More of them show smaller changes.
enum class Replicate : std::uint8_t { process, session, block };
template <>
struct EnumNames<Replicate> {
  static constexpr std::array<std::string_view, 3> names{"process", "session", "block"};
};

/// Where the expected difference between a case's two times without a change comes from.
enum class NoiseSource : std::uint8_t {
  none,         ///< blocks are judged by their own spread
  nights,       ///< the base's own nights
  processes,    ///< those of both sides
  calibration,  ///< of this machine
  cases,        ///< the other cases of the comparison; a value a side
};
template <>
struct EnumNames<NoiseSource> {
  static constexpr std::array<std::string_view, 5> names{"none", "nights", "processes",
                                                         "calibration", "cases"};
};

/// One thing that differs between the sides and may explain a delta, or that nothing differs.
struct Cause {
  std::string fact;  ///< "sm_clock", "host_memory", "environment/driver" ...
  std::string text;  ///< "SM clock 1980 MHz -> 1830 MHz (-7.6 %), worse"
};

/// A case of both sides. Relative numbers are shares: 0.01 is 1 %.
struct CaseComparison {
  std::string name;
  Verdict verdict = Verdict::inconclusive;
  std::string reason;  ///< why it is invalid, missing or inconclusive, or what confirmed it
  double base_s = 0;   ///< geometric mean of the process medians, seconds; 0: none
  double new_s = 0;
  bool is_counter = false;  ///< the two values are not times but a counter that was asked for
  bool is_rate = false;     ///< they are 1 / a rate that was asked for, which is what is shown
  Replicate replicate = Replicate::process;
  std::size_t base_units = 0;  ///< replicates that were judged
  std::size_t new_units = 0;
  NoiseSource noise_source = NoiseSource::none;
  Estimate change;        ///< new / base - 1
  double p = 1;           ///< p-value of no change, two-sided; NaN, like the next two, of files
  double p_adjusted = 1;  ///< Holm over all cases judged: what decides
  double q = 1;           ///< Benjamini-Hochberg
  double threshold = 0;   ///< the least change that matters here
  /// For blocks, the smallest change that would have been found with 80 % probability; absent if
  /// unknown. For files, the noise: the change stands apart where its size is larger. It is of the
  /// side to which the case moved, and holds what all cases share.
  std::optional<double> detectable;
  /// Of files: the same, had the case moved to the other side. Absent in older comparisons.
  std::optional<double> detectable_other;
  /// Blocks with which a change of `threshold` would be significant with 80 % probability; absent
  /// if no number is enough.
  std::optional<std::size_t> units_needed;
  std::vector<Cause> causes;
  std::vector<std::string> warnings;  ///< throttled, one process only, a control that moved ...
};

/// What all cases of a comparison share: the machine, or a change that touches everything.
struct CommonShift {
  Verdict verdict = Verdict::within_noise;
  bool other_machine = false;  ///< the base is of other machines: the shift is theirs
  Estimate change;             ///< median of the cases', a share
  double noise = 0;            ///< the change stands apart where its size is larger; 0: not judged
  std::size_t cases = 0;       ///< the number of cases that it is the median of
  std::string example;         ///< the case in the middle
  std::vector<Cause> causes;   ///< of that case
};

/// Blocks of confirmation that may be asked for.
constexpr std::size_t most_blocks = 1000;
constexpr double least_that_matters = 0.01;  ///< of changes, where nothing else is said

/// What a calibration says about one case's ln time.
struct KnownSpread {
  double mean_variance = 0;  ///< of the mean over a session's processes, between sessions
  double mean_degrees = 0;   ///< of freedom, of that
  bool one_day = false;      ///< all sessions are of one day, or it is not known
};

/// What decides between verdicts.
struct CompareOptions {
  double threshold = least_that_matters;  ///< least change that matters for cases that name none
  bool threshold_given = false;           ///< by hand: it overrides what the new side's cases name
  double alpha = 0.01;                    ///< of blocks: family-wise, after Holm
  bool strict = false;                    ///< the interval's near end must pass the threshold
  std::string calibration;                ///< names of the files that `known_spreads` come from
  /// By case name, from a calibration.
  std::unordered_map<std::string, KnownSpread> known_spreads;
};

/// How the two sides were measured.
enum class CompareMethod : std::uint8_t {
  files,
  blocks,     ///< side by side
  confirmed,  ///< files, and blocks of the cases that may have changed by them
};
template <>
struct EnumNames<CompareMethod> {
  static constexpr std::array<std::string_view, 3> names{"files", "blocks", "confirmed"};
};

struct Comparison {
  CompareMethod method = CompareMethod::files;
  std::string base;  ///< labels of the sides
  std::string new_side;
  /// What each side was measured with, and when; empty: not recorded.
  Properties base_environment;
  Properties new_environment;
  CompareOptions options;
  std::vector<CaseComparison> cases;  ///< in the base's order, new ones last
  std::optional<CommonShift> common;  ///< of files with enough cases
  std::vector<std::string>
      environment;                 ///< what differs between the machines or builds, a line each
  std::vector<std::string> notes;  ///< on the whole comparison
  /// The notes come from a file and already say how the comparison was judged.
  bool notes_say_all = false;
  std::size_t to_confirm = 0;  ///< cases that `confirmed` was to measure again
  /// What would decide more, with the files or programs that were compared; empty if all is
  /// decided.
  std::string next_step;
  /// Times of a side are repetitions of one process (SideSession::one_process); a note counts them.
  bool one_process = false;
  /// Both sides are recordings of a program, so the cases are parts of one run or of one step, and
  /// what matters of a change is the time of the whole that it costs.
  bool of_recordings = false;
  /// Why two recordings are no pair for a verdict: another program, a program that failed. Nothing
  /// is more than suspect then.
  std::vector<std::string> unlike;
  bool interrupted = false;  ///< a signal ended the blocks early
  std::string failure;       ///< what else ended them early, such as a slot that crashed
  std::uint64_t seed = 0;    ///< of the order of the blocks
  std::vector<std::string> command_line = {};  ///< that made it

  /// Whether `confirmed` found something to measure again; true for the other methods, which judge
  /// all cases.
  bool has_work() const { return method != CompareMethod::confirmed || to_confirm > 0; }
  /// Whether nothing got slower, but more cases are inconclusive than decided, so that a regression
  /// would most likely not be found. Identical cases were not compared.
  bool mostly_open() const {
    const auto others = count(Verdict::identical) + count(Verdict::missing) +
                        count(Verdict::invalid) + count(Verdict::added);
    return 2 * count(Verdict::inconclusive) > cases.size() - others && has_work() &&
           !has_regression() && !has_slower_case();
  }
  /// Whether there is a suspect: a case, or all of them together.
  bool has_suspect() const {
    return count(Verdict::suspect) > 0 || (common && common->verdict == Verdict::suspect);
  }
  /// Whether one of them is slower. Only these fail a job: a faster one is no worse than one that
  /// is surely faster.
  bool has_slower_suspect() const {
    return has_slower_case() ||
           (common && common->verdict == Verdict::suspect && common->change.value > 0);
  }
  bool has_slower_case() const {
    return std::ranges::any_of(
        cases, [](const auto& c) { return c.verdict == Verdict::suspect && c.change.value > 0; });
  }
  /// Whether something got slower: a case, or all of them together.
  bool has_regression() const {
    return count(Verdict::regression) > 0 || (common && common->verdict == Verdict::regression);
  }
  std::size_t count(Verdict verdict) const {
    return static_cast<std::size_t>(std::ranges::count(cases, verdict, &CaseComparison::verdict));
  }
};

}  // namespace apod
