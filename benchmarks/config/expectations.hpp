#pragma once

#include <vector>

#include "benchmarks/config/axis_values.hpp"

namespace apod::config {

/// One item of `expect:`: an optional `where`, and one condition or more on facts of the measured
/// cases. Each condition becomes an Expectation of its own.
void read_expectations(const AllowedAxes& axes, const Fields& fields, SourcePlace place,
                       std::vector<Expectation>& expectations, Problems& problems);

/// Adds a problem for each expected fact that only a traced pass gives, where none is asked for.
void check_traced_facts(const Experiment& experiment, Problems& problems);

}  // namespace apod::config
