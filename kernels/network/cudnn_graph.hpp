#pragma once

/// \file
/// A convolution as a graph of cuDNN's backend, and the fastest of the engines that can run it. For
/// .cu files only.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/network/cudnn_library.hpp"

namespace apod::network {

/// Engines that transform tiles before multiplying (Winograd, FFT) have errors proportional to the
/// largest value of a tile, not to the values that a result depends on: if a dark patch lies next
/// to a bright one, they may fail the check.
enum class Algorithms : std::uint8_t { all, without_transforms };

/// A descriptor of cuDNN's backend: of a tensor, an operation, a plan.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made = nullptr;
    check(cudnn().BackendCreateDescriptor(type, &made), "cudnnBackendCreateDescriptor");
    owned_ = {made, cudnn().BackendDestroyDescriptor};
  }

  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                  std::span<const T> values) {
    check(cudnn().BackendSetAttribute(get(), name, type, static_cast<std::int64_t>(values.size()),
                                      values.data()),
          "cudnnBackendSetAttribute");
    return *this;
  }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                  const T& value) {
    return set<T>(name, type, std::span<const T>(&value, 1));
  }
  Descriptor& set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values) {
    return set<std::int64_t>(name, CUDNN_TYPE_INT64, values);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    const cudnnBackendDescriptor_t handle = other.get();
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, handle);
  }

  /// Whether cuDNN supports it.
  bool try_finish() { return cudnn().BackendFinalize(get()) == CUDNN_STATUS_SUCCESS; }
  Descriptor& finish() {
    check(cudnn().BackendFinalize(get()), "cudnnBackendFinalize");
    return *this;
  }

  /// At most `values.size()` values; returns how many there are.
  template <class T>
  std::size_t read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                   std::span<T> values) const {
    std::int64_t count = 0;
    check(cudnn().BackendGetAttribute(get(), name, type, static_cast<std::int64_t>(values.size()),
                                      &count, values.data()),
          "cudnnBackendGetAttribute");
    return std::min(static_cast<std::size_t>(count), values.size());
  }

  cudnnBackendDescriptor_t get() const { return owned_.get(); }

 private:
  std::unique_ptr<std::remove_pointer_t<cudnnBackendDescriptor_t>,
                  cudnnStatus_t (*)(cudnnBackendDescriptor_t)>
      owned_{nullptr, nullptr};
};

/// What a convolution with 3x3 weights computes, from `a` and `b`: the image from images and
/// weights, or a gradient from that of the result.
enum class Convolving : std::uint8_t {
  forward,          ///< (image, weights) -> result
  image_gradient,   ///< (gradient, weights) -> gradient of the image
  weight_gradient,  ///< (image, gradient) -> gradient of the weights
};

class ConvolutionGraph {
 public:
  /// Measures the engines on memory of its own. Throws BackendError{unsupported} if none may be
  /// used.
  ConvolutionGraph(cudnnHandle_t handle, const Dims& d, Number math, Order order,
                   Algorithms algorithms, Convolving what)
      : tensors_(tensors_of(d, order, what)) {
    const Descriptor graph = graph_of(handle, what);
    choose(handle, graph, math, algorithms);
  }

  std::size_t workspace_bytes() const { return workspace_bytes_; }

  cudnnStatus_t run(cudnnHandle_t handle, const float* a, const float* b, float* out,
                    void* workspace) const {
    return execute(handle, *plan_, a, b, out, workspace);
  }

 private:
  static constexpr int runs = 5;
  static constexpr std::size_t most_engines = 32;  ///< of each of cuDNN's two lists
  static constexpr std::array<std::int64_t, 3> ids{'a', 'b', 'o'};

  struct Tensor {
    std::array<std::int64_t, 4> dims;
    std::array<std::int64_t, 4> strides;
    std::int64_t values() const { return dims[0] * dims[1] * dims[2] * dims[3]; }
  };

  /// Batch, channels, rows, columns, whatever their order in memory.
  static Tensor tensor(std::array<std::int64_t, 4> n, Order order) {
    if (order == Order::nhwc) return {n, {n[1] * n[2] * n[3], 1, n[3] * n[1], n[1]}};
    return {n, {n[1] * n[2] * n[3], n[2] * n[3], n[3], 1}};
  }

  static std::array<Tensor, 3> tensors_of(const Dims& d, Order order, Convolving what) {
    const Tensor image = tensor({d.batch, d.channels, d.rows, d.cols}, order);
    const Tensor weights = tensor({d.channels, d.channels, 3, 3}, order);
    if (what == Convolving::weight_gradient) return {image, image, weights};
    return {image, weights, image};
  }

