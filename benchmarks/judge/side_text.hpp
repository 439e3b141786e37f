#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/side.hpp"
#include "benchmarks/judge/other_processes.hpp"

namespace apod::judge {

/// What the times of a side's cases are: "5 processes", "10 repetitions of one process", "3 to 10
/// repetitions of each of 2 processes"; "no process" where no case has a time.
std::string replicates_text(const Side& side);
/// Whether the times of any of its files are repetitions of one process.
bool has_repetitions(const Side& side);

/// Of how many days its sessions are (days_of), and on how many boards they ran, by the ids of
/// their GPUs: "10 sessions of 9 days on 1 board", "all 5 sessions lie within 12 min 03 s:
/// their spread does not include differences between days". Of sessions without a date it says so.
std::string span_text(const Side& side);

/// What makes sessions no repetition of one measurement: machines that differ, each a line.
std::vector<std::string> differing_machines(const Side& side);
/// How many builds the sessions are of, by their commits; 0 where no session names one.
std::size_t count_builds(const Side& side);

/// That phases of launches act with another period in most of the cases where they act (times that
/// repeat after a period repeat after its multiples, too), and that they have equal weight in only
/// one of two times for which they matter.
std::vector<std::string> phase_notes(const std::vector<CasePair>& pairs);

/// "cache:cold -> cache:hot": in what two descriptions of a measurement differ (SideCase::version).
std::string difference_of_ways(const std::string& base, const std::string& other);

/// What the readers of the sides' files said. Words that several files share are one note.
std::vector<std::string> notes_of_files(const std::vector<const Side*>& sides);

}  // namespace apod::judge
