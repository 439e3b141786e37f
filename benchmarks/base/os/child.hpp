#pragma once

/// \file
/// A program that this one starts, and that does not outlive it.

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/base/os/guard.hpp"

namespace apod::os {

/// A program that can't be started. The message names it.
struct CannotStart : std::runtime_error {
  CannotStart(const std::string& what, bool is_missing)
      : std::runtime_error(what), missing(is_missing) {}
  bool missing;  ///< there is no such file
};

/// The process group of a started program.
enum class Group : std::uint8_t {
  ours,
  /// A Ctrl-C at the terminal does not reach the program, and kill() also reaches its children.
  own,
  /// As `own`; and when this process dies, the program's children die too. Forks, so it must not be
  /// used by a process that has a GPU open.
  guarded,
};

/// How a program is started.
struct Launch {
  std::vector<std::string> words;  ///< its name and its arguments
  /// Its file. Empty: that of its name, which is looked up on the PATH unless it has a slash.
  std::string file = {};
  /// {one of ours, its number there}. Standard streams that are not named are /dev/null.
  std::vector<std::pair<int, int>> descriptors = {};
  /// The program does not see environment variables whose names begin so; empty: it sees all.
  std::string hidden_prefix = {};
  /// Variables that it sees with these values, whatever ours are.
  std::vector<std::pair<std::string, std::string>> variables = {};
  /// The working folder, and the base of a relative program name; empty: our working folder.
  std::string folder = {};
  Group group = Group::ours;
};

/// What a program used, including its children that it has waited for.
struct Usage {
  double wall_s = 0;      ///< from just before its start to its end
  double user_s = 0;      ///< processor time
  double system_s = 0;    ///< processor time
  double peak_bytes = 0;  ///< resident memory of the largest; never less than ours at its start
};

/// What programs that run have used so far.
struct UseSoFar {
  double processor_s = 0;     ///< with that of children that they have waited for
  double resident_bytes = 0;  ///< of all together
};

/// A started program. The system kills it when the thread that started it ends, however that ends.
class Child {
 public:
  /// Throws std::system_error if the system can't start another process, and CannotStart if the
  /// program can't be started. A script needs its #! line.
  explicit Child(const Launch& launch);
  /// Kills it, with its group, unless it has ended.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Its wait status, as of waitpid(2), once it has ended; nothing before. The rest of its group is
  /// killed then.
  std::optional<int> status();
  void signal(int number) const;
  /// Kills it, with its group if it leads one.
  void kill() const;
  /// Processor time that it and those children that it has waited for have used, s; 0 if unknown.
  double processor_seconds() const;
  /// Of it and all others of its group, if it has one; of it alone once it has ended.
  UseSoFar use() const;
  /// Once it has ended.
  const Usage& usage() const { return usage_; }
  /// For poll(2), readable when it has ended; -1 if the system has none.
  int end_descriptor() const { return end_.get(); }

 private:
  void kill_group() const;

  std::optional<Guard> guard_;  ///< the leader of a guarded group
  pid_t leader_ = -1;           ///< of a group that is not ours
  pid_t pid_ = -1;
  Descriptor end_;
  std::chrono::steady_clock::time_point begin_{};
  std::optional<int> status_;
  Usage usage_;
};

/// The exit code that shells give for a wait status: 128 + signal if a signal ended the program.
int exit_code_of(int status);

/// The file of a program: in a folder of the PATH, else in one of `more`. Empty if in none.
std::string find_program(const std::string& name, const std::vector<std::string>& more = {});

/// The file of a program of the CUDA toolkit: on the PATH, in the folders that CUDA_HOME and
/// CUDA_PATH name, or where it is usually installed. Empty if in none.
std::string find_in_toolkit(const std::string& name);

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
