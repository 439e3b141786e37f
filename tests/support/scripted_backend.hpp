#pragma once

/// \file
/// A backend whose kernels take exactly the time that a test chooses, so that sampling, baselines
/// and expectations can be tested without a clock.

#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/api/registry.hpp"

namespace apod::test {

/// What the device does; the test holds it and may change it while the backend lives.
struct Script {
  std::function<double(int call)> kernel_seconds = [](int) { return 1e-3; };
  std::function<ClockReading()> clock = [] { return ClockReading{}; };
  std::function<double()> held_mhz = [] { return 0.0; };
  std::function<double()> energy;     ///< the counter, J; empty: there is none
  std::optional<unsigned> processes;  ///< that have work on the device
  bool can_block = true;
  int good_unblocks = 0;    ///< before the failed ones
  int failed_unblocks = 0;  ///< so many holds end by themselves
  bool has_graphs = true;
  int allocations = std::numeric_limits<int>::max();     ///< before memory is out
  std::function<void(int call)> on_kernel = [](int) {};  ///< may throw
  std::function<void()> on_copy = [] {};                 ///< of one byte or more

  int kernels = 0;
  int flushes = 0;
  int blocks = 0;
  int captures = 0;
  int graph_launches = 0;
  int expected_traces = 0;  ///< calls of expect_traces
  int kernels_before = 0;   ///< run before the first of them
  int traces = 0;
  int counts = 0;  ///< calls of count
  bool has_counters = true;
  std::function<void()> on_profiler_start = [] {};
  int profiler_stops = 0;
  double now = 0;  ///< seconds of device time
  int entered_threads = 0;
  std::mutex mutex;  ///< for what several threads that enqueue at once may change
};

class ScriptedStream : public Stream {
 public:
  explicit ScriptedStream(Script& script) : script_(script) {}
  void synchronize() override {}
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(this); }
  void run_kernel() {
    int call = 0;
    {
      const std::lock_guard lock(script_.mutex);
      call = script_.kernels++;
    }
    script_.on_kernel(call);
    const std::lock_guard lock(script_.mutex);
    script_.now += script_.kernel_seconds(call);
  }

 private:
  Script& script_;
};

class ScriptedBackend : public Backend {
 public:
  explicit ScriptedBackend(Script& script) : script_(script) {}
  BackendKind kind() const override { return BackendKind::host; }
  DeviceFacts facts() const override {
    DeviceFacts facts;
    facts.name = "scripted device";
    facts.peak_memory_bytes_per_s = 1e9;
    return facts;
  }
  void enter_thread() override {
    const std::lock_guard lock(script_.mutex);
    ++script_.entered_threads;
  }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, MemoryKind) override {
    if (bytes > (std::size_t{1} << 32) || --script_.allocations < 0) {
      throw BackendError(BackendError::Code::out_of_memory, "out of scripted memory");
    }
    return std::make_unique<Memory>(bytes);
  }
  std::unique_ptr<Stream> create_stream(std::string_view) override {
    return std::make_unique<ScriptedStream>(script_);
  }
  std::unique_ptr<Event> create_event() override { return std::make_unique<Moment>(script_); }
  void copy(void* target, const void* source, std::size_t bytes, Stream&) override {
    if (bytes > 0) script_.on_copy();
    if (bytes > 0) std::memcpy(target, source, bytes);
  }
  void fill(void* target, std::uint8_t byte, std::size_t bytes, Stream&) override {
    if (bytes > 0) std::memset(target, byte, bytes);
  }
  void flush_cache(Stream&, CacheMode mode) override {
    if (mode != CacheMode::hot) ++script_.flushes;
  }
  void synchronize() override {}
  double seconds_between(const Event& start, const Event& stop) override {
    return static_cast<const Moment&>(stop).time - static_cast<const Moment&>(start).time;
  }
  bool block(Stream&) override {
    if (script_.can_block) ++script_.blocks;
    return script_.can_block;
  }
  bool unblock() override { return script_.good_unblocks-- > 0 || script_.failed_unblocks-- <= 0; }
  double held_clock_mhz() override { return script_.held_mhz(); }
  std::unique_ptr<Graph> capture(Stream&, const std::function<void()>& enqueue) override {
    if (!script_.has_graphs) return nullptr;
    ++script_.captures;
    return std::make_unique<Recording>(script_, enqueue);
  }
  ClockReading clock() override { return script_.clock(); }
  double energy() override { return script_.energy ? script_.energy() : Backend::energy(); }
  std::optional<unsigned> processes() override { return script_.processes; }
  void expect_traces() override {
    if (script_.expected_traces++ == 0) script_.kernels_before = script_.kernels;
  }
  Trace trace(const std::function<void()>& work) override {
    ++script_.traces;
    work();
    Activity kernel;
    kernel.name = "scripted";
    kernel.end_ns = 1000;
    kernel.code = 0xabc;
    return {{kernel}, {"a note of the tracer"}};
  }
  Counters count(const std::vector<std::string>& metrics, const std::function<void()>& before,
                 const std::function<void()>& work) override {
    ++script_.counts;
    for (int pass = 0; pass < 3; ++pass) {
      before();
      work();
    }
    if (!script_.has_counters) return {{}, {"nothing counted: the script has none"}};
    KernelCounters kernel{"scripted", {0, 0, 0}, {0, 0, 0}, {}};
    kernel.values = {{"duration", 1e-6}, {"dadd", 5}, {"dmul", 0}, {"dfma", 0}};
    for (const auto& metric : metrics) kernel.values[metric] = 7;
    return {{kernel}, {"a note of the counters"}};
  }
  void profiler_start() override { script_.on_profiler_start(); }
  void profiler_stop() override { ++script_.profiler_stops; }

 private:
  struct Memory : Buffer {
    explicit Memory(std::size_t size) : bytes_(size) {}
    void* data() const override { return bytes_.data(); }
    std::size_t bytes() const override { return bytes_.size(); }
    mutable std::vector<std::byte> bytes_;
  };
  struct Moment : Event {
    explicit Moment(Script& script) : script_(script) {}
    void record(Stream&) override { time = script_.now; }
    Script& script_;
    double time = 0;
  };
  struct Recording : Graph {
    Recording(Script& script, std::function<void()> work)
        : script_(script), work_(std::move(work)) {}
    void launch(Stream&) override {
      ++script_.graph_launches;
      work_();
    }
    Script& script_;
    std::function<void()> work_;
  };
  Script& script_;
};

