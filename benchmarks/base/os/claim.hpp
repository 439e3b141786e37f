#pragma once

/// \file
/// The lock of an output, "<output>.journal": the run that writes the output holds it while it
/// lives.

#include <string>

#include "benchmarks/base/os/descriptor.hpp"

namespace apod::os {

/// False if another run holds it. File systems without locks can't tell: they count as free.
bool lock(const Descriptor& file);

/// Whether `path` still names `file`.
bool is_still_at(const std::string& path, const Descriptor& file);

/// Whether a run holds the file at `path`, as far as the file system has locks.
bool is_claimed(const std::string& path);

/// Opens the file at `path`, creating it if needed, and locks it. Throws std::runtime_error if
/// another run has it, or if it can't be created.
Descriptor claim(const std::string& path);

/// Keeps an output whose journal is elsewhere from other runs. An existing file at `path` stays as
/// it is; a file that was created for the claim is removed with it.
class Claim {
 public:
  /// Throws std::runtime_error as claim() does.
  explicit Claim(std::string path) : path_(std::move(path)), file_(claim(path_)) {}
  ~Claim();
  Claim(Claim&&) noexcept = default;
  Claim& operator=(Claim&&) = delete;

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace apod::os
