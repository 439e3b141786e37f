#include "benchmarks/inspect/nsys_import.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "benchmarks/inspect/numbering.hpp"
#include "benchmarks/inspect/sqlite.hpp"

namespace apod::inspect {
namespace {

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
// Lower bits of a globalTid are the thread, the others are the process.
constexpr int thread_bits = 24;
constexpr std::int64_t thread_mask = (std::int64_t{1} << thread_bits) - 1;
// Beyond lies no time that a clock shows, and differences would not fit.
constexpr std::int64_t furthest_ns = std::int64_t{1} << 61;

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

/// "cudaMemcpyAsync" of "cudaMemcpyAsync_v3020".
std::string_view without_version(std::string_view name) {
  const auto digits = name.find_last_not_of("0123456789");
  const bool versioned = digits != std::string_view::npos && digits + 1 < name.size() &&
                         digits > 0 && name.substr(digits - 1, 2) == "_v";
  return versioned ? name.substr(0, digits - 1) : name;
}

/// Whether a copy made by this call is over when the call returns.
bool waits(std::string_view call) {
  const bool copies = call.starts_with("cudaMemcpy") || call.starts_with("cuMemcpy");
  return copies && call.find("Async") == std::string_view::npos;
}

template <class Item>
void sort_by_start(std::vector<Item>& items) {
  const auto before = [](const Item& a, const Item& b) { return a.start_ns < b.start_ns; };
  // Exports mostly are in order, and moving a million of them is what costs.
  if (!std::is_sorted(items.begin(), items.end(), before)) {
    std::stable_sort(items.begin(), items.end(), before);
  }
}

class Import {
 public:
  explicit Import(const std::string& path) : file_name_(path), file_(path) {}

  Recording read() {
    check_is_export();
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
  void finish();

  void drop_nested_driver_calls();
  void mark_synchronous_copies();

  std::string_view string(std::int64_t id) const {
    const auto found = strings_.find(id);
    return found == strings_.end() ? std::string_view{} : std::string_view(found->second);
  }
  /// The times in the first two columns; false, and the row is counted, where they can't be.
  template <class Item>
  bool take_times(const Rows& row, Item& item) {
    const auto start = row.number(0);
    const auto end = row.has(1) ? row.number(1) : start;
    const bool possible = row.has(0) && start > -furthest_ns && end < furthest_ns && start <= end;
    if (!possible) {
      ++impossible_;
      return false;
    }
    item.start_ns = start;
    item.end_ns = end;
    latest_ns_ = std::max(latest_ns_, end);
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
  Recording recording_;
  std::unordered_map<std::int64_t, std::string> strings_;
  StreamNumbers streams_;
  CorrelationNumbers correlations_;
  std::set<std::int64_t> processes_;  ///< that have rows
  std::int64_t latest_ns_ = 0;
  std::uint64_t impossible_ = 0;  ///< rows whose times can't be
};

void Import::check_is_export() {
  Rows entries = file_.rows("META_DATA_EXPORT", {"name", "value"});
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
                       ": is a profile of nvprof; only exports of Nsight Systems can be read");
  }
  // Old exports say no version; they have the table of strings, which every export has.
  if (recording_.schema.empty() && !file_.has_table("StringIds")) {
    throw BadRecording(file_name_ +
                       ": is an SQLite file, but no export of Nsight Systems; "
                       "nsys export --type sqlite makes one of a report");
  }
  if (recording_.schema.empty()) {
    note("the export does not tell the version of its schema; what was found in it is shown");
    return;
  }
  int major = 0;
  const char* begin = recording_.schema.data();
  const auto [end, error] = std::from_chars(begin, begin + recording_.schema.size(), major);
  if (error == std::errc{} && major == known_schema) return;
  throw BadRecording(file_name_ + ": its schema is '" + recording_.schema + "' and " +
                     std::to_string(known_schema) +
                     ".x is known here; export the report with another version of nsys");
}

void Import::read_strings() {
  Rows rows = file_.rows("StringIds", {"id", "value"});
  while (rows.next()) strings_.insert_or_assign(rows.number(0), std::string(rows.text(1)));
}

void Import::read_devices() {
  Rows rows =
      file_.rows("TARGET_INFO_GPU", {"id", "name", "uuid", "smCount", "maxWarpsPerSm",
                                     "threadsPerWarp", "computeMajor", "computeMinor",
                                     "memoryBandwidth", "totalMemory", "l2CacheSize", "clockRate"});
  while (rows.next()) {
    DeviceFacts device;
    const auto whole = [&](int column) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows.number(column)));
    };
    const auto small = [&](int column) {
      return static_cast<int>(std::min<std::uint64_t>(whole(column), 1 << 20));
    };
    device.backend = BackendKind::cuda;
    device.index = small(0);
    device.name = rows.text(1);
    device.uuid = rows.text(2);
    device.multiprocessors = small(3);
    device.max_threads_per_multiprocessor = small(4) * small(5);
    if (rows.has(6) && rows.has(7)) {
      device.compute_capability = std::to_string(small(6)) + "." + std::to_string(small(7));
    }
    device.peak_memory_bytes_per_s = static_cast<double>(whole(8));
    device.memory_bytes = whole(9);
    device.l2_bytes = whole(10);
    device.max_sm_clock_mhz =
        static_cast<int>(std::min<std::uint64_t>(whole(11) / 1000000, 1 << 20));
    recording_.devices.push_back(std::move(device));
  }
  std::stable_sort(recording_.devices.begin(), recording_.devices.end(),
                   [](const auto& a, const auto& b) { return a.index < b.index; });
}

