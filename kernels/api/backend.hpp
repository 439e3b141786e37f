#pragma once

/// \file
/// The interface of a device for the harness: memory, streams, events, a clock, a tracer. Errors
/// are thrown as BackendError; destructors never throw.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/activity.hpp"
#include "kernels/api/counters.hpp"
#include "kernels/api/types.hpp"

namespace apod {

/// An operation of the device failed.
class BackendError : public std::runtime_error {
 public:
  enum class Code : std::uint8_t {
    out_of_memory,  ///< the process may continue
    unsupported,    ///< the device or the driver can't do it; the process may continue
    sticky,         ///< the context is lost (illegal address, launch failure): end the process
    other,
  };
  BackendError(Code code, const std::string& what) : std::runtime_error(what), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

/// Properties of a device. A zero or an empty string means unknown.
struct DeviceFacts {
  BackendKind backend = BackendKind::host;
  int index = 0;
  std::string name;
  std::string uuid;
  std::string driver_version;      ///< e.g. "580.95.05"
  std::string runtime_version;     ///< CUDA runtime, e.g. "13.0"
  std::string compute_capability;  ///< e.g. "9.0"
  std::string pci_address;         ///< e.g. "0000:18:00.0"
  /// Where its process is pinned: "processors 0-31, node 0". Empty: the system decides.
  std::string pinned_to;
  int multiprocessors = 0;  ///< SMs; on the host, hardware threads
  int max_threads_per_multiprocessor = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_free_bytes = 0;
  std::uint64_t l2_bytes = 0;            ///< last-level cache on the host
  double peak_memory_bytes_per_s = 0;    ///< theoretical
  double peak_fp32_flops = 0;            ///< theoretical, FLOP/s, an FMA counting as two
  double peak_fp64_flops = 0;            ///< theoretical, FLOP/s
  double peak_transfer_bytes_per_s = 0;  ///< host link, one way, theoretical
  int max_sm_clock_mhz = 0;
  double power_limit_w = 0;
  double timer_tick_s = 0;  ///< least difference of two times of its events
  bool ecc = false;
  bool mig = false;
  std::vector<std::string> notes;  ///< what could not be read, and why
};

/// One reading of the device's clock and power.
struct ClockReading {
  bool valid = false;
  double sm_mhz = 0;
  double power_w = 0;  ///< of the whole board, as its driver averages it; 0: not known
  /// The device was slowed for heat, power brake or hardware protection while it was read.
  bool throttled = false;
  std::string reason;  ///< e.g. "sw_power_cap"; may be set without `throttled`
};

/// Owned memory, freed on destruction. Contents are undefined after allocation.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual void* data() const = 0;
  virtual std::size_t bytes() const = 0;
};

/// An ordered queue of device work.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Waits until everything enqueued so far is done; throws what that work threw.
  virtual void synchronize() = 0;
  /// Identity of the queue: cudaStream_t for CUDA. Equal handles are the same queue.
  virtual std::uintptr_t handle() const = 0;
};

/// A point in a stream's time.
class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
};

/// Recorded work that can be launched again with one call.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual void launch(Stream& stream) = 0;
};

/// What Backend counts of a stream's launches.
struct LaunchCount {
  std::uint64_t begun = 0;  ///< the number of the launch that begins the count, since the context's
  std::uint64_t after = 0;  ///< launches after that one, with the one that ends the count
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendKind kind() const = 0;
  virtual DeviceFacts facts() const = 0;

  /// Every thread except the one that opened the backend must call this before it enqueues work:
  /// the current device of CUDA is a property of the thread. Copies, fills, variants' work and the
  /// wait for a stream may come from several threads at once; everything else from one.
  virtual void enter_thread() {}

