#pragma once

/// \file
/// A run from plan to result: rounds of fresh processes in shuffled order, failures that cost one
/// case, a journal, and an end that can be called for at any time.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/os/turns.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/run/journal.hpp"
#include "benchmarks/run/rounds.hpp"
#include "kernels/api/registry.hpp"

namespace apod::run {

struct SessionOptions {
  bool in_process = false;
  std::uint64_t order_seed = 0;
  int device = 0;
  /// The only GPU that commands see, by its UUID; empty: all.
  std::string visible_device;
  /// libapodinspect.so, by its absolute path, which traces commands. Empty: there is none.
  std::string inspect_library;
  /// Other shards of the study on this machine use it too; null: there are none.
  os::Turns* turns = nullptr;
  bool keep_traces = false;  ///< Result::traces, of the cases that are traced
  bool compiled = false;     ///< its kernels are
  int profile_runs = 0;      ///< > 0: --profile, in this process, with this many runs per case
  /// The caller's, so that it stays locked until the result is safe; null: no journal.
  Journal* journal = nullptr;
  /// Whether the result could be written now. Asked while the journal can't be written: if neither
  /// can, the run ends early.
  std::function<bool()> result_is_writable = [] { return true; };
  std::vector<JournalEntry> resumed;  ///< its entries so far
  /// Adds to the measured result what is known only then, before it is judged.
  std::function<void(Result&)> complete = [](Result&) {};
  /// Finds the ceilings of a device, if measured.
  std::function<std::optional<Ceilings>(const DeviceFacts&)> find_ceilings;
};

/// Who hears of a session's progress.
struct SessionListener {
  std::function<void(const Case&, const std::string& stage)> stage = [](const Case&, auto&) {};
  /// So many steps more than were counted before: further processes.
  std::function<void(std::size_t steps)> planned = [](auto) {};
  /// A step is done: a case in one process, or its traced pass.
  std::function<void(const Case&, const Measurement&)> finished = [](const Case&, auto&) {};
  std::function<void(const std::string&)> message = [](auto&) {};
  std::function<bool()> cancelled = [] { return false; };
};

/// Runs the plan. A case that fails is recorded and not measured again in later processes. After a
/// cancellation the result holds what was finished, and says `interrupted`; the same if neither the
/// journal nor the result can be written. Expectations are checked before it returns. Throws
/// std::runtime_error if no worker process can be started.
Result run_session(Plan plan, const Registry& registry, const SessionOptions& options,
                   const SessionListener& listener);

}  // namespace apod::run
