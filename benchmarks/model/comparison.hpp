#pragma once

/// \file
/// What came of holding two sides (or a ladder of them) against each other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/types.hpp"

namespace apod {

enum class Verdict : std::uint8_t {
  regression,    ///< slower: significant after correction, and by at least the threshold
  improvement,   ///< faster, likewise
  small,         ///< a significant change below the threshold
  unchanged,     ///< shown to lie within the threshold (TOST)
  inconclusive,  ///< none of these could be shown
  missing,       ///< the base has it, the new side has not
  added,         ///< the new side has it, the base has not
  invalid,       ///< the two can't be compared; `reason` says why
};
template <>
struct EnumNames<Verdict> {
  static constexpr std::array<std::string_view, 8> names{"regression", "improvement",  "small",
                                                         "unchanged",  "inconclusive", "missing",
                                                         "new",        "invalid"};
};

/// One thing that differs between the sides and may explain a delta, or that nothing differs.
struct Cause {
  std::string fact;  ///< "sm_clock", "host_memory", "environment/driver" ...
  std::string text;  ///< "SM clock 1980 -> 1830 MHz (-7.6 %)"
};

/// A case of both sides. Relative numbers are shares: 0.01 is 1 %.
struct CaseComparison {
  std::string name;
  Verdict verdict = Verdict::inconclusive;
  std::string reason;  ///< why it is invalid, missing or inconclusive; may be empty otherwise
  double base_s = 0;   ///< geometric mean of the process medians, seconds; 0: none
  double new_s = 0;
  std::size_t base_units = 0;  ///< processes (two files) or blocks (side by side) that were judged
  std::size_t new_units = 0;
  double change = 0;      ///< new / base - 1
  double change_low = 0;  ///< its 95 % interval
  double change_high = 0;
  double p = 1;           ///< that there is no change, two-sided
  double p_adjusted = 1;  ///< Holm over all cases judged: what decides
  double q = 1;           ///< Benjamini-Hochberg
  double threshold = 0;   ///< the least change that matters here
  /// Smallest change that would have been found with 80 % probability; absent where the spread is
  /// unknown (one process a side and no calibration).
  std::optional<double> detectable;
  /// Processes a side (or blocks) with which `threshold` would be; absent where more of them
  /// don't help, because the spread between sessions decides.
  std::optional<std::size_t> units_needed;
  std::vector<Cause> causes;
  std::vector<std::string> warnings;  ///< throttled, one process only, a control that moved ...
};

/// Standard deviation of ln time between sessions that is assumed where nothing is known of it:
/// large enough that a mistake says "inconclusive", not "regression".
constexpr double cautious_deviation = 0.02;

/// What decides between verdicts.
struct CompareOptions {
  double threshold = 0.01;  ///< least change that matters where a case names none
  double alpha = 0.01;      ///< family-wise, after Holm
  bool strict = false;      ///< the interval's near end must pass the threshold
  /// Standard deviation of ln time between sessions, relative; absent: the cautious 2 %, said.
  std::optional<double> session_deviation;
  std::string session_source;                        ///< "--sigma-session", "calibration FILE"
  std::map<std::string, double> session_deviations;  ///< by case name (a calibration's), first
  /// Likewise of a process within its session. The processes of a file are taken to spread by no
  /// less: three that happen to agree say little, and nothing where a process runs in one of two
  /// modes.
  std::map<std::string, double> process_deviations;
};

/// How the two sides were measured.
enum class CompareMethod : std::uint8_t { files, blocks };
template <>
struct EnumNames<CompareMethod> {
  static constexpr std::array<std::string_view, 2> names{"files", "blocks"};
};

struct Comparison {
  CompareMethod method = CompareMethod::files;
  std::string base;  ///< labels of the sides
  std::string new_side;
  CompareOptions options;
  std::vector<CaseComparison> cases;  ///< in the base's order, new ones last
  std::vector<std::string>
      environment;                 ///< what differs between the machines or builds, a line each
  std::vector<std::string> notes;  ///< on the whole comparison
  bool interrupted = false;        ///< a signal ended the blocks early
  std::string failure;             ///< what else ended them early, such as a slot that crashed
  std::uint64_t seed = 0;          ///< of the order of the blocks

  std::size_t count(Verdict verdict) const {
    std::size_t n = 0;
    for (const auto& c : cases) n += c.verdict == verdict ? 1 : 0;
    return n;
  }
};

}  // namespace apod
