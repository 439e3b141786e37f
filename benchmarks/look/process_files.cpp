#include "benchmarks/look/process_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/look/numbering.hpp"
#include "benchmarks/look/residency.hpp"
#include "kernels/api/api_calls.hpp"

namespace apod::look {
namespace {

namespace fs = std::filesystem;

/// A process writes a line every 0.05 s.
constexpr std::size_t longest_line = std::size_t{256} << 20;

/// One file, read.
struct ProcessRecord {
  std::string name;     ///< of the file
  ProcessPart all;      ///< its parts, put together
  bool broken = false;  ///< it ends within a line, or in one that can't be read
  std::string why;      ///< it can't be read
};

template <class Item>
void append(std::vector<Item>& to, std::vector<Item>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void append(Trace& to, Trace&& from) {
  append(to.activities, std::move(from.activities));
  append(to.calls, std::move(from.calls));
  append(to.synchronizations, std::move(from.synchronizations));
  append(to.ranges, std::move(from.ranges));
  append(to.overheads, std::move(from.overheads));
  append(to.notes, std::move(from.notes));
}

void append(ProcessPart&& part, ProcessPart& all) {
  // The first part's clock holds for all: a difference that changes would move equal times apart.
  if (all.process == 0) {
    all.process = part.process;
    all.program = part.program;
    all.clock_ns = part.clock_ns;
  }
  if (all.clock_ns == 0) all.clock_ns = part.clock_ns;
  all.last = all.last || part.last;
  append(all.devices, std::move(part.devices));
  append(all.threads, std::move(part.threads));
  append(all.trace, std::move(part.trace));
}

ProcessRecord read_process(const fs::path& path) {
  ProcessRecord record{.name = path.filename().string()};
  try {
    os::InputFile file(path.string());
    std::string line;
    while (!record.broken && os::next_line(file, line, longest_line)) {
      // What is before the end of the file is a line to it, too.
      record.broken = file.eof();
      if (!record.broken) append(record::decode_process_part(line), record.all);
    }
  } catch (const std::runtime_error& error) {
    record.broken = true;
    record.why = error.what();
  }
  return record;
}

class Merger {
 public:
  void add(ProcessRecord&& record) {
    auto& [name, all, broken, why] = record;
    auto& trace = all.trace;
    if (all.process == 0) {  // killed before its first line, or no file of ours
      notes_.emplace_back("", name + ": " + (why.empty() ? "has no complete part" : why));
      return;
    }
    shift(trace, all.clock_ns);
    const auto span = span_.with(span_of(trace));
    if (span.is_too_long()) {
      notes_.emplace_back("", name + ": left out, because its times don't fit the other processes");
      return;
    }
    span_ = span;
    programs_.insert(all.program);
    const auto who = all.program + " (process " + std::to_string(all.process) + ")";
    for (auto& note : std::exchange(trace.notes, {})) notes_.emplace_back(who, std::move(note));
    if (broken || !all.last) {
      notes_.emplace_back(
          who, why.empty() ? "the process did not end normally: its last 0.05 s may be missing"
                           : "the rest of the recording is missing: " + why);
    }
    join_calls(trace);
    number_devices(all);
    number(trace);
    add_spans(trace);
    for (auto& named : all.threads) {
      named.thread = threads_.number(static_cast<std::int64_t>(processes_), 0, named.thread);
      recording_.thread_names[named.thread] = std::move(named.name);
    }
    append(recording_.trace, std::move(trace));
    ++processes_;
  }

  Recording finish() {
    auto& trace = recording_.trace;
    begin_at_zero(trace);
    for (const auto& [device, spans] : spans_) note_sharing(device, spans);
    for (auto& [who, note] : notes_)
      trace.notes.push_back(processes_ > 1 && !who.empty() ? who + ": " + note : std::move(note));
    recording_.programs.assign(programs_.begin(), programs_.end());
    return std::move(recording_);
  }

 private:
  void add_spans(const Trace& trace) {
    std::map<std::uint32_t, TimeSpan> own;
    for (const auto& activity : trace.activities) {
      auto& span = own[activity.device];
      span = span.with({activity.start_ns, activity.end_ns});
    }
    for (const auto& [device, span] : own) spans_[device].push_back(span);
  }

  /// A process that comes after another shares nothing with it.
  void note_sharing(std::uint32_t device, const std::vector<TimeSpan>& spans) {
    const auto longest = *std::ranges::max_element(spans, [](const TimeSpan& a, const TimeSpan& b) {
      return a.end_ns - a.start_ns < b.end_ns - b.start_ns;
    });
    const auto sharing = std::ranges::count_if(spans, [&](const TimeSpan& one) {
      return one.start_ns < longest.end_ns && longest.start_ns < one.end_ns;
    });
    if (sharing < 2) return;
    recording_.trace.notes.push_back(std::to_string(sharing) + " processes used device " +
                                     std::to_string(device) +
                                     " at the same time: the steps are from one process, but the "
                                     "device also worked for the others");
  }

  /// What belongs to a driver's call within a runtime's belongs to that.
  static void join_calls(Trace& trace) {
    const auto outer_of = drop_inner_calls(trace.calls);
    for (auto& activity : trace.activities) {
      const auto outer = outer_of.find(activity.correlation);
      if (outer != outer_of.end()) activity.correlation = outer->second;
    }
  }

  /// CUDA_VISIBLE_DEVICES numbers anew in each process.
  void number_devices(ProcessPart& all) {
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (auto& [facts, limits] : all.devices) {
      const auto own = static_cast<std::uint32_t>(facts.index);
      if (numbers.contains(own)) continue;
      const auto used = [&](const Activity& activity) { return activity.device == own; };
      const auto& activities = all.trace.activities;
      if (std::ranges::none_of(activities, used)) continue;
      numbers[own] = number_of(std::move(facts), limits);
    }
    for (auto& activity : all.trace.activities) {
      if (const auto known = numbers.find(activity.device); known != numbers.end())
        activity.device = known->second;
      const auto limits = limits_.find(activity.device);
      if (activity.kind == Activity::Kind::kernel && limits != limits_.end())
        set_residency(limits->second, activity);
    }
  }

  std::uint32_t number_of(DeviceFacts facts, const MultiprocessorLimits& limits) {
    auto& devices = recording_.devices;
    for (const auto& known : devices)
      if (known.uuid == facts.uuid) return static_cast<std::uint32_t>(known.index);
    const auto taken = [&](int index) {
      return std::ranges::any_of(devices, [&](const auto& known) { return known.index == index; });
    };
    if (taken(facts.index)) {
      facts.index = 0;
      while (taken(facts.index)) ++facts.index;
    }
    const auto index = static_cast<std::uint32_t>(facts.index);
    limits_[index] = limits;
    devices.push_back(std::move(facts));
    std::ranges::sort(devices, [](const auto& a, const auto& b) { return a.index < b.index; });
    return index;
  }

  /// By the file: a process that becomes another program keeps its number and gets a second file.
  void number(Trace& trace) {
    const auto process = static_cast<std::int64_t>(processes_);
    for (auto& activity : trace.activities) {
      activity.stream = streams_.number(process, 0, activity.stream);
      activity.correlation = correlations_.number(process, activity.correlation);
    }
    for (auto& call : trace.calls) {
      call.correlation = correlations_.number(process, call.correlation);
      call.thread = threads_.number(process, 0, call.thread);
    }
    for (auto& range : trace.ranges) range.thread = threads_.number(process, 0, range.thread);
    for (auto& wait : trace.synchronizations)
      if (wait.stream != 0) wait.stream = streams_.number(process, 0, wait.stream);
  }

  Recording recording_;
  std::set<std::string> programs_;
  std::vector<std::pair<std::string, std::string>> notes_;  ///< whose, and what
  std::map<std::uint32_t, MultiprocessorLimits> limits_;    ///< by index of the device
  TimeSpan span_;                                           ///< of all processes
  std::map<std::uint32_t, std::vector<TimeSpan>> spans_;  ///< one a process, by index of the device
  StreamNumbers streams_;
  StreamNumbers threads_;  ///< of two nodes or containers some may have the same number
  CorrelationNumbers correlations_;
  std::size_t processes_ = 0;
};

}  // namespace

Recording read_process_files(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".parts") files.push_back(entry.path());
  std::ranges::sort(files);
  Merger merger;
  for (const auto& file : files) merger.add(read_process(file));
  return merger.finish();
}

}  // namespace apod::look
