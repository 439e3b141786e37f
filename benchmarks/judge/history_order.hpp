#pragma once

/// \file
/// The runs of a history in the order of time.

#include <string>
#include <vector>

#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// The file of a run, which has one session.
const std::string& file_of(const Side& run);

/// Puts runs in the order of their dates, equal ones in that of their files' names, and leaves out
/// those without a date and those that repeat the date and the times of another (copies_in); where
/// most have no date, in the order of the names. Says so in `notes`.
void sort_by_time(std::vector<Side>& runs, std::vector<std::string>& notes);

/// The runs of one case, in the order of time.
struct RunsOfCase {
  std::string name;
  std::vector<const Side*> runs;
};

/// Says where no run was for ten times as long as is usual, and a week: a change there has no day,
/// and a clock may have been wrong. Of all runs, and of the case that lacks them longest.
void note_gaps(const std::vector<const Side*>& runs, const std::vector<RunsOfCase>& cases,
               std::vector<std::string>& notes);

}  // namespace apod::judge
