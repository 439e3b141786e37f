#include "benchmarks/run/block_plan.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/base/text/units.hpp"

namespace apod::run {
namespace {

/// The screening's share of a budget: it runs all cases, the confirmation only a few.
constexpr double screening_share = 0.4;
/// A traced look visits each arm once, a block twice.
constexpr double look_share = 0.5;
constexpr int least_blocks = static_cast<int>(judge::least_blocks);
// A block is taken to last at least this long: its time is divided by.
constexpr double shortest_s = 1e-3;

/// How many blocks of `block_s` fit into `left_s`.
int fitting(double left_s, double block_s, int most) {
  return static_cast<int>(std::clamp(left_s / std::max(block_s, shortest_s), 0.0, 1.0 * most));
}

}  // namespace

int screening_for(int confirmation) {
  const int in_ratio = static_cast<int>(
      std::lround(1.0 * confirmation * judge::screening_blocks / judge::confirmation_blocks));
  return std::min(confirmation, std::max(in_ratio, judge::screening_blocks));
}

int BlockPlan::screening(int done, double screening_s) const {
  if (!budget_s_ || done == 0) return usual_screening();
  const int all = fitting(*budget_s_ * screening_share, screening_s / done, screening_for(most_));
  return std::max({done, least_blocks, all});
}

int BlockPlan::confirmation(int done, double elapsed_s, double block_s) const {
  if (!budget_s_) return confirmation_;
  const double left_s = *budget_s_ - elapsed_s - look_share * block_s;
  return std::clamp(done + fitting(left_s, block_s, most_), least_blocks, std::max(most_, done));
}

bool BlockPlan::may_screen_on(int done, double elapsed_s, double block_s, double share) const {
  return budget_s_ && done < screening_for(most_) &&
         fits(elapsed_s, block_s * (1 + share * (least_blocks + look_share)));
}

bool BlockPlan::fits(double elapsed_s, double seconds) const {
  return !budget_s_ || elapsed_s + seconds <= *budget_s_;
}

std::string BlockPlan::overrun(double elapsed_s) const {
  if (!budget_s_ || elapsed_s <= 1.02 * *budget_s_) return "";
  return "the comparison took " + text::format_duration(elapsed_s) + ", more than its budget of " +
         text::format_duration(*budget_s_) + ": three blocks of each stage are the least";
}

}  // namespace apod::run
