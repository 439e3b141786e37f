#include "kernels/backends/cuda/injected/launch_capture.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>
#include <utility>

#include "kernels/api/no_signals.hpp"
#include "kernels/backends/cuda/files/resources.hpp"
#include "kernels/backends/cuda/injected/captured_memory.hpp"
#include "kernels/backends/cuda/injected/launch_call.hpp"
#include "kernels/backends/cuda/launching_calls.hpp"

namespace apod::cuda {
namespace {

namespace fs = std::filesystem;

/// True while we call the driver ourselves: those calls are not the program's.
thread_local bool ours = false;
/// True while this thread is between the two callbacks of the launch that is captured.
thread_local bool captures = false;

struct Ours {
  Ours() { ours = true; }
  ~Ours() { ours = false; }
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;
};

constexpr std::size_t most_shapes = 64;
constexpr std::size_t most_notes = 100;
/// How long other threads' launches wait for a capture.
constexpr std::chrono::seconds longest_pause(2);

/// Waits until all work of this thread's context is done, and returns what the driver says of it.
/// Empty if that takes longer than `longest`, or if an earlier wait has not ended yet: the work may
/// wait for a launch that this thread has yet to make. A thread of its own waits on.
std::optional<CUresult> wait_for_device(const CaptureDriver& driver,
                                        std::chrono::milliseconds longest) {
  static std::future<CUresult> unfinished;  // a wait that took too long; captures take turns
  const auto has_ended = [](const std::future<CUresult>& wait, std::chrono::milliseconds time) {
    return wait.wait_for(time) == std::future_status::ready;
  };
  if (unfinished.valid() && !has_ended(unfinished, {})) return std::nullopt;
  CUcontext context = nullptr;
  if (const auto result = driver.current_context(&context); result != CUDA_SUCCESS) return result;
  std::promise<CUresult> promise;
  auto done = promise.get_future();
  {
    const NoSignals none;
    std::thread([driver, context, promise = std::move(promise)]() mutable {
      auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
      (void)driver.exchange_mode(&mode);
      const auto result = driver.make_current(context);
      promise.set_value(result == CUDA_SUCCESS ? driver.synchronize() : result);
    }).detach();
  }
  if (has_ended(done, longest)) return done.get();
  unfinished = std::move(done);
  return std::nullopt;
}

/// What the process has loaded that launches kernels.
std::string frameworks() {
  constexpr std::array<std::pair<const char*, const char*>, 8> known{{
      {"libtorch_cuda", "PyTorch"},
      {"/triton/", "Triton"},
      {"jax_cuda", "JAX"},
      {"/cupy/", "CuPy"},
      {"/numba", "Numba"},
      {"/libcudnn", "cuDNN"},
      {"/libcublas", "cuBLAS"},
      {"/libnccl", "NCCL"},
  }};
  std::set<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    for (const auto& [part, name] : known) {
      if (line.find(part) != std::string::npos) found.insert(name);
    }
  }
  std::string text;
  for (const auto& name : found) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Lets this thread wait for the device while another thread captures a stream.
class RelaxedMode {
 public:
  explicit RelaxedMode(const CaptureDriver& driver) : driver_(driver) {
    (void)driver_.exchange_mode(&mode_);
  }
  ~RelaxedMode() { (void)driver_.exchange_mode(&mode_); }
  RelaxedMode(const RelaxedMode&) = delete;
  RelaxedMode& operator=(const RelaxedMode&) = delete;

