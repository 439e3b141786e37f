#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

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

/// Removes a folder and everything in it, even folders without write permission. Throws
/// std::runtime_error if something remains.
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

}  // namespace apod::os
