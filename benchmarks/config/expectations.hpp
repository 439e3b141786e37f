#pragma once

#include <vector>

#include "benchmarks/config/axis_values.hpp"

namespace apod::config {

/// One item of `expect:`: an optional `where`, and one condition or more on facts of the measured
/// cases. Each condition that can be read becomes an Expectation of its own. The experiment's
/// baseline must have been read before: some facts compare with it.
void read_expectations(const AllowedAxes& axes, const Fields& fields, SourcePlace place,
                       Experiment& experiment, Problems& problems);

/// Adds a problem for each expected fact that only a traced pass gives, where none is asked for.
void check_traced_facts(const Experiment& experiment, Problems& problems);

}  // namespace apod::config
