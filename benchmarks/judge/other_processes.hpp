#pragma once

/// \file
/// What other processes did while two sides were measured. Each process of ours looks beside its
/// cases (the facts other_load and other_gpu_processes); files that don't have that tell at least
/// the load average of the minute before their run.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/side.hpp"
#include "benchmarks/judge/environment_changes.hpp"

namespace apod::judge {

/// A case of the base and its counterpart.
using CasePair = std::pair<const SideCase*, const SideCase*>;

class OtherProcesses {
 public:
  OtherProcesses(const Side& base, const Side& new_side);

  /// What differs between the sides, as means over the pairs; pairs with a null don't
  /// count. None of it is decisive.
  std::vector<EnvironmentChange> changes(std::span<const CasePair> pairs) const;

  /// Why neither a change of times between the two nor the lack of one would be the code's: other
  /// processes used the GPU beside one of them, or a quarter of the processors more than beside
  /// the other. Empty where that is not so, or not known of both.
  std::string disturbance(const SideCase& base, const SideCase& new_case) const;

 private:
  struct Machine {
    std::optional<double> processors;
    std::optional<double> load_average;  ///< a processor
  };
  static Machine machine_of(const Side& side);
  std::optional<std::string> load_change(std::optional<double> before,
                                         std::optional<double> after) const;

  Machine base_;
  Machine new_;
};

/// What other processes did while `side` was measured, where that is worth a word; else empty.
std::string others_beside(const Side& side);

}  // namespace apod::judge