/// A family whose problem is `size` floats to be copied, so that answers can be right or wrong.
class EchoFamily : public Family {
 public:
  std::string_view name() const override { return "echo"; }
  std::string_view summary() const override { return "copies its input; for tests"; }
  std::vector<AxisSpec> axes() const override {
    return {
        {.name = "size", .help = "elements", .default_value = std::int64_t{16}, .max = 1 << 20}};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * 4;
    return {bytes, bytes};
  }
  Traffic traffic(const Params& params) const override {
    const auto bytes = static_cast<double>(params.integer("size")) * 4;
    return {bytes, bytes, 0, 0};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec&) const override {
    return std::make_unique<Echo>(params.integer("size"));
  }

 private:
  struct Echo : Problem {
    explicit Echo(std::int64_t size) : values_(static_cast<std::size_t>(size)) {
      for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<float>(i) + 1;
    }
    std::span<const std::byte> input() const override { return std::as_bytes(std::span(values_)); }
    Chunk chunk(std::int64_t index, std::int64_t count) const override {
      Chunk chunk;
      const auto size = static_cast<std::int64_t>(values_.size());
      chunk.index = index;
      chunk.count = count;
      chunk.begin = chunk.input_begin = size * index / count;
      chunk.end = chunk.input_end = size * (index + 1) / count;
      chunk.input_offset = chunk.output_offset = static_cast<std::size_t>(chunk.begin) * 4;
      chunk.input_bytes = chunk.output_bytes =
          static_cast<std::size_t>(chunk.end - chunk.begin) * 4;
      return chunk;
    }
    std::size_t output_bytes(std::int64_t) const override { return values_.size() * 4; }
    Verification verify(std::span<const std::byte> output, std::int64_t) const override {
      const bool same = std::memcmp(output.data(), values_.data(), output.size()) == 0;
      return {same, same ? 0.0 : 1.0, 0, "differing bytes", same ? "" : "the output differs"};
    }
    std::vector<float> values_;
  };
};

/// Copies on a scripted stream.
class EchoVariant : public Variant {
 public:
  void compute(const Task& task) const override {
    if (task.chunk.output_bytes > 0) {
      std::memcpy(task.output, task.input, task.chunk.output_bytes);
    }
    dynamic_cast<ScriptedStream&>(task.stream).run_kernel();
  }
};

/// Leaves its output as it was.
class SilentVariant : public Variant {
 public:
  void compute(const Task& task) const override {
    dynamic_cast<ScriptedStream&>(task.stream).run_kernel();
  }
};

class WaitingVariant : public EchoVariant {
 public:
  bool waits(const Params&) const override { return true; }
};

/// A registry with the scripted device as its host backend and the echo family on it.
inline void fill_registry(Registry& registry, Script& script) {
  registry.add(std::make_unique<EchoFamily>());
  const auto variant = [&](const char* name, auto make) {
    registry.add(VariantEntry{"echo", name, BackendKind::host, "for tests", make});
  };
  variant("echo", [] { return std::make_unique<EchoVariant>(); });
  variant("silent", [] { return std::make_unique<SilentVariant>(); });
  variant("waiting", [] { return std::make_unique<WaitingVariant>(); });
  registry.add(BackendEntry{BackendKind::host,
                            [](std::string&) { return std::vector<DeviceFacts>(1); },
                            [&script](int) { return std::make_unique<ScriptedBackend>(script); }});
}

/// A plan of one experiment over `variants` of the echo family.
inline Plan echo_plan(const std::vector<std::string>& variants, MeasureSpec measure,
                      Scope scope = Scope::kernel) {
  Plan plan;
  plan.name = "scripted";
  auto& experiment = plan.experiments.emplace_back();
  experiment.name = experiment.workload = "echo";
  experiment.scope = scope;
  experiment.measure = measure;
  for (const auto& variant : variants) {
    Case c;
    c.index = plan.cases.size();
    c.id = "echo/" + variant;
    c.variant = variant;
    c.params.set("variant", variant);
    c.params.set("size", std::int64_t{16});
    plan.cases.push_back(std::move(c));
  }
  return plan;
}

}  // namespace apod::test
