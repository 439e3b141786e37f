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
  /// For all processes of this user on this machine that give the same name, a word; the file is in
  /// the system's folder for temporary files. Throws std::runtime_error if it can't be created.
  explicit Turns(const std::string& name);
  /// Removes the file if no other process uses it.
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Waits for a turn. With `alone`, no other process has a turn during it. One of the waiting
  /// processes is next, and none overtakes it; the order of the others is not defined. False if
  /// `cancelled` returns true.
  bool take(bool alone, const std::function<bool()>& cancelled);
  /// The end of the turn.
  void give_back();

 private:
  void open();

  std::string path_;
  Descriptor file_;
};

}  // namespace apod::os
