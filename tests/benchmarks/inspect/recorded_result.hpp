#pragma once

/// \file
/// A result file of ours read back as far as findings are made of it: plan, device, ceilings and
/// measurements with their profiles. What the file says was found is passed over.

#include <fstream>
#include <stdexcept>
#include <string>

#include "benchmarks/model/result.hpp"
#include "benchmarks/record/fields.hpp"

namespace apod::inspect {

/// `file` is relative to the sources. Throws std::exception where it is no result.
inline Result read_result(const std::string& file) {
  using record::Json;
  using record::Reader;
  std::ifstream in(APOD_SOURCE_DIR "/" + file);
  if (!in) throw std::runtime_error(file + ": can't be read");
  const auto json = record::Json::parse(in);
  Result result;
  const auto& own = json.at("context").at("apod");
  record::Reader::read(own.at("device"), result.environment.device);
  record::Reader::read(own.at("ceilings"), result.ceilings);
  record::Reader::read(json.at("apod_experiments"), result.plan.experiments);
  for (record::Json info : json.at("apod_cases")) {
    info["skip"] = info.at("reason");
    record::Reader::read(info, result.plan.cases.emplace_back());
  }
  for (const auto& row : json.at("benchmarks")) {
    record::Json record = row.at("apod");
    record["case_id"] = row.at("name");
    record::Reader::read(record, result.measurements.emplace_back());
  }
  for (const auto* rest : {"apod_untimed", "apod_failed"}) {
    for (const auto& record : json.at(rest)) {
      record::Reader::read(record, result.measurements.emplace_back());
    }
  }
  return result;
}

}  // namespace apod::inspect
