#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/json_source.hpp"
#include "benchmarks/files/recording_file.hpp"
#include "kernels/api/demangle.hpp"
#include "kernels/data/fnv.hpp"

namespace apod::files {
namespace {

using record::Json;

/// One element of "traceEvents", as far as anybody reads it.
struct KinetoEvent {
  std::string phase, category, name;
  std::int64_t start_ns = 0;
  bool is_placed = false;  ///< has a start
  std::optional<double> length_us;
  std::string process, thread;
  std::map<std::string, double> args;                   ///< numbers
  std::array<std::array<std::uint32_t, 3>, 2> shape{};  ///< grid, block
  std::string thread_name;
  // Of torch.distributed: "_allgather_base", "BFloat16", and the name and ranks of the group.
  std::string collective, element, group;

  double arg(const char* key) const {
    const auto found = args.find(key);
    return found == args.end() ? 0 : found->second;
  }
};

/// Differences of such times, and of those after the longest events, fit their type.
constexpr std::int64_t latest_us = INT64_MAX / 4000;

/// Microseconds in decimal, "1712195495519689.345", as ns; digits beyond are cut. What is written
/// in another way is rounded.
std::int64_t ns_of(std::string_view text, double value) {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  std::int64_t us = 0;
  const auto [stop, error] = std::from_chars(whole.data(), whole.data() + whole.size(), us);
  if (error != std::errc{} || stop != whole.data() + whole.size() || us > latest_us ||
      us < -latest_us) {
    return std::abs(value) < 1.0 * latest_us ? std::llround(value * 1000) : 0;
  }
  std::int64_t ns = 0;
  for (std::size_t i = 1; i <= 3; ++i) {
    const bool there = point != std::string_view::npos && point + i < text.size() &&
                       std::isdigit(static_cast<unsigned char>(text[point + i])) != 0;
    ns = 10 * ns + (there ? text[point + i] - '0' : 0);
  }
  return us * 1000 + ns;
}

MemoryKind memory_of(std::string_view word) {
  if (word == "Pageable") return MemoryKind::pageable;
  if (word == "Pinned") return MemoryKind::pinned;
  return MemoryKind::device;
}

/// The call behind a kernel of NCCL as NCCL tells it, with the bytes of one rank; those that an
/// exchange sends to each. Without bytes if the call is not known.
NvtxRange nccl_call(const KinetoEvent& event) {
  auto name = text::lower(event.collective);
  std::erase(name, '_');
  const char* call = name.starts_with("allreduce")       ? "ncclAllReduce"
                     : name.starts_with("allgather")     ? "ncclAllGather"
                     : name.starts_with("reducescatter") ? "ncclReduceScatter"
                     : name.starts_with("alltoall")      ? "ncclAlltoAll"
                     : name.starts_with("broadcast")     ? "ncclBroadcast"
                     : name.starts_with("reduce")        ? "ncclReduce"
                                                         : nullptr;
  const auto type = text::lower(event.element);
  const int size = text::begins_with_any(type, {"float8", "char", "byte", "bool"}) ? 1
                   : text::begins_with_any(type, {"bfloat16", "half", "short"})    ? 2
                   : text::begins_with_any(type, {"float", "int"})                 ? 4
                   : text::begins_with_any(type, {"double", "long"})               ? 8
                                                                                   : 0;
  const double in = event.arg("In msg nelems");
  const double out = event.arg("Out msg nelems");
  const double ranks = std::clamp(event.arg("Group size"), 0.0, 1e6);
  const double part = in > 0 && out > 0 ? std::min(in, out) : std::max(in, out);
  const double bytes = part * size / (name.starts_with("alltoall") ? ranks : 1);
  if (call == nullptr || ranks < 2 || !(bytes >= 1 && bytes < 1e18)) return {};
  return {.domain = "NCCL",
          .name = call,
          .bytes = static_cast<std::uint64_t>(bytes),
          .communicator = event.group.empty() ? 0 : Fnv1a().add(event.group).value(),
          .ranks = static_cast<std::uint32_t>(ranks)};
}

/// Puts events into a recording.
class KinetoTrace {
 public:
  explicit KinetoTrace(std::size_t most_events) : first_(most_events) {}
  void add(const KinetoEvent& event) {
    if (event.phase == "M" && event.name == "thread_name") {
      // "thread 12 (pt_autograd_0)"
      std::string_view name = event.thread_name;
      if (name.ends_with(')') && name.find('(') != name.npos)
        name = name.substr(name.find('(') + 1, name.size() - name.find('(') - 2);
      recording_.thread_names[thread_of(event)] = name;
      return;
    }
    if (event.phase != "X") return;
    constexpr double longest_us = 1e12;
    if (!event.is_placed || !event.length_us || !(*event.length_us >= 0) ||
        *event.length_us > longest_us) {
      ++without_time_;
      return;
    }
    const auto kind = text::lower(event.category);
    const auto from = event.start_ns;
    const auto to = from + std::llround(*event.length_us * 1000);
    auto& trace = recording_.trace;
    constexpr std::array are_read{"kernel",      "gpu_memcpy", "gpu_memset",      "cuda_runtime",
                                  "cuda_driver", "runtime",    "user_annotation", "overhead"};
    if (std::ranges::find(are_read, kind) == are_read.end() || !first_.takes(trace, from)) return;
    if (kind == "kernel" || kind == "gpu_memcpy" || kind == "gpu_memset") {
      add_operation(event, kind, from, to);
    } else if (kind == "cuda_runtime" || kind == "cuda_driver" || kind == "runtime") {
      trace.calls.push_back(
          {event.name, kind == "cuda_driver", from, to, thread_of(event), correlation_of(event)});
    } else if (kind == "user_annotation") {
      trace.ranges.push_back({"", event.name, from, to, thread_of(event)});
    } else if (kind == "overhead") {
      trace.overheads.push_back({text::lower(event.name), from, to});
    }
  }
  void add_device(const KinetoEvent& device) {
    DeviceFacts facts;
    facts.backend = BackendKind::cuda;
    facts.index = static_cast<int>(std::clamp(device.arg("id"), 0.0, 1023.0));
    facts.name = device.name;
    const auto count = [&](const char* key) {
      return static_cast<int>(std::clamp(device.arg(key), 0.0, 32768.0));
    };
    facts.multiprocessors = count("numSms");
    facts.max_threads_per_multiprocessor = count("maxThreadsPerMultiprocessor");
    if (device.args.contains("computeMajor")) {
      facts.compute_capability =
          std::to_string(count("computeMajor")) + "." + std::to_string(count("computeMinor"));
    }
    recording_.devices.push_back(std::move(facts));
  }
  Recording take() {
    auto& trace = recording_.trace;
    for (const auto& call : trace.calls) {
      const auto found = collectives_.find(call.correlation);
      if (call.correlation == 0 || found == collectives_.end()) continue;
      auto& range = trace.ranges.emplace_back(found->second);
      range.start_ns = call.start_ns;
      range.end_ns = call.end_ns;
      range.thread = call.thread;
    }
    first_.finish(trace, "a schedule of the profiler");
    begin_at_zero(trace);
    if (without_time_ > 0) {
      trace.notes.push_back(text::counted(without_time_, "event") +
                            " left out: the start or the length is missing or invalid");
    }
    if (distributed["world_size"] > 1) {
      trace.notes.push_back(
          "this is rank " + text::format_count(distributed["rank"]) + " of " +
          text::format_count(distributed["world_size"]) + "; each other rank has its own file" +
          (collectives_.empty() ? "" : ", so a collective's time includes waits for other ranks"));
    }
    // What AMD's devices tell is no compute capability: 9.4 is gfx94x.
    for (auto& device : recording_.devices) {
      if (of_hip) device.compute_capability.clear();
      if (of_hip && device.name.empty()) device.name = "AMD GPU";
    }
    recording_.producer = "PyTorch's profiler";
    recording_.schema = "Kineto";
    return std::move(recording_);
  }

