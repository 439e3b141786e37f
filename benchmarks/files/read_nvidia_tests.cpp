#include "benchmarks/files/read_nvidia_tests.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <unordered_map>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/json_pieces.hpp"
#include "benchmarks/files/metric.hpp"

namespace apod::files {
namespace {

using Words = std::vector<std::string>;

constexpr double giga = 1e9;
constexpr double micro = 1e-6;
constexpr double nano = 1e-9;

Words words_of(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

/// The number that a cell is, as text_number_or_nan() reads it; nothing of "N/A", which is no case.
std::optional<double> number_in_cell(const std::string& cell) {
  if (cell == "N/A") return std::nullopt;
  return text_number_or_nan(cell);
}

bool holds_word(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What today's versions of nccl-tests print where a collective has no operation, or no root. The
/// operation comes first.
using Nothing = std::pair<std::string_view, const char*>;
constexpr std::array<Nothing, 2> nothings{{{"redop", "none"}, {"root", "-1"}}};

/// A row of nccl-tests: what it is of, then for each of two ways time, algbw, busbw and #wrong.
class NcclTable {
 public:
  explicit NcclTable(Words titles) : titles_(std::move(titles)) {
    first_ = static_cast<std::size_t>(
        std::distance(titles_.begin(), std::find(titles_.begin(), titles_.end(), "time")));
  }

  /// Whether the line is a row, with its blank cells; `row` becomes as long as the titles.
  bool complete(Words& row) const {
    // Some collectives have no operation, and older versions print nothing there.
    for (const auto& [optional, none] : nothings) {
      const auto title = std::find(titles_.begin(), titles_.end(), optional);
      const auto place = title - titles_.begin();
      const auto cells = static_cast<std::ptrdiff_t>(row.size());
      if (row.size() >= titles_.size() || cells <= 4 || place > cells) continue;
      row.insert(row.begin() + place, none);
    }
    return row.size() == titles_.size() && text::parse_count(row.front()).value;
  }

  void read(const Words& row, const std::string& collective, std::vector<FoundCase>& found) const {
    std::string name = collective;
    for (std::size_t i = 0; i < first_; ++i) {
      if (titles_[i] != "count" &&
          std::ranges::find(nothings, titles_[i], &Nothing::first) == nothings.end())
        name += titles_[i] + ":" + row[i] + "/";
    }
    // Older versions have no column where a collective has no operation or no root.
    for (const auto& [title, none] : nothings) {
      const auto place = std::find(titles_.begin(), titles_.end(), title) - titles_.begin();
      const bool is_there = place < std::ssize(titles_);
      name +=
          std::string(title) + ":" + (is_there ? row[static_cast<std::size_t>(place)] : none) + "/";
    }
    constexpr std::size_t columns = 4;
    const char* way = "out-of-place";
    for (std::size_t i = first_; i + columns <= titles_.size(); i += columns) {
      read_way(name + way, Words(row.begin() + static_cast<std::ptrdiff_t>(i), row.end()),
               titles_[i + 3], found);
      way = "in-place";
    }
  }

 private:
  static void read_way(const std::string& name, const Words& cells, const std::string& last,
                       std::vector<FoundCase>& found) {
    const auto time = number_in_cell(cells[0]);
    if (!time) return;  // no operation of its own in place
    FoundCase c{.name = name};
    const auto wrong = last == "#wrong" ? number_in_cell(cells[3]).value_or(0) : 0;
    if (wrong != 0) {
      c.failed = cells[3] + " wrong values";
    } else if (!has_ratio(*time)) {
      c.failed = why_no_time("time", *time * micro);
    } else {
      c.samples_s = {*time * micro};
      const auto take = [&](const char* fact, const std::string& cell) {
        const double value = number_in_cell(cell).value_or(0);
        if (std::isfinite(value)) c.facts[fact] = value * giga;
      };
      take("bandwidth", cells[1]);
      take("bus_bandwidth", cells[2]);
    }
    found.push_back(std::move(c));
  }

  Words titles_;
  std::size_t first_ = 0;  ///< column of the first time
};

/// "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)": the unit at its end.
std::string unit_of(const std::string& description) {
  const auto open = description.rfind('(');
  const auto close = description.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return "";
  return description.substr(open + 1, close - open - 1);
}

FoundCase case_of(const std::string& name, double value, const std::string& unit) {
  FoundCase c{.name = name};
  if (!has_ratio(value)) {
    c.failed = std::isfinite(value) ? "its value is not positive: " + std::to_string(value)
                                    : "its value is not a finite number";
  } else if (unit == "GB/s") {
    c.samples_s = {1 / value};
    c.facts["bandwidth"] = value * giga;
  } else if (unit == "ns") {
    c.samples_s = {value * nano};
  } else {
    c.failed = "unknown unit " + text::in_quotes(unit);
  }
  return c;
}

void read_testcase(const Piece& test, std::vector<FoundCase>& found,
                   std::vector<std::string>& notes) {
  const auto& name = text_at(test, "name");
  const auto& status = text_at(test, "status");
  if (status == "Waived") {
    notes.push_back("waived: " + name);
    return;
  }
  const Piece& matrix = array_at(test, "bandwidth_matrix");
  if (status != "Passed" || matrix.empty()) {
    const auto error = text_of(look_up(test, "error"));
    found.push_back({.name = name, .failed = error.empty() ? "status " + status : error});
    return;
  }
  const auto unit = unit_of(text_at(test, "bandwidth_description"));
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < matrix[row].size(); ++column) {
      const auto value = number_in_cell(text_of(matrix[row][column]));
      const auto cell = std::to_string(row) + "," + std::to_string(column);
      if (value) found.push_back(case_of(name + "/" + cell, *value, unit));
    }
  }
}

/// A row that is there again has another sample of its case.
std::vector<FoundCase> cases_of_rows(std::vector<FoundCase> rows) {
  std::vector<FoundCase> cases;
  std::unordered_map<std::string, std::size_t> by_name;
  for (auto& row : rows) {
    const auto [at, is_new] = by_name.emplace(row.name, cases.size());
    if (is_new) {
      cases.push_back(std::move(row));
      continue;
    }
    auto& known = cases[at->second];
    known.samples_s.insert(known.samples_s.end(), row.samples_s.begin(), row.samples_s.end());
    if (known.failed.empty()) known.failed = row.failed;
    if (!known.failed.empty()) known.samples_s.clear();
  }
  return cases;
}

}  // namespace

std::vector<FoundCase> read_nccl_tests(const std::string& output) {
  std::vector<FoundCase> found;  // a row each
  std::optional<NcclTable> table;
  std::string collective;
  bool in_us = false;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    auto words = words_of(without_tag(line));
    if (words.empty()) continue;
    if (const auto at = line.find(begin_of_collective); at != line.npos) {
      const auto name = line.substr(at + begin_of_collective.size());
      collective = std::string(text::trimmed(name)) + "/";
      continue;
    }
    const bool titles = words[0] == "#" && holds_word(words, "size") && holds_word(words, "time") &&
                        holds_word(words, "busbw");
    if (titles) {
      words.erase(words.begin());
      table.emplace(std::move(words));
      in_us = false;
    } else if (words[0] == "#") {
      in_us = in_us || holds_word(words, "(us)");
    } else if (table && table->complete(words)) {
      if (!in_us) throw std::runtime_error("the times of nccl-tests are not in us");
      table->read(words, collective, found);
    }
  }
  if (found.empty()) throw std::runtime_error("its output has no table of nccl-tests");
  return cases_of_rows(std::move(found));
}

