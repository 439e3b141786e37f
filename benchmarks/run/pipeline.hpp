#pragma once

/// \file
/// Buffers, streams and the order of work of one case. Only this file knows about uploads,
/// downloads and chunks over streams; so the number of streams and the kind of host memory are
/// axes of every workload.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "benchmarks/run/launch_threads.hpp"
#include "kernels/api/workload.hpp"
#include "kernels/data/array.hpp"

namespace apod::run {

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
  /// Whether the device holds the input of `problem`, byte by byte, except for what is changed in
  /// place.
  bool holds_input(const Problem& problem);

  Stream& stream() { return *lanes_.front().stream; }

  /// Overwrites every output, so that verification finds what a kernel does not write.
  void poison();
  /// The whole output, on the host, until the next call.
  std::span<const std::byte> download();
  std::int64_t chunks() const { return static_cast<std::int64_t>(lanes_.size()); }

  /// distinct_streams and transfer_bytes: known without a trace.
  std::map<std::string, double> facts() const;

 private:
  void prepare();
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
  std::vector<ChunkStream> lanes_;
  std::vector<trace::PhaseTimers> thread_timers_;  ///< added to timers_ at the end
  std::unique_ptr<LaunchThreads> threads_;         ///< null: the caller enqueues the lanes
};

}  // namespace apod::run
