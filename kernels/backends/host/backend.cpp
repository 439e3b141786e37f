/// \file
/// The host backend: threads as streams, steady_clock as the timer. It runs on every machine, so
/// the whole harness can be tried and tested without a GPU.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/gate.hpp"
#include "kernels/backends/host/machine.hpp"
#include "kernels/backends/host/memory.hpp"
#include "kernels/backends/host/queue.hpp"

namespace apod::host {
namespace {

constexpr std::size_t kUnknownCacheFlush = std::size_t{64} << 20;

/// Which kind of memory an address belongs to, so that a trace can tell an upload from a download.
class AddressBook {
 public:
  void add(const Memory& memory, MemoryKind kind) {
    const std::lock_guard lock(mutex_);
    kinds_[memory.data()] = {memory.bytes(), kind};
  }
  void remove(const Memory& memory) {
    const std::lock_guard lock(mutex_);
    kinds_.erase(memory.data());
  }
  /// Memory that this backend did not allocate is pageable.
  MemoryKind kind_of(const void* address) const {
    const std::lock_guard lock(mutex_);
    auto entry = kinds_.upper_bound(address);
    if (entry == kinds_.begin()) return MemoryKind::pageable;
    --entry;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) -
                                                 static_cast<const char*>(entry->first));
    return offset < entry->second.first ? entry->second.second : MemoryKind::pageable;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::pair<std::size_t, MemoryKind>> kinds_;
};

class HostBuffer final : public Buffer {
 public:
  HostBuffer(std::size_t bytes, MemoryKind kind, std::shared_ptr<AddressBook> book)
      : memory_(bytes, kind), book_(std::move(book)) {
    book_->add(memory_, kind);
  }
  ~HostBuffer() override { book_->remove(memory_); }
  void* data() const override { return memory_.data(); }
  std::size_t bytes() const override { return memory_.bytes(); }
  bool locked() const { return memory_.locked(); }

 private:
  Memory memory_;
  std::shared_ptr<AddressBook> book_;
};

class HostStream final : public Stream {
 public:
  explicit HostStream(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}
  void synchronize() override { queue_->synchronize(); }
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(queue_.get()); }

 private:
  std::shared_ptr<Queue> queue_;
};

class HostEvent final : public Event {
 public:
  void record(Stream& stream) override {
    // A new stamp for each record: a stale time is never taken for the one asked for last, and the
    // event may go before the stream gets there.
    time_ns_ = std::make_shared<std::atomic<std::int64_t>>(0);
    queue(stream).push({[time = time_ns_] { time->store(now_ns()); }, std::nullopt});
  }
  /// Throws when the event was never recorded, or its stream has not come to it.
  std::int64_t time_ns() const {
    const auto time = time_ns_ ? time_ns_->load() : 0;
    if (time == 0) {
      throw BackendError(BackendError::Code::other,
                         "host event: read before its stream reached it");
    }
    return time;
  }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> time_ns_;
};

class HostGraph final : public Graph {
 public:
  explicit HostGraph(std::vector<Item> items)
      : items_(std::make_shared<const std::vector<Item>>(std::move(items))) {}
  void launch(Stream& stream) override {
    auto& target = queue(stream);
    if (target.capturing()) {
      throw BackendError(BackendError::Code::unsupported,
                         "a host graph can't be launched into another graph");
    }
    target.push({[items = items_, &target] {
                   for (const auto& item : *items) target.run(item);
                 },
                 std::nullopt});
  }

 private:
  std::shared_ptr<const std::vector<Item>> items_;
};

/// Memory whose reading or writing evicts the caches. Streams take turns: they share it.
struct Flusher {
  explicit Flusher(std::size_t bytes) : memory(bytes, MemoryKind::device) { write(); }
  /// Leaves no dirty lines: the last ones of before are written back to make room.
  void read() {
    constexpr std::size_t line = 64;  // bytes; one word of each is enough
    const std::lock_guard lock(mutex);
    const auto* bytes = static_cast<const volatile unsigned char*>(memory.data());
    for (std::size_t i = 0; i < memory.bytes(); i += line) (void)bytes[i];
  }
  void write() {
    const std::lock_guard lock(mutex);
    std::memset(memory.data(), ++value, memory.bytes());
  }
  Memory memory;
  std::mutex mutex;
  unsigned char value = 0;
};

Activity transfer(Activity::Kind kind, const char* name, std::size_t bytes, MemoryKind source,
                  MemoryKind target) {
  Activity activity;
  activity.kind = kind;
  activity.name = name;
  activity.bytes = bytes;
  activity.source = source;
  activity.target = target;
  return activity;
}

const char* direction(MemoryKind source, MemoryKind target) {
  const bool from_device = source == MemoryKind::device;
  const bool to_device = target == MemoryKind::device;
  if (from_device) return to_device ? "DtoD" : "DtoH";
  return to_device ? "HtoD" : "HtoH";
}

class HostBackend final : public Backend {
 public:
  BackendKind kind() const override { return BackendKind::host; }

