#pragma once

/// \file
/// Which cases are of one problem: the same inputs and the same reference.

#include <string>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "kernels/api/registry.hpp"

namespace apod::run {

/// The family's own axes of a case: 4 streams and 8 streams share a problem. Of a kernel file, the
/// axes that its data depends on: blocks of 128 and of 256 share a problem, too. A kernel that is
/// its own reference shares none, so its variant is one of these axes.
Params own_params(const Family& family, const Experiment& experiment, const Case& c);

/// Equal for the cases of one problem.
std::string problem_key(const Family& family, const Experiment& experiment, const Case& c);

/// Of each case of the plan, the first case of its problem. A command has no family: each of its
/// cases is a problem of its own.
std::vector<std::size_t> first_of_problem(const Plan& plan, const Registry& registry);

}  // namespace apod::run
