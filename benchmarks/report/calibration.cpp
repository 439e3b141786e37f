#include "benchmarks/report/calibration.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include "benchmarks/record/fields.hpp"
#include "benchmarks/text/units.hpp"

// Beside the records that they list, where the compiler looks for them.
namespace apod {

template <class Archive, record::Is<CalibratedCase> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("version", t.version);
  field("time_s", t.time_s);
  field("sample", t.sample);
  field("process", t.process);
  field("session", t.session);
  field("session_mean", t.session_mean);
  field("floor", t.floor);
}

template <class Archive, record::Is<Calibration> T>
void fields(Archive& field, T& t) {
  field("date", t.date);
  field("config", t.config);
  field("commit", t.commit);
  field("sessions", t.sessions);
  field("processes", t.processes);
  field("alpha", t.alpha);
  field("environment", t.environment);
  field("cases", t.cases);
}

}  // namespace apod

namespace apod::report {
namespace {

constexpr int calibration_schema = 2;
constexpr std::size_t largest_calibration_file = 64 << 20;
// Of ln time. No machine spreads by more; a file that says so is damaged.
constexpr double largest_deviation = 10;

void check(const Calibration& calibration) {
  if (calibration.sessions < 2 || calibration.processes < 2) {
    throw std::runtime_error("has fewer than two sessions of two processes");
  }
}

void check(const CalibratedCase& c) {
  for (const double value : {c.time_s, c.sample, c.process, c.session, c.session_mean, c.floor}) {
    if (!(value >= 0) || !std::isfinite(value)) {
      throw std::runtime_error("cases: " + c.name + ": a value is negative or no number");
    }
  }
  for (const double value : {c.sample, c.process, c.session, c.session_mean}) {
    if (value > largest_deviation) {
      throw std::runtime_error("cases: " + c.name + ": a deviation is far too large");
    }
  }
}

std::string percent(double share) {
  constexpr double largest_shown = 100;
  if (share > largest_shown) return "over 10000 %";
  return fmt::format("{:.2f} %", 100 * share);
}

}  // namespace

void write_calibration(std::ostream& out, const Calibration& calibration) {
  record::Json json = record::Json::object();
  json["apod_calibration"] = calibration_schema;
  json.update(record::Writer::write(calibration));
  out << record::dump(json, 1) << '\n';
}

Calibration read_calibration(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": can't be read");
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  if (unknown || size > largest_calibration_file)
    throw std::runtime_error(path + ": is too large, or no file");
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  Calibration calibration;
  try {
    const auto json = record::Json::parse(text);
    if (!json.is_object() || !json.contains("apod_calibration")) {
      throw std::runtime_error("is no calibration (bench calibrate makes one)");
    }
    if (json["apod_calibration"] != calibration_schema) {
      throw std::runtime_error(
          fmt::format("has another schema than {}, which this program reads: calibrate anew",
                      calibration_schema));
    }
    record::Reader::read(json, calibration);
    check(calibration);
    for (const auto& c : calibration.cases) check(c);
  } catch (const record::Json::exception&) {
    throw std::runtime_error(path + ": is no JSON");
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
  return calibration;
}

Document calibration_document(const Calibration& calibration, double threshold) {
  Table table{"",
              {{.name = "case", .align = Align::left, .key = true},
               {"time", "time_s"},
               {"samples", "sample"},
               {"processes", "process"},
               {"sessions", "session"},
               {"floor"}}};
  std::size_t below = 0;
  const auto share = [](double value) { return Cell{percent(value), Tone::plain, value}; };
  for (const auto& c : calibration.cases) {
    const bool blind = c.floor > threshold;
    below += blind ? 1 : 0;
    table.rows.push_back({{{c.name},
                           {text::format_time(c.time_s), Tone::plain, c.time_s},
                           share(c.sample),
                           share(c.process),
                           share(c.session),
                           share(c.floor)}});
    if (blind) table.rows.back().cells.back().tone = Tone::warning;
  }
  Document document;
  document.add(Heading{1,
                       {fmt::format("{} sessions of {} processes, {} cases", calibration.sessions,
                                    calibration.processes, calibration.cases.size())}});
  document.add(
      Paragraph{"Standard deviations within a process, between processes and between sessions; "
                "floor: the smallest change that two such files of one session each can show."});
  document.add(std::move(table));
  if (below > 0) {
    document.add(Paragraph{fmt::format(
        "{} of {} cases: two files can't show a change of {}, the floor is above it. Compare side "
        "by side (bench compare --base-bin A --new-bin B --config X), or several sessions a side.",
        below, calibration.cases.size(), percent(threshold))});
  }
  return document;
}

}  // namespace apod::report
