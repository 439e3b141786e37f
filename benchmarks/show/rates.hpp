#pragma once

/// \file
/// What cases are compared by: one rule for headlines, tables and figures.

#include <string>

#include "benchmarks/base/summary.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// The rate of bytes that the case is compared by: of a collective what a link carries, because
/// collectives send different multiples of their size; else its bandwidth.
std::string rate_of_bytes(const CaseSummary& summary);

/// Time where all cases have the same work, else the rate of what most of them do.
std::string compared_fact(const Cases& cases);

bool is_rate(const std::string& fact);

/// In a sentence: "arithmetic rate".
std::string spoken(std::string fact);

}  // namespace apod::show
