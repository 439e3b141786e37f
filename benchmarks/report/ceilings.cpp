#include "benchmarks/report/ceilings.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include "benchmarks/record/fields.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

constexpr int ceilings_schema = 1;
constexpr std::size_t largest_ceilings_file = 1 << 16;

/// A ceiling, how it is called, and how it is shown.
struct Row {
  const char* name;
  double value;
  const char* unit;  ///< of one, per second; empty for a time
};

std::vector<Row> rows_of(const Ceilings& c) {
  return {{"device memory, read", c.read_bytes_per_s, "B/s"},
          {"device memory, copy (read + written)", c.copy_bytes_per_s, "B/s"},
          {"fp32 multiply-adds", c.fp32_flops, "FLOP/s"},
          {"fp64 multiply-adds", c.fp64_flops, "FLOP/s"},
          {"tensor cores, fp16", c.tensor_fp16_flops, "FLOP/s"},
          {"tensor cores, TF32", c.tensor_tf32_flops, "FLOP/s"},
          {"host to device, pageable", c.h2d_pageable_bytes_per_s, "B/s"},
          {"host to device, pinned", c.h2d_pinned_bytes_per_s, "B/s"},
          {"device to host, pageable", c.d2h_pageable_bytes_per_s, "B/s"},
          {"device to host, pinned", c.d2h_pinned_bytes_per_s, "B/s"},
          {"interval of launches", c.launch_s, ""}};
}

}  // namespace

void write_ceilings(std::ostream& out, const Ceilings& ceilings) {
  record::Json json = record::Json::object();
  json["apod_ceilings"] = ceilings_schema;
  json.update(record::Writer::write(ceilings));
  out << record::dump(json, 1) << '\n';
}

Ceilings read_ceilings(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": can't be read");
  std::string text(largest_ceilings_file + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > largest_ceilings_file)
    throw std::runtime_error(path + ": is too large to hold ceilings");
  Ceilings ceilings;
  try {
    const auto json = record::Json::parse(text);
    if (!json.is_object() || !json.contains("apod_ceilings")) {
      throw std::runtime_error("holds no ceilings (bench ceilings makes such a file)");
    }
    if (json["apod_ceilings"] != ceilings_schema) {
      throw std::runtime_error("has another schema than " + std::to_string(ceilings_schema) +
                               ", which this program reads: measure anew");
    }
    record::Reader::read(json, ceilings);
    for (const auto& row : rows_of(ceilings)) {
      if (!(row.value >= 0) || !std::isfinite(row.value)) {
        throw std::runtime_error(std::string(row.name) + ": is negative or no number");
      }
    }
    if (measured_only_in(ceilings, {}).empty()) {
      throw std::runtime_error("none of its ceilings was measured: measure anew");
    }
  } catch (const record::Json::exception&) {
    throw std::runtime_error(path + ": is no JSON");
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
  return ceilings;
}

std::vector<std::string> measured_only_in(const Ceilings& these, const Ceilings& others) {
  std::vector<std::string> names;
  const auto rows = rows_of(these);
  const auto other_rows = rows_of(others);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].value > 0 && !(other_rows[i].value > 0)) names.emplace_back(rows[i].name);
  }
  return names;
}

Document ceilings_document(const Ceilings& ceilings) {
  Table table{"", {{.name = "ceiling", .align = Align::left, .key = true}, {"measured"}}};
  for (const auto& row : rows_of(ceilings)) {
    const bool is_time = *row.unit == '\0';
    Cell cell{"not measured", Tone::dim};
    if (row.value > 0) {
      cell = {is_time ? text::format_time(row.value) : text::format_rate(row.value, row.unit),
              Tone::plain, row.value};
    }
    table.rows.push_back({{{row.name}, std::move(cell)}});
  }
  Document document;
  document.add(Heading{1, {ceilings.gpu}});
  document.add(std::move(table));
  return document;
}

}  // namespace apod::report
