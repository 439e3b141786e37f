#pragma once

#include <cstddef>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/files/record/codec.hpp"

namespace apod::run {

struct SessionOptions;

/// One execution of one case.
struct Step {
  std::size_t case_index = 0;
  int process = 0;
  record::Pass pass = record::Pass::measure;
};

/// What one fresh process does.
using Round = std::vector<Step>;

/// Every case once per process, in random order. With --profile: all checks, then the profiled
/// runs.
std::vector<Round> first_rounds(const Plan& plan, const SessionOptions& options);

/// One more process for the cases whose interval between processes is still wider than their
/// precision, within their limits; empty if there are none. In random order.
Round further_round(const Result& result, int process, const SessionOptions& options);

/// The traced, the counted and the energy runs.
std::vector<Round> last_rounds(const Plan& plan, const SessionOptions& options);

/// The round with the steps of each problem one after the other, because inputs and references are
/// made on the host, and a process keeps only the last ones. `first_of_problem` says for each case
/// which is the first of its problem. Problems, and the steps of one, keep the order of the round,
/// so that a random one stays random.
Round by_problem(Round round, const std::vector<std::size_t>& first_of_problem);

/// The number of steps of all rounds except the further ones: the start of a progress bar.
std::size_t count_steps(const Plan& plan, const SessionOptions& options);

}  // namespace apod::run
