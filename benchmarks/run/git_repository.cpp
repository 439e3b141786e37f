#include "benchmarks/run/git_repository.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::run {
namespace {

namespace fs = std::filesystem;

/// The fields of a commit, a line each: no field has a line break.
constexpr const char* commit_format = "--format=%H%n%an <%ae>%n%ad%n%P%n%s";
constexpr std::size_t commit_lines = 5;

std::vector<Commit> commits_of(const std::vector<std::string>& lines) {
  std::vector<Commit> commits;
  for (std::size_t i = 0; i + commit_lines <= lines.size(); i += commit_lines) {
    auto& commit = commits.emplace_back();
    commit.id = lines[i];
    commit.author = lines[i + 1];
    commit.date = lines[i + 2];
    const auto& parents = lines[i + 3];
    const auto blanks = std::count(parents.begin(), parents.end(), ' ');
    commit.parents = parents.empty() ? 0 : 1 + static_cast<std::size_t>(blanks);
    commit.subject = lines[i + 4];
  }
  return commits;
}

/// Throws std::runtime_error with what git said.
void expect_success(const GitAnswer& answer, const std::string& what) {
  if (answer.exit_code == 0) return;
  throw std::runtime_error(what + ": git ended with exit code " + std::to_string(answer.exit_code) +
                           (answer.errors.empty() ? "" : "\n" + answer.errors));
}

}  // namespace

GitAnswer ask_git(const std::string& folder, const std::vector<std::string>& words) {
  // Nothing that a configuration names is run.
  std::vector<std::string> all{"git", "--no-optional-locks",  "-c", "core.hooksPath=/dev/null",
                               "-c",  "core.fsmonitor=false", "-c", "log.showSignature=false"};
  all.insert(all.end(), words.begin(), words.end());
  GitAnswer answer;
  const auto on_line = [&](std::string_view line) { answer.lines.emplace_back(line); };
  try {
    const auto end = os::run_program(
        all, {.on_line = on_line,
              .variables = {{"LC_ALL", "C"}, {"GIT_TERMINAL_PROMPT", "0"}, {"GIT_PAGER", "cat"}},
              .folder = folder});
    answer.exit_code = end.exit_code;
    answer.errors = end.errors;
  } catch (const os::CannotStart&) {
    throw std::runtime_error("git was not found: install it, or put it on the PATH");
  }
  return answer;
}

GitRepository::GitRepository(const std::string& folder) : folder_(folder) {
  // A hook and `git rebase --exec` set them: they would lead what runs in another folder back here.
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
                           "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_PREFIX"}) {
    ::unsetenv(name);
  }
  const auto answer = ask_git(folder_, {"rev-parse", "--git-common-dir"});
  if (answer.exit_code != 0 || answer.lines.empty()) {
    const bool other_user = answer.errors.find("dubious ownership") != std::string::npos;
    throw std::runtime_error(
        folder_ +
        (other_user ? ": the repository belongs to another user, so git does not read it"
                    : ": git finds no repository here (cd to the repository first)") +
        (answer.errors.empty() ? "" : "\n" + answer.errors));
  }
  store_ = fs::absolute(fs::path(folder_) / answer.lines.front()).lexically_normal().string();
}

std::string GitRepository::id_of(const std::string& flag, const std::string& revision) const {
  const auto answer = ask_git(
      folder_, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (answer.exit_code != 0 || answer.lines.empty()) {
    throw std::runtime_error(flag + " " + revision +
                             ": there is no such commit (git log --oneline lists the commits; "
                             "fetch tags and branches of other machines first)");
  }
  return answer.lines.front();
}

std::vector<Commit> GitRepository::between(const std::string& good, const std::string& bad) const {
  const auto first = id_of("--good", good);
  const auto last = id_of("--bad", bad);
  if (first == last) {
    throw std::runtime_error("--good " + good + " and --bad " + bad +
                             " are the same commit: there is nothing to search");
  }
  if (ask_git(folder_, {"merge-base", "--is-ancestor", first, last}).exit_code != 0) {
    const auto base = ask_git(folder_, {"merge-base", first, last});
    throw std::runtime_error("--good " + good + " is not an ancestor of --bad " + bad +
                             (base.lines.empty()
                                  ? " (they share no commit)"
                                  : " (both descend from " + base.lines.front().substr(0, 10) +
                                        ": name this commit with --good, if it is good)"));
  }
  const auto log = [&](const std::vector<std::string>& which) {
    std::vector<std::string> words{"log", "--first-parent", "--reverse", "--date=iso",
                                   commit_format};
    words.insert(words.end(), which.begin(), which.end());
    const auto answer = ask_git(folder_, words);
    expect_success(answer, "git log");
    return commits_of(answer.lines);
  };
  auto commits = log({"-1", first});
  const auto others = log({first + ".." + last});
  // Else the first parents of the later ones do not contain the good one, and it says nothing of
  // them.
  const auto parent = ask_git(folder_, {"rev-parse", others.front().id + "^1"});
  if (parent.exit_code != 0 || parent.lines.empty() || parent.lines.front() != first) {
    throw std::runtime_error(
        "--good " + good + " is on a branch that was merged into --bad " + bad +
        ", and the search follows only first parents: give --good the merge commit, or the commit "
        "where the branch began");
  }
  commits.insert(commits.end(), others.begin(), others.end());
  return commits;
}

bool GitRepository::is_dirty() const {
  // A bare repository has nothing that could be: git refuses.
  const auto answer = ask_git(folder_, {"status", "--porcelain", "--untracked-files=no"});
  return answer.exit_code == 0 && !answer.lines.empty();
}

bool GitRepository::has_file(const Commit& commit, const std::string& path) const {
  return ask_git(folder_, {"cat-file", "-e", commit.id + ":" + path}).exit_code == 0;
}

void GitRepository::lend_to(const std::string& folder) const {
  expect_success(
      ask_git(folder_, {"clone", "--quiet", "--shared", "--no-checkout", "--", store_, folder}),
      "the commits can't be cloned into " + folder);
}

}  // namespace apod::run