std::vector<FoundCase> read_nvbandwidth(const std::string& output,
                                        std::vector<std::string>& notes) {
  Piece json;
  try {
    json = read_members(output);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string("the output does not come from nvbandwidth --json: ") +
                             error.what());
  }
  const Piece& own = look_up(json, "nvbandwidth");
  const auto error = text_of(look_up(own, "error"));
  if (!error.empty()) throw std::runtime_error(error);
  std::vector<FoundCase> found;
  for (const Piece& test : array_at(own, "testcases")) read_testcase(test, found, notes);
  if (found.empty()) throw std::runtime_error("its output has no test of nvbandwidth");
  return found;
}

std::vector<FoundCase> read_nvbandwidth_matrices(const std::string& output,
                                                 std::vector<std::string>& notes) {
  std::vector<FoundCase> found;
  std::string test;
  std::string unit;
  std::size_t columns = 0;
  std::size_t unnamed = 0;  // tests that were waived
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto words = words_of(without_tag(line));
    if (words.empty()) {
      if (columns > 0) unit.clear();
      columns = 0;
    } else if (words[0] == "Running" && words.size() == 2) {
      test = words[1].substr(0, words[1].find_last_not_of('.') + 1);
      unit.clear();
    } else if (words[0] == "Waived:" || words[0] == "WAIVED") {
      // Some versions don't say what they waive, so the last test is that only if nothing is of it.
      const bool is_of_test = !test.empty() && std::ranges::none_of(found, [&](const auto& c) {
        return c.name.starts_with(test + "/");
      });
      const auto note = "waived: " + test;
      if (!is_of_test) {
        ++unnamed;
      } else if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
        notes.push_back(note);
      }
    } else if (!test.empty() && (line.ends_with("(GB/s)") || line.ends_with("(ns)"))) {
      unit = unit_of(line);
      columns = 0;
    } else if (!unit.empty() && columns == 0) {
      columns = words.size();  // their numbers
    } else if (columns > 0 && words.size() == columns + 1) {
      for (std::size_t column = 0; column < columns; ++column) {
        const auto value = number_in_cell(words[column + 1]);
        const auto cell = words[0] + "," + std::to_string(column);
        if (value) found.push_back(case_of(test + "/" + cell, *value, unit));
      }
    } else {
      unit.clear();
      columns = 0;
    }
  }
  if (found.empty()) throw std::runtime_error("its output has no matrix of nvbandwidth");
  if (unnamed > 0)
    notes.push_back("waived: " + text::counted(unnamed, "test") + " without a name in the output");
  return found;
}

std::string without_tag(const std::string& line) {
  for (const std::string_view end : {"]<stdout>:", "]<stderr>:"}) {
    const auto at = line.find(end);
    if (line.starts_with('[') && at != line.npos) return line.substr(at + end.size());
  }
  return line;
}

std::string cuda_version(const std::string& number) {
  const auto count = text::parse_count(number);
  if (!count.value || *count.value < 1000) return number;
  return std::to_string(*count.value / 1000) + "." + std::to_string(*count.value % 1000 / 10);
}

}  // namespace apod::files
