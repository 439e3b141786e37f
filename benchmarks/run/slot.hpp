#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/model/side.hpp"

namespace apod::run {

struct Arm;

/// Runs `bench` for one measurement after the other and reads what each wrote, in a folder of its
/// own that goes away with it.
class Slots {
 public:
  /// `arguments` are given to every run. Throws std::runtime_error where no folder can be made.
  Slots(std::vector<std::string> arguments, std::function<bool()> cancelled);
  ~Slots();
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  /// One fresh process that measures the cases of these ids (all when there are none), in the order
  /// of `seed`. Nothing when it was cancelled. Throws std::runtime_error, with what the program
  /// said, where there is no result.
  std::optional<Side> measure(const Arm& arm, const std::vector<std::string>& ids,
                              std::uint64_t seed, const std::vector<std::string>& more);

 private:
  std::vector<std::string> arguments_;
  std::function<bool()> cancelled_;
  std::string folder_;
};

}  // namespace apod::run