void Import::read_kernels() {
  Rows rows = file_.rows(
      "CUPTI_ACTIVITY_KIND_KERNEL",
      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
       "demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
       "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread"});
  while (rows.next()) {
    Activity kernel;
    if (!take_times(rows, kernel)) continue;
    take_place(rows, kernel);
    auto name = string(rows.number(7));
    if (name.empty()) name = string(rows.number(8));
    kernel.name = name.empty() ? "unnamed kernel" : name;
    for (int axis = 0; axis < 3; ++axis) {
      kernel.grid[axis] = rows.small_number(9 + axis);
      kernel.block[axis] = rows.small_number(12 + axis);
    }
    kernel.registers_per_thread = rows.small_number(15);
    kernel.static_shared_bytes = rows.small_number(16);
    kernel.dynamic_shared_bytes = rows.small_number(17);
    kernel.local_bytes = rows.small_number(18);
    recording_.trace.activities.push_back(std::move(kernel));
  }
}

void Import::read_graphs() {
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
  note(std::to_string(graphs) +
       " launches of CUDA graphs were recorded as a whole, without their kernels (nsys profile "
       "--cuda-graph-trace=node records those)");
}

void Import::read_copies() {
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
    // Device memory says nothing against a copy, so that is what an unknown kind is taken for.
    copy.source = rows.has(9) ? memory_kind(rows.number(9)) : MemoryKind::device;
    copy.target = rows.has(10) ? memory_kind(rows.number(10)) : MemoryKind::device;
    if (!rows.has(9) || !rows.has(10)) ++unknown;
    recording_.trace.activities.push_back(std::move(copy));
  }
  if (unknown > 0) note(std::to_string(unknown) + " copies do not tell their kinds of memory");
}

void Import::read_memsets() {
  Rows rows =
      file_.rows("CUPTI_ACTIVITY_KIND_MEMSET", {"start", "end", "deviceId", "contextId", "streamId",
                                                "correlationId", "globalPid", "bytes", "memKind"});
  while (rows.next()) {
    Activity memset;
    memset.kind = Activity::Kind::memset;
    memset.name = "memset";
    if (!take_times(rows, memset)) continue;
    take_place(rows, memset);
    memset.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows.number(7)));
    memset.target = rows.has(8) ? memory_kind(rows.number(8)) : MemoryKind::device;
    recording_.trace.activities.push_back(std::move(memset));
  }
}

