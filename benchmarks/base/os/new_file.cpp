#include "benchmarks/base/os/new_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <random>
#include <stdexcept>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

#include "benchmarks/base/os/trusted.hpp"
#include "benchmarks/base/os/turns.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod::os {

namespace {

namespace fs = std::filesystem;

constexpr int attempts = 100;  // at names that can't be guessed
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
  // A file without a name gets one through /proc.
  if (::access("/proc/self/fd", X_OK) == 0)
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

namespace {

Descriptor open_folder(int place, const char* name, int flags = O_RDONLY) {
  return Descriptor(::openat(place, name, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// A program may have made it read-only.
void make_writable(int place, const char* name) {
  const auto folder = open_folder(place, name, O_PATH);
  struct stat about {};
  if (!folder || ::fstat(folder.get(), &about) != 0) return;
  if ((about.st_mode & S_IRWXU) == S_IRWXU) return;
  ::chmod(("/proc/self/fd/" + std::to_string(folder.get())).c_str(), S_IRWXU);
}

/// The names in an open folder.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const int file = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  auto* entries = file < 0 ? nullptr : ::fdopendir(file);
  if (entries == nullptr) return names;
  while (const auto* entry = ::readdir(entries)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(entries);
  return names;
}

/// Removes all that is in an open folder. Folders in its folders are moved up into it first, so
/// that no path is long and few descriptors are open, however deep they lie. 0, or what went wrong.
int empty(int folder) {
  int error = 0;
  std::size_t moved = 0;
  const auto keep_error = [&](int result) {
    if (result != 0) error = errno;
  };
  for (auto names = names_in(folder); !names.empty() && error == 0; names = names_in(folder)) {
    for (const auto& name : names) {
      if (::unlinkat(folder, name.c_str(), 0) == 0) continue;
      make_writable(folder, name.c_str());
      const auto inner = open_folder(folder, name.c_str());
      for (const auto& below : names_in(inner.get())) {
        if (::unlinkat(inner.get(), below.c_str(), 0) == 0) continue;
        make_writable(inner.get(), below.c_str());
        const auto up = random_name() + std::to_string(++moved);
        keep_error(::renameat(inner.get(), below.c_str(), folder, up.c_str()));
      }
      keep_error(::unlinkat(folder, name.c_str(), AT_REMOVEDIR));
    }
  }
  return error;
}

/// 0, or what went wrong.
int remove_all(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return 0;
  make_writable(AT_FDCWD, path.c_str());
  const auto folder = open_folder(AT_FDCWD, path.c_str());
  if (!folder) return errno;
  const int error = empty(folder.get());
  if (error != 0) return error;
  return ::rmdir(path.c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace

void remove_folder(const fs::path& path) {
  const int error = remove_all(path.string());
  if (error == 0) return;
  throw std::runtime_error(path.string() + ": can't be emptied: " + std::strerror(error));
}

namespace {

/// How our folders begin; no user names a folder like this. With the host's name, for on a shared
/// file system the locks of another machine may not be seen.
std::string name_of_ours() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(".apod-bench-of-") + host.data() + ".";
}

/// Removes what killed processes of the same user left in `place`.
void remove_abandoned(const fs::path& place) {
  const auto ours = name_of_ours();
  std::error_code ignored;
  for (fs::directory_iterator it(place, ignored), end; it != end; it.increment(ignored)) {
    const auto& path = it->path();
    if (!path.filename().string().starts_with(ours)) continue;
    const auto folder = open_folder(AT_FDCWD, path.c_str());
    struct stat status {};
    const bool own = folder && ::fstat(folder.get(), &status) == 0 && status.st_uid == ::geteuid();
    const bool abandoned = own && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
    if (abandoned) remove_all(path.string());
  }
}

/// Removes the folder of a process that died. What that had started dies too, but may write to the
/// end.
void remove_at_last(const std::string& path) {
  for (int i = 0; i < removals && remove_all(path) != 0; ++i) ::usleep(removal_interval_us);
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
    lock_ = open_folder(AT_FDCWD, path_.c_str());
    if (lock_ && lock(lock_) && is_still_at(path_, lock_)) {
      if (guarded == Guarded::yes) guard_.emplace([this] { remove_at_last(path_); });
      return;
    }
    const int reason = errno;
    ::rmdir(path_.c_str());
    errno = reason;
    if (!lock_ && reason != ENOENT) break;  // gone: it was taken before it could be opened
  }
  throw std::runtime_error("can't create temporary folder " + path_ + ": " + std::strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
  remove_all(path_);
}

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw std::runtime_error("cannot write '" + path + "': " + why);
}
[[noreturn]] void fail(const std::string& path, int error) {
  fail(path, std::strerror(error));
}

/// A file descriptor as a stream's buffer. std::ofstream would neither say why a write failed nor
/// let the file be flushed to the disk.
class FileBuffer : public std::streambuf {
 public:
  FileBuffer(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

 protected:
  int_type overflow(int_type c) override {
    write_out();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    write_out();
    return 0;
  }

 private:
  void write_out() {
    const auto size = static_cast<std::size_t>(pptr() - pbase());
    if (!write_all(descriptor_, {pbase(), size})) fail(path_, errno);
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  int descriptor_;
  std::string path_;
  std::array<char, 1 << 16> buffer_{};
};

/// Where a path leads.
struct Target {
  fs::path path;  ///< with links followed, so that a link stays and its target changes
  bool exists = false;
  bool direct = false;  ///< no regular file: written in place
  struct stat status {};
};

/// Of a name that the user did not choose.
Target resolve_derived(const std::string& path) {
  Target target;
  target.path = path;
  if (::lstat(path.c_str(), &target.status) != 0) return target;
  target.exists = true;
  const auto kind = target.status.st_mode & S_IFMT;
  if (kind == S_IFREG) return target;
  if (kind == S_IFDIR) fail(path, "it is a directory");
  fail(path, std::string("it is ") + (kind == S_IFLNK ? "a link" : "not a regular file") +
                 " (to write to it, name it with --out)");
}

Target resolve(const Destination& to) {
  const auto& path = to.path();
  if (path.empty()) fail(path, "the name is empty");
  if (const auto link = foreign_link(path); !link.empty())
    fail(path, "the link " + link + " belongs to another user (name the file that it points to)");
  if (to.is_derived()) return resolve_derived(path);
  Target target;
  target.path = path;
  std::error_code error;
  // /dev/stdout leads to /proc/self/fd/1: that is an open file to write to, whatever it is, and not
  // a name to put another file under.
  const auto is_open_file = [&] { return target.path.string().starts_with("/proc/"); };
  for (int links = 0; !is_open_file() && fs::is_symlink(target.path, error); ++links) {
    if (links == 40) fail(path, ELOOP);
    const fs::path link = fs::read_symlink(target.path, error);
    if (error) fail(path, error.message());
    target.path = link.is_absolute() ? link : target.path.parent_path() / link;
  }
  if (::stat(target.path.c_str(), &target.status) == 0) {
    target.exists = true;
    if (S_ISDIR(target.status.st_mode)) fail(path, "it is a directory");
    if (S_ISSOCK(target.status.st_mode)) fail(path, "it is a socket");
    target.direct = !S_ISREG(target.status.st_mode) || is_open_file();
    // Whoever laid a pipe there would read what is written.
    const auto owner = target.status.st_uid;
    if (target.direct && !is_open_file() && owner != ::geteuid() && owner != 0)
      fail(path, "it is not a regular file, and it belongs to another user (choose another file)");
  } else if (errno == ENOTDIR) {
    fail(path, "a part of its path is not a folder");
  } else if (errno != ENOENT) {
    fail(path, errno);
  }
  return target;
}

fs::path folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

void check_folder(const Target& target, const std::string& path) {
  const fs::path folder = folder_of(target.path);
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status))
    fail(path, "its folder does not exist (make it with: mkdir -p '" + folder.string() + "')");
  if (!fs::is_directory(status)) fail(path, "'" + folder.string() + "' is not a folder");
}

/// Calls `body` with a stream to `descriptor`; throws when anything could not be written.
void write_to(int descriptor, const std::string& path,
              const std::function<void(std::ostream&)>& body) {
  FileBuffer buffer(descriptor, path);
  std::ostream out(&buffer);
  out.exceptions(std::ios::badbit);  // lets the buffer's own exception through
  body(out);
  out.flush();
  if (!out) fail(path, "bench could not produce the content");
}

/// Gives the new file the permissions and the owner of the one it replaces, where that is ours, or
/// its folder's owner's, who could put any file there (sudo bench in a user's folder). Else what is
/// written is ours: another user may have laid the file there, to own what is written.
void adopt(int descriptor, const Target& target, const Destination& to) {
  const auto& path = to.path();
  if (!target.exists) return;
  const auto owner = target.status.st_uid;
  if (owner != ::geteuid()) {
    struct stat folder {};
    const bool is_theirs =
        ::stat(folder_of(target.path).c_str(), &folder) == 0 && folder.st_uid == owner;
    if (to.is_derived() || !is_theirs) return;
  }
  const bool is_given = ::fchown(descriptor, owner, target.status.st_gid) == 0;
  if (!is_given && owner != ::geteuid()) return;
  // File systems without permissions refuse; the content matters more.
  const bool done = ::fchmod(descriptor, target.status.st_mode & 0777) == 0;
  if (!done && errno != EPERM && errno != ENOTSUP) fail(path, errno);
}

/// Whether its folder, such as /tmp, lets only the owner of either replace it.
bool is_kept_by_sticky_folder(const Target& target) {
  struct stat folder {};
  if (::stat(folder_of(target.path).c_str(), &folder) != 0) return false;
  const auto user = ::geteuid();
  return (folder.st_mode & S_ISVTX) != 0 && user != 0 && user != folder.st_uid &&
         user != target.status.st_uid;
}

/// A new file in the target's folder; throws where none can be made there.
class Replacement : public NewFile {
 public:
  Replacement(const Target& target, const std::string& path) : NewFile(folder_of(target.path)) {
    if (!file()) refuse(path, error());
  }
  [[noreturn]] static void refuse(const std::string& path, int error) {
    fail(path, std::string("can't create a file in its folder: ") +
                   (error == ENOENT ? "it accepts none" : std::strerror(error)));
  }
};

}  // namespace

void check_writable(const Destination& to, std::uint64_t bytes_needed) {
  const auto& path = to.path();
  const Target target = resolve(to);
  if (target.exists && ::access(target.path.c_str(), W_OK) != 0) fail(path, errno);
  if (target.direct) return;
  check_folder(target, path);
  if (target.exists && is_kept_by_sticky_folder(target))
    fail(path, "it belongs to another user in a sticky folder (choose another file)");
  Replacement probe(target, path);
  if (!probe.make_name()) Replacement::refuse(path, errno);
  struct statvfs disk {};
  const bool known = ::statvfs(folder_of(target.path).c_str(), &disk) == 0;
  const std::uint64_t block = disk.f_frsize == 0 ? disk.f_bsize : disk.f_frsize;
  if (known && block > 0 && disk.f_bavail < (bytes_needed + block - 1) / block) {
    fail(path,
         "the disk has " +
             text::format_bytes(static_cast<double>(disk.f_bavail) * static_cast<double>(block)) +
             " left, but " + text::format_bytes(static_cast<double>(bytes_needed)) + " are needed");
  }
  // Quotas and limits don't show in the free space. Other errors: it can't be known this way.
  const bool taken = ::fallocate(probe.file().get(), 0, 0, static_cast<off_t>(bytes_needed)) == 0;
  if (!taken && (errno == EDQUOT || errno == EFBIG)) fail(path, errno);
}

void append(const Destination& to, const std::string& text) {
  const auto& path = to.path();
  const Target target = resolve(to);
  constexpr mode_t usual = 0666;
  Descriptor file(
      ::open(target.path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, usual));
  if (!file && errno == ENXIO) fail(path, "it is a pipe without a reader");
  if (!file) fail(path, errno);
  struct stat about {};
  if (::fstat(file.get(), &about) == 0 && S_ISFIFO(about.st_mode)) fail(path, "it is a pipe");
  write_to(file.get(), path, [&](std::ostream& out) { out << text; });
  if (!file.close()) fail(path, errno);
}

std::string written_file(const std::string& path) {
  return resolve(Destination::named(path)).path.string();
}

void write_atomically(const Destination& to, const std::function<void(std::ostream&)>& body,
                      const std::function<void()>& before) {
  const auto& path = to.path();
  const Target target = resolve(to);
  const auto write_in_place = [&](int flags) {
    if (to.is_derived()) flags |= O_NOFOLLOW;
    Descriptor file(::open(target.path.c_str(), O_WRONLY | O_CLOEXEC | flags));
    if (!file) fail(path, errno);
    write_to(file.get(), path, body);
    if (!file.close()) fail(path, errno);
  };
  if (target.direct) return write_in_place(O_APPEND);
  check_folder(target, path);
  Replacement replacement(target, path);
  const int file = replacement.file().get();
  write_to(file, path, body);
  adopt(file, target, to);
  if (::fsync(file) != 0) fail(path, errno);
  if (before) before();
  if (replacement.replace(target.path)) return;
  if (errno != EBUSY) fail(path, errno);
  write_in_place(O_TRUNC);  // a single file mounted into a container can't change its identity
}

}  // namespace apod::os
