#include "benchmarks/base/os/trusted.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

namespace apod::os {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as the system follows

/// In a user namespace the system shows all users that it does not know as this one.
bool is_known(uid_t owner) {
  static const uid_t nobody = [] {
    unsigned id = 65534;
    std::ifstream("/proc/sys/kernel/overflowuid") >> id;
    return id;
  }();
  return owner != nobody;
}

bool is_ours(uid_t owner) {
  return is_known(owner) && (owner == ::geteuid() || owner == 0);
}

/// Whether another user has it as primary group, as far as the system lists its users. In doubt it
/// has one.
bool has_other_primary_member(gid_t id) {
  static std::mutex mutex;
  static std::map<gid_t, bool> known;  // the list may be long, or of the network
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.emplace(id, true);
  bool& found = place->second;
  if (!is_new) return found;
  found = false;
  ::setpwent();
  errno = 0;
  while (const auto* user = ::getpwent()) {
    found |= user->pw_gid == id && user->pw_uid != ::geteuid();
    errno = 0;
  }
  found |= errno != 0 && errno != ENOENT;
  ::endpwent();
  return found;
}

/// Whether a group has no member but this user: many systems give each user one of the same name.
bool is_private_group(gid_t id) {
  const auto* user = ::getpwuid(::geteuid());
  if (user == nullptr || user->pw_gid != id) return false;
  const std::string name = user->pw_name;
  const auto* group = ::getgrgid(id);
  const bool is_named_so =
      group != nullptr && name == group->gr_name &&
      (group->gr_mem[0] == nullptr || (name == group->gr_mem[0] && group->gr_mem[1] == nullptr));
  return is_named_so && !has_other_primary_member(id);
}

/// Whether it names users or groups beside its own (acl(5)): more than the header and the three
/// entries that every file has. The group's bits are then the most that any of them may do.
bool names_others(const std::string& path) {
  constexpr ssize_t least = 4 + 3 * 8;
  return ::lgetxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > least;
}

bool others_write(const struct stat& file, const std::string& path) {
  return (file.st_mode & S_IWOTH) != 0 ||
         ((file.st_mode & S_IWGRP) != 0 && (!is_private_group(file.st_gid) || names_others(path)));
}

/// A name on the way to a file.
struct Step {
  std::string path;
  struct stat about {};         ///< of what has this name, links not followed
  struct stat folder_about {};  ///< of the folder that it is in
  bool is_last = false;         ///< nothing follows it
};

/// Calls visit(step) for each name on the way to `path`, those of links and of where they lead
/// among them, until it returns false. Why the walk could not go on; 0 where it could.
template <class Visit>
int walk(const std::string& path, const Visit& visit) {
  std::error_code error;
  const auto whole = fs::absolute(path, error);
  if (error) return error.value();
  std::deque<fs::path> names;
  for (const auto& name : whole.relative_path()) names.push_back(name);
  Step step{.path = "/"};
  if (::lstat("/", &step.about) != 0) return errno;
  step.folder_about = step.about;
  if (!visit(step)) return 0;
  fs::path folder = "/";
  for (int links = 0; !names.empty();) {
    const auto name = names.front();
    names.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      folder = folder.parent_path();
      continue;
    }
    step.path = (folder / name).string();
    step.is_last = names.empty();
    if (::stat(folder.c_str(), &step.folder_about) != 0) return errno;
    if (::lstat(step.path.c_str(), &step.about) != 0) return errno;
    if (!visit(step)) return 0;
    if (!S_ISLNK(step.about.st_mode)) {
      folder = step.path;
      continue;
    }
    if (++links > most_links) return ELOOP;
    const auto target = fs::read_symlink(step.path, error);
    if (error) return error.value();
    std::deque<fs::path> more;
    for (const auto& one : target.relative_path()) more.push_back(one);
    names.insert(names.begin(), more.begin(), more.end());
    if (target.is_absolute()) folder = "/";
  }
  return 0;
}

}  // namespace

std::string why_untrusted(const std::string& path, const std::string& near) {
  std::string why;
  struct stat named {};
  const bool has_near = !near.empty() && ::stat(near.c_str(), &named) == 0;
  const int error = walk(path, [&](const Step& step) {
    const bool is_way = S_ISDIR(step.about.st_mode) && !step.is_last;
    const bool is_sticky = is_way && (step.about.st_mode & S_ISVTX) != 0;
    const auto owner = step.about.st_uid;
    if (!is_ours(owner) && !(has_near && is_known(owner) && owner == named.st_uid)) {
      why = step.path + " belongs to another user";
    } else if (!S_ISLNK(step.about.st_mode) && !is_sticky && others_write(step.about, step.path)) {
      why = "other users can write to " + step.path;
    } else if (const auto folder = fs::path(step.path).parent_path().string();
               !S_ISDIR(step.about.st_mode) && others_write(step.folder_about, folder)) {
      // Sticky: a file or a link of ours there may be another name that they gave it.
      why = "other users can write to " + folder;
    }
    return why.empty();
  });
  return error == 0 ? why : path + ": " + std::strerror(error);
}

bool is_of_another(const std::string& path) {
  struct stat about {};
  return ::lstat(path.c_str(), &about) == 0 && !is_ours(about.st_uid);
}

std::string foreign_link(const std::string& path) {
  std::string found;
  walk(path, [&](const Step& step) {
    // What is open in this process, /proc/self/fd/1, is no name that others have given.
    if (step.path.starts_with("/proc/")) return false;
    const bool good = !S_ISLNK(step.about.st_mode) || is_ours(step.about.st_uid) ||
                      (!step.is_last && step.about.st_uid == step.folder_about.st_uid &&
                       (step.folder_about.st_mode & S_IWOTH) == 0);
    if (!good) found = step.path;
    return good;
  });
  return found;
}

}  // namespace apod::os
