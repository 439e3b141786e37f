#pragma once

/// \file
/// From facts to what an expert would say of them. Pure functions; docs/findings.md lists what they
/// know, thresholds.hpp where they draw the lines.

#include <map>
#include <string>
#include <vector>

#include "benchmarks/model/ceilings.hpp"
#include "benchmarks/model/finding.hpp"
#include "benchmarks/model/profile.hpp"
#include "kernels/api/backend.hpp"
#include "kernels/api/workload.hpp"

namespace apod::inspect {

/// What is known of a case of our own, beyond what any trace shows: what it was asked to do.
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
  const std::map<std::string, double>& facts;  ///< under the names of model/facts
  const DeviceFacts& device;
  const Ceilings* ceilings = nullptr;   ///< null: not measured
  const CaseEvidence* asked = nullptr;  ///< null: a trace of some other program
};

/// Everything that can be said, warnings first, then the largest gain. Rules use facts and never
/// names, and say nothing where a fact that they need is absent or no number.
std::vector<Finding> findings(const Evidence& evidence);

}  // namespace apod::inspect
