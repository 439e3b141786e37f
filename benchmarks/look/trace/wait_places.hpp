#pragma once

/// \file
/// Where a device waits for the host. Internal to trace/.

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "benchmarks/base/steps.hpp"
#include "kernels/api/activity.hpp"

namespace apod::trace {

class WaitPlaces {
 public:
  void add(const Activity& last, const Activity& next, const std::string& where, double seconds);

  /// The most specific place that has more than half of the waiting time: an operation before it,
  /// one behind it and a place of the host, or some of these. With one operation or none, these
  /// waits must also be longer than the others. Empty if there is none.
  WaitPlace most() const;

 private:
  using Place = std::tuple<std::string, std::string, std::string>;  ///< after, before, where
  const std::string& name_of(const Activity& operation);

  std::unordered_map<std::string_view, std::string> names_;  ///< as they are shown
  std::map<Place, Tally> places_;
};

}  // namespace apod::trace
