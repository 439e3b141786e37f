#pragma once

/// \file
/// A workload in three parts. A Family names itself, its axes and the work for given parameters; a
/// Problem is one instance of it (data, reference); a Variant computes it on a backend.
/// benchmarks/run/pipeline does upload, chunking over streams and download for all of them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/backend.hpp"
#include "kernels/api/data_spec.hpp"
#include "kernels/api/params.hpp"

namespace apod {

/// The least work that solves the problem once: every input read once, every output written once.
struct Traffic {
  /// All types together.
  double flops() const {
    return flops_fp32 + flops_fp64 + flops_tensor + flops_tf32 + flops_bf16 + flops_replaced;
  }
  /// The FLOPs of one type.
  double& flops(Number type) {
    return type == Number::fp64   ? flops_fp64
           : type == Number::fp32 ? flops_fp32
           : type == Number::tf32 ? flops_tf32
           : type == Number::bf16 ? flops_bf16
                                  : flops_tensor;
  }
  double flops(Number type) const { return const_cast<Traffic&>(*this).flops(type); }

  double bytes_read = 0;     ///< device memory
  double bytes_written = 0;  ///< device memory
  double flops_fp32 = 0;     ///< an FMA counts as two
  double flops_fp64 = 0;
  double flops_tensor = 0;    ///< products of matrices on tensor cores, in fp16
  double flops_tf32 = 0;      ///< likewise, in TF32
  double flops_bf16 = 0;      ///< likewise, in bf16
  double flops_replaced = 0;  ///< the variant does other operations in place of these
  double bytes_linked = 0;    ///< over the link between two GPUs, in the direction with more
  bool is_product = false;    ///< of matrices, or of one and a vector: its rate is in FLOP/s
};

/// Whether a result is correct. A wrong one publishes no time.
struct Verification {
  bool passed = false;
  double error = 0;      ///< in the unit of `measure`
  double tolerance = 0;  ///< the largest error that passes
  std::string measure;   ///< e.g. "relative error of the sum"
  std::string detail;    ///< where and by how much, when it failed
};

/// The part of a problem for one stream. Positions are in units of the split dimension:
/// elements of a vector, rows of an image.
struct Chunk {
  std::int64_t index = 0;
  std::int64_t count = 1;         ///< number of chunks the problem was split into
  std::int64_t begin = 0;         ///< first unit this chunk computes
  std::int64_t end = 0;           ///< one past the last
  std::int64_t input_begin = 0;   ///< first unit it reads (a halo makes it smaller than begin)
  std::int64_t input_end = 0;     ///< one past the last
  std::size_t input_offset = 0;   ///< bytes into the whole input
  std::size_t input_bytes = 0;    ///< may be 0: more chunks than units
  std::size_t output_offset = 0;  ///< bytes into the whole output
  std::size_t output_bytes = 0;
  /// An array that is changed in place. End to end it is uploaded to its place in the output.
  struct InPlace {
    std::size_t in_input = 0;   ///< bytes into the chunk's input
    std::size_t in_output = 0;  ///< likewise
    std::size_t bytes = 0;
  };
  std::vector<InPlace> in_place{};  ///< the end of the input

  /// Bytes of the input that stay as they were.
  std::size_t read_only_bytes() const {
    return in_place.empty() ? input_bytes : in_place.front().in_input;
  }
};

/// Memory that a problem needs, known before any data is made. What a variant needs in addition:
/// Variant::most_scratch_bytes.
struct Footprint {
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
};

/// One instance of a family: data on the host and its reference. Immutable once made.
class Problem {
 public:
  virtual ~Problem() = default;

