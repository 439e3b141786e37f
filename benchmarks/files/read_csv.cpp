#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/formats.hpp"
#include "benchmarks/files/google_rows.hpp"

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
  struct Line {
    CsvCells titles, cells;
    std::size_t number = 0;
  };
  std::vector<Line> lines;
  std::map<std::string, std::set<std::string>> devices;  // of each benchmark
  const auto is_title = [](std::string_view line) {
    return line.starts_with("Benchmark,Device,Device Name,");
  };
  read_rows(
      file, is_title, [](const std::string&) {},
      [&](const CsvCells& titles, const CsvCells& cells, std::size_t at) {
        if (cells.size() > 1) devices[cells[0]].insert(cells[1]);
        lines.push_back({titles, cells, at});
      });
  std::set<std::string> gpus;
  for (const auto& [titles, cells, number] : lines) {
    rows.row(place_of(number),
             [&, &titles = titles, &cells = cells]() -> std::optional<ForeignRow> {
               if (cells.size() != titles.size()) {
                 throw std::runtime_error(std::to_string(cells.size()) + " cells below " +
                                          std::to_string(titles.size()) + " titles");
               }
               ForeignRow row{.name = cells[0], .family = cells[0], .way = "time:gpu mean"};
               const auto add_axis = [&](const std::string& name, const std::string& value) {
                 row.name += "/" + name + ":" + value;
                 row.params.emplace_back(name, value);
               };
               gpus.insert(cells[2]);
               std::size_t i = 3;
               for (; i < titles.size() && titles[i] != "Skipped"; ++i) {
                 const bool is_pretty = titles[i].ends_with(" (pow2)");
                 if (!is_pretty && !cells[i].empty()) add_axis(titles[i], cells[i]);
               }
               if (devices[cells[0]].size() > 1) add_axis("device", cells[1]);
               if (i < cells.size() && cells[i] == "Yes") {
                 row.skipped = "";
                 return row;
               }
               for (++i; i < titles.size(); ++i) {
                 if (cells[i].empty()) continue;
                 const double value = text_number_or_nan(cells[i]);
                 for (const auto& [end, unit] :
                      {std::pair<std::string_view, std::string_view>{" (sec)", "s"},
                       {" (bytes/sec)", "B/s"},
                       {" (elem/sec)", "/s"},
                       {"", ""}}) {
                   if (!titles[i].ends_with(end)) continue;
                   const auto name = titles[i].substr(0, titles[i].size() - end.size());
                   if (name == "GPU Time") row.times_s = {value};
                   row.numbers.push_back({name, value, unit});
                   row.numbers.back().shown = name != "GPU Time";
                   break;
                 }
               }
               if (row.times_s.empty()) throw std::runtime_error(row.name + " has no GPU Time");
               return row;
             });
  }
  std::string names;
  for (const auto& gpu : gpus) names += (names.empty() ? "" : ", ") + gpu;
  take_property(rows.run, "gpu", names);
  rows.finish();
}

}  // namespace apod::files
