#pragma once

/// \file
/// A finished run made by hand, with everything in it that a report may have to show: a baseline,
/// deltas of both signs, a wrong answer, a lost process, skipped and unfinished cases, throttled
/// samples, a cache that answered, expectations met and missed, and text meant to break a file.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/result.hpp"

namespace apod::show {

/// Quotes, separators, line breaks, UTF-8, controls, a terminal escape and bytes that are no UTF-8.
inline const std::string hostile =
    "a \"quote\", a comma, a | pipe, `tick` *star* <b> \\ back\nnew line\ttab µs ≤ 1 "
    "\x1b[31mred\x01 bad\xff\xc3(\xed\xa0\x80 end";

inline DeviceFacts sample_device() {
  DeviceFacts device;
  device.backend = BackendKind::cuda;
  device.name = "NVIDIA H200";
  device.uuid = "GPU-12345678-9abc-def0-1234-56789abcdef0";
  device.driver_version = "580.95.05";
  device.runtime_version = "13.0";
  device.compute_capability = "9.0";
  device.multiprocessors = 132;
  device.max_threads_per_multiprocessor = 2048;
  device.memory_bytes = 150'000'000'000;
  device.memory_free_bytes = 149'000'000'000;
  device.l2_bytes = 62'914'560;
  device.peak_memory_bytes_per_s = 4.814e12;
  device.peak_fp32_flops = 66.9e12;
  device.peak_fp64_flops = 33.5e12;
  device.peak_transfer_bytes_per_s = 64e9;
  device.max_sm_clock_mhz = 1980;
  device.power_limit_w = 700;
  device.ecc = true;
  device.notes = {"the memory clock can't be read: " + hostile};
  return device;
}

inline Environment sample_environment() {
  Environment environment;
  environment.date = "2026-03-01T12:00:00+00:00";
  environment.host_name = "lab-7";
  environment.os = "Linux 6.1";
  environment.cpu_model = "AMD EPYC 9654";
  environment.cpu_count = 16;
  environment.cpu_mhz = 2400;
  environment.cpu_scaling_enabled = true;
  environment.load_average = {0.5, 0.25, 0.125};
  environment.caches = {{"Data", 1, 32768, 2}, {"Unified", 2, 1048576, 2}};
  environment.executable = "build/bench";
  environment.build_type = "release";
  environment.compiler = "GNU 12.2.0";
  environment.cuda_compiler = "13.0.88";
  environment.bench_version = "0.1.0";
  environment.commit = "1a2b3c4-dirty";
  environment.device = sample_device();
  environment.variables = {{"CUDA_VISIBLE_DEVICES", "0"}, {"OMP_HOSTILE", hostile}};
  return environment;
}

/// A case of experiment 0, which copies in and out over streams.
inline Case streams_case(const std::string& memory, std::int64_t streams, const std::string& pool) {
  Case c;
  c.experiment = 0;
  c.variant = "grid_stride";
  c.params.set("variant", "grid_stride");
  c.params.set("size", std::int64_t{100'000'000});
  c.params.set("accumulator", "fp32");
  c.params.set("streams", streams);
  c.params.set("host_memory", memory);
  c.params.set("stream_pool", pool);
  c.backend = BackendKind::cuda;
  c.id = "streams/normalize/grid_stride/size:100000000/streams:" + std::to_string(streams) +
         "/host_memory:" + memory + "/stream_pool:" + pool;
  return c;
}

/// A case of experiment 1, which sums on the device.
inline Case sum_case(const std::string& variant, std::int64_t size, BackendKind backend) {
  Case c;
  c.experiment = 1;
  c.variant = variant;
  c.params.set("variant", variant);
  c.params.set("size", size);
  c.params.set("accumulator", "fp32");
  c.backend = backend;
  c.id = "reduction/" + variant + "/size:" + std::to_string(size);
  return c;
}

inline Plan sample_plan() {
  Plan plan;
  plan.name = "streams";
  plan.description = "Does splitting one array over N streams pay?";
  plan.config_path = "configs/streams.yaml";
  plan.config_text = "schema: 1\nname: streams\n# " + hostile + "\n";

  Experiment streams;
  streams.name = "streams";
  streams.workload = "normalize";
  streams.scope = Scope::end_to_end;
  streams.data.kind = DataSpec::Kind::ones;
  streams.swept = {"streams", "host_memory", "stream_pool"};
  Experiment sums;
  sums.name = "reduction";
  sums.workload = "reduction";
  sums.swept = {"variant", "size"};
  plan.experiments = {streams, sums};

  const auto add = [&](Case c) -> Case& {
    c.index = plan.cases.size();
    plan.cases.push_back(std::move(c));
    return plan.cases.back();
  };
  add(streams_case("pinned", 1, "distinct"));
  add(streams_case("pinned", 4, "distinct")).baseline = 0;
  add(streams_case("pinned", 8, "distinct")).baseline = 0;
  add(streams_case("pageable", 1, "distinct")).baseline = 0;
  add(streams_case("pinned", 4, "aliased")).baseline = 0;
  add(sum_case("cub", 1 << 20, BackendKind::cuda));
  add(sum_case("cub", 1 << 26, BackendKind::cuda));
  add(sum_case("warp_shuffle", 1 << 20, BackendKind::cuda));
  add(sum_case("grid_stride", 1 << 20, BackendKind::cuda));
  add(sum_case("host", 1 << 20, BackendKind::host)).skip = "backend host was not asked for";
  add(sum_case("host", 1 << 26, BackendKind::host)).skip = "backend host was not asked for";
  add(sum_case("thrust", std::int64_t{1} << 40, BackendKind::cuda)).skip = "too large: " + hostile;
  add(sum_case("thrust", 1 << 20, BackendKind::cuda));
  add(sum_case(hostile, 1 << 20, BackendKind::cuda));
  return plan;
}

/// What process `process` measured of `c`: a little wave around `seconds`, so that every process
/// has a spread and a median of its own.
inline Measurement measured(const Case& c, int process, double seconds) {
  Measurement m;
  m.case_index = c.index;
  m.case_id = c.id;
  m.process = process;
  m.stage = "sample";
  static constexpr double pace[] = {1, 1.0008, 1.0016, 1.0024, 1.0032};
  const double shifted = seconds * pace[(3 * c.index + 7 * static_cast<std::size_t>(process)) % 5];
  static constexpr double wave[] = {0.0, 0.004, -0.002, 0.001, -0.003, 0.002};
  for (const double offset : wave) {
    m.samples_s.push_back(shifted * (1 + offset));
  }
  m.pilot_samples = 10;
  m.launch = "blocked";
  m.wall_s = 1.5;
  m.verification = {true, 2e-7, 1e-5, "relative error of the sum", ""};
  m.clock = {1965, 1972.5, 1980, 12, {}};
  m.phases = {{"setup", {1, 0.25, 0.25, 0.25}}, {"sample", {6, 6 * seconds, seconds, seconds}}};
  return m;
}

inline std::vector<Measurement> sample_measurements(const Plan& plan) {
  std::vector<Measurement> all;
  const std::vector<double> end_to_end{26.6e-3, 19.8e-3, 19.9e-3, 111.6e-3, 26.61e-3};
  for (int process = 0; process < 3; ++process) {
    for (std::size_t i = 0; i < end_to_end.size(); ++i) {
      Measurement m = measured(plan.cases[i], process, end_to_end[i]);
      m.launch = "stream";
      m.traffic = {8e8, 4e8, 2e8, 0};
      for (const double s : m.samples_s) m.device_samples_s.push_back(0.9 * s);
      m.facts = {{"distinct_streams", i == 1 ? 4.0 : i == 2 ? 8.0 : 1.0}, {"transfer_bytes", 8e8}};
      if (i == 3) m.notes = {"pageable memory: copies wait for the host"};
      if (i == 2) {
        m.throttled = {0, 0, 0, 0, 1, 1};
        m.clock.reasons = {"sw_power_cap"};
      }
      all.push_back(std::move(m));
    }
    Measurement cached = measured(plan.cases[5], process, 0.8e-6);
    cached.traffic = {4.194304e6, 4, 1.048576e6, 0};
    all.push_back(std::move(cached));
    Measurement large = measured(plan.cases[6], process, 60e-6);
    large.traffic = {2.68435456e8, 4, 6.7108864e7, 0};
    large.precision_reachable = false;
    all.push_back(std::move(large));
    Measurement odd = measured(plan.cases[13], process, 12.3e-6);
    odd.traffic = {4.194304e6, 4, 1.048576e6, 0};
    odd.notes = {hostile};
    all.push_back(std::move(odd));
  }
  Measurement traced = measured(plan.cases[1], 3, 0);
  traced.samples_s.clear();
  traced.stage = "trace";
  traced.phases = {{"setup", {1, 0.5, 0.5, 0.5}}, {"trace", {1, 0.02, 0.02, 0.02}}};
  traced.facts = {{"overlap", 0.42}, {"copies", 8}};
  traced.kernel_code = {{"scale(float*)", "9e3779b97f4a7c15"}};
  traced.notes = {"one record was dropped"};
  all.push_back(std::move(traced));

  Measurement wrong = measured(plan.cases[7], 0, 3e-6);
  wrong.samples_s.clear();
  wrong.failed = "relative error of the sum is 0.25, more than 1e-05; " + hostile;
  wrong.stage = "verify";
  wrong.verification = {false, 0.25, 1e-5, "relative error of the sum", "got 3, want 4"};
  all.push_back(std::move(wrong));
  Measurement lost = measured(plan.cases[8], 0, 3e-6);
  all.push_back(lost);
  lost.process = 1;
  lost.samples_s.clear();
  lost.verification = {};
  lost.failed = "the worker was ended by signal 11 (Segmentation fault)";
  all.push_back(std::move(lost));
  return all;
}

inline Result sample_result() {
  Result result;
  result.plan = sample_plan();
  result.part = {"0123456789abcdef",
                 result.plan.cases.size() + 20,
                 "2/8",
                 8,
                 {},
                 {{"node7", "G GPU-1", "580.95.05"}}};
  for (std::size_t i = 0; i < result.plan.cases.size(); ++i) result.part.positions.push_back(2 * i);
  result.environment = sample_environment();
  result.command_line = {"bench", "--config", "streams.yaml", hostile};
  result.order_seed = 18446744073709551615u;
  result.interrupted = true;
  result.wall_s = 83.25;
  result.measurements = sample_measurements(result.plan);
  result.expectations = {
      {1,
       "distinct_streams == streams",
       "distinct_streams is 4, streams is 4",
       RuleState::met,
       {14, 9}},
      {4,
       "distinct_streams == streams",
       "distinct_streams is 1, streams is 4",
       RuleState::missed,
       {14, 9}},
      {6, "overlap > 0.1 | " + hostile, "there is no fact overlap", RuleState::missed, {}},
  };
  return result;
}

/// The same with something found in its fifth case.
inline Result sample_with_findings() {
  Result result = sample_result();
  result.findings.resize(result.plan.cases.size());
  result.findings[4] = {
      {"aliased-streams", Severity::warning, "", "asked for 4 streams, used 1", hostile, 0.25},
      {"memory-bound", Severity::note, "scale", "3 TB/s", "move fewer bytes", 0}};
  return result;
}

}  // namespace apod::show
