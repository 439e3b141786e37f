// GPUs that are not there, for tests of what is done with several: the host backend under other
// names. PRETENDED_GPUS=big,big,small makes three, whose UUIDs are GPU-0000000<index>-... Only if a
// test asks for them.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "kernels/backends/host/stream.hpp"
#include "tests/support/function_variant.hpp"

namespace apod::faults {
namespace {

std::vector<DeviceFacts> pretended_gpus() {
  std::vector<DeviceFacts> gpus;
  std::istringstream names(std::getenv("PRETENDED_GPUS"));
  for (std::string name; std::getline(names, name, ',');) {
    auto& gpu = gpus.emplace_back();
    gpu.backend = BackendKind::cuda;
    gpu.index = static_cast<int>(gpus.size()) - 1;
    gpu.name = "Pretended " + name;
    gpu.uuid = "GPU-0000000" + std::to_string(gpu.index) + "-0000-0000-0000-000000000000";
    gpu.driver_version = "1.0";
    gpu.memory_bytes = std::uint64_t{1} << 30;
  }
  return gpus;
}

class PretendedGpu : public Backend {
 public:
  explicit PretendedGpu(int index)
      : host_(Registry::instance().backend(BackendKind::host)->open(0)),
        facts_(pretended_gpus().at(static_cast<std::size_t>(index))) {}

  BackendKind kind() const override { return BackendKind::cuda; }
  DeviceFacts facts() const override { return facts_; }
  void enter_thread() override { host_->enter_thread(); }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, MemoryKind kind) override {
    return host_->allocate(bytes, kind);
  }
  std::unique_ptr<Stream> create_stream(std::string_view name) override {
    return host_->create_stream(name);
  }
  std::unique_ptr<Event> create_event() override { return host_->create_event(); }
  void copy(void* target, const void* source, std::size_t bytes, Stream& stream) override {
    host_->copy(target, source, bytes, stream);
  }
  void fill(void* target, std::uint8_t byte, std::size_t bytes, Stream& stream) override {
    host_->fill(target, byte, bytes, stream);
  }
  void flush_cache(Stream& stream, CacheMode mode) override { host_->flush_cache(stream, mode); }
  void synchronize() override { host_->synchronize(); }
  double seconds_between(const Event& start, const Event& stop) override {
    return host_->seconds_between(start, stop);
  }
  bool block(Stream& stream) override { return host_->block(stream); }
  bool unblock() override { return host_->unblock(); }
  std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& enqueue) override {
    return host_->capture(stream, enqueue);
  }
  ClockReading clock() override { return host_->clock(); }
  Trace trace(const std::function<void()>& work) override { return host_->trace(work); }

 private:
  std::unique_ptr<Backend> host_;
  DeviceFacts facts_;
};

void copy_on_gpu(const Task& task) {
  host::enqueue(task.stream, [out = task.output, in = task.input, n = task.chunk.output_bytes] {
    std::memcpy(out, in, n);
  });
}

/// Throws unless another process runs it at the same time: each leaves a file.
void copy_together(const Task& task) {
  static constexpr auto longest = std::chrono::seconds(4);
  namespace fs = std::filesystem;
  static const bool met = [] {
    std::ofstream("together." + std::to_string(::getpid()));
    const auto end = std::chrono::steady_clock::now() + longest;
    do {
      int here = 0;
      for (const auto& entry : fs::directory_iterator(".")) {
        here += entry.path().stem() == "together" ? 1 : 0;
      }
      if (here > 1) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (std::chrono::steady_clock::now() < end);
    std::error_code ignored;
    fs::remove("together." + std::to_string(::getpid()), ignored);
    return false;
  }();
  if (!met) throw std::runtime_error("nobody came");
  copy_on_gpu(task);
}

/// The compiler of kernels of a file is the script `compiler` in the working folder.
void compile() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("./compiler", "compiler", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the compiler ended badly");
}

class ScriptedVariant : public Variant {
 public:
  void prepare(const Params&, const DeviceFacts&) override { compile(); }
  void compute(const Task& task) const override { copy_on_gpu(task); }
};

[[maybe_unused]] const bool are_here = [] {
  if (std::getenv("PRETENDED_GPUS") == nullptr) return false;
  const BackendRegistrar gpus(
      {.kind = BackendKind::cuda,
       .devices = [](std::string&) { return pretended_gpus(); },
       .open = [](int index) -> std::unique_ptr<Backend> {
         return std::make_unique<PretendedGpu>(index);
       },
       .kernel_files =
           {.make = [](const file::KernelFamily&) { return std::make_unique<ScriptedVariant>(); },
            .compile =
                [](const file::KernelFamily&, const Params&, const std::string&) {
                  compile();
                  return std::vector<std::string>();
                }}});
  const auto add = [](const char* name, const char* summary, test::Compute compute) {
    const test::FunctionRegistrar variant("faults", name, BackendKind::cuda, summary,
                                          test::FunctionVariant(compute));
  };
  add("on_gpu", "copies", copy_on_gpu);
  add("together", "copies while another process does", copy_together);
  return true;
}();

}  // namespace
}  // namespace apod::faults
