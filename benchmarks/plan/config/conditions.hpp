#pragma once

/// \file
/// Conditions on axes and on facts: "> 1", "== streams", [1, 2].

#include <optional>
#include <string_view>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/plan/config/axis_values.hpp"

namespace apod::config {

/// "> 1", ">= 30%", "!= pinned", "== streams"; without a sign it is equality. With a unit it is a
/// condition on a fact: text that begins like a number must have that unit, everything else is a
/// word. Without a unit it is a condition on an axis, whose values are counts and words ("200x300"
/// is one).
Parsed<Condition> parse_condition(std::string_view text, std::optional<Unit> unit);

/// {axis: condition, ...}, for `exclude` and `where`.
Match read_match(const AllowedAxes& axes, const Fields& fields, Problems& problems);

/// A condition as a scalar ("> 1") or a list ([1, 2], one of them), on a fact of `unit` or, without
/// one, on an axis. Operands that are words are not checked.
std::optional<Condition> read_condition(const Field& field, std::optional<Unit> unit,
                                        Problems& problems);

/// One item of `expect:`: an optional `where`, and one or more conditions on facts of the measured
/// cases. Each condition becomes an Expectation of its own, added to the experiment. Some facts
/// compare with the `baseline`: whether the experiment names one, or one that can't be read.
void read_expectations(const AllowedAxes& axes, const Fields& fields, SourcePlace place,
                       bool has_baseline, Experiment& experiment, Problems& problems);

/// Adds a problem for each expected fact that only a traced or a counted pass gives, if none is
/// asked for.
void check_traced_facts(const Experiment& experiment, Problems& problems);

}  // namespace apod::config
