#pragma once

/// \file
/// Buffers, streams and the order of work of one case. Only this file knows about uploads,
/// downloads and chunks over streams; so the number of streams and the kind of host memory are
/// axes of every workload.

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "kernels/api/workload.hpp"
#include "kernels/data/array.hpp"

namespace apod::run {

class LaunchThreads {
 public:
  /// Starts `count` threads, called "launcher 0", "launcher 1" ... in profilers and by the
  /// operating system; each calls `enter` first. Throws BackendError if a thread can't be started,
  /// and whatever `enter` throws.
  LaunchThreads(std::size_t count, const std::function<void()>& enter);
  ~LaunchThreads();
  LaunchThreads(const LaunchThreads&) = delete;
  LaunchThreads& operator=(const LaunchThreads&) = delete;

  std::size_t count() const { return threads_.size(); }

  /// Every thread calls work(its number); all begin together. Returns when the last has finished.
  /// If some threw, all others still finish, and the exception of the lowest number is rethrown.
  void run(const std::function<void(std::size_t)>& work);

 private:
  void serve(std::size_t number);
  void end();

  std::atomic<int> round_ = 0;    ///< grows when there is work, or the end
  std::atomic<int> working_ = 0;  ///< threads that are not done with it
  const std::function<void(std::size_t)>* work_ = nullptr;  ///< null: the threads end
  std::vector<std::exception_ptr> errors_;                  ///< by thread
  std::vector<std::thread> threads_;
};

/// One chunk's stream and device memory. Members are destroyed in reverse order: buffers before the
/// stream that uses them.
struct ChunkStream {
  std::shared_ptr<Stream> stream;
  Chunk chunk;
  std::unique_ptr<Buffer> input, output, partial, combined, constants, scratch;
  std::unique_ptr<Graph> graph;  ///< the computation; null: kernels are launched one by one
  std::unique_ptr<Event> done;
};

/// Owns everything a case needs on the device and, in end_to_end scope, in host memory. Throws
/// BackendError from every function.
class Pipeline {
 public:
  /// Allocates; uploads input and constants in kernel scope, stages them in host memory of the
  /// asked kind in end_to_end scope. `timers` must outlive the pipeline.
  Pipeline(Backend& backend, const Problem& problem, const Variant& variant, const Params& params,
           Scope scope, trace::PhaseTimers& timers);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Enqueues what each computation needs before it and outside of its time; see Variant::restore.
  void restore();
  /// Kernel scope: enqueues one computation on `stream()`. Waits only if the variant does.
  void enqueue();
  /// End-to-end scope: runs everything once, from host memory to host memory, and waits for the
  /// end. Returns the device's own time, from its first operation to its last, in seconds.
  double transfer_and_compute();

  /// From now on kernels are launched one by one, even if graphs were asked for.
  void forget_graphs();

  /// Replaces the input by that of `other`, which has the same layout as the problem's own.
  void load(const Problem& other);
  /// Whether the device holds the input of `problem` in every place, byte by byte, except for what
  /// is changed in place.
  bool holds_input(const Problem& problem);

  Stream& stream() { return *lanes_[place_].stream; }

  /// Kernel scope: makes further places in memory, each with every buffer, unless they are large.
  void add_places();
  std::size_t places() const { return scope_ == Scope::kernel ? lanes_.size() : 1; }
  /// From now on the computation works on the next place, and on the first after the last.
  void next_place();
  /// The next place is the first.
  void begin_places() { place_ = places() - 1; }
  /// Calls `work` once for each place that was used; the computation works on it meanwhile.
  void each_used_place(const std::function<void()>& work);

  /// Overwrites every output, so that verification finds what a kernel does not write.
  void poison();
  /// The whole output, on the host, until the next call.
  std::span<const std::byte> download();
  std::int64_t chunks() const { return scope_ == Scope::kernel ? 1 : std::ssize(lanes_); }

  /// distinct_streams and transfer_bytes: known without a trace.
  std::map<std::string, double> facts() const;

 private:
  void prepare();
  /// Allocates the buffers of a chunk.
  ChunkStream make_lane(std::shared_ptr<Stream> stream, const Chunk& chunk);
  /// Kernel scope: uploads what the computation reads.
  void upload(ChunkStream& lane, const Problem& problem);
  /// Waits until no stream uses a buffer any more.
  void wait() noexcept;
  Task task(ChunkStream& lane);
  void record(ChunkStream& lane);
  void compute(ChunkStream& lane);
  using Pass = void (Pipeline::*)(ChunkStream&, trace::PhaseTimers&);
  /// Does `pass` for every lane, in this thread or in those of the axis `threads`.
  void each_lane(Pass pass);
  void upload(ChunkStream& lane, trace::PhaseTimers& timers);
  /// Includes the upload, unless all uploads came first.
  void first_pass(ChunkStream& lane, trace::PhaseTimers& timers);
  void combine();
  void second_pass(ChunkStream& lane, trace::PhaseTimers& timers);

  Backend& backend_;
  const Problem& problem_;
  const Variant& variant_;
  const Params& params_;
  const Scope scope_;
  trace::PhaseTimers& timers_;
  const EnqueueOrder order_;
  const bool two_pass_;
  std::unique_ptr<Buffer> host_input_, host_output_, host_constants_, host_partials_,
      host_combined_;
  Array<std::byte> downloaded_;  ///< kept: the next download finds its pages
  std::unique_ptr<Event> began_;
  std::vector<ChunkStream> lanes_;  ///< in kernel scope: the places of the only chunk
  std::size_t place_ = 0;           ///< in use
  std::size_t used_places_ = 1;
  std::vector<trace::PhaseTimers> thread_timers_;  ///< added to timers_ at the end
  std::unique_ptr<LaunchThreads> threads_;         ///< null: the caller enqueues the lanes
};

}  // namespace apod::run
