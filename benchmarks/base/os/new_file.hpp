#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>

#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/base/os/guard.hpp"

namespace apod::os {

/// An empty file to be filled and then named. Until then it has no name if the file system allows
/// that, so a killed process leaves nothing behind; otherwise it has a random one.
class NewFile {
 public:
  /// In `folder`; empty is the working folder. If that fails, `error()` says why.
  explicit NewFile(std::filesystem::path folder);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Descriptor& file() { return file_; }
  int error() const { return error_; }

  /// Gives it a random name in the folder, unless it has one. False, with errno set, if that fails.
  bool make_name();
  /// Replaces the file at `target`, in the same folder: that name always leads to the old file or
  /// to this one. False, with errno set, if that fails.
  bool replace(const std::filesystem::path& target);

 private:
  std::filesystem::path folder_;
  std::string name_;  ///< empty while it has none
  Descriptor file_;
  int error_ = 0;
};

/// Removes a folder and everything in it, even folders without write permission, however deep.
/// Throws std::runtime_error if something remains.
void remove_folder(const std::filesystem::path& path);

/// A folder for files of this process only, removed with them on destruction, or by a guard when
/// this process dies. It is locked while this lives. If the guard was killed too, or there is none,
/// the remaining folder has no lock, and the next one removes it.
class TemporaryFolder {
 public:
  enum class Guarded : std::uint8_t { yes, no };

  /// In $TMPDIR or /tmp. A process that has a GPU open can't have a guard: see Guard. Throws
  /// std::runtime_error, and what Guard throws.
  explicit TemporaryFolder(Guarded guarded = Guarded::yes);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Descriptor lock_;
  std::optional<Guard> guard_;
};

/// Where a file is to be written, and whether the user gave that name. A name that is derived from
/// another one may be taken by a stranger's link or pipe: nothing but a regular file is replaced
/// there.
class Destination {
 public:
  static Destination named(std::string path) { return {std::move(path), false}; }
  static Destination derived(std::string path) { return {std::move(path), true}; }

  const std::string& path() const { return path_; }
  bool is_derived() const { return is_derived_; }

 private:
  Destination(std::string path, bool is_derived)
      : path_(std::move(path)), is_derived_(is_derived) {}

  std::string path_;
  bool is_derived_;
};

/// Checks before anything runs that a file can be written: its folder exists and is writable, it is
/// not a directory, an existing file may be replaced, and the disk has `bytes_needed` free. Throws
/// std::runtime_error saying which of these is false. Leaves no file behind.
void check_writable(const Destination& to, std::uint64_t bytes_needed);

/// Adds to a file, or makes it. Throws std::runtime_error, also for a pipe.
void append(const Destination& to, const std::string& text);

/// Writes through `body` to a temporary file beside the destination, flushes it to the disk and
/// renames it over that name, so that a reader sees the old content or the new, never half. A path
/// that the user named and that is not a regular file (/dev/stdout, a pipe), or is a mount point,
/// is written directly. A link or a pipe of another user is refused, because it could redirect the
/// write. Calls `before`, if any, when all is written and nothing replaced yet. If anything fails,
/// a full disk included, removes the temporary file and throws std::runtime_error.
void write_atomically(const Destination& to, const std::function<void(std::ostream&)>& body,
                      const std::function<void()>& before = {});

/// The file that write_atomically() makes or replaces at a path that the user named: links
/// followed. Throws as that does.
std::string written_file(const std::string& path);

}  // namespace apod::os
