#pragma once

/// \file
/// How far a kernel reaches into its arrays, from the words of its code: intervals of indices for
/// one launch. An estimate, from above where it is one.

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/files/source/c_expression.hpp"
#include "kernels/files/source/program.hpp"

namespace apod::source {

/// What a kernel does with one array.
struct Access {
  double highest = -1;   ///< index of an element; below 0: it is not accessed
  bool is_known = true;  ///< false: some index could not be told
  bool is_read = false;
  bool is_written = false;
  bool is_updated = false;             ///< by += and the like
  bool is_atomic = false;              ///< by atomics
  bool holds_offsets = false;          ///< x[e] and x[e + 1] are the ends of a range
  std::vector<std::string> indexes{};  ///< arrays that its values are indices of
};

struct KernelLaunch {
  std::array<double, 3> grid{1, 1, 1};
  std::array<double, 3> block{1, 1, 1};
  std::map<std::string, double> scalars{};  ///< of parameters and of template parameters, by name
  std::map<std::string, double> element_bytes{};   ///< of arrays, by name
  std::map<std::string, double> highest_values{};  ///< in integer arrays, by name
  double default_highest = 127;
};

/// Those of a block; the launch says how long one without a length is.
std::vector<Declared> shared_arrays(const ProgramFunction& kernel);

/// Parameters of the kernel that indices, comparisons or arguments of calls are made of: "p.n" too.
std::set<std::string> sizes_of(const Program& program, const ProgramFunction& kernel);

/// Conditions of the kernel's loops that run zero times, but would run if a scalar were larger.
std::set<std::string> idle_loops(const Program& program, const ProgramFunction& kernel,
                                 const KernelLaunch& launch);

/// By the names of the kernel's pointers, and of its shared arrays.
std::map<std::string, Access> accesses_of(const Program& program, const ProgramFunction& kernel,
                                          const KernelLaunch& launch);

}  // namespace apod::source
