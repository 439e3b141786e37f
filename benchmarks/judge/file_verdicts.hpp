#pragma once

/// \file
/// What two sides of files say of every case: how far apart they lie, how far apart they may lie
/// where nothing changed, and so which of the three tiers a case is in. docs/judging.md has the
/// rules on one page.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/judge/other_processes.hpp"

namespace apod::judge {

enum class Tier : std::uint8_t {
  none,     ///< nothing stands apart
  suspect,  ///< farther out than the noise
  sure,     ///< a regression or an improvement
};

/// Two values, each of one process: runs of one program were seen to differ by so much, ln 1.38.
constexpr double noise_of_two_values = 0.32;
/// Two runs of one program, also on two boards of a kind, were seen to differ by so much, whatever
/// their processes say.
constexpr double noise_of_two_runs = 0.03;

/// One case of both sides. Changes are of ln time.
struct FileVerdict {
  double change = 0;          ///< new - base
  double beyond = 0;          ///< the change without the shift that all cases share
  double noise = 0;           ///< how far `beyond` may lie from 0 where nothing changed
  double noise_of_other = 0;  ///< the same, had the case moved to the other side
  /// Of `change`; absent where processes are too few to tell their spread.
  std::optional<stats::MeanEstimate> estimate;
  NoiseSource source = NoiseSource::cases;
  Tier tier = Tier::none;
  std::string why;    ///< of a suspect, what would settle it; of what is sure, what makes it so
  double base_s = 0;  ///< seconds
  double new_s = 0;
  Replicate replicate = Replicate::process;
  std::size_t base_units = 0;
  std::size_t new_units = 0;
  /// Of a suspect that has a value a side: runs a side, all of one day, with which this rule called
  /// such a case sure in nine of ten simulated days. 0: not known, or ten are not enough.
  std::size_t runs_needed = 0;
  /// Nights of the base that count with the new side's; see NightWord.
  std::size_t taken = 0;
  /// For a suspect that is compared with nights: a second such night makes it sure.
  bool night_decides = false;

  /// What the case did of its own: the part that the others don't share, and no more than all of
  /// it. Where the others moved and it did not, either may have changed.
  double own() const {
    if (!(change * beyond > 0)) return 0;
    return std::abs(change) < std::abs(beyond) ? change : beyond;
  }
  /// No change counts as one to the slower side, in reports too.
  bool is_slower() const { return !(change < 0); }
  /// The change stands apart where it lies farther from 0 than this.
  double bar() const { return bar_of(is_slower(), noise); }
  /// The same on the other side.
  double other_bar() const { return bar_of(!is_slower(), noise_of_other); }
  /// As far as `allowed` and the shift, but at least half of `allowed`: a case that did not move
  /// itself is no change. At least all of it where the values are too few to show that shift.
  double bar_of(bool slower, double allowed) const {
    const double shift = change - beyond;
    const bool is_open = source == NoiseSource::cases && std::abs(shift) <= noise_of_two_values;
    return std::max(is_open ? allowed : allowed / 2, slower ? allowed + shift : allowed - shift);
  }
  /// Of ln time: how far the sides' processes lie apart on the side of the change, the nearest two
  /// of them; 0 where they overlap.
  double gap = 0;
};

/// Whether the sides were measured on one machine.
enum class Machines : std::uint8_t { one, other_host, other_kind };

/// What all cases share, and the index of the case in the middle.
struct CommonVerdict {
  FileVerdict verdict;
  std::size_t cases = 0;  ///< that lie within their noise of it
  std::size_t middle = 0;
};

class FileVerdicts {
 public:
  /// `pairs` are the cases that can be judged: both sides have times. With machines of two kinds
  /// nothing is sure. Machines of one kind may differ in speed, all cases alike, where no host is
  /// on both sides.
  FileVerdicts(const Side& base, const Side& new_side, std::span<const CasePair> pairs,
               const CompareOptions& options, Machines machines);

  /// Parallel to the pairs.
  const std::vector<FileVerdict>& all() const { return verdicts_; }
  /// Absent with fewer than three cases.
  const std::optional<CommonVerdict>& common() const { return common_; }
  /// On how the sessions lie in time, and on steps within the base.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<FileVerdict> verdicts_;
  std::optional<CommonVerdict> common_;
  std::vector<std::string> notes_;
};

}  // namespace apod::judge
