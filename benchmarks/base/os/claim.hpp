#pragma once

/// \file
/// The place beside an output, "<output>.journal", which the run that writes the output has to
/// itself: it is locked while that run lives.

#include <string>

#include "benchmarks/base/os/descriptor.hpp"

namespace apod::os {

/// False when another run holds it. File systems without locks can't tell: they count as free.
bool lock(const Descriptor& file);

/// Whether `file` is what has the name `path`.
bool is_still_at(const std::string& path, const Descriptor& file);

/// Whether a run holds the file at `path`, as far as the file system has locks.
bool is_claimed(const std::string& path);

/// Opens the file at `path`, made where there is none, and locks it. Throws std::runtime_error when
/// another run has it, and when it can't be made.
Descriptor claim(const std::string& path);

/// Keeps an output whose journal is elsewhere from other runs. What is at `path` stays as it is; a
/// file that was made for the claim goes with it.
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