  /// Throws BackendError{out_of_memory}. Zero bytes give a valid buffer of size 0.
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes, MemoryKind kind) = 0;
  virtual std::unique_ptr<Stream> create_stream(std::string_view name) = 0;
  virtual std::unique_ptr<Event> create_event() = 0;

  /// Enqueues a copy; the direction follows from the addresses.
  virtual void copy(void* target, const void* source, std::size_t bytes, Stream& stream) = 0;
  /// Copies plain host memory to the device, after earlier work of `stream`, and returns when all
  /// is done, by the fastest way. Not for timed copies.
  virtual void upload(void* device, const void* host, std::size_t bytes, Stream& stream) {
    copy(device, host, bytes, stream);
    stream.synchronize();
  }
  /// The same from the device to the host.
  virtual void download(void* host, const void* device, std::size_t bytes, Stream& stream) {
    copy(host, device, bytes, stream);
    stream.synchronize();
  }
  /// Enqueues a byte fill of device memory.
  virtual void fill(void* target, std::uint8_t byte, std::size_t bytes, Stream& stream) = 0;
  /// Resets cache lines that work or a library made persistent to normal, because they would
  /// survive a flush. It may launch something by itself, on another stream.
  virtual void end_persistence() {}
  /// Enqueues work after which the caches are as `mode` says, except for persistent lines; for
  /// CacheMode::hot, none.
  virtual void flush_cache(Stream& stream, CacheMode mode) = 0;
  /// Waits for all streams of the device.
  virtual void synchronize() = 0;
  /// Seconds from `start` to `stop`, both recorded and done.
  virtual double seconds_between(const Event& start, const Event& stop) = 0;

  /// Blocks `stream` until `unblock`, so that work enqueued meanwhile starts without a launch gap.
  /// False if the backend can't. It ends by itself after a second, so there is no deadlock.
  virtual bool block(Stream& stream) = 0;
  /// Releases the held stream. False when the hold had already ended by itself, in which case the
  /// sample between is not valid.
  virtual bool unblock() = 0;
  /// Begins to count the launches of `stream`, after `empty` launches of kernels that do nothing,
  /// because the time of work can depend on the number of earlier launches. Does nothing if
  /// launches have no number.
  virtual void begin_launches(Stream& stream, int empty) {
    (void)stream;
    (void)empty;
  }
  /// Ends the count, with a launch that is a part of it.
  virtual void end_launches(Stream& stream) { (void)stream; }
  /// Once the stream is done; nothing if none are counted. Launches of other streams are included.
  virtual std::optional<LaunchCount> counted_launches() { return std::nullopt; }
  /// The SM clock, MHz, during the work after the last block, once that is done; 0: unknown.
  virtual double held_clock_mhz() { return 0; }

  /// Records what `enqueue` puts on `stream`; null when the backend has no graphs. Throws
  /// BackendError{unsupported} when the work can't be captured (it waits for the device).
  virtual std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& enqueue) = 0;

  /// The device's clock now; `valid` is false if it can't be read.
  virtual ClockReading clock() = 0;
  /// The energy that the whole board has used since its driver was loaded, J. Moves in steps; any
  /// thread may call it. Throws BackendError{unsupported} if there is no counter.
  virtual double energy() {
    throw BackendError(BackendError::Code::unsupported, "this backend has no energy counter");
  }
  /// Processes with a context on the device now, including this one, whether they use it or not.
  /// Nothing if the driver does not show them.
  virtual std::optional<unsigned> processes() { return std::nullopt; }

  /// Call before the first work of a process that traces: what is loaded only once, such as the
  /// kernels' machine code, can be recorded only then. Slows all later launches.
  virtual void expect_traces() {}
  /// Runs `work`, synchronises, and returns the device's operations meanwhile. Later launches may
  /// be slower, so time first and trace afterwards.
  virtual Trace trace(const std::function<void()>& work) = 0;
  /// Runs `work` several times, each time after `before`, and returns the device's counters for
  /// every kernel launch, and `metrics` of its profiler, by their names there. `work` must launch
  /// the same kernels every time; they run one after the other. If nothing can be counted, the one
  /// note gives the reason and the remedy, and `work` may or may not have run. Throws what both
  /// throw. Call it after all timing of the process.
  virtual Counters count(const std::vector<std::string>& metrics,
                         const std::function<void()>& before, const std::function<void()>& work) {
    (void)metrics;
    (void)before;
    (void)work;
    return {{}, {"nothing counted: this backend has no counters"}};
  }

  /// The switch that `nsys profile -c cudaProfilerApi` and ncu listen to; no-ops elsewhere.
  virtual void profiler_start() {}
  virtual void profiler_stop() {}
};

}  // namespace apod
