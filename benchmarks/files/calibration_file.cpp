#include "benchmarks/files/calibration_file.hpp"

#include <cmath>
#include <stdexcept>

#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/record/fields.hpp"
#include "benchmarks/files/small_file.hpp"

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
  field.if_any("days", t.days);  // earlier files have none of these two
  field.if_any("boards", t.boards);
  field("alpha", t.alpha);
  field("environment", t.environment);
  field("cases", t.cases);
  field.if_any("threshold", t.threshold);  // earlier files have none, and no notes
  field.if_any("notes", t.notes);
}

}  // namespace apod

namespace apod::files {
namespace {

constexpr SmallFile calibration_file{.mark = "apod_calibration",
                                     .schema = 2,
                                     .most_bytes = 64 << 20,
                                     .absent = "is not a calibration (bench calibrate makes one)",
                                     .again = "calibrate again"};
// Of ln time. No machine spreads by more; a file that says so is damaged.
constexpr double largest_deviation = 10;

void check(const Calibration& calibration) {
  if (calibration.sessions < 2 || calibration.processes < 1) {
    throw std::runtime_error("has fewer than two sessions");
  }
  if (!(calibration.threshold > 0 && calibration.threshold < 1)) {
    throw std::runtime_error("threshold: not a share between 0 and 1");
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

}  // namespace

void write_calibration(std::ostream& out, const Calibration& calibration) {
  write_small_file(out, calibration_file, record::Writer::write(calibration));
}

Calibration read_calibration(const std::string& file) {
  return naming(file, [&] {
    Calibration calibration;
    record::Reader::read(read_small_file(file, calibration_file), calibration);
    check(calibration);
    for (const auto& c : calibration.cases) check(c);
    return calibration;
  });
}

}  // namespace apod::files
