#include "benchmarks/files/earlier_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {

std::string keep_aside(const std::string& path) {
  for (int number = 1; number < 10'000; ++number) {
    const auto name = path + ".old" + (number == 1 ? "" : std::to_string(number));
    if (::link(path.c_str(), name.c_str()) == 0) return name;
    if (errno == EEXIST) continue;
    // A file system without links: the moment in which the name is free has to do.
    if (::rename(path.c_str(), name.c_str()) == 0) return name;
    throw std::runtime_error("cannot write '" + name + "': " + std::strerror(errno));
  }
  throw std::runtime_error(path + ": there are too many of earlier runs; remove some");
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
    const bool measured = measurement.failed.empty() && !measurement.samples_s.empty();
    if (measured) ++more_here[result.plan.cases.at(measurement.case_index).id];
  }
  bool more_there = false;
  try {
    read_pieces(path, {{"benchmarks", {"apod"}}},
                [&](const std::string& member, std::size_t, const Piece& row) {
                  if (member == "context") {
                    more_there = is_other_shard(row, result.part);
                  } else if (member == "benchmarks") {
                    more_there = --more_here[text_at(row, "name")] < 0;
                  }
                  return !more_there;
                });
  } catch (const std::runtime_error&) {
    return false;
  }
  return more_there;
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