  /// The data to upload, split into chunks.
  virtual std::span<const std::byte> input() const = 0;
  /// What every chunk needs whole (a convolution's mask); uploaded once, in the setup of `kernel`
  /// scope and inside the timed part of `end_to_end`.
  virtual std::span<const std::byte> constants() const { return {}; }
  /// Part `index` of `count`. The parts cover the problem exactly once.
  virtual Chunk chunk(std::int64_t index, std::int64_t count) const = 0;
  /// Puts a chunk's input together at `to`, which has room for its input_bytes.
  virtual void gather(const Chunk& chunk, std::byte* to) const;
  /// Bytes of the whole output when the problem is computed in `chunks` parts.
  virtual std::size_t output_bytes(std::int64_t chunks) const = 0;

  /// Two-pass problems (sum, then divide): bytes of the value that the first pass leaves for each
  /// chunk. 0: one pass.
  virtual std::size_t partial_bytes() const { return 0; }
  /// Joins the partial values of all chunks (`partials` holds them in order) into the one value of
  /// `partial_bytes()` that every chunk's second pass reads. Runs on the host.
  virtual std::vector<std::byte> combine(std::span<const std::byte> partials) const;

  /// Whether the reference is an output of the device: that of Variant::reference(). It is given to
  /// take_output once, before the first verify().
  virtual bool wants_output() const { return false; }
  virtual void take_output(std::span<const std::byte>) {}

  /// Holds the whole output against the fp64 reference.
  virtual Verification verify(std::span<const std::byte> output, std::int64_t chunks) const = 0;
  /// The same for as much of it as shows work that was left out, at places that `seed` draws.
  virtual Verification look(std::span<const std::byte> output, std::int64_t chunks,
                            std::uint64_t seed) const {
    (void)seed;
    return verify(output, chunks);
  }
};

/// The type that sums have: the axis `accumulator`, which is fp32 or fp64.
inline Number accumulator_of(const Params& params) {
  return params.choice_or("accumulator", Number::fp32);
}
/// run(double{}) if sums are fp64, else run(float{}).
template <class Run>
decltype(auto) with_accumulator(Number accumulator, const Run& run) {
  return accumulator == Number::fp64 ? run(double{}) : run(float{});
}

/// A variant's arguments for enqueuing one chunk's work on one stream. All pointers are device
/// memory, aligned to 256 bytes.
struct Task {
  const Problem& problem;
  const Params& params;
  const Chunk& chunk;
  const void* input = nullptr;      ///< chunk.input_bytes
  void* output = nullptr;           ///< chunk.output_bytes
  void* partial = nullptr;          ///< problem.partial_bytes()
  const void* combined = nullptr;   ///< problem.partial_bytes(); valid in `finish` only
  const void* constants = nullptr;  ///< problem.constants()
  /// scratch_bytes(...) of the variant; zeroed once, then as the last compute left it.
  void* scratch = nullptr;
  Stream& stream;

