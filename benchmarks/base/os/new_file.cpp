#include "benchmarks/base/os/new_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "benchmarks/base/os/claim.hpp"

namespace apod::os {
namespace {

namespace fs = std::filesystem;

constexpr int attempts = 100;  // at names that nobody can guess
constexpr mode_t as_umask_says = 0666;
constexpr int removals = 500;
constexpr int removal_interval_us = 10'000;

std::string random_name() {
  std::random_device random;
  // Short and not made of the target's name, which may be as long as names can be.
  std::string name = ".apod-0123456789abcdef";
  std::snprintf(name.data() + 6, 17, "%08x%08x", random(), random());
  return name;
}

}  // namespace

NewFile::NewFile(fs::path folder) : folder_(folder.empty() ? "." : std::move(folder)) {
  file_ = Descriptor(::open(folder_.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, as_umask_says));
  for (int attempt = 0; !file_ && attempt < attempts; ++attempt) {
    name_ = (folder_ / random_name()).string();
    file_ = Descriptor(
        ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, as_umask_says));
    if (!file_ && errno != EEXIST) break;
  }
  if (file_) return;
  error_ = errno;
  name_.clear();
}

NewFile::~NewFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

bool NewFile::make_name() {
  if (!name_.empty()) return true;
  const auto open_file = "/proc/self/fd/" + std::to_string(file_.get());
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto name = (folder_ / random_name()).string();
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      name_ = std::move(name);
      return true;
    }
    if (errno != EEXIST) break;
  }
  return false;
}

bool NewFile::replace(const fs::path& target) {
  if (!make_name()) return false;
  if (::rename(name_.c_str(), target.c_str()) != 0) return false;
  name_.clear();
  flush_folder(folder_.c_str());
  return true;
}

void remove_folder(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  // A program may have made folders read-only.
  fs::permissions(path, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow,
                  error);
  fs::recursive_directory_iterator entry(path, error), end;
  while (!error && entry != end) {
    std::error_code unsaid;
    if (entry->is_directory(unsaid) && !entry->is_symlink(unsaid)) {
      fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, unsaid);
    }
    entry.increment(error);
  }
  fs::remove_all(path, error);
  if (error) throw std::runtime_error(path.string() + ": can't be emptied: " + error.message());
}

namespace {

/// How our folders begin: nobody calls one of their own so. With the host's name, for on a shared
/// file system the locks of another machine may not be seen.
std::string name_of_ours() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(".apod-bench-of-") + host.data() + ".";
}

Descriptor open_folder(const fs::path& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// Removes what killed processes of the same user left in `place`.
void remove_abandoned(const fs::path& place) {
  const auto ours = name_of_ours();
  std::error_code ignored;
  for (fs::directory_iterator it(place, ignored), end; it != end; it.increment(ignored)) {
    const auto& path = it->path();
    if (!path.filename().string().starts_with(ours)) continue;
    const auto folder = open_folder(path);
    struct stat status {};
    const bool own = folder && ::fstat(folder.get(), &status) == 0 && status.st_uid == ::geteuid();
    const bool abandoned = own && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
    if (abandoned) fs::remove_all(path, ignored);
  }
}

/// Removes the folder of a process that died. What that had started dies too, but may write to the
/// end.
void remove_at_last(const std::string& path) {
  for (int i = 0; i < removals; ++i) {
    std::error_code error;
    fs::remove_all(path, error);
    if (!fs::exists(path, error)) return;
    ::usleep(removal_interval_us);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(Guarded guarded) {
  std::error_code error;
  auto place = fs::temp_directory_path(error);
  if (error) place = "/tmp";
  remove_abandoned(place);
  // Before a new one is locked, another process may take it for abandoned. Where the file system
  // has no locks, nothing is ever taken for abandoned.
  for (int i = 0; i < attempts; ++i) {
    path_ = (place / (name_of_ours() + "XXXXXX")).string();
    if (::mkdtemp(path_.data()) == nullptr) break;
    lock_ = open_folder(path_);
    if (lock_ && lock(lock_) && is_still_at(path_, lock_)) {
      if (guarded == Guarded::yes) guard_.emplace([this] { remove_at_last(path_); });
      return;
    }
    const int reason = errno;
    ::rmdir(path_.c_str());
    errno = reason;
    if (!lock_ && reason != ENOENT) break;  // gone: it was taken before it could be opened
  }
  throw std::runtime_error("can't make a temporary folder " + path_ + ": " + std::strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
  try {
    remove_folder(path_);
  } catch (const std::exception&) {
  }
}

}  // namespace apod::os
