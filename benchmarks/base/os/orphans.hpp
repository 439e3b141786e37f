#pragma once

#include <sys/types.h>

#include <cstddef>
#include <set>

namespace apod::os {

/// Finds the processes that a program leaves behind: while this lives, processes whose parents have
/// ended become children of ours, even those that have left the program's group or session.
class Orphans {
 public:
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// Kills the children that came since this was made, and theirs. Returns how many there were that
  /// had not ended by themselves. Only for when no child that is to live was started meanwhile.
  std::size_t end();

 private:
  std::set<pid_t> ours_;  ///< children that existed before
};

}  // namespace apod::os
