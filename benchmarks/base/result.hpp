#pragma once

/// \file
/// A finished (or interrupted) run: plan, environment and all measurements.

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/ceilings.hpp"
#include "benchmarks/base/finding.hpp"
#include "benchmarks/base/machine.hpp"
#include "benchmarks/base/measurement.hpp"
#include "benchmarks/base/part.hpp"
#include "benchmarks/base/plan.hpp"

namespace apod {

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

}  // namespace apod
