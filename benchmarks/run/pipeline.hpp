#pragma once

/// \file
/// Buffers, streams and the order of work of one case: the one place that knows upload, chunking
/// over streams and download, so that stream count and host memory are axes of every workload.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/model/experiment.hpp"
#include "benchmarks/run/launch_threads.hpp"
#include "benchmarks/trace/ranges.hpp"
#include "kernels/api/workload.hpp"

namespace apod::run {

/// One chunk's stream and device memory. Declaration order is destruction order reversed: buffers
/// go before the stream that used them is gone.
struct Lane {
  std::shared_ptr<Stream> stream;
  Chunk chunk;
  std::unique_ptr<Buffer> input, output, partial, combined, constants, scratch;
  std::unique_ptr<Graph> graph;  ///< of its computation; null: launched kernel by kernel
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

  /// kernel scope: enqueues one computation on `stream()`. Never waits, unless the variant does.
  void enqueue();
  /// end_to_end scope: the whole program once, from host memory to host memory, waiting for its
  /// end. Returns the device's own time, first operation to last, in seconds.
  double transfer_and_compute();

  /// From now on kernels are launched one by one, whatever was asked for.
  void forget_graphs();

  Stream& stream() { return *lanes_.front().stream; }

  /// Overwrites every output, so that what a kernel does not write is found.
  void poison();
  /// The whole output, on the host.
  std::vector<std::byte> download();
  std::int64_t chunks() const { return static_cast<std::int64_t>(lanes_.size()); }

  /// distinct_streams and transfer_bytes: known without a trace.
  std::map<std::string, double> facts() const;

 private:
  void prepare();
  /// Waits until no stream uses a buffer any more.
  void settle() noexcept;
  Task task(Lane& lane);
  void record(Lane& lane);
  void compute(Lane& lane);
  using Pass = void (Pipeline::*)(Lane&, trace::PhaseTimers&);
  /// Does `pass` for every lane: here, or in the threads that were asked for.
  void each_lane(Pass pass);
  void upload(Lane& lane, trace::PhaseTimers& timers);
  /// With the upload, unless all of them came first.
  void first_pass(Lane& lane, trace::PhaseTimers& timers);
  void combine();
  void second_pass(Lane& lane, trace::PhaseTimers& timers);

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
  std::unique_ptr<Event> began_;
  std::vector<Lane> lanes_;
  std::vector<trace::PhaseTimers> thread_timers_;  ///< joined with timers_ in the end
  std::unique_ptr<LaunchThreads> threads_;         ///< null: lanes are enqueued by the caller
};

}  // namespace apod::run
