#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/formats.hpp"
#include "benchmarks/files/google_rows.hpp"
#include "benchmarks/files/read_github_action.hpp"

namespace apod::files {
namespace {

using CsvCells = std::vector<std::string>;

/// Calls `line` for each line before the titles, and `row(titles, cells, number)` for each behind.
template <class IsTitle, class Line, class Row>
void read_rows(const std::string& file, IsTitle is_title, Line line, Row row) {
  std::istringstream lines(os::read_file(file, longest_text));
  CsvCells titles;
  std::size_t number = 0;
  for (std::string text; std::getline(lines, text);) {
    ++number;
    if (text.ends_with('\r')) text.pop_back();
    if (is_title(text)) {
      titles = text::csv_cells(text);
    } else if (titles.empty()) {
      line(text);
    } else if (!text.empty()) {
      row(titles, text::csv_cells(text), number);
    }
  }
}

std::string place_of(std::size_t line) {
  return "line " + std::to_string(line);
}

/// "Run on (8 X 3000 MHz CPU s)".
void take_processors(Result& run, std::string_view line) {
  const auto cpus = text::leading_number(line.substr(std::string_view("Run on (").size()));
  if (!cpus || !cpus->second.starts_with("X ")) return;
  take_property(run, "cpus", std::to_string(static_cast<int>(cpus->first)));
  const auto mhz = text::leading_number(cpus->second.substr(2));
  if (mhz) take_property(run, "cpu_mhz", std::to_string(mhz->first));
}

/// Rows of NVBench below the same titles.
struct NvbenchTable {
  CsvCells titles;
  std::vector<CsvCells> rows;
  std::vector<std::size_t> lines;  ///< where the rows are
};

struct NvbenchColumn {
  enum class Role : std::uint8_t { none, axis, skipped, number } role = Role::none;
  std::string name;
  std::string_view unit;
};

constexpr std::string_view pow2 = " (pow2)";
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> nvbench_units{{
    {" (sec)", "s"},
    {" (bytes)", "B"},
    {" (bytes/sec)", "B/s"},
    {" (elem/sec)", "/s"},
    {" (Hz)", "Hz"},
}};
/// Summaries without a unit.
constexpr std::array<std::string_view, 5> nvbench_counts{"Samples", "Noise", "Noise (%)", "BWUtil",
                                                         "Num Elements"};

/// NVBench calls the spread of each time "Noise", and the samples of each way of measuring
/// "Samples": which ones, the time before or behind tells.
std::string name_of_count(const CsvCells& titles, std::size_t i) {
  const auto is_time = [&](std::size_t at) { return titles[at].ends_with(" (sec)"); };
  if (titles[i].starts_with("Noise") && is_time(i - 1))
    return titles[i - 1].substr(0, 3) + " " + titles[i];
  const bool of_batch = i + 1 < titles.size() && titles[i + 1].starts_with("Batch ");
  return titles[i] == "Samples" && of_batch ? "Batch Samples" : titles[i];
}

/// The axes of the first benchmark come before "Skipped". Those of later ones come after its
/// measurements: columns that it leaves empty and that are not NVBench's own.
std::vector<NvbenchColumn> nvbench_columns(const NvbenchTable& table) {
  using Role = NvbenchColumn::Role;
  const auto& titles = table.titles;
  const auto is_of_first = [&](std::size_t i) {
    return std::any_of(table.rows.begin(), table.rows.end(), [&](const CsvCells& cells) {
      return cells[0] == table.rows[0][0] && i < cells.size() && !cells[i].empty();
    });
  };
  std::vector<NvbenchColumn> columns(titles.size());
  bool is_behind = false;
  for (std::size_t i = 3; i < titles.size(); ++i) {
    auto& column = columns[i];
    column = {Role::number, titles[i], ""};
    if (titles[i] == "Skipped") {
      column.role = Role::skipped;
      is_behind = true;
      continue;
    }
    const auto unit = std::ranges::find_if(
        nvbench_units, [&](const auto& one) { return titles[i].ends_with(one.first); });
    if (titles[i].ends_with(pow2)) {
      column.role = Role::none;  // the next column has its value as a number
    } else if (!is_behind || titles[i - 1] == titles[i] + std::string(pow2)) {
      column.role = Role::axis;
    } else if (unit != nvbench_units.end()) {
      column.name.resize(column.name.size() - unit->first.size());
      column.unit = unit->second;
    } else if (std::ranges::find(nvbench_counts, titles[i]) != nvbench_counts.end()) {
      column.name = name_of_count(titles, i);
    } else if (!is_of_first(i)) {
      column.role = Role::axis;
    }
  }
  return columns;
}

ForeignRow nvbench_row(const std::vector<NvbenchColumn>& columns, const CsvCells& cells,
                       const std::string& place, bool several_devices) {
  using Role = NvbenchColumn::Role;
  // A state is written once.
  ForeignRow row{.name = cells[0], .family = cells[0], .way = "time:gpu mean", .identity = place};
  const auto add_axis = [&](const std::string& name, const std::string& value) {
    row.name += "/" + name + ":" + value;
    row.params.emplace_back(name, value);
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].role == Role::axis && !cells[i].empty()) add_axis(columns[i].name, cells[i]);
    if (columns[i].role == Role::skipped && cells[i] == "Yes") row.skipped = "";
  }
  if (several_devices) add_axis("device", cells[1]);
  if (row.skipped) return row;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [role, name, unit] = columns[i];
    if (role != Role::number || cells[i].empty()) continue;
    const double value = text_number_or_nan(cells[i]);
    if (name == "GPU Time") row.times_s = {value};
    row.numbers.push_back({name, value, unit});
    row.numbers.back().shown = name != "GPU Time";
  }
  if (row.times_s.empty()) throw std::runtime_error(row.name + " has no GPU Time");
  return row;
}

}  // namespace

