// Habits of copies and streams. The values go to the host and back before a kernel carries them
// over.

#include <array>
#include <map>
#include <memory>

#include "kernels/backends/cuda/objects.hpp"
#include "tests/habits/carry.hpp"

namespace apod::habits {
namespace {

/// Host memory for `bytes`, which stays from execution to execution.
float* staging(std::size_t bytes, MemoryKind kind) {
  static std::map<MemoryKind, std::unique_ptr<Buffer>> buffers;
  auto& buffer = buffers[kind];
  if (!buffer || buffer->bytes() < bytes) buffer = cuda::allocate(bytes, kind);
  return static_cast<float*>(buffer->data());
}

template <MemoryKind memory, bool asynchronous>
void through_host(const Task& task) {
  Part part(task);
  if (part.n == 0) return;
  const auto stream = cuda::native(task.stream);
  const auto bytes = task.chunk.input_bytes;
  float* host = staging(bytes, memory);
  if (asynchronous) {
    APOD_CUDA(cudaMemcpyAsync(host, part.in, bytes, cudaMemcpyDeviceToHost, stream));
    APOD_CUDA(cudaMemcpyAsync(task.scratch, host, bytes, cudaMemcpyHostToDevice, stream));
  } else {
    // These use the legacy default stream, for which ours does not wait, nor it for ours.
    APOD_CUDA(cudaStreamSynchronize(stream));
    APOD_CUDA(cudaMemcpy(host, part.in, bytes, cudaMemcpyDeviceToHost));
    APOD_CUDA(cudaMemcpy(task.scratch, host, bytes, cudaMemcpyHostToDevice));
  }
  part.in = static_cast<const float*>(task.scratch);
  launch(part, full_grid(part.n), stream);
}
const Habit pageable("copy_pageable", "cudaMemcpy, pageable memory",
                     waiting(through_host<MemoryKind::pageable, false>, true));
const Habit pinned("copy_pinned", "cudaMemcpy, pinned memory",
                   waiting(through_host<MemoryKind::pinned, false>, true));
const Habit asynchronous("copy_async", "cudaMemcpyAsync, pinned memory",
                         waiting(through_host<MemoryKind::pinned, true>, true));

constexpr std::size_t parts = 4;

/// Part `index` of four, to the host and back and through a kernel, all in `stream`.
void work_on(const Task& task, std::size_t index, cudaStream_t stream) {
  Part part(task);
  float* host = staging(task.chunk.input_bytes, MemoryKind::pinned);
  const std::size_t begin = part.n / parts * index;
  part.n = index + 1 == parts ? part.n - begin : part.n / parts;
  if (part.n == 0) return;
  const auto bytes = part.n * sizeof(float);
  auto* scratch = static_cast<float*>(task.scratch) + begin;
  APOD_CUDA(cudaMemcpyAsync(host + begin, part.in + begin, bytes, cudaMemcpyDeviceToHost, stream));
  APOD_CUDA(cudaMemcpyAsync(scratch, host + begin, bytes, cudaMemcpyHostToDevice, stream));
  part.in = scratch;
  part.out += begin;
  launch(part, full_grid(part.n), stream);
}

__global__ void nothing() {}

/// A stream for each part, made once. A launch on the legacy default stream waits for all of them,
/// and they for it.
template <bool legacy_between>
void on_four_streams(const Task& task) {
  static const auto streams = [] {
    std::array<cudaStream_t, parts> made{};
    for (auto& stream : made) APOD_CUDA(cudaStreamCreate(&stream));
    return made;
  }();
  APOD_CUDA(cudaStreamSynchronize(cuda::native(task.stream)));
  for (std::size_t i = 0; i < parts; ++i) {
    work_on(task, i, streams[i]);
    if (!legacy_between) continue;
    nothing<<<1, 32, 0, cudaStreamLegacy>>>();
    cuda::launched("nothing");
  }
  for (const auto stream : streams) APOD_CUDA(cudaStreamSynchronize(stream));
}
const Habit legacy("streams_legacy", "four streams, the default one in between",
                   waiting(on_four_streams<true>, true));
const Habit overlapping("streams_overlapping", "four streams that overlap",
                        waiting(on_four_streams<false>, true));

/// A stream for each part, gone before the next is made: there is never a second one.
void on_stream_after_stream(const Task& task) {
  APOD_CUDA(cudaStreamSynchronize(cuda::native(task.stream)));
  for (std::size_t i = 0; i < parts; ++i) {
    cudaStream_t stream = nullptr;
    APOD_CUDA(cudaStreamCreate(&stream));
    work_on(task, i, stream);
    APOD_CUDA(cudaStreamSynchronize(stream));
    APOD_CUDA(cudaStreamDestroy(stream));
  }
}
const Habit after("stream_after_stream", "four streams, one at a time",
                  waiting(on_stream_after_stream, true));

}  // namespace
}  // namespace apod::habits
