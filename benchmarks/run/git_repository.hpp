#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/bisection.hpp"

namespace apod::run {

/// A repository of git, which is only read. No shell, no hook and no lock of the index is involved.
class GitRepository {
 public:
  /// The one that `folder` is in. Throws std::runtime_error, with what git says and what helps: no
  /// git, no repository, one of another user.
  explicit GitRepository(const std::string& folder);

  /// All commits from `good` to `bad`, both included, along the first parents of `bad`: what each
  /// merge brought counts as one. Throws std::runtime_error naming the flag: an unknown revision,
  /// the same one twice, or one that `bad` does not build upon.
  std::vector<Commit> between(const std::string& good, const std::string& bad) const;
  /// Whether files that git knows differ from the last commit.
  bool is_dirty() const;
  /// Whether `commit` has this file.
  bool has_file(const Commit& commit, const std::string& path) const;

  /// Makes `folder` a repository that borrows all commits from this one, and has no files. Throws
  /// std::runtime_error.
  void lend_to(const std::string& folder) const;

 private:
  std::string id_of(const std::string& flag, const std::string& revision) const;

  std::string folder_;  ///< what was named
  std::string store_;   ///< git's own, usually ".git" in it
};

/// Runs git in `folder`. Its exit code, and what it printed: all of its lines, or the end of its
/// errors. Throws std::runtime_error if there is no git.
struct GitAnswer {
  int exit_code = 0;
  std::vector<std::string> lines;
  std::string errors;
};
GitAnswer ask_git(const std::string& folder, const std::vector<std::string>& words);

}  // namespace apod::run
