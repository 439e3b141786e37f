#include <sstream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/formats.hpp"
#include "benchmarks/files/read_github_action.hpp"
#include "benchmarks/files/read_nvidia_tests.hpp"

namespace apod::files {
namespace {

/// Behind `begin`, where the line begins so; else empty.
std::string behind(const std::string& line, std::string_view begin) {
  if (!line.starts_with(begin)) return "";
  return std::string(text::trimmed(std::string_view(line).substr(begin.size())));
}

/// Takes a property that a text file may have once only. Throws std::runtime_error if it has
/// another value already: outputs of two machines in one file would become one case's samples.
void take_once(Result& run, const std::string& name, const std::string& value) {
  if (value.empty()) return;
  const auto known = properties_of(run);
  const auto earlier = known.find(name);
  if (earlier != known.end() && earlier->second != value) {
    throw std::runtime_error("it holds outputs of two runs (" + name + " " + earlier->second +
                             ", then " + value + "): save each output in its own file");
  }
  take_property(run, name, value);
}

/// "all_reduce_perf/size:8/type:float/in-place": axes, and what is left.
void take_axes(ForeignRow& row) {
  std::istringstream parts(row.name);
  for (std::string part; std::getline(parts, part, '/');) {
    const auto colon = part.find(':');
    if (colon == part.npos) {
      row.family += (row.family.empty() ? "" : "/") + part;
    } else {
      row.params.emplace_back(part.substr(0, colon), part.substr(colon + 1));
    }
  }
}

/// What a row of a found case says.
ForeignRow row_of(FoundCase&& found) {
  ForeignRow row{.name = std::move(found.name),
                 .times_s = std::move(found.samples_s),
                 .facts = std::move(found.facts),
                 .failed = std::move(found.failed)};
  take_axes(row);
  for (const char* name : {"bus_bandwidth", "bandwidth"}) {
    const auto fact = row.facts.extract(name);
    if (fact) row.numbers.push_back({name, fact.mapped(), "B/s"});
  }
  return row;
}

void finish(ForeignRows& rows, std::vector<FoundCase> cases,
            const std::vector<std::string>& notes = {}) {
  for (auto& found : cases) rows.add(row_of(std::move(found)));
  for (const auto& note : notes) rows.note(note);
  rows.finish();
}

/// "BenchmarkSum/n=10-8   1000   1234 ns/op   56.7 MB/s   16 B/op".
std::optional<ForeignRow> go_row(const std::string& line, const std::string& package) {
  std::istringstream words(line);
  std::string name, count;
  words >> name >> count;
  if (!text::parse_count(count).value) return std::nullopt;  // a log line of the test itself
  ForeignRow row{.name = name.substr(std::string_view("Benchmark").size()), .identity = package};
  if (!package.empty()) row.name = package.substr(package.rfind('/') + 1) + "." + row.name;
  for (std::string value, unit; words >> value >> unit;) {
    const double number = text_number_or_nan(value);
    if (unit == "ns/op") {
      row.times_s = {number * 1e-9};
    } else if (unit == "MB/s") {
      row.numbers.push_back({"bytes_per_second", number * 1e6, "B/s"});
    } else {
      row.numbers.push_back({unit, number});
    }
  }
  if (row.times_s.empty()) throw BadRow(row.name, "it has no ns/op");
  return row;
}

/// "test tests::sum ... bench:       1,234.5 ns/iter (+/- 56) = 78 MB/s", or "test a ... ignored".
ForeignRow libtest_row(const std::string& line) {
  constexpr std::string_view behind_name = " ... bench:";
  const auto end = line.find(behind_name);
  if (end == line.npos) {
    return {.name = std::string(text::trimmed(line.substr(5, line.find(" ... ") - 5))),
            .skipped = "ignored"};
  }
  ForeignRow row{.name = std::string(text::trimmed(line.substr(5, end - 5)))};
  std::istringstream words(line.substr(end + behind_name.size()));
  std::string time, unit;
  words >> time >> unit;
  std::erase(time, ',');
  take_time(row, text_number_or_nan(time), unit);
  std::string range;
  words >> unit >> range;  // (+/- 56): the largest time less the smallest
  std::erase_if(range, [](char c) { return c == ',' || c == ')'; });
  if (unit == "(+/-" && !row.times_s.empty()) {
    const double of_time = text_number_or_nan(range) / text_number_or_nan(time);
    row.numbers.push_back({"range", row.times_s.front() * of_time, "s"});
  }
  const auto rate = line.find(" = ");
  if (rate == line.npos) return row;
  std::istringstream(line.substr(rate + 3)) >> time;
  row.numbers.push_back({"bytes_per_second", text_number_or_nan(time) * 1e6, "B/s"});
  return row;
}

/// "#  Rank  0 Group  0 Pid  7 on lab device  0 [0x07] NVIDIA H100": the host and the GPU of the
/// first rank.
void take_first_rank(Result& run, const std::string& line) {
  const auto bracket = line.find("] ");
  const auto on = line.find(" on ");
  const auto device = line.find(" device ");
  if (bracket == line.npos || on == line.npos || device == line.npos || device < on) return;
  take_once(run, "gpu", std::string(text::trimmed(line.substr(bracket + 2))));
  take_property(run, "host", std::string(text::trimmed(line.substr(on + 4, device - on - 4))));
}

void take_nvidia_line(Result& run, const std::string& line) {
  take_once(run, "version", behind(line, "nvbandwidth Version:"));
  take_once(run, "driver", behind(line, "Driver Version:"));
  take_once(run, "cuda", cuda_version(behind(line, "CUDA Runtime Version:")));
  const auto device = behind(line, "Device 0:");
  if (!device.empty()) take_once(run, "gpu", device.substr(0, device.find(" (")));
}

/// Calls `take(line, place)` for each line of a file.
template <class Take>
void each_line(const std::string& file, Take take) {
  std::istringstream lines(os::read_file(file, longest_text));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    take(line, "line " + std::to_string(++number));
  }
}

}  // namespace

