#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/side.hpp"

namespace apod::run {

struct Arm;

/// Whether a case is among the `listed` ids. One that a command's output will name is listed
/// without its name.
bool is_listed(const std::string& id, const std::vector<std::string>& listed);

/// Runs `bench` for one measurement after another, and reads their results, in a temporary folder.
class Slots {
 public:
  /// `arguments` are given to every run. Throws std::runtime_error if no folder can be made.
  Slots(std::vector<std::string> arguments, std::function<bool()> cancelled);

  /// Lets the arm's program plan its run. Throws Refusal if it refuses, and std::runtime_error if
  /// it can't be started.
  void check(const Arm& arm);

  /// The ids of the arm's cases. Throws as check().
  std::vector<std::string> cases_of(const Arm& arm);

  /// One fresh process that measures the cases `ids` (all if empty) in the order of `seed`. Nothing
  /// if it was cancelled. Throws std::runtime_error, with the program's message, if there is no
  /// result.
  std::optional<Side> measure(const Arm& arm, const std::vector<std::string>& ids,
                              std::uint64_t seed, const std::vector<std::string>& more);

  /// Settings of ours as arguments of a slot, less those that the user has made.
  std::vector<std::string> unless_set(const std::vector<std::string>& settings) const;
  /// Those of a short traced slot, which tells the code of the kernels.
  std::vector<std::string> short_and_traced() const;

  /// Runs `program` with `processes` processes, and keeps the result for sessions() unless it was
  /// cancelled. Throws as measure().
  void add_session(const std::string& program, int processes, std::uint64_t seed);
  /// The sessions that were added, with the spread of their samples.
  Side sessions() const;

 private:
  /// The arm's program, its arguments and `more` of them.
  std::vector<std::string> words_for(const Arm& arm, const std::vector<std::string>& more) const;
  /// Runs `program` into `file`. False when it was cancelled.
  bool run(const std::string& program, const std::vector<std::string>& more, int processes,
           std::uint64_t seed, const std::string& file);

  std::vector<std::string> arguments_;
  std::function<bool()> cancelled_;
  os::TemporaryFolder folder_;
  std::vector<std::string> sessions_;  ///< their files
};

}  // namespace apod::run
