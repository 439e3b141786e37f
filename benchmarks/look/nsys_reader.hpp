#pragma once

/// \file
/// How an export becomes a Recording, table by table. Internal to look/.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "benchmarks/look/nsys_import.hpp"
#include "benchmarks/look/numbering.hpp"
#include "benchmarks/look/sqlite.hpp"
#include "kernels/api/process_tracer.hpp"

namespace apod::look {

// Lower bits of a globalTid are the thread, the others are the process.
inline constexpr int thread_bits = 24;
inline constexpr std::int64_t thread_mask = (std::int64_t{1} << thread_bits) - 1;
// The end of a range while the export is read.
inline constexpr std::int64_t still_open = INT64_MAX;

class NsysReader {
 public:
  NsysReader(const std::string& path, std::size_t most_events)
      : file_name_(path), file_(path), first_(most_events) {}

  Recording read() {
    check_is_export();
    name_unread_tables();
    read_strings();
    read_devices();
    read_kernels();
    read_graphs();
    read_copies();
    read_memsets();
    read_calls();
    read_synchronizations();
    read_ranges();
    read_overheads();
    read_names();
    finish();
    return std::move(recording_);
  }

 private:
  void check_is_export();
  void name_unread_tables();
  void read_strings();
  void read_devices();
  void read_kernels();
  void read_graphs();
  void read_copies();
  void read_memsets();
  void read_calls();
  void read_synchronizations();
  void read_ranges();
  void read_overheads();
  void read_names();
  void close_ranges();
  void finish();

  void mark_synchronous_copies();

  std::string_view string(std::int64_t id) const {
    const auto found = strings_.find(id);
    return found == strings_.end() ? std::string_view{} : std::string_view(found->second);
  }
  /// The times in the first two columns; false, and the row is counted, where they can't be.
  template <class Item>
  bool take_times(const Rows& row, Item& item) {
    const auto start = row.number(0);
    const auto end = row.has_number(1) ? row.number(1) : start;
    const bool are_numbers = row.has_number(0) && (row.has_number(1) || row.is_empty(1));
    const bool possible = are_numbers && start > -furthest_ns && end < furthest_ns && start <= end;
    if (!possible) {
      ++impossible_;
      return false;
    }
    if (!first_.takes(recording_.trace, start)) return false;
    item.start_ns = start;
    item.end_ns = end;
    return true;
  }
  /// Columns 2 to 6: deviceId, contextId, streamId, correlationId, globalPid.
  void take_place(const Rows& row, Activity& activity) {
    const auto process = row.number(6) >> thread_bits;
    processes_.insert(process);
    activity.device = row.small_number(2);
    activity.stream = streams_.number(process, row.number(3), row.small_number(4));
    activity.correlation = correlations_.number(process, row.small_number(5));
  }
  void note(std::string text) { recording_.trace.notes.push_back(std::move(text)); }

  std::string file_name_;
  SqliteFile file_;
  FirstEvents first_;
  Recording recording_;
  std::unordered_map<std::int64_t, std::string> strings_;
  std::map<std::uint32_t, MultiprocessorLimits> limits_;  ///< by index of the device
  StreamNumbers streams_;
  CorrelationNumbers correlations_;
  std::set<std::int64_t> processes_;  ///< that have rows
  std::uint64_t impossible_ = 0;      ///< rows whose times can't be
  std::uint64_t unnamed_ = 0;         ///< kernels and calls
};

}  // namespace apod::look