  /// The chunk's input and output, as elements of T.
  template <class T = float>
  std::span<const T> in() const {
    return {static_cast<const T*>(input), chunk.input_bytes / sizeof(T)};
  }
  template <class T = float>
  std::span<T> out() const {
    return {static_cast<T*>(output), chunk.output_bytes / sizeof(T)};
  }
  Number accumulator() const { return accumulator_of(params); }
};

/// One way to compute a family's problem. Stateless: everything it needs is in the Task.
class Variant {
 public:
  virtual ~Variant() = default;
  /// Called once, before everything else and outside of all times: compiles, loads and checks what
  /// came with the experiment. Throws std::runtime_error or BackendError.
  virtual void prepare(const Params&, const DeviceFacts&) {}
  /// Enqueues what must be done before each `compute`, outside of its time: buffers that are
  /// changed in place get their first content back.
  virtual void restore(const Task&) const {}
  /// Whether `compute` needs restore() before each time, so that it can't run several times in a
  /// row.
  virtual bool needs_restore() const { return false; }
  /// Axes of the variant's own, such as a block size: no other variant of the family has them, and
  /// only the Params of its own cases have other values than the defaults.
  virtual std::vector<AxisSpec> axes() const { return {}; }
  /// What computes the output that Problem::take_output wants; null: the variant itself.
  virtual std::unique_ptr<Variant> reference() const { return nullptr; }
  /// Why this variant can't compute what its family accepts (a library's limit); nothing when it
  /// can. Cheap: no data, no device.
  virtual std::optional<std::string> rejects(const Params&) const { return std::nullopt; }
  /// The compute capability of the only devices that it has code for, such as "9.0"; empty: of any.
  virtual std::string_view compute_capability() const { return ""; }
  /// Whether it executes the operations that the family counts. A transform needs fewer of them,
  /// and tensor cores take others in their place: then the count gives a rate to compare variants
  /// by, and says nothing of how busy a unit of the device is.
  virtual bool executes_counted_work(const Params&) const { return true; }
  /// The most device bytes that `compute` and `finish` need for one chunk, besides the task's other
  /// buffers, with the problem split into as many chunks as `params` have streams. Called when a
  /// plan is made: there is no data and no device.
  virtual std::size_t most_scratch_bytes(const Params&) const { return 0; }
  /// The scratch bytes of one chunk, if a device or a library is needed to know them.
  virtual std::size_t scratch_bytes(const Problem&, const Params& params, const Chunk&) const {
    return most_scratch_bytes(params);
  }
  /// Enqueues the work on task.stream. For a two-pass problem: the first pass, which leaves its
  /// value in task.partial. Must write every byte it owns, and be callable again at once. Not
  /// called for a chunk that has nothing to write.
  virtual void compute(const Task& task) const = 0;
  /// Enqueues the second pass of a two-pass problem, which reads task.combined. Not called for a
  /// chunk without output.
  virtual void finish(const Task&) const {}
  /// True when `compute` itself waits for the device with these parameters, so that it can be
  /// neither blocked nor captured into a graph.
  virtual bool waits(const Params&) const { return false; }
};

/// A variant as the harness uses it: of chunks that have nothing to write it is asked nothing.
inline bool has_work(const Problem& problem, const Chunk& chunk) {
  return chunk.output_bytes > 0 || problem.partial_bytes() > 0;
}
inline std::size_t scratch_of(const Variant& variant, const Problem& problem, const Params& params,
                              const Chunk& chunk) {
  return has_work(problem, chunk) ? variant.scratch_bytes(problem, params, chunk) : 0;
}
inline void first_pass(const Variant& variant, const Task& task) {
  if (has_work(task.problem, task.chunk)) variant.compute(task);
}
inline void second_pass(const Variant& variant, const Task& task) {
  if (task.problem.partial_bytes() > 0 && task.chunk.output_bytes > 0) variant.finish(task);
}

class Family {
 public:
  virtual ~Family() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;  ///< one line, for `--list`
  /// The family's own axes, `size` first: a count of values, or the shape of an image. Data from a
  /// file must hold at least that many. The harness adds variant, streams, threads, host_memory,
  /// stream_pool and programs.
  virtual std::vector<AxisSpec> axes() const = 0;
  /// Why these parameters make no problem (an even mask); nothing when they do. Cheap: no data.
  virtual std::optional<std::string> rejects(const Params&) const { return std::nullopt; }
  virtual Footprint footprint(const Params& params) const = 0;
  /// Cheap like the footprint: a plan's time is estimated from it before any data is made.
  virtual Traffic traffic(const Params& params) const = 0;
  /// Operations in fp64 of the host's reference, for the same estimate.
  virtual double reference_flops(const Params& params) const { return traffic(params).flops(); }
  /// Makes data and reference. Throws std::runtime_error when the data can't be had.
  virtual std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const = 0;
};

/// The family's work, and whether this variant executes it.
inline Traffic work_of(const Family& family, const Variant& variant, const Params& params) {
  Traffic work = family.traffic(params);
  if (variant.executes_counted_work(params)) return work;
  return {.bytes_read = work.bytes_read,
          .bytes_written = work.bytes_written,
          .flops_replaced = work.flops(),
          .bytes_linked = work.bytes_linked};
}

}  // namespace apod
