#include <exception>
#include <string>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/objects.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::cuda {
namespace {

class CudaGraph final : public Graph {
 public:
  explicit CudaGraph(cudaGraph_t graph) { APOD_CUDA(cudaGraphInstantiate(&executable_, graph, 0)); }
  ~CudaGraph() override { (void)cudaGraphExecDestroy(executable_); }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  void launch(Stream& stream) override { APOD_CUDA(cudaGraphLaunch(executable_, native(stream))); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

struct Recording {
  ~Recording() {
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
  }
  cudaGraph_t graph = nullptr;
};

}  // namespace

std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& enqueue) {
  // Thread-local: calls of this thread that can't be recorded are refused instead of running
  // unrecorded, and other threads (a progress bar, a tracer) are left alone.
  APOD_CUDA(cudaStreamBeginCapture(native(stream), cudaStreamCaptureModeThreadLocal));
  std::exception_ptr thrown;
  try {
    enqueue();
  } catch (...) {
    thrown = std::current_exception();
  }
  // Ends the capture whatever happened: this is what makes the stream usable again.
  Recording recording;
  const auto ended = cudaStreamEndCapture(native(stream), &recording.graph);
  if (ended != cudaSuccess) (void)cudaGetLastError();

  if (thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const BackendError& error) {
      if (ended == cudaSuccess || error.code() == BackendError::Code::sticky) throw;
      throw BackendError(BackendError::Code::unsupported,
                         std::string("the work can't be captured into a graph: ") + error.what());
    } catch (const std::exception& error) {
      // Code that does not use APOD_CUDA (a library) reports the refused call in its own way.
      if (ended == cudaSuccess) throw;
      throw BackendError(BackendError::Code::unsupported,
                         std::string("the work can't be captured into a graph: ") + error.what());
    }
  }
  check(ended, "cudaStreamEndCapture", __FILE__);
  if (recording.graph == nullptr)
    throw BackendError(BackendError::Code::unsupported, "the capture made no graph");
  return std::make_unique<CudaGraph>(recording.graph);
}

}  // namespace apod::cuda
