#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/base/bisection.hpp"
#include "benchmarks/run/commit_builds.hpp"
#include "benchmarks/run/git_repository.hpp"
#include "benchmarks/run/side_by_side.hpp"

namespace apod::run {

struct BisectOptions {
  std::vector<Commit> commits;  ///< the good end first, the bad one last
  BuildOptions build;
  /// The arm of a commit that is built in `folder`, with an empty label.
  std::function<Arm(const Commit& commit, const std::string& folder)> arm_of;
  std::vector<std::string> arguments;  ///< for every slot: {"--config", "x.yaml", ...}
  std::string case_id;                 ///< to follow; empty: the only one, or the clearest
  bool changed = false;                ///< the same machine code decides without measuring
  std::optional<int> blocks;           ///< that confirm a change; nothing: the usual number
  std::uint64_t seed = 0;
  CompareOptions compare;  ///< with the threshold of the search
};

struct BisectListener {
  SideBySideListener slots;
  /// Something was decided of a commit, or it is skipped.
  std::function<void(const Bisection& so_far, std::size_t commit)> decided = [](auto&, auto) {};
};

/// Builds and measures commits until the one is found that made the case slower (see
/// judge/commit_search.hpp), and compares it with the one before it on fresh blocks. Every
/// measurement is made by fresh processes, side by side with the good end. Throws
/// std::runtime_error if an end can't be measured (with the reason), has no such case, or the disk
/// is full.
Bisection bisect_commits(const GitRepository& repository, const BisectOptions& options,
                         const BisectListener& listener);

}  // namespace apod::run
