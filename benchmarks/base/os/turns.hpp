#pragma once

/// \file
/// Turns of several processes of one machine: many at once, or one alone.

#include <functional>
#include <string>

#include "benchmarks/base/os/descriptor.hpp"

namespace apod::os {

/// By locks on a file that a killed process leaves (fcntl(2)). One object a file in a process.
class Turns {
 public:
  /// For all processes of this user on this machine that give the same name, a word; in the
  /// system's folder for temporary files. Throws std::runtime_error where there can be no such
  /// file.
  explicit Turns(const std::string& name);
  /// Removes the file where no other process uses it.
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Waits for a turn: `alone`, one during which nobody else has any. Of those who wait one is
  /// next, and nobody overtakes it; which of the others follows is not said. False where
  /// `cancelled` says so.
  bool take(bool alone, const std::function<bool()>& cancelled);
  /// The end of the turn.
  void give_back();

 private:
  void open();

  std::string path_;
  Descriptor file_;
};

}  // namespace apod::os
