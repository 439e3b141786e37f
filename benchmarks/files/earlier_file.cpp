#include "benchmarks/files/earlier_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benchmarks/files/columns.hpp"
#include "benchmarks/files/json_pieces.hpp"
#include "benchmarks/files/read_result.hpp"

namespace apod::files {

namespace {

/// Whether both are names of one file. A symbolic link does not count as a name of its target.
bool is_same_file(const std::string& one, const std::string& other) {
  struct stat a {};
  struct stat b {};
  return ::lstat(one.c_str(), &a) == 0 && ::lstat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

}  // namespace

std::string keep_aside(const std::string& path) {
  for (int number = 1; number < 10'000; ++number) {
    const auto name = path + ".old" + (number == 1 ? "" : std::to_string(number));
    if (::link(path.c_str(), name.c_str()) == 0) return name;
    if (errno == EEXIST) {
      // A run that ended before it could write has kept it.
      if (is_same_file(path, name)) return name;
      continue;
    }
    // The file system has no links, so rename although another process may take the name first.
    if (::rename(path.c_str(), name.c_str()) == 0) return name;
    throw std::runtime_error("cannot write '" + name + "': " + std::strerror(errno));
  }
  throw std::runtime_error(
      path + ": there are too many files of earlier runs with this name; remove some");
}

namespace {

/// Whether the head of a file says that it is a shard, and not the one that `part` is.
bool is_other_shard(const Piece& context, const StudyPart& part) {
  const auto& there = look_up(look_up(context, "apod"), "part");
  const auto shard = text_of(look_up(there, "shard"));
  return !shard.empty() && (shard != part.shard || text_of(look_up(there, "plan")) != part.plan);
}

}  // namespace

bool holds_more(const std::string& path, const Result& result) {
  std::map<std::string, std::ptrdiff_t> more_here;
  for (const auto& measurement : result.measurements) {
    const bool measured = measurement.failed.empty() && measurement.is_timed();
    if (measured) ++more_here[result.plan.cases.at(measurement.case_index).id];
  }
  bool more_there = false;
  std::vector<std::string> thin_ids;  // by the index of the case
  try {
    read_pieces(path, {{"benchmarks", {"apod"}}},
                [&](const std::string& member, std::size_t index, const Piece& row) {
                  if (member == "context") {
                    more_there = is_other_shard(row, result.part);
                  } else if (member == "benchmarks") {
                    more_there = --more_here[text_at(row, "name")] < 0;
                  } else if (member == "apod_cases" && index == whole) {
                    for_each_row(row, [&](Row& one, std::size_t) {
                      thin_ids.push_back(text_at(one, "id"));
                    });
                  } else if (member == "apod_processes") {
                    for_each_row(row, [&](Row& one, std::size_t) {
                      const auto& id = thin_ids.at(count_at(one, "case_index"));
                      more_there = --more_here[id] < 0 || more_there;
                    });
                  }
                  return !more_there;
                });
  } catch (const std::exception&) {
    return false;
  }
  return more_there;
}

bool holds_others(const std::string& path, const Result& result) {
  std::set<std::pair<std::string, double>> here;
  const auto of = [](const Result& one, const Measurement& measurement) {
    return std::pair{one.plan.cases.at(measurement.case_index).id, measurement.wall_s};
  };
  for (const auto& measurement : result.measurements) here.insert(of(result, measurement));
  try {
    const auto there = read_result(path);
    return std::any_of(there.measurements.begin(), there.measurements.end(),
                       [&](const auto& one) { return !here.contains(of(there, one)); });
  } catch (const std::exception&) {
    return true;
  }
}

bool is_of_another_day(const std::string& path, const Result& result) {
  constexpr std::size_t day = 10;  // "2026-05-01"
  std::string date;
  try {
    read_pieces(path, {{"benchmarks", {}}},
                [&](const std::string& member, std::size_t, const Piece& piece) {
                  if (member == "context") date = text_of(look_up(piece, "date"));
                  return date.empty();
                });
  } catch (const std::runtime_error&) {
    return false;
  }
  return date.size() >= day && date.substr(0, day) != result.environment.date.substr(0, day);
}

}  // namespace apod::files