  Descriptor tensor_descriptor(std::size_t i) const {
    Descriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, tensors_[i].dims)
        .set(CUDNN_ATTR_TENSOR_STRIDES, tensors_[i].strides)
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, ids[i])
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::int64_t{16})
        .finish();
    return made;
  }

  /// The operation, and what cuDNN calls its attributes.
  struct Names {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t a, b, out, convolution, alpha, beta;
  };
  static Names names_of(Convolving what) {
    switch (what) {
      case Convolving::image_gradient:
        return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
      case Convolving::weight_gradient:
        return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
      case Convolving::forward:
        break;
    }
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  }

  Descriptor graph_of(cudnnHandle_t handle, Convolving what) const {
    constexpr std::array<std::int64_t, 2> ones{1, 1};
    Descriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::int64_t{2})
        .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION)
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, ones)
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, ones)
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, ones)
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, ones)
        .finish();
    const Descriptor a = tensor_descriptor(0);
    const Descriptor b = tensor_descriptor(1);
    const Descriptor out = tensor_descriptor(2);
    const Names names = names_of(what);
    Descriptor operation(names.operation);
    operation.set(names.a, a)
        .set(names.b, b)
        .set(names.out, out)
        .set(names.convolution, convolution)
        .set(names.alpha, CUDNN_TYPE_FLOAT, 1.0F)
        .set(names.beta, CUDNN_TYPE_FLOAT, 0.0F);
    operation.finish();
    Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle)
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation)
        .finish();
    return graph;
  }

  /// What cuDNN's heuristics propose, the most promising first.
  static std::vector<Descriptor> proposed(const Descriptor& graph, cudnnBackendHeurMode_t mode) {
    std::vector<Descriptor> configs;
    Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
        .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    if (!heuristics.try_finish()) return configs;
    std::vector<cudnnBackendDescriptor_t> handles;
    for (std::size_t i = 0; i < most_engines; ++i) {
      configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
      handles.push_back(configs.back().get());
    }
    const auto count = heuristics.read<cudnnBackendDescriptor_t>(
        CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, handles);
    configs.erase(configs.begin() + static_cast<std::ptrdiff_t>(count), configs.end());
    return configs;
  }

  /// Whether the engine computes in `math`, and transforms no tile where that is not wanted.
  static bool may_use(const Descriptor& config, Number math, Algorithms algorithms) {
    const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    std::array<cudnnBackendDescriptor_t, 1> handle{engine.get()};
    config.read<cudnnBackendDescriptor_t>(CUDNN_ATTR_ENGINECFG_ENGINE,
                                          CUDNN_TYPE_BACKEND_DESCRIPTOR, handle);
    std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
    const auto count = engine.read<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                                CUDNN_TYPE_NUMERICAL_NOTE, notes);
    bool rounds = false;
    bool transforms = false;
    for (const auto note : std::span(notes).first(count)) {
      rounds = rounds || note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
               note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS;
      transforms = transforms || note == CUDNN_NUMERICAL_NOTE_FFT ||
                   (note >= CUDNN_NUMERICAL_NOTE_WINOGRAD &&
                    note <= CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13);
    }
    return rounds == (math == Number::tf32) && (!transforms || algorithms == Algorithms::all);
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

  cudnnStatus_t execute(cudnnHandle_t handle, const Descriptor& plan, const float* a,
                        const float* b, float* out, void* workspace) const {
    const std::array<const void*, 3> places{a, b, out};
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set<const void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, places)
        .set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids)
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace)
        .finish();
    return cudnn().BackendExecute(handle, plan.get(), pack.get());
  }

  /// The median of some runs, in milliseconds; nothing if it fails.
  std::optional<float> time_of(cudnnHandle_t handle, const Descriptor& plan,
                               std::span<const Memory> memory, void* workspace) const {
    const auto place = [&](std::size_t i) { return static_cast<float*>(memory[i].get()); };
    const auto run = [&] { return execute(handle, plan, place(0), place(1), place(2), workspace); };
    if (run() != CUDNN_STATUS_SUCCESS) return std::nullopt;
    std::array<float, runs> times{};
    for (float& time : times) {
      APOD_CUDA(cudaEventRecord(begin_.get(), nullptr));
      check(run(), "cudnnBackendExecute");
      APOD_CUDA(cudaEventRecord(end_.get(), nullptr));
      APOD_CUDA(cudaEventSynchronize(end_.get()));
      APOD_CUDA(cudaEventElapsedTime(&time, begin_.get(), end_.get()));
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[runs / 2];
  }

  void choose(cudnnHandle_t handle, const Descriptor& graph, Number math, Algorithms algorithms) {
    std::vector<Memory> memory;
    for (const Tensor& t : tensors_) memory.push_back(allocate(t.values() * 4));
    float least = std::numeric_limits<float>::infinity();
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      for (const Descriptor& config : proposed(graph, mode)) {
        if (!may_use(config, math, algorithms)) continue;
        auto plan = std::make_unique<Descriptor>(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        plan->set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle)
            .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
        if (!plan->try_finish()) continue;
        std::array<std::int64_t, 1> bytes{};
        plan->read<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, bytes);
        if (static_cast<std::uint64_t>(bytes[0]) > most_workspace_bytes) continue;
        const Memory workspace = allocate(bytes[0]);
        const auto time = time_of(handle, *plan, memory, workspace.get());
        if (!time || *time >= least) continue;
        least = *time;
        plan_ = std::move(plan);
        workspace_bytes_ = static_cast<std::size_t>(bytes[0]);
      }
      // The second list is for where the first has none.
      if (plan_) return;
    }
    throw BackendError(BackendError::Code::unsupported, "cuDNN has no engine for this convolution");
  }

  using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, cudaError_t (*)(cudaEvent_t)>;
  static Event make_event() {
    cudaEvent_t event = nullptr;
    APOD_CUDA(cudaEventCreate(&event));
    return {event, cudaEventDestroy};
  }

  std::array<Tensor, 3> tensors_;
  std::unique_ptr<Descriptor> plan_;
  std::size_t workspace_bytes_ = 0;
  Event begin_ = make_event();
  Event end_ = make_event();
};

}  // namespace apod::network