  std::map<std::string, double> distributed;  ///< "rank", "world_size"
  bool of_hip = false;                        ///< of AMD's devices

 private:
  /// 0 if it has none. Of one that does not fit, the lower half, which its neighbours don't share.
  static std::uint32_t correlation_of(const KinetoEvent& event) {
    const auto id = std::clamp(event.arg("correlation"), 0.0, 1e18);
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(id));
  }
  void add_operation(const KinetoEvent& event, const std::string& kind, std::int64_t from,
                     std::int64_t to) {
    auto& activity = recording_.trace.activities.emplace_back();
    activity.name = demangled_if_short(event.name);
    activity.start_ns = from;
    activity.end_ns = to;
    activity.device = static_cast<std::uint32_t>(std::clamp(event.arg("device"), 0.0, 1023.0));
    activity.stream = static_cast<std::uint32_t>(std::clamp(event.arg("stream"), 0.0, 1e9));
    activity.correlation = correlation_of(event);
    activity.bytes = static_cast<std::uint64_t>(std::clamp(event.arg("bytes"), 0.0, 1e18));
    if (kind == "kernel") {
      if (auto call = nccl_call(event); call.bytes > 0)
        collectives_[activity.correlation] = std::move(call);
      activity.grid = event.shape[0];
      activity.block = event.shape[1];
      activity.registers_per_thread =
          static_cast<std::uint32_t>(std::clamp(event.arg("registers per thread"), 0.0, 1e6));
      activity.dynamic_shared_bytes =
          static_cast<std::uint32_t>(std::clamp(event.arg("shared memory"), 0.0, 1e9));
      return;
    }
    activity.kind = kind == "gpu_memcpy" ? Activity::Kind::copy : Activity::Kind::memset;
    if (activity.kind == Activity::Kind::memset) activity.name = "memset";
    // "Memcpy HtoD (Pageable -> Device)"
    const std::string_view name = event.name;
    const auto open = name.find(" (");
    const auto arrow = name.find(" -> ");
    if (!name.starts_with("Memcpy ") || open == name.npos || arrow == name.npos || arrow < open)
      return;
    activity.name = name.substr(7, open - 7);
    activity.source = memory_of(name.substr(open + 2, arrow - open - 2));
    activity.target = memory_of(name.substr(arrow + 4, name.size() - arrow - 5));
  }
  /// The thread's own number, unless another process has it.
  std::uint32_t thread_of(const KinetoEvent& event) {
    const auto [found, is_new] = threads_.try_emplace({event.process, event.thread}, 0);
    if (is_new) {
      std::uint32_t number = 0;
      std::from_chars(event.thread.data(), event.thread.data() + event.thread.size(), number);
      if (!taken_.insert(number).second) {
        while (!taken_.insert(next_).second) ++next_;
        number = next_;
      }
      found->second = number;
    }
    return found->second;
  }

