#pragma once

/// \file
/// What two programs of NVIDIA's print, as cases.

#include <string>
#include <vector>

#include "benchmarks/base/measurement.hpp"

namespace apod::files {

/// The rows of the table of nccl-tests, each as two cases: out of place and in place. Facts:
/// `bandwidth` is its algbw, `bus_bandwidth` its busbw, B/s. A row with wrong values has failed.
/// Throws std::runtime_error where there is no table, or its times are not in us.
std::vector<FoundCase> read_nccl_tests(const std::string& output);

/// The cells of the matrices that nvbandwidth prints with --json. Of a bandwidth, which is a fact,
/// the time is that of 1 GB; a latency is the time. Tests that it waived are named in `notes`.
/// Throws std::runtime_error where it is no such output.
std::vector<FoundCase> read_nvbandwidth(const std::string& output, std::vector<std::string>& notes);

}  // namespace apod::files