 private:
  const CaptureDriver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

std::string seconds(std::chrono::milliseconds time) {
  std::ostringstream text;
  text << std::chrono::duration<double>(time).count() << " s";
  return text.str();
}

std::string error_of(CUresult result) {
  return "error " + std::to_string(static_cast<int>(result));
}

}  // namespace

std::unique_ptr<const CaptureDriver> CaptureDriver::open(std::string& why) {
  try {
    static const Library library("cuda", 1);
    const auto get = [&]<class F>(F*& to, const char* name) { to = library.function<F>(name); };
    auto made = std::make_unique<CaptureDriver>();
    get(made->synchronize, "cuCtxSynchronize");
    get(made->current_context, "cuCtxGetCurrent");
    get(made->make_current, "cuCtxSetCurrent");
    get(made->device, "cuCtxGetDevice");
    get(made->device_name, "cuDeviceGetName");
    get(made->device_attribute, "cuDeviceGetAttribute");
    get(made->pointer_attribute, "cuPointerGetAttribute");
    get(made->download, "cuMemcpyDtoH_v2");
    get(made->is_capturing, "cuStreamIsCapturing");
    get(made->exchange_mode, "cuThreadExchangeStreamCaptureMode");
    get(made->function_parameter, "cuFuncGetParamInfo");
    get(made->kernel_parameter, "cuKernelGetParamInfo");
    get(made->function_of_kernel, "cuKernelGetFunction");
    get(made->module_of, "cuFuncGetModule");
    get(made->variable, "cuModuleGetGlobal_v2");
    get(made->function_attribute, "cuFuncGetAttribute");
    return made;
  } catch (const BackendError& error) {
    why = error.what();
    return nullptr;
  }
}

void LaunchCapture::attach(const CuptiLibrary& cupti, CUpti_SubscriberHandle subscriber) {
  const auto hear = [&](CUpti_CallbackId id) {
    (void)cupti.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
  };
  for (const auto id : launching_calls) hear(id);
  for (const auto id : loading_calls()) hear(id);
  others_.attach(cupti, subscriber);
}

std::vector<std::string> LaunchCapture::take_notes() {
  const std::lock_guard lock(mutex_);
  auto notes = std::exchange(notes_, {});
  const auto say = [&](std::uint64_t& launches, const char* what) {
    const auto count = std::exchange(launches, 0);
    if (count > 0) notes.push_back("not captured: " + std::to_string(count) + what);
  };
  say(in_graphs_,
      " launches of matching kernels went into a CUDA graph: let the program launch them one by "
      "one (for torch.compile: use a mode other than reduce-overhead)");
  say(passed_over_, " launches of matching kernels were made while another launch was captured");
  say(beside_graphs_,
      " launches of matching kernels were made while another stream was captured into a CUDA "
      "graph. During such a capture, bench must not wait for the device: choose a later launch "
      "with --launch");
  return notes;
}

void LaunchCapture::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  const bool is_new = std::find(notes_.begin(), notes_.end(), text) == notes_.end();
  if (is_new && notes_.size() < most_notes) notes_.push_back(text);
}

void LaunchCapture::on_event(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                             const void* data) noexcept {
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
      const auto* resource = static_cast<const CUpti_ResourceData*>(data);
      const auto* module =
          static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor);
      if (module != nullptr) code_.add_module(*module);
      return;
    }
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || ours) return;
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (std::find(launching_calls.begin(), launching_calls.end(), id) != launching_calls.end())
      return on_launch(id, call);
    others_.on_call(id, call);
    code_.on_call(id, call);
  } catch (const std::exception& error) {
    // What is pending may be another thread's.
    captures ? give_up(error.what()) : note(std::string("not captured: ") + error.what());
  }
}

bool LaunchCapture::matches(const std::string& name) {
  const auto known = matching_.find(name);
  if (known != matching_.end()) return known->second;
  return matching_[name] = !name.empty() && wish_.matches(name);
}

std::optional<LaunchCapture::Wanted> LaunchCapture::wanted(const LaunchCall& call) {
  const std::lock_guard lock(mutex_);
  if (done_ || !matches(call.name)) return std::nullopt;
  const auto index = seen_++;
  const bool each_shape = wish_.which == "each-shape";
  const Shape shape{call.name, call.grid, call.block, call.shared};
  const bool is_wanted = each_shape
                             ? shapes_.size() < most_shapes && !shapes_.contains(shape)
                             : wish_.which == "first" || wish_.which == std::to_string(index);
  if (!is_wanted) return std::nullopt;
  if (others_.a_stream_is_captured()) {
    ++beside_graphs_;
    return std::nullopt;
  }
  if (!each_shape) {
    done_ = true;
    return Wanted{index, 0};
  }
  shapes_.insert(shape);
  return Wanted{index, folders_++};
}

void LaunchCapture::on_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_EXIT) {
    if (!captures) return;
    const Ours mark;
    return end(data);
  }
  // While another thread's launch is captured, nothing may change memory. But that launch may wait
  // for this one, as a collective of two GPUs does.
  if (busy_.try_lock_for(longest_pause)) {
    busy_.unlock();
  } else {
    others_.note_change(data.functionName);
  }
  const LaunchCall call(id, data);
  if (wish_.matches == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    if (done_ || !matches(call.name)) return;
    if (!driver_) {
      std::string why;
      driver_ = CaptureDriver::open(why);
      if (!driver_) {
        notes_.push_back("not captured: " + why + " (captures need CUDA 12.4 or later)");
        done_ = true;
        return;
      }
    }
  }
  const Ours mark;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (driver_->is_capturing(call.stream, &status) != CUDA_SUCCESS ||
      status != CU_STREAM_CAPTURE_STATUS_NONE) {
    const std::lock_guard lock(mutex_);
    ++in_graphs_;
    return;
  }
  if (const auto which = wanted(call)) begin(call, *which);
}

