#pragma once

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/base/bisection.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/run/git_repository.hpp"

namespace apod::run {

struct BuildOptions {
  std::vector<std::vector<std::string>> commands;  ///< one after the other; none: nothing to build
  double limit_s = 3600;                           ///< for each of them
  std::size_t folders = 4;                         ///< that are kept at most, 2 or more
};

/// A commit that does not build. The message says why.
struct CannotBuild : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Commits, checked out and built in worktrees of a repository of our own, which borrows its
/// commits: the user's has no part in it. All of it lies in a temporary folder, which goes with
/// this.
class CommitBuilds {
 public:
  struct Listener {
    std::function<bool()> cancelled = [] { return false; };
    std::function<void(const std::string& stage)> begun = [](auto&) {};
  };

  /// Throws std::runtime_error if there is no room, or git refuses.
  CommitBuilds(const GitRepository& repository, BuildOptions options, Listener listener);

  /// The folder of `commit`, built. One that was not used for long may have been given to it: what
  /// an earlier commit built there is kept, so that only what differs is built again; if that
  /// fails, it begins from nothing. Nothing if it was cancelled. Throws CannotBuild, the same again
  /// for the same commit, and std::runtime_error if the disk is full.
  std::optional<std::string> folder_of(const Commit& commit);

  std::size_t built() const { return built_; }
  double seconds() const { return seconds_; }
  const std::string& scratch() const { return scratch_.path(); }

 private:
  struct Folder {
    std::string path;
    std::string id;  ///< of the commit that is built there; empty: of none
  };

  void check_out(const Folder& folder, const std::string& id);
  /// Why it does not build; empty if it does, or was cancelled.
  std::string build(const Folder& folder, const Commit& commit);
  void refuse_full_disk() const;

  BuildOptions options_;
  Listener listener_;
  os::TemporaryFolder scratch_;
  std::list<Folder> folders_;                  ///< the last used first
  std::map<std::string, std::string> failed_;  ///< commit -> why
  std::size_t built_ = 0;
  double seconds_ = 0;
};

}  // namespace apod::run
