#pragma once

/// \file
/// A graph of cuDNN's operations, and the fastest of the engines that can run it. For .cu files
/// only.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/network/cudnn_descriptor.hpp"

namespace apod::network {

/// The numerical notes of an engine.
using Notes = std::span<const cudnnBackendNumericalNote_t>;

/// Which engines of a graph are tried.
struct EngineChoice {
  const char* what;                  ///< for messages: "convolution"
  std::size_t most_workspace;        ///< bytes
  std::size_t most_tried;            ///< engines that run, the most promising first
  bool (*may_use)(Notes) = nullptr;  ///< null: all
};

class OperationGraph {
 public:
  /// Measures the engines on memory of its own. `tensors` are in the order of what run() is given.
  /// Throws BackendError{unsupported} if none may be used.
  OperationGraph(cudnnHandle_t handle, std::vector<GraphTensor> tensors,
                 const std::vector<Descriptor>& operations, const EngineChoice& choice)
      : tensors_(std::move(tensors)) {
    for (const auto& tensor : tensors_) {
      if (tensor.is_bound()) ids_.push_back(tensor.id());
    }
    std::vector<cudnnBackendDescriptor_t> handles;
    for (const auto& operation : operations) handles.push_back(operation.get());
    Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph
        .set<cudnnBackendDescriptor_t>(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                       handles)
        .finish();
    choose(handle, graph, choice);
  }

  std::size_t workspace_bytes() const { return workspace_bytes_; }

  /// Enqueues it on the handle's stream.
  void run(cudnnHandle_t handle, std::span<const void* const> places, void* workspace) const {
    check(execute(handle, *plan_, places, workspace), "cudnnBackendExecute");
  }

 private:
  static constexpr int runs = 5;

  /// What cuDNN's heuristics propose, the most promising first.
  static std::vector<Descriptor> proposed(const Descriptor& graph, const Descriptor& device,
                                          cudnnBackendHeurMode_t mode) {
    constexpr std::size_t most = 64;
    std::vector<Descriptor> configs;
    Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
        .set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device)
        .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    if (heuristics.try_finish() != CUDNN_STATUS_SUCCESS) return configs;
    std::vector<cudnnBackendDescriptor_t> handles;
    for (std::size_t i = 0; i < most; ++i) {
      configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
      handles.push_back(configs.back().get());
    }
    const auto count = heuristics.read<cudnnBackendDescriptor_t>(
        CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, handles);
    configs.erase(configs.begin() + static_cast<std::ptrdiff_t>(count), configs.end());
    return configs;
  }

  static bool may_use(const Descriptor& config, const EngineChoice& choice) {
    if (choice.may_use == nullptr) return true;
    const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    std::array<cudnnBackendDescriptor_t, 1> handle{engine.get()};
    config.read<cudnnBackendDescriptor_t>(CUDNN_ATTR_ENGINECFG_ENGINE,
                                          CUDNN_TYPE_BACKEND_DESCRIPTOR, handle);
    std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
    const auto count = engine.read<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                                CUDNN_TYPE_NUMERICAL_NOTE, notes);
    return choice.may_use(Notes(notes).first(count));
  }

  using Memory = std::unique_ptr<void, cudaError_t (*)(void*)>;
  static Memory allocate(std::int64_t bytes) {
    void* memory = nullptr;
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 256));
    APOD_CUDA(cudaMalloc(&memory, size));
    Memory owned(memory, cudaFree);
    APOD_CUDA(cudaMemset(memory, 0, size));
    return owned;
  }

  cudnnStatus_t execute(cudnnHandle_t handle, const Descriptor& plan,
                        std::span<const void* const> places, void* workspace) const {
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set<const void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, places)
        .set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids_)
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace)
        .finish();
    return cudnn().BackendExecute(handle, plan.get(), pack.get());
  }

  /// The median of some runs with hot caches, in milliseconds; a status if it fails.
  std::variant<float, cudnnStatus_t> time_of(cudnnHandle_t handle, const Descriptor& plan,
                                             std::span<const void* const> places,
                                             void* workspace) const {
    const auto once = [&] { return execute(handle, plan, places, workspace); };
    if (const auto status = once(); status != CUDNN_STATUS_SUCCESS) return status;
    const Event begin = make_event();
    const Event end = make_event();
    std::array<float, runs> times{};
    for (float& time : times) {
      APOD_CUDA(cudaEventRecord(begin.get(), nullptr));
      check(once(), "cudnnBackendExecute");
      APOD_CUDA(cudaEventRecord(end.get(), nullptr));
      APOD_CUDA(cudaEventSynchronize(end.get()));
      APOD_CUDA(cudaEventElapsedTime(&time, begin.get(), end.get()));
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[runs / 2];
  }

  void choose(cudnnHandle_t handle, const Descriptor& graph, const EngineChoice& choice) {
    constexpr float constant = 1;
    std::vector<Memory> memory;
    std::vector<const void*> places;
    for (const auto& tensor : tensors_) {
      if (!tensor.is_bound()) continue;
      if (!tensor.is_constant()) memory.push_back(allocate(tensor.bytes()));
      places.push_back(tensor.is_constant() ? &constant : memory.back().get());
    }
    Descriptor device(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    device.set(CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE, handle).finish();
    float least = std::numeric_limits<float>::infinity();
    std::size_t tried = 0;
    auto failure = CUDNN_STATUS_SUCCESS;  // the last one
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      for (const Descriptor& config : proposed(graph, device, mode)) {
        if (tried == choice.most_tried) break;
        if (!may_use(config, choice)) continue;
        auto plan = std::make_unique<Descriptor>(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        plan->set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device)
            .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
        if (const auto status = plan->try_finish(); status != CUDNN_STATUS_SUCCESS) {
          failure = status;
          continue;
        }
        std::array<std::int64_t, 1> bytes{};
        plan->read<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, bytes);
        if (static_cast<std::uint64_t>(bytes[0]) > choice.most_workspace) continue;
        const Memory workspace = allocate(bytes[0]);
        const auto outcome = time_of(handle, *plan, places, workspace.get());
        if (const auto* status = std::get_if<cudnnStatus_t>(&outcome)) {
          failure = *status;
          continue;
        }
        ++tried;
        if (std::get<float>(outcome) >= least) continue;
        least = std::get<float>(outcome);
        plan_ = std::move(plan);
        workspace_bytes_ = static_cast<std::size_t>(bytes[0]);
      }
      // The second list is for where the first has none.
      if (plan_) return;
    }
    if (failure / 1000 != CUDNN_STATUS_NOT_SUPPORTED / 1000) check(failure, choice.what);
    throw BackendError(BackendError::Code::unsupported,
                       std::string("cuDNN has no engine for this ") + choice.what);
  }

  using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, cudaError_t (*)(cudaEvent_t)>;
  static Event make_event() {
    cudaEvent_t event = nullptr;
    APOD_CUDA(cudaEventCreate(&event));
    return {event, cudaEventDestroy};
  }

  std::vector<GraphTensor> tensors_;
  std::vector<std::int64_t> ids_;
  std::unique_ptr<Descriptor> plan_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace apod::network