void read_go(const std::string& file, Events& events) {
  ForeignRows rows(events, file, "Go", Reads::regex);
  std::string package;
  each_line(file, [&](const std::string& line, const std::string& place) {
    if (line.starts_with("Benchmark")) rows.row(place, [&] { return go_row(line, package); });
    if (line.starts_with("pkg:")) package = behind(line, "pkg:");
    for (const auto& [begin, property] :
         {std::pair{"cpu:", "cpu"}, {"goos:", "os"}, {"goarch:", "goarch"}}) {
      take_once(rows.run, property, behind(line, begin));
    }
  });
  rows.finish();
}

void read_libtest(const std::string& file, Events& events) {
  ForeignRows rows(events, file, "cargo bench", Reads::regex);
  each_line(file, [&](const std::string& line, const std::string& place) {
    const bool is_ignored = line.starts_with("test ") && line.ends_with(" ... ignored");
    if (is_libtest_result(line) || is_ignored)
      rows.row(place, [&] { return std::optional(libtest_row(line)); });
  });
  rows.finish();
}

void read_nccl_log(const std::string& file, Events& events) {
  ForeignRows rows(events, file, "nccl-tests", Reads::nccl_tests);
  const auto text = os::read_file(file, longest_text);
  std::istringstream lines(text);
  bool is_whole = false;
  bool names_collective = false;
  std::size_t ranks = 0;
  const auto take_ranks = [&] {
    if (ranks > 0) take_once(rows.run, "ranks", std::to_string(ranks));
    ranks = 0;
  };
  for (std::string line; std::getline(lines, line);) {
    line = without_tag(line);
    is_whole = is_whole || line.find("# Avg bus bandwidth") != line.npos;
    names_collective = names_collective || line.find(begin_of_collective) != line.npos;
    if (line.starts_with("#") && line.find(" Rank ") != line.npos) {
      if (ranks++ == 0) take_first_rank(rows.run, line);
    } else if (!line.starts_with("#")) {
      take_ranks();  // of one output: the next has its own list
    }
    take_property(rows.run, "nccl", behind(line, "# nccl version"));
  }
  take_ranks();
  if (!is_whole)
    rows.note("the log is cut off before its '# Avg bus bandwidth': rows may be missing");
  if (!names_collective) {
    rows.note(
        "the log does not name its collective (older versions do not): compare it only with logs "
        "of the same collective");
  }
  finish(rows, read_nccl_tests(text));
}

void read_nvbandwidth_text(const std::string& file, Events& events) {
  ForeignRows rows(events, file, "nvbandwidth", Reads::nvbandwidth);
  const auto text = os::read_file(file, longest_text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) take_nvidia_line(rows.run, line);
  std::vector<std::string> notes;
  finish(rows, read_nvbandwidth_matrices(text, notes), notes);
}

void read_nvbandwidth_json(const std::string& file, Events& events) {
  ForeignRows rows(events, file, "nvbandwidth", Reads::nvbandwidth);
  const auto text = os::read_file(file, longest_text);
  const auto json = read_members(text);
  const Piece& own = look_up(json, "nvbandwidth");
  take_property(rows.run, "version", text_of(look_up(own, "git_version")));
  take_property(rows.run, "driver", text_of(look_up(own, "Driver Version")));
  take_property(rows.run, "cuda", cuda_version(text_of(look_up(own, "CUDA Runtime Version"))));
  std::vector<std::string> notes;
  finish(rows, read_nvbandwidth(text, notes), notes);
}

}  // namespace apod::files
