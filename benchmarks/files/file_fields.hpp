#pragma once

/// \file
/// The fields of a result file besides the records: those of its context and of its cases, listed
/// once for the writer and the readers. Internal to files/.

#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/files/record/fields.hpp"

namespace apod {

template <class Archive, record::Is<Environment::Cache> T>
void fields(Archive& field, T& t) {
  field("type", t.type);
  field("level", t.level);
  field("size", t.bytes);
  field("num_sharing", t.sharing);
}

template <class Archive, record::Is<Machine> T>
void fields(Archive& field, T& t) {
  field("host", t.host);
  field("device", t.device);
  field("driver", t.driver);
  field.if_any("pinned_to", t.pinned_to);
}

template <class Archive, record::Is<StudyPart> T>
void fields(Archive& field, T& t) {
  field("plan", t.plan);
  field("cases", t.cases);
  field.if_any("shard", t.shard);
  field.if_any("shards", t.shards);
  field.if_any("positions", t.positions);
  field.if_any("machines", t.machines);
}

}  // namespace apod

namespace apod::files {

constexpr int result_schema = 2;
/// Of a thin result, whose cases and processes are tables.
constexpr int thin_schema = 3;
/// In a thin result, what all processes of a case have in common.
constexpr const char* each_process = "each_process";
/// In this schema `cache: cold` was what is now `flushed`, and no processes were added.
constexpr int first_schema = 1;

// Objects of the file that are parts of a Result. `R` is Result, or const Result to be written.
template <class R>
struct ConfigPart {
  R& result;
};
template <class R>
struct OwnPart {
  R& result;
};
template <class R>
struct ContextPart {
  R& result;
};

template <class Archive, class R>
void fields(Archive& field, const ConfigPart<R>& part) {
  auto& plan = part.result.plan;
  field("name", plan.name);
  field("description", plan.description);
  field("path", plan.config_path);
  field("text", plan.config_text);
}

/// What Google Benchmark's context has no field for.
template <class Archive, class R>
void fields(Archive& field, const OwnPart<R>& part) {
  auto& result = part.result;
  auto& environment = result.environment;
  field.derived("schema", is_thin(result) ? thin_schema : result_schema);
  field("version", environment.bench_version);
  field("commit", environment.commit);
  field.if_any("producer", environment.producer);
  field("compiler", environment.compiler);
  field("cuda_compiler", environment.cuda_compiler);
  field("os", environment.os);
  field("cpu_model", environment.cpu_model);
  field("cpu_mhz", environment.cpu_mhz);
  field("device", environment.device);
  field("ceilings", result.ceilings);
  field("variables", environment.variables);
  field("command_line", result.command_line);
  field("order_seed", result.order_seed);
  field("interrupted", result.interrupted);
  field("wall_s", result.wall_s);
  field.if_any("part", result.part);
  ConfigPart<R> config{result};
  field("config", config);
}

/// Google Benchmark's context, and ours in it.
template <class Archive, class R>
void fields(Archive& field, const ContextPart<R>& part) {
  auto& environment = part.result.environment;
  const double mhz = environment.cpu_mhz;
  field("date", environment.date);
  field("host_name", environment.host_name);
  field("executable", environment.executable);
  field("num_cpus", environment.cpu_count);
  field.derived("mhz_per_cpu", std::isfinite(mhz) ? std::llround(mhz) : 0);
  field("cpu_scaling_enabled", environment.cpu_scaling_enabled);
  field("caches", environment.caches);
  field("load_avg", environment.load_average);
  field("library_build_type", environment.build_type);
  field.derived("json_schema_version", 1);  // of Google Benchmark
  OwnPart<R> own{part.result};
  field("apod", own);
}

/// A case with what came of it.
struct CaseEntry {
  Case info;  ///< without `skip`, which is the reason
  CaseStatus status = CaseStatus::not_run;
  std::string reason;
  std::vector<Finding> findings;
};

template <class Archive, record::Is<CaseEntry> T>
void fields(Archive& field, T& t) {
  record::identity_fields(field, t.info);
  field("status", t.status);
  field("reason", t.reason);
  field("findings", t.findings);
}

}  // namespace apod::files