  Recording recording_;
  FirstEvents first_;
  std::size_t without_time_ = 0;
  std::map<std::pair<std::string, std::string>, std::uint32_t> threads_;
  std::unordered_set<std::uint32_t> taken_;
  std::uint32_t next_ = 1;                          ///< all from 1 to the one below are taken
  std::map<std::uint32_t, NvtxRange> collectives_;  ///< by correlation, without their times
};

/// Hears the file and puts its events together: an element of an array at the top, its members, and
/// those of its "args".
class KinetoReader : public JsonEvents {
 public:
  explicit KinetoReader(std::size_t most_events) : trace(most_events) {}
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return number(value, text);
  }
  bool string(string_t& text) override {
    if (is_device_) {
      if (key_ == "name") event_.name = text;
    } else if (in_args_) {
      if (key_ == "name") event_.thread_name = text;
      if (key_ == "Collective name") event_.collective = text;
      if (key_ == "dtype") event_.element = text;
      if (key_ == "Process Group Name" || key_ == "Process Group Ranks") event_.group += text + ' ';
    } else if (depth_ == event_depth_) {
      if (key_ == "ph") event_.phase = text;
      if (key_ == "cat") event_.category = text;
      if (key_ == "name") event_.name = text;
      if (key_ == "pid") event_.process = text;
      if (key_ == "tid") event_.thread = text;
      if (key_ == "ts" || key_ == "dur") {
        const auto value = text::leading_number(text);
        return !value || !value->second.empty() || number(value->first, text);
      }
    }
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ == event_depth_ && (top_ == "traceEvents" || top_ == "deviceProperties")) {
      event_ = {};
      is_device_ = top_ == "deviceProperties";
    } else if (depth_ == event_depth_ + 1 && key_ == "args") {
      in_args_ = true;
    }
    return true;
  }
  bool key(string_t& name) override {
    key_ = name;
    if (depth_ == 1) top_ = name;
    if (depth_ == 1 && name.starts_with("hip_")) trace.of_hip = true;
    return true;
  }
  bool end_object() override {
    if (depth_ == event_depth_ + 1) in_args_ = false;
    if (depth_ == event_depth_ && top_ == "traceEvents") trace.add(event_);
    if (depth_ == event_depth_ && top_ == "deviceProperties") trace.add_device(event_);
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    has_events = has_events || (depth_ == 2 && top_ == "traceEvents");
    place_ = 0;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

  KinetoTrace trace;
  bool has_events = false;

 private:
  bool number(double value, const std::string& text) {
    if (in_args_ && depth_ == event_depth_ + 2) {
      // The only arrays that are read: three numbers each.
      const std::size_t which = key_ == "grid" ? 0 : 1;
      if ((key_ == "grid" || key_ == "block") && place_ < 3)
        event_.shape[which][place_++] = static_cast<std::uint32_t>(std::clamp(value, 0.0, 4e9));
    } else if (in_args_ || (is_device_ && depth_ == event_depth_)) {
      event_.args[key_] = value;
    } else if (depth_ == 2 && top_ == "distributedInfo") {
      trace.distributed[key_] = value;
    } else if (depth_ == event_depth_) {
      if (key_ == "ts") {
        event_.start_ns = ns_of(text, value);
        event_.is_placed = std::abs(value) < 1.0 * latest_us;
      }
      if (key_ == "dur" && !std::isnan(value)) event_.length_us = value;
      if (key_ == "pid") event_.process = text;
      if (key_ == "tid") event_.thread = text;
    }
    return true;
  }

  static constexpr int event_depth_ = 3;  ///< object, array, object
  int depth_ = 0;
  std::string top_, key_;
  KinetoEvent event_;
  bool in_args_ = false;
  bool is_device_ = false;
  std::size_t place_ = 0;
};