std::string LaunchCapture::take_arguments(const LaunchCall& call,
                                          std::vector<std::vector<std::byte>>& values) {
  const auto info = [&](std::size_t index, std::size_t* offset, std::size_t* bytes) {
    const auto result = driver_->function_parameter(call.function, index, offset, bytes);
    if (result == CUDA_SUCCESS) return result;
    return driver_->kernel_parameter(reinterpret_cast<CUkernel>(call.function), index, offset,
                                     bytes);
  };
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    if (info(i, &offset, &bytes) != CUDA_SUCCESS) return "";
    const auto* at = call.argument(i, offset);
    if (at == nullptr) return "the arguments of the launch are not known";
    values.emplace_back(at, at + bytes);
    pending_->launch.parameters.push_back({offset, bytes, capture::hexadecimal(at, bytes)});
  }
}

std::string LaunchCapture::take_function(const LaunchCall& call) {
  // A kernel of a library is loaded by this, so that its code is known.
  CUfunction function = call.function;
  if (driver_->module_of(&pending_->module, function) != CUDA_SUCCESS) {
    const auto kernel = reinterpret_cast<CUkernel>(call.function);
    if (driver_->function_of_kernel(&function, kernel) != CUDA_SUCCESS ||
        driver_->module_of(&pending_->module, function) != CUDA_SUCCESS) {
      pending_->module = nullptr;
    }
  }
  auto& launch = pending_->launch;
  int value = 0;
  const auto carveout = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
  if (launch.carveout < 0 &&
      driver_->function_attribute(&value, carveout, function) == CUDA_SUCCESS && value >= 0) {
    launch.carveout = value;
  }
  CUdevice device = 0;
  std::array<char, 256> name{};
  int major = 0;
  int minor = 0;
  if (driver_->device(&device) != CUDA_SUCCESS) return "the thread has no CUDA context";
  (void)driver_->device_name(name.data(), static_cast<int>(name.size() - 1), device);
  (void)driver_->device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  (void)driver_->device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  launch.device = name.data();
  launch.compute_capability = std::to_string(major) + "." + std::to_string(minor);
  return "";
}

void LaunchCapture::take_variables() {
  if (pending_->module == nullptr) return;
  bool is_certain = true;
  const auto cubin = code_.cubin_of(pending_->launch.kernel, pending_->module, is_certain);
  if (!cubin) return;
  for (const auto& [name, bytes] : content_of_cubin(std::as_bytes(std::span(*cubin))).variables) {
    CUdeviceptr address = 0;
    std::size_t size = 0;
    if (driver_->variable(&address, &size, pending_->module, name.c_str()) != CUDA_SUCCESS)
      continue;
    pending_->launch.variables.push_back({name, size});
    pending_->variables.push_back(address);
  }
}

/// Another launch is being captured, and may wait for this one.
void LaunchCapture::pass_over(const LaunchCall& call) {
  const std::lock_guard lock(mutex_);
  shapes_.erase({call.name, call.grid, call.block, call.shared});
  if (wish_.which == "first") done_ = false;
  ++passed_over_;
}

