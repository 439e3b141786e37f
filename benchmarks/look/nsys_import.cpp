#include "benchmarks/look/nsys_import.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/look/numbering.hpp"
#include "benchmarks/look/residency.hpp"
#include "benchmarks/look/sqlite.hpp"
#include "kernels/api/api_calls.hpp"
#include "kernels/api/process_tracer.hpp"

namespace apod::look {
namespace {

// Lower bits of a globalTid are the thread, the others are the process.
constexpr int thread_bits = 24;
constexpr std::int64_t thread_mask = (std::int64_t{1} << thread_bits) - 1;
// The end of a range while the export is read.
constexpr std::int64_t still_open = INT64_MAX;
constexpr int known_schema = 3;
// ENUM_NSYS_EVENT_TYPE: what NVTX_EVENTS holds besides these are names and categories.
constexpr std::int64_t mark = 34;
constexpr std::int64_t push_pop = 59;
constexpr std::int64_t start_end = 60;
constexpr std::int64_t domain_create = 75;
// ENUM_NSYS_EVENT_CLASS
constexpr std::int64_t driver_call = 1;
// Results of calls that only ask: cudaErrorNotReady, CUDA_ERROR_NOT_READY.
constexpr std::int64_t not_ready = 600;

/// Whether a copy started by this call has ended when the call returns.
bool waits(std::string_view call) {
  const bool copies = call.starts_with("cudaMemcpy") || call.starts_with("cuMemcpy");
  return copies && call.find("Async") == std::string_view::npos;
}

/// The kinds of work that findings need, in the words of our own tracer; others as nsys names them.
/// Those for loading came with CUDA 12.3. What nsys calls "Unknown" counts as the recorder's.
std::string overhead_kind(std::string_view name) {
  const auto lower = text::lower(name);
  for (const auto& [part, kind] :
       {std::pair{"compiler", "compiler"}, std::pair{"lazy", "lazy function loading"},
        std::pair{"module load", "module loading"}}) {
    if (lower.find(part) != std::string::npos) return kind;
  }
  return lower == "unknown" ? "recorder" : std::string(name);
}

/// ENUM_CUDA_MEMCPY_OPER in the words of our own tracer.
std::string copy_name(std::int64_t kind) {
  static constexpr std::array names{"unknown copy", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                    "DtoA",         "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};
  return names.at(kind > 0 && kind < std::ssize(names) ? static_cast<std::size_t>(kind) : 0);
}

/// ENUM_CUDA_MEM_KIND; arrays, managed and static memory are the device's.
MemoryKind memory_kind(std::int64_t kind) {
  return kind == 0 ? MemoryKind::pageable : kind == 1 ? MemoryKind::pinned : MemoryKind::device;
}

/// How an export becomes a Recording, table by table.
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
  void check_is_export() {
    // Schema 3.0 called the table the other way round.
    const bool old = !file_.has_table("META_DATA_EXPORT") && file_.has_table("EXPORT_META_DATA");
    Rows entries = file_.rows(old ? "EXPORT_META_DATA" : "META_DATA_EXPORT", {"name", "value"});
    std::string product;
    std::string version;
    while (entries.next()) {
      const auto name = entries.text(0);
      if (name == "EXPORT_SCHEMA_VERSION") recording_.schema = entries.text(1);
      if (name == "EXPORT_PRODUCT_NAME") product = entries.text(1);
      if (name == "EXPORT_PRODUCT_VERSION") version = entries.text(1);
    }
    recording_.producer = product + (product.empty() || version.empty() ? "" : " ") + version;
    if (file_.has_table("StringTable") && !file_.has_table("StringIds")) {
      throw BadRecording(file_name_ +
                         ": is an nvprof profile; bench reads only exports of Nsight Systems");
    }
    // Old exports name no version, but every export has the table of strings.
    if (recording_.schema.empty() && !file_.has_table("StringIds")) {
      throw BadRecording(file_name_ +
                         ": is an SQLite file, but not an export of Nsight Systems; to export a "
                         "report: nsys export --type sqlite");
    }
    if (recording_.schema.empty()) {
      note("the export has no schema version; bench shows the parts that it could read");
      return;
    }
    int major = 0;
    const char* begin = recording_.schema.data();
    const auto [end, error] = std::from_chars(begin, begin + recording_.schema.size(), major);
    if (error == std::errc{} && major == known_schema) return;
    throw BadRecording(file_name_ + ": its schema is '" + recording_.schema +
                       "', but bench reads only " + std::to_string(known_schema) +
                       ".x; export the report with another version of nsys");
  }

  void name_unread_tables() {
    constexpr std::array read{"GRAPH_TRACE", "KERNEL",          "MEMCPY",
                              "MEMSET",      "SYNCHRONIZATION", "RUNTIME"};
    constexpr std::string_view activities = "CUPTI_ACTIVITY_KIND_";
    std::string unread;
    for (const auto& table : file_.tables()) {
      if (!table.starts_with(activities)) continue;
      const auto kind = std::string_view(table).substr(activities.size());
      if (std::ranges::find(read, kind) != read.end()) continue;
      if (file_.rows(table, {"start"}).next()) unread += (unread.empty() ? "" : ", ") + table;
    }
    if (!unread.empty()) note("tables not read, because their layout is unknown: " + unread);
    const auto odd = text::joined(file_.no_plain_tables(), ", ");
    if (!odd.empty()) note("not read, because these are not plain tables: " + odd);
  }

  void read_strings() {
    Rows rows = file_.rows("StringIds", {"id", "value"});
    while (rows.next()) strings_.insert_or_assign(rows.number(0), std::string(rows.text(1)));
  }

  void read_devices() {
    Rows rows =
        file_.rows("TARGET_INFO_GPU",
                   {"id", "name", "uuid", "smCount", "maxWarpsPerSm", "threadsPerWarp",
                    "computeMajor", "computeMinor", "memoryBandwidth", "totalMemory", "l2CacheSize",
                    "clockRate", "maxRegistersPerSm", "maxShmemPerSm", "maxBlocksPerSm"});
    while (rows.next()) {
      DeviceFacts device;
      const auto whole = [&](int column) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows.number(column)));
      };
      const auto small = [&](int column) {
        // The product of two is still an int.
        return static_cast<int>(std::min<std::uint64_t>(whole(column), 1 << 15));
      };
      device.backend = BackendKind::cuda;
      device.index = small(0);
      device.name = rows.text(1);
      device.uuid = rows.text(2);
      device.multiprocessors = small(3);
      device.max_threads_per_multiprocessor = small(4) * small(5);
      if (rows.has_number(6) && rows.has_number(7))
        device.compute_capability = std::to_string(small(6)) + "." + std::to_string(small(7));
      device.peak_memory_bytes_per_s = static_cast<double>(whole(8));
      device.memory_bytes = whole(9);
      device.l2_bytes = whole(10);
      device.max_sm_clock_mhz =
          static_cast<int>(std::min<std::uint64_t>(whole(11) / 1000000, 1 << 15));
      limits_[rows.small_number(0)] = {whole(12), whole(13), whole(4),
                                       whole(14), whole(5),  small(6)};
      recording_.devices.push_back(std::move(device));
    }
    Rows system = file_.rows("TARGET_INFO_SYSTEM_ENV", {"name", "value"});
    while (system.next()) {
      if (system.text(0) != "NvDriverVersion") continue;
      for (auto& device : recording_.devices) device.driver_version = system.text(1);
    }
    std::ranges::stable_sort(recording_.devices,
                             [](const auto& a, const auto& b) { return a.index < b.index; });
  }

  void read_calls() {
    Rows rows = file_.rows(
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        {"start", "end", "globalTid", "nameId", "correlationId", "eventClass", "returnValue"});
    std::uint64_t failed = 0;
    std::string first_failed;
    while (rows.next()) {
      ApiCall call;
      if (!take_times(rows, call)) continue;
      const auto process = rows.number(2) >> thread_bits;
      processes_.insert(process);
      call.thread = static_cast<std::uint32_t>(rows.number(2) & thread_mask);
      const auto name = name_without_version(string(rows.number(3)));
      unnamed_ += name.empty() ? 1 : 0;
      call.name = name.empty() ? "unnamed call" : name;
      call.correlation = correlations_.number(process, rows.small_number(4));
      call.driver = rows.number(5) == driver_call;
      if (const auto error = rows.number(6); error != 0 && error != not_ready) {
        call.correlation = 0;
        if (failed++ == 0) first_failed = call.name + " with error " + std::to_string(error);
      }
      recording_.trace.calls.push_back(std::move(call));
    }
    if (failed > 0) note(std::to_string(failed) + " CUDA calls failed; the first: " + first_failed);
  }

  void read_synchronizations() {
    Rows rows = file_.rows("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                           {"start", "end", "syncType", "contextId", "streamId", "globalPid"});
    while (rows.next()) {
      Synchronization wait;
      const auto type = rows.number(2);  // ENUM_CUPTI_SYNC_TYPE: 0 is unknown
      if (type < 1 || type > 4 || !take_times(rows, wait)) continue;
      wait.kind = static_cast<Synchronization::Kind>(type - 1);
      if (wait.kind != Synchronization::Kind::context) {
        wait.stream =
            streams_.number(rows.number(5) >> thread_bits, rows.number(3), rows.small_number(4));
      }
      recording_.trace.synchronizations.push_back(wait);
    }
  }

  void read_ranges() {
    const std::vector<std::string> columns{"start", "end",    "eventType", "globalTid",
                                           "text",  "textId", "domainId"};
    const auto text_of = [&](const Rows& row) {
      return row.has_number(5) ? std::string(string(row.number(5))) : std::string(row.text(4));
    };
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> domains;
    Rows rows = file_.rows("NVTX_EVENTS", columns);
    while (rows.next()) {
      if (rows.number(2) != domain_create) continue;
      domains[{rows.number(3) >> thread_bits, rows.number(6)}] = text_of(rows);
    }
    rows = file_.rows("NVTX_EVENTS", columns);
    while (rows.next()) {
      const auto type = rows.number(2);
      if (type != mark && type != push_pop && type != start_end) continue;
      NvtxRange range;
      if (!take_times(rows, range)) continue;
      const auto process = rows.number(3) >> thread_bits;
      processes_.insert(process);
      range.thread = static_cast<std::uint32_t>(rows.number(3) & thread_mask);
      range.name = text_of(rows);
      if (const auto domain = domains.find({process, rows.number(6)}); domain != domains.end())
        range.domain = domain->second;
      if (type != mark && rows.is_empty(1)) range.end_ns = still_open;
      recording_.trace.ranges.push_back(std::move(range));
    }
  }

  void close_ranges() {
    std::int64_t latest_ns = 0;
    each_timed_list(recording_.trace, [&](const auto& items) {
      for (const auto& item : items)
        if (item.end_ns != still_open) latest_ns = std::max(latest_ns, item.end_ns);
    });
    std::size_t open = 0;
    for (auto& range : recording_.trace.ranges) {
      if (range.end_ns != still_open) continue;
      range.end_ns = std::max(range.start_ns, latest_ns);
      ++open;
    }
    if (open > 0) {
      note(std::to_string(open) +
           " NVTX ranges were still open at the end of the recording; they are shown up to this "
           "end");
    }
  }

  void read_overheads() {
    Rows rows = file_.rows("PROFILER_OVERHEAD", {"start", "end", "nameId"});
    while (rows.next()) {
      Overhead overhead;
      if (!take_times(rows, overhead)) continue;
      overhead.kind = overhead_kind(string(rows.number(2)));
      recording_.trace.overheads.push_back(std::move(overhead));
    }
  }

  void read_names() {
    std::set<std::string> programs;
    Rows processes = file_.rows("PROCESSES", {"globalPid", "name"});
    while (processes.next()) {
      if (processes_.contains(processes.number(0) >> thread_bits))
        programs.emplace(processes.text(1));
    }
    recording_.programs.assign(programs.begin(), programs.end());
    Rows threads = file_.rows("ThreadNames", {"globalTid", "nameId"});
    while (threads.next()) {
      const auto thread = static_cast<std::uint32_t>(threads.number(0) & thread_mask);
      recording_.thread_names[thread] = string(threads.number(1));
    }
  }

  void mark_synchronous_copies() {
    std::unordered_set<std::uint32_t> waited_for;
    for (const auto& call : recording_.trace.calls)
      if (call.correlation != 0 && waits(call.name)) waited_for.insert(call.correlation);
    for (auto& activity : recording_.trace.activities) {
      activity.synchronous =
          activity.kind == Activity::Kind::copy && waited_for.contains(activity.correlation);
    }
  }

  void finish() {
    auto& trace = recording_.trace;
    first_.finish(trace, "nsys profile --delay, --duration");
    close_ranges();
    sort_by_start(trace);
    // Before the driver's calls are dropped: a copy may belong to either.
    mark_synchronous_copies();
    drop_inner_calls(trace.calls);
    if (impossible_ > 0) {
      note(impossible_ == 1
               ? "1 row was left out: its times are invalid"
               : std::to_string(impossible_) + " rows were left out: their times are invalid");
    }
    if (unnamed_ > 0)
      note(std::to_string(unnamed_) + " of the kernels and calls have no name in the export");
  }

  void read_kernels() {
    Rows rows = file_.rows("CUPTI_ACTIVITY_KIND_KERNEL",
                           {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                            "globalPid", "demangledName", "shortName", "gridX", "gridY", "gridZ",
                            "blockX", "blockY", "blockZ", "registersPerThread",
                            "staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread"});
    while (rows.next()) {
      Activity kernel;
      if (!take_times(rows, kernel)) continue;
      take_place(rows, kernel);
      auto name = string(rows.number(7));
      if (name.empty()) name = string(rows.number(8));
      unnamed_ += name.empty() ? 1 : 0;
      kernel.name = name.empty() ? "unnamed kernel" : name;
      for (int axis = 0; axis < 3; ++axis) {
        kernel.grid[axis] = rows.small_number(9 + axis);
        kernel.block[axis] = rows.small_number(12 + axis);
      }
      kernel.registers_per_thread = rows.small_number(15);
      kernel.static_shared_bytes = rows.small_number(16);
      kernel.dynamic_shared_bytes = rows.small_number(17);
      kernel.local_bytes = rows.small_number(18);
      if (const auto limits = limits_.find(kernel.device); limits != limits_.end())
        set_residency(limits->second, kernel);
      recording_.trace.activities.push_back(std::move(kernel));
    }
  }

  void read_graphs() {
    Rows rows = file_.rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                           {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                            "globalPid", "graphId"});
    std::uint64_t graphs = 0;
    while (rows.next()) {
      Activity graph;
      if (!take_times(rows, graph)) continue;
      take_place(rows, graph);
      graph.name = "[CUDA graph " + std::to_string(rows.number(7)) + "]";
      recording_.trace.activities.push_back(std::move(graph));
      ++graphs;
    }
    if (graphs == 0) return;
    note(
        std::to_string(graphs) +
        " launches of CUDA graphs were recorded without their kernels (to record the kernels: nsys "
        "profile --cuda-graph-trace=node)");
  }

  void read_copies() {
    Rows rows = file_.rows("CUPTI_ACTIVITY_KIND_MEMCPY",
                           {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                            "globalPid", "bytes", "copyKind", "srcKind", "dstKind"});
    std::uint64_t unknown = 0;
    while (rows.next()) {
      Activity copy;
      copy.kind = Activity::Kind::copy;
      if (!take_times(rows, copy)) continue;
      take_place(rows, copy);
      copy.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows.number(7)));
      copy.name = copy_name(rows.number(8));
      // No finding blames device memory, so an unknown kind counts as that.
      copy.source = rows.has_number(9) ? memory_kind(rows.number(9)) : MemoryKind::device;
      copy.target = rows.has_number(10) ? memory_kind(rows.number(10)) : MemoryKind::device;
      if (!rows.has_number(9) || !rows.has_number(10)) ++unknown;
      recording_.trace.activities.push_back(std::move(copy));
    }
    if (unknown > 0)
      note(std::to_string(unknown) + " copies were recorded without their memory kinds");
  }

  void read_memsets() {
    Rows rows = file_.rows("CUPTI_ACTIVITY_KIND_MEMSET",
                           {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                            "globalPid", "bytes", "memKind"});
    while (rows.next()) {
      Activity memset;
      memset.kind = Activity::Kind::memset;
      memset.name = "memset";
      if (!take_times(rows, memset)) continue;
      take_place(rows, memset);
      memset.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows.number(7)));
      memset.target = rows.has_number(8) ? memory_kind(rows.number(8)) : MemoryKind::device;
      recording_.trace.activities.push_back(std::move(memset));
    }
  }

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

}  // namespace

GraphLaunches graph_launches(const Trace& trace) {
  std::unordered_set<std::uint32_t> seen;
  for (const auto& activity : trace.activities) seen.insert(activity.correlation);
  GraphLaunches launches;
  for (const auto& call : trace.calls) {
    const bool launch =
        call.name.starts_with("cudaGraphLaunch") || call.name.starts_with("cuGraphLaunch");
    if (!launch || call.correlation == 0) continue;
    ++launches.all;
    if (!seen.contains(call.correlation)) ++launches.unseen;
  }
  return launches;
}

Recording read_nsys(const std::string& file, std::size_t most_events) {
  return NsysReader(file, most_events).read();
}

}  // namespace apod::look
