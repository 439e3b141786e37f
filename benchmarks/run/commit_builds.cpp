#include "benchmarks/run/commit_builds.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <string_view>
#include <utility>

#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod::run {
namespace {

namespace fs = std::filesystem;

/// With less left on the disk a failure is the disk's and not the commit's.
constexpr std::uintmax_t least_space = 16 << 20;
/// Lines of a failed build that are shown.
constexpr std::size_t told_lines = 8;

}  // namespace

CommitBuilds::CommitBuilds(const GitRepository& repository, BuildOptions options, Listener listener)
    : options_(std::move(options)), listener_(std::move(listener)) {
  try {
    repository.lend_to(scratch_.path() + "/repository");
  } catch (const std::runtime_error&) {
    refuse_full_disk();
    throw;
  }
}

void CommitBuilds::refuse_full_disk() const {
  std::error_code error;
  const auto space = fs::space(scratch_.path(), error);
  if (error || space.available >= least_space) return;
  throw std::runtime_error("the disk of " + scratch_.path() + " is full (" +
                           text::format_bytes(static_cast<double>(space.available)) +
                           " left): set TMPDIR=FOLDER to a folder on another disk");
}

void CommitBuilds::check_out(const Folder& folder, const std::string& id) {
  const auto repository = scratch_.path() + "/repository";
  const auto answer = fs::exists(folder.path)
                          ? ask_git(folder.path, {"checkout", "--quiet", "--force", "--detach", id})
                          : ask_git(repository, {"worktree", "add", "--quiet", "--force",
                                                 "--detach", folder.path, id});
  if (answer.exit_code == 0) return;
  refuse_full_disk();
  throw CannotBuild("can't be checked out: " + answer.errors);
}

std::string CommitBuilds::build(const Folder& folder, const Commit& commit) {
  for (const auto& words : options_.commands) {
    std::deque<std::string> last;
    const auto on_line = [&](std::string_view line) {
      last.emplace_back(line);
      if (last.size() > told_lines) last.pop_front();
    };
    const std::chrono::milliseconds limit(static_cast<long long>(options_.limit_s * 1e3));
    const auto line = text::shell_line(words);
    listener_.begun("building " + commit.short_id() + ": " + line);
    os::ProgramEnd end;
    try {
      end = os::run_program(words, {.on_line = on_line,
                                    .cancelled = listener_.cancelled,
                                    .timeout = limit,
                                    .group = os::Group::guarded,
                                    .lines = os::Lines::both,
                                    .folder = folder.path});
    } catch (const os::CannotStart& error) {
      return error.what();
    }
    if (end.cancelled) return "";
    if (end.timed_out) {
      return line + ": did not end within " + text::format_duration(options_.limit_s) +
             " (--build-limit)";
    }
    if (end.exit_code == 0) continue;
    auto why = line + ": exit code " + std::to_string(end.exit_code);
    for (const auto& told : last) why += "\n" + told;
    return why;
  }
  return "";
}

std::optional<std::string> CommitBuilds::folder_of(const Commit& commit) {
  const auto known = failed_.find(commit.id);
  if (known != failed_.end()) throw CannotBuild(known->second);
  auto at = std::find_if(folders_.begin(), folders_.end(),
                         [&](const Folder& folder) { return folder.id == commit.id; });
  if (at == folders_.end() && folders_.size() < options_.folders)
    folders_.push_back({scratch_.path() + "/" + std::to_string(folders_.size() + 1), ""});
  if (at == folders_.end()) at = std::prev(folders_.end());
  folders_.splice(folders_.begin(), folders_, at);
  auto& folder = folders_.front();
  if (folder.id == commit.id) return folder.path;
  const auto begin = std::chrono::steady_clock::now();
  bool is_fresh = !fs::exists(folder.path);
  folder.id.clear();
  std::string why;
  for (;;) {
    check_out(folder, commit.id);
    why = build(folder, commit);
    if (why.empty() || is_fresh || listener_.cancelled()) break;
    refuse_full_disk();
    os::remove_folder(folder.path);
    is_fresh = true;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (listener_.cancelled()) return std::nullopt;
  if (!why.empty()) {
    refuse_full_disk();
    failed_.emplace(commit.id, why);
    throw CannotBuild(why);
  }
  ++built_;
  folder.id = commit.id;
  return folder.path;
}

}  // namespace apod::run
