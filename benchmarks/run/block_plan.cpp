#include "benchmarks/run/block_plan.hpp"

#include <algorithm>
#include <cmath>

namespace apod::run {
namespace {

/// The screening's share of a budget: it runs all cases, the confirmation only a few.
constexpr double screening_share = 0.4;
/// A large budget buys at most so many times the usual number of blocks.
constexpr int most_times = 4;
constexpr int least_blocks = static_cast<int>(judge::least_blocks);
// A block is taken to last at least this long: its time is divided by.
constexpr double shortest_s = 1e-3;

/// How many blocks of `block_s` fit into `left_s`, within reason.
int fitting(double left_s, double block_s, int most) {
  return static_cast<int>(
      std::clamp(left_s / std::max(block_s, shortest_s), 1.0 * least_blocks, 1.0 * most));
}

}  // namespace

int screening_for(int confirmation) {
  const int in_ratio = static_cast<int>(
      std::lround(1.0 * confirmation * judge::screening_blocks / judge::confirmation_blocks));
  return std::min(confirmation, std::max(in_ratio, judge::screening_blocks));
}

int BlockPlan::screening(int done, double elapsed_s) const {
  if (!budget_s_) return screening_for(confirmation_);
  const int most = screening_for(most_times * confirmation_);
  if (done == 0) return most;
  return std::max(done, fitting(*budget_s_ * screening_share, elapsed_s / done, most));
}

int BlockPlan::confirmation(int screened, double elapsed_s, double block_s) const {
  if (!budget_s_) return confirmation_;
  const double in_ratio =
      std::round(1.0 * screened * judge::confirmation_blocks / judge::screening_blocks);
  const int most = std::max(static_cast<int>(in_ratio), confirmation_);
  return fitting(*budget_s_ - elapsed_s, block_s, most);
}

int BlockPlan::confirmation_alone(int done, double elapsed_s) const {
  if (!budget_s_) return confirmation_;
  const int most = most_times * confirmation_;
  return done == 0 ? most : std::max(done, fitting(*budget_s_, elapsed_s / done, most));
}

bool BlockPlan::ends(int done, double elapsed_s) const {
  return budget_s_ && elapsed_s > *budget_s_ && done >= least_blocks;
}

}  // namespace apod::run
