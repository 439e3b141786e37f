#pragma once

#include <optional>

#include "benchmarks/plan/config/conditions.hpp"

namespace apod::config {

/// One item of `expect:`: an optional `where`, and one or more conditions on facts of the measured
/// cases. Each condition becomes an Expectation of its own, added to the experiment. Some facts
/// compare with the `baseline`; nothing if it could not be read.
void read_expectations(const AllowedAxes& axes, const Fields& fields, SourcePlace place,
                       const std::optional<Params>& baseline, Experiment& experiment,
                       Problems& problems);

/// Adds a problem for each expected fact that only a traced or a counted pass gives, if none is
/// asked for.
void check_traced_facts(const Experiment& experiment, Problems& problems);

}  // namespace apod::config