void Import::read_calls() {
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
    const auto name = without_version(string(rows.number(3)));
    call.name = name.empty() ? "unnamed call" : name;
    call.correlation = correlations_.number(process, rows.small_number(4));
    call.driver = rows.number(5) == driver_call;
    if (const auto error = rows.number(6); error != 0 && error != not_ready) {
      if (failed++ == 0) first_failed = call.name + " with error " + std::to_string(error);
    }
    recording_.trace.calls.push_back(std::move(call));
  }
  if (failed > 0) {
    note(std::to_string(failed) + " CUDA calls failed; the first: " + first_failed);
  }
}

void Import::read_synchronizations() {
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

void Import::read_ranges() {
  const std::vector<std::string> columns{"start", "end",    "eventType", "globalTid",
                                         "text",  "textId", "domainId"};
  const auto text_of = [&](const Rows& row) {
    return row.has(5) ? std::string(string(row.number(5))) : std::string(row.text(4));
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> domains;
  Rows rows = file_.rows("NVTX_EVENTS", columns);
  while (rows.next()) {
    if (rows.number(2) != domain_create) continue;
    domains[{rows.number(3) >> thread_bits, rows.number(6)}] = text_of(rows);
  }
  std::vector<std::size_t> open;
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
    if (const auto domain = domains.find({process, rows.number(6)}); domain != domains.end()) {
      range.domain = domain->second;
    }
    if (type != mark && !rows.has(1)) open.push_back(recording_.trace.ranges.size());
    recording_.trace.ranges.push_back(std::move(range));
  }
  for (const auto index : open) recording_.trace.ranges[index].end_ns = latest_ns_;
  if (!open.empty()) {
    note(std::to_string(open.size()) +
         " NVTX ranges had not ended with the recording; they are shown up to its end");
  }
}

void Import::read_overheads() {
  Rows rows = file_.rows("PROFILER_OVERHEAD", {"start", "end", "nameId"});
  while (rows.next()) {
    Overhead overhead;
    if (!take_times(rows, overhead)) continue;
    overhead.kind = string(rows.number(2));
    recording_.trace.overheads.push_back(std::move(overhead));
  }
}

void Import::read_names() {
  std::set<std::string> programs;
  Rows processes = file_.rows("PROCESSES", {"globalPid", "name"});
  while (processes.next()) {
    if (processes_.contains(processes.number(0) >> thread_bits)) {
      programs.emplace(processes.text(1));
    }
  }
  recording_.programs.assign(programs.begin(), programs.end());
  Rows threads = file_.rows("ThreadNames", {"globalTid", "nameId"});
  while (threads.next()) {
    const auto thread = static_cast<std::uint32_t>(threads.number(0) & thread_mask);
    recording_.thread_names[thread] = string(threads.number(1));
  }
}

void Import::drop_nested_driver_calls() {
  std::unordered_map<std::uint32_t, std::int64_t> runtime_end;  // of the last call, by thread
  std::erase_if(recording_.trace.calls, [&](const ApiCall& call) {
    auto& end = runtime_end.try_emplace(call.thread, std::numeric_limits<std::int64_t>::min())
                    .first->second;
    if (!call.driver) {
      end = std::max(end, call.end_ns);
      return false;
    }
    return call.end_ns <= end;
  });
}

void Import::mark_synchronous_copies() {
  std::unordered_set<std::uint32_t> waited_for;
  for (const auto& call : recording_.trace.calls) {
    if (call.correlation != 0 && waits(call.name)) waited_for.insert(call.correlation);
  }
  for (auto& activity : recording_.trace.activities) {
    activity.synchronous =
        activity.kind == Activity::Kind::copy && waited_for.contains(activity.correlation);
  }
}

void Import::finish() {
  auto& trace = recording_.trace;
  sort_by_start(trace.activities);
  sort_by_start(trace.calls);
  sort_by_start(trace.ranges);
  sort_by_start(trace.synchronizations);
  sort_by_start(trace.overheads);
  // Before the driver's calls go: a copy may be known by either.
  mark_synchronous_copies();
  drop_nested_driver_calls();
  if (impossible_ > 0) {
    note(std::to_string(impossible_) + " rows were left out: their times can't be");
  }
}

}  // namespace

Recording read_nsys(const std::string& file) {
  return Import(file).read();
}

}  // namespace apod::inspect
