#pragma once

#include <optional>
#include <string>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"
#include "kernels/api/registry.hpp"

namespace apod::config {

/// What the reader of an experiment needs besides the experiment.
struct ReadContext {
  const Registry& registry;
  BackendKind backend;              ///< its variants replace an unnamed `variant`
  std::string folder;               ///< of the file; base of relative data files
  std::optional<Fields> measure{};  ///< `measure` of the whole file; nothing if it is wrong
  DataSpec data{};                  ///< `data` of the whole file
  SourcePlace data_place{};
  SourcePlace measure_place{};
  bool outside = false;   ///< kernel files may lie outside of the folder
  bool for_host = false;  ///< the `host:` block takes the place of the keys it names
};

/// One item of `experiments:`. Continues after a problem, to find the others too; the result is
/// useful only if there was none.
Experiment read_experiment(const Fields& fields, SourcePlace place, const ReadContext& context,
                           Problems& problems);

/// Adds a problem unless `name` consists of letters, digits, '_', '-' and '.', at most 64: it
/// becomes a part of case ids and file names.
void check_name(const std::string& name, SourcePlace place, Problems& problems);

}  // namespace apod::config
