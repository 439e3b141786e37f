#pragma once

/// \file
/// A finished (or interrupted) run: plan, environment and all measurements.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/ceilings.hpp"
#include "benchmarks/base/finding.hpp"
#include "benchmarks/base/measurement.hpp"
#include "benchmarks/base/part.hpp"
#include "benchmarks/base/plan.hpp"
#include "kernels/api/backend.hpp"

namespace apod {

/// The beginning of its UUID, which tells the GPUs of a machine apart: "GPU-1a2b3c4d".
inline std::string short_uuid(const DeviceFacts& device) {
  constexpr std::size_t enough = 12;
  return device.uuid.substr(0, enough);
}

/// The machine and the build that made a result.
struct Environment {
  std::string producer;  ///< the program that wrote the file: "Google Benchmark"; empty: this one
  std::string date;      ///< ISO 8601 with offset
  std::string host_name;
  std::string os;
  std::string cpu_model;
  int cpu_count = 0;
  double cpu_mhz = 0;
  bool cpu_scaling_enabled = false;
  std::vector<double> load_average;
  struct Cache {
    std::string type;
    int level = 0;
    std::uint64_t bytes = 0;
    int sharing = 0;
  };
  std::vector<Cache> caches;
  std::string executable;
  std::string build_type;     ///< "release" or "debug"
  std::string compiler;       ///< e.g. "GNU 12.2.0"
  std::string cuda_compiler;  ///< nvcc version; empty in a host-only build
  std::string bench_version;  ///< of the producer
  std::string commit;         ///< git revision of the build, "-dirty" appended; empty unknown
  DeviceFacts device;         ///< of another program: what its file says, and no backend
  /// CUDA_* and OMP_* environment variables, and entries of --context or of another program's file
  /// under their own names.
  std::map<std::string, std::string> variables;
};

/// What came of a rule. Undecided: its number was not measured, or its interval reaches over the
/// limit.
enum class RuleState : std::uint8_t { met, missed, undecided };
template <>
struct EnumNames<RuleState> {
  static constexpr std::array<std::string_view, 3> names{"met", "missed", "undecided"};
};

/// One expectation checked against one case.
struct ExpectationOutcome {
  std::size_t case_index = 0;
  std::string rule;      ///< "distinct_streams == streams"
  std::string observed;  ///< "distinct_streams is 1, streams is 4"
  RuleState state = RuleState::missed;
  SourcePlace place;
};

/// The trace of a case's traced pass, from the first record to the last.
struct CaseTrace {
  std::size_t case_index = 0;
  Trace trace;
};

struct Result {
  Plan plan;
  StudyPart part;  ///< of which study
  Environment environment;
  std::vector<std::string> command_line;
  std::uint64_t order_seed = 0;  ///< seed of the shuffled case order
  bool interrupted = false;
  double wall_s = 0;
  std::vector<Measurement> measurements;  ///< every process of every case, failed ones included
  std::vector<ExpectationOutcome> expectations;
  std::vector<CaseTrace> traces;     ///< only if asked for; in no result file
  std::optional<Ceilings> ceilings;  ///< of the environment's device, if measured
  /// By case index, the most severe first; see inspect/. Empty: not looked for. Files keep them for
  /// their readers.
  std::vector<std::vector<Finding>> findings;
};

/// A measurement of each case found in the process, in their order; `measurement` itself if none
/// was.
std::vector<Measurement> parts_of(const Measurement& measurement);

/// Without the samples of each process, but with their quantiles; without its timers, the clock of
/// each sample, and the profile and timeline of a traced pass. Facts, findings and notes stay; what
/// the samples say about the clock (clock_states.hpp) becomes a note.
Result thinned(Result result);

/// Whether it has gone through thinned() and has something to show for it.
bool is_thin(const Result& result);

/// What every report says where it would show more of a full result: "timers: not kept in a thin
/// result".
inline constexpr const char* not_kept = "not kept in a thin result";

}  // namespace apod
