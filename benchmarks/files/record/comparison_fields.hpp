#pragma once

/// \file
/// The fields of a comparison and of a history; see fields.hpp.

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/history.hpp"
#include "benchmarks/files/record/archive.hpp"

namespace apod::record {

template <class Archive, Is<Cause> T>
void fields(Archive& field, T& t) {
  field("fact", t.fact);
  field("text", t.text);
}

template <class Archive, Is<CommonShift> T>
void fields(Archive& field, T& t) {
  field("verdict", t.verdict);
  field("change", t.change.value);
  field("change_low", t.change.low);
  field("change_high", t.change.high);
  field.if_any("noise", t.noise);
  field.if_any("other_machine", t.other_machine);
  field("cases", t.cases);
  field("example", t.example);
  field("causes", t.causes);
}

template <class Archive, Is<CaseComparison> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("verdict", t.verdict);
  field("reason", t.reason);
  field("base_s", t.base_s);
  field("new_s", t.new_s);
  field.if_any("is_counter", t.is_counter);
  field.if_any("is_rate", t.is_rate);
  field("replicate", t.replicate);
  field("base_units", t.base_units);
  field("new_units", t.new_units);
  field("noise_source", t.noise_source);
  field("change", t.change.value);
  field("change_low", t.change.low);
  field("change_high", t.change.high);
  field("p", t.p);
  field("p_adjusted", t.p_adjusted);
  field("q", t.q);
  field("threshold", t.threshold);
  field("detectable", t.detectable);
  field.if_any("detectable_other", t.detectable_other);
  field("units_needed", t.units_needed);
  field("causes", t.causes);
  field("warnings", t.warnings);
}

template <class Archive, Is<CompareOptions> T>
void fields(Archive& field, T& t) {
  field("threshold", t.threshold);
  field("alpha", t.alpha);
  field("strict", t.strict);
  field.if_any("threshold_given", t.threshold_given);
  field.if_any("calibration", t.calibration);
}

template <class Archive, Is<HistoryPoint> T>
void fields(Archive& field, T& t) {
  field("file", t.file);
  field("date", t.date);
  field("commit", t.commit);
  field("time_s", t.time_s.value);
  field("time_low_s", t.time_s.low);
  field("time_high_s", t.time_s.high);
  field("processes", t.processes);
  field("outlier", t.outlier);
  field("failed", t.failed);
  field("segment", t.segment);
}

template <class Archive, Is<HistorySegment::Drift> T>
void fields(Archive& field, T& t) {
  field("runs", t.runs);
  field("change", t.change);
}

template <class Archive, Is<HistorySegment> T>
void fields(Archive& field, T& t) {
  field("level_s", t.level_s);
  field("epoch", t.epoch);
  field.if_any("machine", t.machine);
  field("change", t.change);
  field("epoch_difference", t.epoch_difference);
  field.if_any("together", t.together);
  field("causes", t.causes);
  field.if_any("drift", t.drift);
}

template <class Archive, Is<CaseHistory> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field.if_any("is_counter", t.is_counter);
  field.if_any("is_rate", t.is_rate);
  field("points", t.points);
  field("segments", t.segments);
}

}  // namespace apod::record
