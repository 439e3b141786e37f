#pragma once

/// \file
/// What two programs of NVIDIA's print, as cases.

#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/measurement.hpp"

namespace apod::files {

/// What its collective follows in a line of nccl-tests. Older versions don't name it.
inline constexpr std::string_view begin_of_collective = "Collective test starting:";

/// The rows of the tables of nccl-tests, each as two cases: out of place and in place. Their names
/// begin with the collective if the output names it; a second table of one collective holds more
/// samples. Tags that mpirun puts before lines are skipped. Facts: `bandwidth` is its algbw,
/// `bus_bandwidth` its busbw, B/s. A row with wrong values has failed. Throws std::runtime_error if
/// there is no table, or its times are not in us.
std::vector<FoundCase> read_nccl_tests(const std::string& output);

/// The cells of the matrices that nvbandwidth prints with --json. A bandwidth is a fact, and its
/// time is that of 1 GB; a latency is the time. Tests that it waived are named in `notes`. Throws
/// std::runtime_error for any other output.
std::vector<FoundCase> read_nvbandwidth(const std::string& output, std::vector<std::string>& notes);

/// The same of what nvbandwidth prints without --json.
std::vector<FoundCase> read_nvbandwidth_matrices(const std::string& output,
                                                 std::vector<std::string>& notes);

/// The line without the tag of `mpirun --tag-output`: "[1,0]<stdout>:".
std::string without_tag(const std::string& line);

/// "12.8" of 12080; another text as it is.
std::string cuda_version(const std::string& number);

}  // namespace apod::files
