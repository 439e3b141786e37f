#pragma once

/// \file
/// What cases differ in and are compared by, the same for headlines, tables and figures, and which
/// of it a figure shows how.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// An axis on which the cases differ; "experiment" is one, too.
struct CaseAxis {
  std::string name;
  std::vector<std::optional<AxisValue>> values;  ///< of each case
  std::vector<std::string> texts;                ///< the same as written
  bool numbers = false;                          ///< every value is a quantity

  std::size_t distinct() const;
  double number(std::size_t i) const;
};

struct CurveAxes {
  std::optional<CaseAxis> x;    ///< of numbers; none: rows of words
  std::vector<CaseAxis> by;     ///< all that tells series of a panel apart; without x, rows
  std::vector<CaseAxis> facet;  ///< all that tells panels apart
};

/// Throws std::invalid_argument for a name that is not an axis of the cases.
CurveAxes curve_axes(const Result& result, const Cases& cases, const CurveChoice& choice);

/// "pinned", "streams 4, fp32" of case `i`: numbers are written with their axis.
std::string name_by(const std::vector<CaseAxis>& axes, std::size_t i);

/// Whether lines are rivals: a case is compared with one of another line. Else each line is
/// compared with itself, as with one stream at each size.
bool are_rivals(const Result& result, const Cases& cases, const CurveAxes& axes);

/// By x and by panel, the place among `cases` of the one that takes the least time.
std::map<double, std::map<std::string, std::size_t>> fastest_at(const Cases& cases,
                                                                const CurveAxes& axes);

/// Which of two cases is shown to have less of a fact: < 0: `a`, > 0: `b`, 0: not shown. Where one
/// is the baseline of the other, the interval of their change decides, as in headlines and in the
/// column `change`; else the intervals of both. A value without an interval may be off by 2 %.
int order_of(const CaseSummary& a, const CaseSummary& b, const std::string& fact);

/// The case `i`, and those at the same x and in the same panel that are not shown to be slower.
std::vector<std::size_t> as_fast_as(const Cases& cases, const CurveAxes& axes, std::size_t i);

/// What distinguishes each case from the others, in a few words; its id if nothing does.
std::vector<std::string> case_labels(const Result& result, const Cases& cases);

/// A fact of a case, or an end of its interval; nothing if unknown.
std::optional<Estimate> value_of(const CaseSummary& summary, const std::string& fact);

/// The rate of bytes that the case is compared by: of a collective what a link carries, because
/// collectives send different multiples of their size; else its bandwidth.
std::string rate_of_bytes(const CaseSummary& summary);

/// Time where all cases have the same work, else the rate of what most of them do.
std::string compared_fact(const Cases& cases);

bool is_rate(const std::string& fact);

/// In a sentence: "arithmetic rate".
std::string spoken(std::string fact);

}  // namespace apod::show
