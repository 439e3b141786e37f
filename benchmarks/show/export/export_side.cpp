#include "benchmarks/show/export/export_side.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ostream>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/files/json_pieces.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::exports {
namespace {

constexpr double nanoseconds = 1e9;
/// Bencher refuses a name of more characters.
constexpr std::size_t longest_bmf_name = 1000;

/// Nine significant digits: more than any measurement has, and no noise of the last bits.
double rounded(double value) {
  return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr);
}

/// "3 processes", "9 repetitions of 3 processes".
std::string replicates_text(std::size_t times, std::size_t processes) {
  const auto of = text::counted(processes, "process", "processes");
  return times == processes ? of : text::counted(times, "repetition") + " of " + of;
}

Estimate time_ns(const Side& side, const SideCase& c) {
  const auto time = estimate_time(medians_of(side, c));
  return {rounded(time.value * nanoseconds), rounded(time.low * nanoseconds),
          rounded(time.high * nanoseconds)};
}

/// What the first session says of `key`: other programs' context has room for one machine.
std::string environment(const Side& side, const std::string& key) {
  if (side.sessions.empty()) return "";
  const auto& values = side.sessions.front().environment;
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

double number(const std::string& text) {
  const double value = std::strtod(text.c_str(), nullptr);
  return std::isfinite(value) ? value : 0;
}

/// What is not known is left out rather than guessed.
record::Json google_context(const Side& side) {
  record::Json context;
  const auto add = [&](const char* name, const char* key) {
    const std::string value = environment(side, key);
    if (!value.empty()) context[name] = value;
  };
  add("date", "date");
  add("host_name", "host");
  context["executable"] = side.label;
  const double cpus = number(environment(side, "cpus"));
  if (cpus > 0) context["num_cpus"] = std::llround(cpus);
  context["caches"] = record::Json::array();
  context["load_avg"] = record::Json::array();
  const std::string load = environment(side, "load_average");
  if (!load.empty()) context["load_avg"].push_back(number(load));
  add("library_build_type", "build_type");
  context["json_schema_version"] = 1;
  // What Google Benchmark has no field for is text, as --benchmark_context writes it.
  for (const char* key : {"backend", "gpu", "driver", "cuda", "cpu", "commit", "config"})
    add(key, key);
  return context;
}

record::Json google_row(const Side& side, const SideCase& c, std::string name, std::size_t index) {
  const double time = time_ns(side, c).value;
  record::Json row;
  row["name"] = name;
  row["family_index"] = index;
  row["per_family_instance_index"] = 0;
  row["run_name"] = std::move(name);
  row["run_type"] = "iteration";
  row["repetitions"] = 1;
  row["repetition_index"] = 0;
  row["threads"] = 1;
  row["iterations"] = c.times.size();
  row["real_time"] = time;
  row["cpu_time"] = time;
  row["time_unit"] = "ns";
  for (const auto& [fact, value] : c.facts) {
    if (fact == "bytes" && value > 0) row["bytes_per_second"] = rounded(value / time * nanoseconds);
  }
  return row;
}

void export_google(std::ostream& out, const Side& side) {
  out << "{\n  \"context\": " << files::indented(google_context(side));
  UniqueNames names;
  std::size_t index = 0;
  files::ArrayWriter rows(out, "benchmarks");
  for (const auto& c : side.cases) {
    if (!c.times.empty())
      rows.add(google_row(side, c, names.add(text::printable(c.name)), index++));
  }
  rows.close();
  files::ArrayWriter failed(out, "apod_failed");
  for (const auto& c : side.cases) {
    if (c.times.empty()) failed.add({{"name", text::printable(c.name)}, {"failed", c.failed}});
  }
  failed.close();
  out << "\n}\n";
}

void export_bmf(std::ostream& out, const Side& side) {
  UniqueNames names;
  const char* separator = "\n";
  out << "{";
  for (const auto& c : side.cases) {
    if (c.times.empty()) continue;
    const auto time = time_ns(side, c);
    // The side holds the inverse of a rate. Bencher takes the rate, where more is better.
    const auto value = [&](double ns) { return side.is_rate ? rounded(nanoseconds / ns) : ns; };
    record::Json measure{{"value", value(time.value)}};
    if (time.has_interval()) {
      measure["lower_value"] = value(side.is_rate ? time.high : time.low);
      measure["upper_value"] = value(side.is_rate ? time.low : time.high);
    }
    const std::string name = names.add(text::shorten(text::printable(c.name), longest_bmf_name));
    out << separator << "  " << record::dump(name) << ": "
        << record::dump({{side.is_rate ? "throughput" : "latency", measure}});
    separator = ",\n";
  }
  out << "\n}\n";
}

void export_smaller_is_better(std::ostream& out, const Side& side) {
  UniqueNames names;
  const char* separator = "\n";
  out << "[";
  for (const auto& c : side.cases) {
    if (c.times.empty()) continue;
    const auto time = time_ns(side, c);
    record::Json row{
        {"name", names.add(text::printable(c.name))}, {"unit", "ns"}, {"value", time.value}};
    if (time.has_interval())
      row["range"] = "± " + text::format_percent(time.half_width() / time.value);
    row["extra"] = replicates_text(c.times.size(), medians_of(side, c).size());
    out << separator << "  " << record::dump(row);
    separator = ",\n";
  }
  out << "\n]\n";
}

}  // namespace

std::size_t export_side(std::ostream& out, const Side& side, ExportFormat format) {
  switch (format) {
    case ExportFormat::google:
      export_google(out, side);
      break;
    case ExportFormat::bmf:
      export_bmf(out, side);
      break;
    case ExportFormat::smaller_is_better:
      export_smaller_is_better(out, side);
      break;
    case ExportFormat::go:
      export_go(out, side);
      break;
  }
  std::size_t exported = 0;
  for (const auto& c : side.cases) exported += c.times.empty() ? 0 : 1;
  return exported;
}

}  // namespace apod::exports
