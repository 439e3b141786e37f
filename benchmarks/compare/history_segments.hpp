#pragma once

#include <cstddef>
#include <vector>

#include "benchmarks/model/history.hpp"
#include "benchmarks/model/side.hpp"

namespace apod::compare {

/// The trend of every case over runs, each of them the side of one file (std::invalid_argument
/// otherwise): they may come in any order, and what fails in one of them leaves the others alone.
///
/// Runs are put in the order of their dates, equal ones in that of their files' names, numbers in
/// them counting as numbers. Where any run has no date that can be read, the names alone decide,
/// and a note says so.
///
/// An epoch begins where a decisive property, the way of measuring or an axis of the case differs
/// from what was last recorded: a step there says nothing about the code. Within an epoch
/// stats::change_points_in_time finds the steps of ln time. Its noise is that of n runs times 1 + 2
/// / sqrt(n), because few runs may look quieter than they are. It is at least the standard error of
/// a run's mean by the spread between its processes. A run that stands alone is an outlier and no
/// step: it lies more than 4 times the noise from the median of the five runs around it and from
/// both neighbours.
History history_of(std::vector<Side> runs);

/// What the noise of so many runs, by their differences, is multiplied by.
double margin_of_noise(std::size_t runs);

}  // namespace apod::compare
