#pragma once

#include <vector>

#include "benchmarks/base/history.hpp"
#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// The trend of every case over runs, each of them the side of one file (std::invalid_argument
/// otherwise): they may come in any order, and what fails in one of them leaves the others alone.
///
/// Runs are put in the order of their dates by sort_by_time (history_order.hpp).
///
/// Every kind of machine (machines.hpp) is followed by itself, so that machines may take turns. An
/// epoch begins with the first run of a kind, and where the build type, the way of measuring or an
/// axis of the case differs from what was last recorded: a step there says nothing about the code.
/// A step that most cases share in one run is counted once, and is no change of each. Within an
/// epoch levels_in_time finds the steps of ln time, with the standard error of a run's
/// mean by the spread between its processes.
History history_of(std::vector<Side> runs);

}  // namespace apod::judge
