#pragma once

/// \file
/// From facts to what an expert would say about them. Pure functions. docs/findings.md lists the
/// findings, thresholds.hpp the limits that they use.

#include <map>
#include <string>
#include <vector>

#include "benchmarks/base/ceilings.hpp"
#include "benchmarks/base/finding.hpp"
#include "benchmarks/base/profile.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/steps.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/look/frameworks.hpp"
#include "kernels/api/backend.hpp"
#include "kernels/api/workload.hpp"

namespace apod::look {

/// What a case of our own was asked to do, which no trace shows.
struct CaseEvidence {
  const Params& params;
  BackendKind backend = BackendKind::cuda;
  bool end_to_end = false;
  bool cold = true;   ///< caches were flushed before every sample
  Traffic traffic;    ///< the least work
  double time_s = 0;  ///< of one execution, untraced
};

struct Evidence {
  const Profile& profile;                      ///< may be empty: not traced
  const std::map<std::string, double>& facts;  ///< under the names of base/facts
  const DeviceFacts& device;
  const Ceilings* ceilings = nullptr;   ///< null: not measured
  const CaseEvidence* asked = nullptr;  ///< null: a trace of some other program
  const Steps* steps = nullptr;  ///< of such a program; the profile is that of its steady steps
  Framework framework = Framework::cuda;
  bool is_range = false;  ///< of a program: one range alone, which may recur
};

/// All findings: warnings first, then by gain, the largest first. Rules use facts and never names.
/// A rule finds nothing where a fact that it needs is absent or not a number.
std::vector<Finding> findings(const Evidence& evidence);

/// The findings of each case of the plan, by its index; none for a case that was not measured.
/// `summaries` are those of the result.
std::vector<std::vector<Finding>> case_findings(const Result& result,
                                                const std::vector<CaseSummary>& summaries);

}  // namespace apod::look
