#include <string>

#include "kernels/api/registry.hpp"
#include "kernels/api/several_streams.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::peer {
namespace {

/// Makes `device` current for as long as it lives.
class Current {
 public:
  explicit Current(int device) {
    APOD_CUDA(cudaGetDevice(&before_));
    APOD_CUDA(cudaSetDevice(device));
  }
  ~Current() { cudaSetDevice(before_); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  int before() const { return before_; }

 private:
  int before_ = 0;
};

/// Lets the current device reach the memory of `other`, if the link between them can.
void reach(int other) {
  int own = 0;
  int can = 0;
  APOD_CUDA(cudaGetDevice(&own));
  APOD_CUDA(cudaDeviceCanAccessPeer(&can, own, other));
  if (can == 0) return;  // the driver copies through the host's memory
  const auto error = cudaDeviceEnablePeerAccess(other, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
  } else {
    APOD_CUDA(error);
  }
}

/// Copies by the copy engines of both GPUs. What the peer holds is put there by restore(), so each
/// output is verified to have come over the link. What goes the other way is not read again.
class CopyEngine : public Variant, public SeveralStreams {
 public:
  ~CopyEngine() override {
    if (event_out_ != nullptr) cudaEventDestroy(event_out_);
    if (event_back_ != nullptr) cudaEventDestroy(event_back_);
    if (second_ != nullptr) cudaStreamDestroy(second_);
    if (held_ != nullptr) cudaFree(held_);
    if (taken_ != nullptr) cudaFree(taken_);
  }

  void prepare(const Params& params, const DeviceFacts& device) override {
    const auto own = device.index;
    const auto peer = static_cast<int>(params.integer("peer"));
    int count = 0;
    APOD_CUDA(cudaGetDeviceCount(&count));
    if (peer >= count || peer == own) {
      throw BackendError(BackendError::Code::unsupported,
                         peer == own ? "GPU " + std::to_string(own) + " is not a peer of itself"
                                     : "there is no GPU " + std::to_string(peer) + ": " +
                                           std::to_string(count) + " can be used");
    }
    both_ = uses_several(params);
    const auto bytes = static_cast<std::size_t>(params.integer("size")) * sizeof(float);
    if (both_) {
      APOD_CUDA(cudaStreamCreateWithFlags(&second_, cudaStreamNonBlocking));
      APOD_CUDA(cudaEventCreateWithFlags(&event_out_, cudaEventDisableTiming));
      APOD_CUDA(cudaEventCreateWithFlags(&event_back_, cudaEventDisableTiming));
    }
    reach(peer);
    const Current at_peer(peer);
    reach(at_peer.before());
    APOD_CUDA(cudaMalloc(&held_, bytes));
    if (both_) APOD_CUDA(cudaMalloc(&taken_, bytes));
  }

  bool uses_several(const Params& params) const override {
    const auto* direction = params.find("direction");
    return direction != nullptr && to_string(*direction) == "both_ways";
  }
  bool needs_restore() const override { return true; }
  void restore(const Task& task) const override {
    copy(at(held_, task), task.input, task.chunk.output_bytes, cuda::native(task.stream));
  }

  void compute(const Task& task) const override {
    const auto stream = cuda::native(task.stream);
    if (both_) {
      APOD_CUDA(cudaEventRecord(event_out_, stream));
      APOD_CUDA(cudaStreamWaitEvent(second_, event_out_, 0));
      copy(at(taken_, task), task.input, task.chunk.output_bytes, second_);
      APOD_CUDA(cudaEventRecord(event_back_, second_));
    }
    copy(task.output, at(held_, task), task.chunk.output_bytes, stream);
    if (both_) APOD_CUDA(cudaStreamWaitEvent(stream, event_back_, 0));
  }

 private:
  /// The driver knows by the addresses which GPUs these are. Unlike cudaMemcpyPeerAsync, this can
  /// be captured into a graph.
  static void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    APOD_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
  }
  static void* at(void* base, const Task& task) {
    return static_cast<char*>(base) + task.chunk.output_offset;
  }

  bool both_ = false;
  void* held_ = nullptr;   ///< on the peer: what is fetched
  void* taken_ = nullptr;  ///< on the peer: what is sent
  cudaStream_t second_ = nullptr;
  cudaEvent_t event_out_ = nullptr;
  cudaEvent_t event_back_ = nullptr;
};
const VariantRegistrar<CopyEngine> registrar("peer", "copy_engine", BackendKind::cuda,
                                             "cudaMemcpyAsync; both ways on two streams");

}  // namespace
}  // namespace apod::peer
