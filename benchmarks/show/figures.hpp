#pragma once

/// \file
/// Figures of measurements. Tables have the exact values; figures show their shape.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/history.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/show/figure/figure.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::show {

/// What leads to the row of a case of a result.
std::string anchor_of(const Case& c);

/// What a page remembers about its figures: a series keeps its colour in all of them.
class Page {
 public:
  /// That of the kind of work, where it names one: kernels, copies, launching ... Else the next
  /// free colour if the series is new.
  figure::Color color_of(const std::string& series);
  /// "name", or "name-2" if that was taken.
  std::string figure_id(const std::string& name);

 private:
  std::map<std::string, std::size_t> colors_;
  std::map<std::string, std::size_t> figures_;
};

using Cases = std::vector<const CaseSummary*>;

/// `cases` of a result, by their axes. Lines over an axis of numbers; without one, bars, or points
/// if the largest value is more than thirty times the smallest. Also the measured ceiling and,
/// dashed, the theoretical peak, if they are the same for all and in reach. Empty if fewer than two
/// cases have the value. Throws std::invalid_argument, with a hint, for an axis or a fact that no
/// case has.
figure::Figure curve_figure(const Result& result, const Cases& cases, const CurveChoice& choice,
                            Page& page);

/// The choices of `curve_figure` for each experiment. Figures that are to be compared have one
/// scale: those of the same workload, scope and axes, as behind a clean flush and behind a dirty
/// one. Figures whose largest values lie more than a factor of 4 apart keep a scale each, or the
/// smaller one could not be read. `page` is not changed.
std::vector<CurveChoice> shared_scales(const Result& result,
                                       const std::vector<CaseSummary>& summaries,
                                       const CurveChoice& choice, Page page);

/// Which line is the fastest at each value of x, a column for each panel; none if there are no
/// lines, or too many panels.
Table winners_table(const Result& result, const Cases& cases, const CurveChoice& choice);

/// Cases that were measured; of one experiment, or of all.
Cases measured_cases(const std::vector<CaseSummary>& summaries,
                     std::optional<std::size_t> experiment = std::nullopt);

/// A roofline (Williams, Waterman and Patterson 2009) for each type of number that cases mainly
/// compute with, on the measured ceilings; none without these, or without cases that know their
/// FLOPs and bytes.
std::vector<figure::Figure> roofline_figures(const Result& result,
                                             const std::vector<CaseSummary>& summaries, Page& page);

/// The samples of each process of the cases whose samples differ most, with their medians.
/// Throttled ones are marked. Empty if no process has two samples.
figure::Figure samples_figure(const Result& result, const std::vector<CaseSummary>& summaries,
                              Page& page);

/// The same samples as distribution functions, a line for each case. Throttled ones don't count.
figure::Figure distribution_figure(const Result& result, const std::vector<CaseSummary>& summaries,
                                   Page& page);

/// A profile, its title and its case.
struct TitledProfile {
  std::string name;
  const Profile* profile = nullptr;
  std::string about = {};
};
/// The time of each profile by kernel and direction of copies; only the first ones if there are too
/// many.
figure::Figure profile_figure(const std::vector<TitledProfile>& profiles, Page& page);
/// The profiles of a result's traced cases.
figure::Figure profile_figure(const Result& result, const std::vector<CaseSummary>& summaries,
                              Page& page);

/// A timeline and its title.
struct TitledLanes {
  std::string name;
  const std::vector<Lane>* lanes = nullptr;
  double length_s = 0;  ///< of a step, whose timeline begins and ends with it; 0: as the lanes
};
/// Lanes for each stream, direction of copies, host thread and range. Several timelines are drawn
/// below each other on one scale of time, each from its first event; only the first ones if there
/// are too many.
figure::Figure lanes_figure(const std::vector<TitledLanes>& timelines, Page& page);
/// The timelines of a result's traced cases.
figure::Figure lanes_figure(const Result& result, const std::vector<CaseSummary>& summaries,
                            Page& page);

/// The changes of the judged cases with their intervals and the threshold, the clearest first.
figure::Figure changes_figure(const Comparison& comparison);

/// The times of a case over runs, the level of each segment, and the commits that began one.
figure::Figure trend_figure(const CaseHistory& history);

}  // namespace apod::show