void LaunchCapture::begin(const LaunchCall& call, const Wanted& which) {
  auto pending = std::make_unique<Pending>();
  pending->others_wait = std::unique_lock(busy_, longest_pause);
  if (!pending->others_wait.owns_lock()) return pass_over(call);
  auto& launch = pending->launch;
  launch.kernel = call.name;
  launch.grid = call.grid;
  launch.block = call.block;
  launch.shared_bytes = call.shared;
  launch.cluster = call.cluster;
  launch.cooperative = call.cooperative;
  launch.carveout = call.carveout;
  launch.framework = frameworks();
  launch.launch = which.launch;
  pending->final_folder = wish_.folder + "/" + std::to_string(which.number);
  pending->folder = pending->final_folder + ".part";
  pending_ = std::move(pending);
  captures = true;
  if (::mkdir(pending_->folder.c_str(), 0700) != 0) {
    const int error = errno;
    pending_->folder.clear();
    return give_up(error == EEXIST
                       ? "another process of the program has already captured this launch"
                       : wish_.folder + ": " + std::strerror(error));
  }
  for (const auto& name : call.left_out)
    launch.notes.push_back(name + " is not kept: in a replay, the kernel runs alone");
  if (call.cooperative && call.extra != nullptr)
    return give_up("a cooperative launch with its arguments in a buffer can't be captured");
  others_.watch();
  const auto failure = [&]() -> std::string {
    const RelaxedMode mode(*driver_);
    const auto waited = wait_for_device(*driver_, wish_.longest_wait);
    if (!waited) return too_long("earlier work was still running after ");
    if (*waited != CUDA_SUCCESS) return "waiting for the device: " + error_of(*waited);
    std::vector<std::vector<std::byte>> values;
    if (auto why = take_arguments(call, values); !why.empty()) return why;
    if (auto why = take_function(call); !why.empty()) return why;
    ReachedMemory memory(*driver_);
    for (const auto& value : values) memory.look_at(value.data(), value.size());
    take_variables();
    for (std::size_t i = 0; i < pending_->variables.size(); ++i)
      memory.look_in(pending_->variables[i], launch.variables[i].bytes);
    memory.follow();
    launch.windows = memory.windows(wish_.max_bytes, launch.notes);
    return StateWriter(*driver_, pending_->folder).write_before(launch, pending_->variables);
  }();
  if (!failure.empty()) give_up(failure);
}

/// What to say of a wait, after which no other launch of the kernel is tried.
std::string LaunchCapture::too_long(const std::string& what) {
  const std::lock_guard lock(mutex_);
  matching_[pending_->launch.kernel] = false;
  return what + seconds(wish_.longest_wait);
}

std::string LaunchCapture::take_code() {
  auto& launch = pending_->launch;
  bool is_certain = true;
  const auto cubin = code_.cubin_of(launch.kernel, pending_->module, is_certain);
  const auto ptx = code_.ptx_of(launch.kernel);
  if (!cubin && !ptx) return "bench did not see the kernel's machine code when it was loaded";
  if (!is_certain) {
    launch.notes.push_back(
        "several modules have a kernel of this name, with different code: the newest was kept");
  }
  const auto& folder = pending_->folder;
  if (cubin) {
    auto why = write_file(folder + "/" + capture::cubin_file, cubin->data(), cubin->size());
    if (!why.empty()) return why;
  }
  if (ptx) {
    launch.has_ptx = true;
    return write_file(folder + "/" + capture::ptx_file, ptx->data(), ptx->size());
  }
  return "";
}

void LaunchCapture::end(const CUpti_CallbackData& data) {
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  if (result != nullptr && *result != CUDA_SUCCESS)
    return give_up("the program's launch failed: " + error_of(*result));
  const auto failure = [&]() -> std::string {
    if (others_.a_stream_is_captured())
      return "a capture of another stream into a CUDA graph began at the same time";
    const RelaxedMode mode(*driver_);
    const auto waited = wait_for_device(*driver_, wish_.longest_wait);
    if (!waited)
      return too_long("the kernel was still running after ") + ": does it wait for a later launch?";
    if (*waited != CUDA_SUCCESS) return "the kernel failed in the program: " + error_of(*waited);
    StateWriter writer(*driver_, pending_->folder);
    auto why = writer.write_changes(pending_->launch, pending_->variables);
    if (why.empty()) why = take_code();
    if (!why.empty()) return why;
    for (const auto& name : others_.take_changes()) {
      pending_->launch.notes.push_back("another thread called " + name +
                                       " during the kernel, so the captured output may include "
                                       "data that this call wrote");
    }
    const auto text = wish_.encode(pending_->launch);
    why = write_file(pending_->folder + "/" + capture::manifest_file, text.data(), text.size());
    if (!why.empty()) return why;
    if (std::rename(pending_->folder.c_str(), pending_->final_folder.c_str()) == 0) return "";
    return pending_->final_folder + ": " + std::strerror(errno);
  }();
  if (!failure.empty()) return give_up(failure);
  captures = false;
  pending_.reset();
}

void LaunchCapture::give_up(const std::string& why) {
  captures = false;
  note("not captured: " + (pending_ ? pending_->launch.kernel + ": " : std::string()) + why);
  if (!pending_) return;
  std::error_code ignored;
  if (!pending_->folder.empty()) fs::remove_all(pending_->folder, ignored);
  pending_.reset();
}

}  // namespace apod::cuda
