#pragma once

/// \file
/// A kernel that comes in a file, on a device whose kernels are functions of the test: what is done
/// around it is the same as on a GPU.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/run/case_runner.hpp"
#include "kernels/files/kernel_family.hpp"
#include "tests/support/scripted_backend.hpp"

namespace apod::run::test_files {

inline constexpr std::int64_t elements = 512;

/// One call of a kernel: y[i] = 2 x[i] is what it should do.
struct KernelCall {
  const float* x = nullptr;
  float* y = nullptr;
  float* scratch = nullptr;
  std::int64_t size = 0;
  int call = 0;  ///< of all calls in this process
};
using HostKernel = std::function<void(const KernelCall&)>;

inline void twice(const KernelCall& call) {
  for (std::int64_t i = 0; i < call.size; ++i) call.y[i] = 2 * call.x[i];
}

/// Does what the variant of the CUDA backend does, in host memory.
class HostFileVariant : public Variant {
 public:
  HostFileVariant(std::shared_ptr<const file::KernelFamily> family, const HostKernel& kernel)
      : family_(std::move(family)), kernel_(kernel) {}
  bool needs_restore() const override { return true; }
  std::size_t most_scratch_bytes(const Params& params) const override {
    return family_->shapes().layout(params).scratch_bytes;
  }
  std::size_t scratch_bytes(const Problem&, const Params& params,
                            const Chunk& chunk) const override {
    return layout(params, chunk).scratch_bytes;
  }
  void restore(const Task& task) const override {
    const auto places = layout(task.params, task.chunk);
    std::memset(task.output, 0xFF, places.output_bytes);
    std::memset(task.scratch, 0xFF, places.scratch_bytes);
    for (std::size_t a = 0; a < places.args.size(); ++a) {
      if (family_->spec().args[a].role != file::Role::inout) continue;
      std::memcpy(static_cast<std::byte*>(task.output) + places.args[a].in_output,
                  static_cast<const std::byte*>(task.input) + places.args[a].in_input,
                  places.args[a].bytes);
    }
  }
  void compute(const Task& task) const override {
    const auto places = layout(task.params, task.chunk).args;
    const auto* input = static_cast<const std::byte*>(task.input) + places[1].in_input;
    auto* output = static_cast<std::byte*>(task.output) + places[0].in_output;
    kernel_({reinterpret_cast<const float*>(input), reinterpret_cast<float*>(output),
             static_cast<float*>(task.scratch), places[0].count, calls_++});
    dynamic_cast<apod::test::ScriptedStream&>(task.stream).run_kernel();
  }

 private:
  file::Layout layout(const Params& params, const Chunk& chunk) const {
    return family_->shapes()
        .parts(params, chunk.count)[static_cast<std::size_t>(chunk.index)]
        .layout;
  }
  std::shared_ptr<const file::KernelFamily> family_;
  const HostKernel& kernel_;
  mutable int calls_ = 0;
};

class KernelFileRun : public testing::Test {
 protected:
  KernelFileRun() {
    registry_.add(BackendEntry{
        .kind = BackendKind::cuda,
        .devices = [](std::string&) { return std::vector<DeviceFacts>(1); },
        .open = [this](int) { return std::make_unique<apod::test::ScriptedBackend>(script_); },
        .kernel_files = {.make =
                             [this](const file::KernelFamily& family) {
                               return std::make_unique<HostFileVariant>(family.shared_from_this(),
                                                                        kernel_);
                             },
                         .missing = {},
                         .compile =
                             [](const file::KernelFamily&, const Params&, const std::string&) {
                               return std::vector<std::string>{"compiled"};
                             },
                         .sketch =
                             [](const file::KernelSpec&) {
                               return std::vector<file::KernelSketch>{
                                   {.name = "k",
                                    .parameters = {{"float*", true, false, ElementType::f32},
                                                   {"Mine", false, false, std::nullopt}},
                                    .block = {64, 1, 1}}};
                             }}});
    spec_.axes = {{.name = "size", .help = "", .default_value = elements}};
    spec_.launches = {{.file = "k.cu", .kernel = "k", .grid = {"1"}, .block = {"1"}}};
    spec_.args = {{.name = "y", .role = file::Role::out, .shape = {"size"}},
                  {.name = "x", .shape = {"size"}},
                  {.name = "s", .role = file::Role::scratch, .shape = {"size"}}};
    spec_.reference = {.kind = file::ReferenceSpec::Kind::formula, .outputs = {{"y", "2 * x"}}};
    measure_.warmup_s = 0;
    measure_.max_time_s = 60;  // never what ends it, however busy the machine is
    measure_.min_samples = 100;
    measure_.clocks = ClockMode::unheld;
    script_.kernel_seconds = [](int) { return 1e-4; };
  }

  Measurement run(const HostKernel& kernel, record::Pass pass = record::Pass::measure) {
    kernel_ = kernel;
    record::WorkItem item;
    item.experiment.name = item.experiment.workload = "kernel";
    item.experiment.measure = measure_;
    item.experiment.scope = scope_;
    item.experiment.kernel.emplace();
    item.experiment.kernel->spec = spec_;
    item.info.id = "kernel/k.cu";
    item.info.variant = "k.cu";
    item.info.backend = BackendKind::cuda;
    item.info.params.set("variant", std::string("k.cu"));
    item.info.params.set("size", elements);
    if (scope_ == Scope::end_to_end) item.info.params.set("streams", streams_);
    item.pass = pass;
    CaseRunner runner(registry_);
    return runner.run(item, {.stage = [](auto&) {}, .cancelled = [] { return false; }});
  }

  /// Why a kernel that does `kernel` publishes no time.
  std::string refusal(const HostKernel& kernel) {
    const auto measured = run(kernel);
    EXPECT_TRUE(measured.failed.empty() || measured.samples_s.empty());
    return measured.failed;
  }
  bool refused(const HostKernel& kernel, const std::string& because) {
    const auto why = refusal(kernel);
    if (why.find(because) != std::string::npos) return true;
    ADD_FAILURE() << "'" << why << "' does not say '" << because << "'";
    return false;
  }

  apod::test::Script script_;
  Registry registry_;
  HostKernel kernel_;
  file::KernelSpec spec_;
  MeasureSpec measure_;
  Scope scope_ = Scope::kernel;
  std::int64_t streams_ = 1;
};

}  // namespace apod::run::test_files
