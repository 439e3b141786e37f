#pragma once

/// \file
/// How the times of cases changed over runs, and where their level changed.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/side.hpp"
#include "benchmarks/base/text/shared_text.hpp"

namespace apod {

/// What one run, a result file, says about a case. Times in seconds.
struct HistoryPoint {
  text::SharedText file;
  text::SharedText date;    ///< as in the file; empty: it has none
  text::SharedText commit;  ///< of the program that measured; empty: not recorded
  Estimate time_s;
  std::size_t processes = 0;
  bool outlier = false;     ///< so far from both neighbours that no level includes it
  text::SharedText failed;  ///< why there is no time; empty if there is one
  std::size_t segment = 0;  ///< index into CaseHistory::segments; meaningless if it failed
};

/// Neighbouring runs in which the time has one level.
struct HistorySegment {
  double level_s = 0;            ///< geometric mean of its runs' times but outliers, seconds
  std::size_t epoch = 0;         ///< runs of one epoch can be compared: counted from 0
  std::optional<double> change;  ///< level / level of the segment before - 1; absent in the first
  /// How the machine, or the way the case is measured, differs from the run before: "driver 570 ->
  /// 580". Empty unless the segment begins an epoch.
  std::string epoch_difference;
  std::vector<Cause> causes;  ///< what else differs from the run before; of change points only
  /// Where its time rises or falls steadily to the end: over how many of its last runs, and last /
  /// first - 1. The level is then that of the last of them.
  struct Drift {
    std::size_t runs = 0;
    double change = 0;
  };
  std::optional<Drift> drift;
  std::size_t machine = 0;  ///< its kind: machines that take turns are followed apart
  /// Cases that moved together with this one in its first run, more than half: the machine, or a
  /// change that touches everything. 0: it moved by itself.
  std::size_t together = 0;

  /// Whether the segment begins with a step of its case that the machine does not explain.
  bool is_step() const { return change.has_value() && epoch_difference.empty() && together == 0; }
  /// One that matters; other steps are small.
  bool is_change() const { return is_step() && std::abs(*change) >= least_that_matters; }
};

struct CaseHistory {
  std::string name;
  bool is_counter = false;           ///< as in a CaseComparison, of its times
  bool is_rate = false;              ///< likewise
  std::vector<HistoryPoint> points;  ///< in the order of time
  std::vector<HistorySegment> segments;

  std::size_t changes() const {
    return static_cast<std::size_t>(std::ranges::count_if(segments, &HistorySegment::is_change));
  }
  /// How far the last run lies from its level, if it is an outlier: the next run will show whether
  /// that is a change.
  std::optional<double> last_outlier() const {
    if (points.empty() || !points.back().outlier) return std::nullopt;
    return points.back().time_s.value / segments.at(points.back().segment).level_s - 1;
  }
  /// Where the runs of the last segment lie on two levels, one after the other, and are too few to
  /// show that as a change.
  struct OpenStep {
    double before_s = 0;
    double after_s = 0;
    std::size_t runs = 0;  ///< on the later level
  };
  std::optional<OpenStep> open_step() const;
  /// Where the runs of the last segment take turns between levels.
  struct Turns {
    std::vector<double> levels_s;  ///< two or more, ascending
    double last_s = 0;             ///< that of the last run
  };
  std::optional<Turns> turns() const;
  /// The segment of the last run with a time; null if there is none.
  const HistorySegment* last_segment() const {
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
      if (point->failed.empty()) return &segments.at(point->segment);
    }
    return nullptr;
  }
  /// Of the last segment; null where its level stays.
  const HistorySegment::Drift* drift() const {
    const auto* last = last_segment();
    return last != nullptr && last->drift ? &*last->drift : nullptr;
  }
  /// All steps and drifts on the kind of machine of the last run together: from the first level
  /// to the last, without the steps between epochs.
  double total_change() const {
    double factor = 1;
    const auto* last = last_segment();
    for (const auto& segment : segments) {
      const bool counts = last != nullptr && segment.machine == last->machine;
      if (counts && segment.is_step()) factor *= 1 + *segment.change;
      if (counts && segment.drift) factor *= 1 + segment.drift->change;
    }
    return factor - 1;
  }
};

struct History {
  std::vector<CaseHistory> cases;  ///< in order of first appearance
  std::size_t runs = 0;
  Properties environment;          ///< of all runs; empty: not recorded
  std::vector<std::string> notes;  ///< on the files and on their order
};

}  // namespace apod
