#pragma once

/// \file
/// A study that is measured in parts: on several machines, or in several pieces of time.

#include <cstddef>
#include <string>
#include <vector>

namespace apod {

/// One of `count` parts of a plan, from 1 on.
struct Shard {
  int index = 1;
  int count = 1;

  bool is_all() const { return count == 1; }
  /// "2/8".
  std::string text() const { return std::to_string(index) + "/" + std::to_string(count); }
};

/// Where a part was measured.
struct Machine {
  std::string host;
  std::string device;  ///< name, and UUID if it has one
  std::string driver;
  std::string pinned_to = {};  ///< DeviceFacts::pinned_to

  /// What reports call the machine.
  std::string name() const { return device.empty() ? host : host + " " + device; }
  auto operator<=>(const Machine&) const = default;
};

/// What a result knows about the whole that it is a part of.
struct StudyPart {
  std::string plan;        ///< identity of the whole plan; empty in older files
  std::size_t cases = 0;   ///< of the whole plan, skipped ones included
  std::string shard = {};  ///< "2/8", as it was asked for; empty: the whole, or a merged result
  int shards = 0;          ///< how many shards have a case; 0: not known
  /// Positions in the whole plan of the result's cases, in their order; empty: they are the whole.
  std::vector<std::size_t> positions = {};
  std::vector<Machine> machines = {};  ///< of a merged result

  bool empty() const { return plan.empty(); }
};

}  // namespace apod