void read_google_csv(const std::string& file, Events& events) {
  GoogleRows rows(file, events);
  const auto is_title = [](std::string_view line) { return line.starts_with("name,iterations,"); };
  const auto context = [&](const std::string& line) {
    if (text::instant_of(line)) take_property(rows.run(), "date", line);
    if (line.starts_with("Running ")) take_property(rows.run(), "description", line.substr(8));
    if (line.starts_with("Run on (")) take_processors(rows.run(), line);
    if (line.find("DEBUG") != std::string::npos) take_property(rows.run(), "build_type", "debug");
  };
  read_rows(file, is_title, context,
            [&](const CsvCells& titles, const CsvCells& cells, std::size_t at) {
              Piece row = Piece::object();
              for (std::size_t i = 0; i < std::min(titles.size(), cells.size()); ++i) {
                const auto number = text::leading_number(cells[i]);
                if (titles[i] == "error_occurred") {
                  row[titles[i]] = cells[i] == "true";
                } else if (titles[i] == "iterations" || cells[i].empty()) {
                  continue;
                } else if (number && number->second.empty() && titles[i] != "name") {
                  row[titles[i]] = number->first;
                } else {
                  row[titles[i]] = cells[i];
                }
              }
              rows.row(row, place_of(at));
            });
  rows.finish();
}

void read_nvbench_csv(const std::string& file, Events& events) {
  ForeignRows rows(events, file, "NVBench", Reads::nvbench);
  std::vector<NvbenchTable> tables;
  std::map<std::string, std::set<std::string>> devices;  // of each benchmark
  const auto is_title = [](std::string_view line) {
    return line.starts_with("Benchmark,Device,Device Name,");
  };
  read_rows(
      file, is_title, [](const std::string&) {},
      [&](const CsvCells& titles, const CsvCells& cells, std::size_t at) {
        if (cells.size() > 1) devices[cells[0]].insert(cells[1]);
        if (tables.empty() || tables.back().titles != titles) tables.push_back({titles, {}, {}});
        tables.back().rows.push_back(cells);
        tables.back().lines.push_back(at);
      });
  std::set<std::string> gpus;
  for (const auto& table : tables) {
    const auto columns = nvbench_columns(table);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const auto& cells = table.rows[i];
      const auto place = place_of(table.lines[i]);
      rows.row(place, [&]() -> std::optional<ForeignRow> {
        if (cells.size() != columns.size()) {
          throw std::runtime_error(std::to_string(cells.size()) + " cells, but " +
                                   std::to_string(columns.size()) + " column titles");
        }
        gpus.insert(cells[2]);
        return nvbench_row(columns, cells, place, devices[cells[0]].size() > 1);
      });
    }
  }
  take_property(rows.run, "gpu", text::joined(gpus, ", "));
  rows.finish();
}

void read_jmh_csv(const std::string& file, Events& events) {
  ForeignRows rows(events, file, "JMH", Reads::json);
  const auto is_title = [](std::string_view line) { return line.starts_with(jmh_titles); };
  read_rows(
      file, is_title, [](const std::string&) {},
      [&](const CsvCells& titles, CsvCells cells, std::size_t at) {
        rows.row(place_of(at), [&]() -> std::optional<ForeignRow> {
          if (cells.size() != titles.size()) throw std::runtime_error("another number of cells");
          ForeignRow row{.name = cells[0], .family = cells[0]};
          for (std::size_t i = 7; i < cells.size(); ++i) {
            if (cells[i].empty()) continue;
            row.params.emplace_back(titles[i].substr(titles[i].find(' ') + 1), cells[i]);
            row.name += "/" + row.params.back().first + ":" + cells[i];
          }
          std::ranges::replace(cells[4], ',', '.');  // as some languages write it
          take_time(row, text_number_or_nan(cells[4]), cells[6]);
          return row;
        });
      });
  rows.finish();
}

}  // namespace apod::files