  DeviceFacts facts() const override {
    auto facts = machine_facts();
    if (unlocked_) {
      facts.notes.emplace_back(
          "pinned memory is not locked, only touched: the limit (ulimit -l) is too low");
    }
    return facts;
  }

  std::unique_ptr<Buffer> allocate(std::size_t bytes, MemoryKind kind) override {
    auto buffer = std::make_unique<HostBuffer>(bytes, kind, addresses_);
    if (kind == MemoryKind::pinned && !buffer->locked()) unlocked_ = true;
    return buffer;
  }

  std::unique_ptr<Stream> create_stream(std::string_view name) override {
    auto queue = std::make_shared<Queue>(name, ++streams_made_, recorder_);
    std::erase_if(queues_, [](const auto& entry) { return entry.expired(); });
    queues_.push_back(queue);
    return std::make_unique<HostStream>(std::move(queue));
  }

  std::unique_ptr<Event> create_event() override { return std::make_unique<HostEvent>(); }

  void copy(void* target, const void* source, std::size_t bytes, Stream& stream) override {
    if (bytes == 0) return;
    const auto from = addresses_->kind_of(source);
    const auto to = addresses_->kind_of(target);
    queue(stream).push({[=] { std::memcpy(target, source, bytes); },
                        transfer(Activity::Kind::copy, direction(from, to), bytes, from, to)});
  }

  void fill(void* target, std::uint8_t byte, std::size_t bytes, Stream& stream) override {
    if (bytes == 0) return;
    const auto kind = addresses_->kind_of(target);
    queue(stream).push({[=] { std::memset(target, byte, bytes); },
                        transfer(Activity::Kind::memset, "memset", bytes, kind, kind)});
  }

  void flush_cache(Stream& stream, CacheMode mode) override {
    if (mode == CacheMode::hot) return;
    if (!flusher_) {
      const auto cache = static_cast<std::size_t>(last_level_cache_bytes());
      flusher_ = std::make_shared<Flusher>(cache == 0 ? kUnknownCacheFlush : 2 * cache);
    }
    if (mode == CacheMode::flushed) {
      queue(stream).push({[flusher = flusher_] { flusher->write(); },
                          transfer(Activity::Kind::memset, "memset", flusher_->memory.bytes(),
                                   MemoryKind::device, MemoryKind::device)});
      return;
    }
    Activity sweep;
    sweep.kind = Activity::Kind::kernel;
    sweep.name = "read_sweep";
    queue(stream).push({[flusher = flusher_] { flusher->read(); }, sweep});
  }

  void synchronize() override {
    // All streams are waited for, then the first error is thrown: none is left running.
    std::exception_ptr error;
    for (const auto& entry : queues_) {
      const auto queue = entry.lock();
      if (!queue) continue;
      try {
        queue->synchronize();
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
  }

  double seconds_between(const Event& start, const Event& stop) override {
    return 1e-9 * static_cast<double>(dynamic_cast<const HostEvent&>(stop).time_ns() -
                                      dynamic_cast<const HostEvent&>(start).time_ns());
  }

  bool block(Stream& stream) override {
    if (queue(stream).capturing() || (gate_ && !gate_->gave_up())) return false;
    gate_ = std::make_shared<Gate>();
    queue(stream).push({[gate = gate_, limit = hold_limit] { gate->pass(limit); }, std::nullopt});
    return true;
  }

  bool unblock() override {
    const auto gate = std::exchange(gate_, nullptr);
    return gate && gate->open();
  }

  std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& enqueue) override {
    auto& target = queue(stream);
    target.begin_capture();
    try {
      enqueue();
    } catch (...) {
      target.end_capture();
      throw;
    }
    auto items = target.end_capture();
    if (!items) {
      throw BackendError(BackendError::Code::unsupported,
                         "the work waits for its stream, and a graph can't contain a wait");
    }
    return std::make_unique<HostGraph>(std::move(*items));
  }

  ClockReading clock() override { return machine_clock(); }

  Trace trace(const std::function<void()>& work) override {
    if (recorder_->on())
      throw BackendError(BackendError::Code::other, "a trace is running already");
    synchronize();
    recorder_->start();
    try {
      work();
      synchronize();
    } catch (...) {
      recorder_->stop();
      throw;
    }
    Trace trace{recorder_->stop(), {}};
    std::stable_sort(trace.activities.begin(), trace.activities.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    return trace;
  }

 private:
  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
  std::shared_ptr<AddressBook> addresses_ = std::make_shared<AddressBook>();
  std::vector<std::weak_ptr<Queue>> queues_;
  std::uint32_t streams_made_ = 0;
  std::shared_ptr<Flusher> flusher_;
  std::shared_ptr<Gate> gate_;
  bool unlocked_ = false;
};

const BackendRegistrar registrar(
    {BackendKind::host, [](std::string&) { return std::vector{machine_facts()}; },
     [](int index) -> std::unique_ptr<Backend> {
       if (index != 0) {
         throw BackendError(BackendError::Code::unsupported,
                            "the host backend has only device 0, not " + std::to_string(index));
       }
       return std::make_unique<HostBackend>();
     }});

}  // namespace
}  // namespace apod::host
