#pragma once

/// \file
/// The facts of a case's processes, added up for their means.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/side.hpp"

namespace apod {

/// Whether the fact is about the launches of one kernel: kernel_time_of or launches_of, and its
/// name.
bool is_of_one_kernel(std::string_view fact);

/// A fact's mean is over the processes that have it. But a kernel that a traced process did not run
/// took 0 s there: its mean is over the traced ones.
class FactSums {
 public:
  /// Adds all facts of one process; values that are not finite are ignored.
  void add(const std::map<std::string, double>& process);
  void merge(const FactSums& other);
  Facts means() const;

 private:
  void add(const std::string& name, double sum, std::uint32_t count);

  Facts sums_;
  std::vector<std::uint32_t> counts_;  ///< of the processes in each of sums_
  std::uint32_t traced_ = 0;           ///< processes
};

}  // namespace apod