/// Drops the ranges of a file that is cut off if their launches may be missing in the file.
void drop_cut_ranges(Trace& trace) {
  std::unordered_set<std::uint32_t> known;
  for (const auto& activity : trace.activities) known.insert(activity.correlation);
  known.erase(0);
  std::int64_t last = INT64_MIN;  // launch of an operation that is told
  std::int64_t cut = INT64_MIN;   // the first launch behind it
  for (const auto& call : trace.calls) {
    if (known.contains(call.correlation)) last = call.start_ns;
    if (cut <= last && call.start_ns > last && call.name.find("Launch") != call.name.npos)
      cut = call.start_ns;
  }
  cut = std::max(cut, last);
  std::erase_if(trace.ranges, [&](const NvtxRange& range) { return range.end_ns > cut; });
}

}  // namespace

bool is_kineto(const std::string& file) {
  os::InputFile in(file);
  std::string block(64 * 1024, '\0');
  const auto has = [&](const char* key) { return block.find(key) != std::string::npos; };
  constexpr std::streamsize kept = 32;  // a key may begin in the block before
  for (auto* to = block.data(); in; to = block.data() + kept) {
    in.read(to, block.data() + block.size() - to);
    std::fill(to + in.gcount(), block.data() + block.size(), '\0');
    if (has("\"apod_recording\"")) return false;
    if (has("\"traceEvents\"") || has("\"deviceProperties\"")) return true;
    std::copy(block.end() - kept, block.end(), block.begin());
  }
  return false;
}

Recording read_kineto(const std::string& file, std::size_t most_events) {
  constexpr std::size_t deepest = 64;
  KinetoReader reader(most_events);
  os::InputFile in(file);
  const auto end = JsonSource(
                       in, reader, [] { return nullptr; }, deepest)
                       .read();
  auto recording = reader.trace.take();
  const auto& trace = recording.trace;
  if (end != JsonSource::End::whole) {
    if (trace.activities.empty())
      throw BadResult(file + ": is not a trace of PyTorch's profiler, or is damaged");
    drop_cut_ranges(recording.trace);
    recording.trace.notes.push_back(
        "the file is cut off: bench shows the part before the cut, without the ranges that were "
        "still open at the cut");
  }
  if (!reader.has_events || (trace.activities.empty() && trace.calls.empty())) {
    throw BadResult(file + ": has neither a device operation nor a CUDA call" +
                    text::in_brackets(trace.notes.empty() ? "" : trace.notes[0]) +
                    "; record with "
                    "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
  }
  return recording;
}

}  // namespace apod::files
