// A kernel that comes in a file, on a device whose kernels are functions of the test: what is done
// around it is the same as on a GPU.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "benchmarks/run/case_runner.hpp"
#include "benchmarks/run/spot_checks.hpp"
#include "kernels/api/file/family.hpp"
#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/scripted_backend.hpp"

namespace apod::run {
namespace {

constexpr std::int64_t elements = 512;

/// One call of a kernel: y[i] = 2 x[i] is what it should do.
struct KernelCall {
  const float* x = nullptr;
  float* y = nullptr;
  float* scratch = nullptr;
  std::int64_t size = 0;
  int call = 0;  ///< of all calls in this process
};
using HostKernel = std::function<void(const KernelCall&)>;

void twice(const KernelCall& call) {
  for (std::int64_t i = 0; i < call.size; ++i) call.y[i] = 2 * call.x[i];
}

/// Does what the variant of the CUDA backend does, in host memory.
class HostFileVariant : public Variant {
 public:
  HostFileVariant(std::shared_ptr<const file::KernelFamily> family, const HostKernel& kernel)
      : family_(std::move(family)), kernel_(kernel) {}
  bool needs_restore() const override { return true; }
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
    dynamic_cast<test::ScriptedStream&>(task.stream).run_kernel();
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
        .open = [this](int) { return std::make_unique<test::ScriptedBackend>(script_); },
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
                         .sketch = {}}});
    spec_.axes = {{.name = "size", .help = "", .default_value = elements}};
    spec_.launches = {{.file = "k.cu", .kernel = "k", .grid = {"1"}, .block = {"1"}}};
    spec_.args = {{.name = "y", .role = file::Role::out, .shape = {"size"}},
                  {.name = "x", .shape = {"size"}},
                  {.name = "s", .role = file::Role::scratch, .shape = {"size"}}};
    spec_.reference = {.kind = file::ReferenceSpec::Kind::formula, .outputs = {{"y", "2 * x"}}};
    measure_.warmup_s = 0;
    measure_.max_time_s = 0.2;
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

  test::Script script_;
  Registry registry_;
  HostKernel kernel_;
  file::KernelSpec spec_;
  MeasureSpec measure_;
  Scope scope_ = Scope::kernel;
  std::int64_t streams_ = 1;
};

TEST_F(KernelFileRun, MeasuresWhatDoesItsWork) {
  for (const auto scope : {Scope::kernel, Scope::end_to_end}) {
    scope_ = scope;
    const auto measured = run(twice);
    EXPECT_EQ(measured.failed, "");
    EXPECT_GE(measured.samples_s.size(), 2u);
    EXPECT_GE(measured.facts.at("spot_checks"), 5);
    EXPECT_TRUE(measured.verification.passed);
    EXPECT_EQ(measured.traffic.bytes_read, 4.0 * elements);
  }
}

TEST_F(KernelFileRun, DoesEveryPass) {
  using record::Pass;
  for (const auto pass : {Pass::check, Pass::trace, Pass::counters}) {
    EXPECT_EQ(run(twice, pass).failed, "") << to_string(pass);
  }
  const auto compiled = run(twice, Pass::compile);
  EXPECT_EQ(compiled.notes, std::vector<std::string>{"compiled"});
  EXPECT_EQ(script_.captures, 0);
}

TEST_F(KernelFileRun, RestoresWhatIsChangedInPlace) {
  spec_.args[0].role = file::Role::inout;
  spec_.reference.outputs = {{"y", "y + x"}};
  spec_.relative = 1e-6;
  const HostKernel add = [](const KernelCall& call) {
    for (std::int64_t i = 0; i < elements; ++i) call.y[i] += call.x[i];
  };
  EXPECT_EQ(run(add).failed, "");
  measure_.launch = LaunchMode::graph;
  const auto graph = run(add);
  EXPECT_EQ(graph.failed, "");
  EXPECT_EQ(graph.launch, "stream") << "launches in a graph can't be restored in between";
}

TEST_F(KernelFileRun, ChangesInPlaceBetweenUploadAndDownload) {
  spec_.args[0].role = file::Role::inout;
  spec_.reference.outputs = {{"y", "y + x"}};
  spec_.relative = 1e-6;
  spec_.split = "size";
  scope_ = Scope::end_to_end;
  for (const std::int64_t streams : {1, 3}) {
    streams_ = streams;
    const auto measured = run([](const KernelCall& call) {
      for (std::int64_t i = 0; i < call.size; ++i) call.y[i] += call.x[i];
    });
    EXPECT_EQ(measured.failed, "") << streams;
    EXPECT_EQ(measured.facts.at("distinct_streams"), static_cast<double>(streams));
    EXPECT_GE(measured.facts.at("spot_checks"), 5);
  }
}

TEST_F(KernelFileRun, SplitsItsWorkOverStreams) {
  spec_.split = "size";
  scope_ = Scope::end_to_end;
  streams_ = 4;
  std::set<std::int64_t> sizes;
  const auto measured = run([&](const KernelCall& call) {
    sizes.insert(call.size);
    twice(call);
  });
  EXPECT_EQ(measured.failed, "");
  EXPECT_EQ(sizes, (std::set<std::int64_t>{128}));
  EXPECT_EQ(measured.facts.at("upload_bytes"), 4.0 * elements);
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[call.size] = 1;
      },
      "out of bounds, behind 'y'"));
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        if (call.call % 4 != 2) twice(call);
      },
      "wrong answer: element 256 of 'y'"));
}

TEST_F(KernelFileRun, KnowsThatAKernelWithoutAReferenceOnlyRepeatsItself) {
  spec_.reference = {};
  EXPECT_EQ(run([](const KernelCall& call) {
              for (std::int64_t i = 0; i < elements; ++i) call.y[i] = 3 * call.x[i];
            }).failed,
            "");
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[0] = static_cast<float>(call.call);
      },
      "element 0 of 'y'"));
}

TEST_F(KernelFileRun, SaysThatInputsCouldNotBeMadeAnew) {
  spec_.args[1].formula = "i";
  const auto measured = run(twice);
  EXPECT_EQ(measured.failed, "");
  EXPECT_EQ(measured.notes.back(),
            "its inputs could not be made anew, so it saw the same each time");
}

TEST_F(KernelFileRun, ComparesWithAFunctionOnTheHost) {
  if (std::system("c++ --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no c++";
  const TemporaryFolder folder;
  folder.write("ref.cpp", R"(#include <cstdint>
void twice(float* y, const float* x, double a, std::int16_t n) {
  for (int i = 0; i < n; ++i) y[i] = static_cast<float>(a) * x[i];
})");
  spec_.folder = folder.path();
  spec_.args.push_back({.name = "a", .type = ElementType::f64, .value = "2"});
  spec_.args.push_back({.name = "n", .type = ElementType::i16, .value = "size"});
  spec_.reference = {.kind = file::ReferenceSpec::Kind::host,
                     .launch = {.file = "ref.cpp", .kernel = "twice"}};
  EXPECT_EQ(run(twice, record::Pass::check).failed, "");
  EXPECT_NE(run([](const KernelCall&) {}, record::Pass::check).failed.find("element 0 of 'y'"),
            std::string::npos);
  spec_.reference.launch.kernel = "thrice";
  EXPECT_EQ(run(twice, record::Pass::check).failed.find("compiling ref.cpp ended with code 1:"),
            0u);
  folder.write("ref.cpp",
               "#include <cstdlib>\nvoid thrice(float*, const float*, double, short) { "
               "std::exit(7); }\n");
  EXPECT_EQ(run(twice, record::Pass::check).failed, "the reference in ref.cpp ended with code 7");
}

// What a kernel may try to look faster than it is.

TEST_F(KernelFileRun, CatchesAWrongAnswer) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[elements - 1] += 1;
      },
      "wrong answer: element 511 of 'y'"));
}

TEST_F(KernelFileRun, CatchesWorkThatIsSkippedOnInputsItHasSeen) {
  float seen = -1;
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        if (call.x[0] != seen) twice(call);
        seen = call.x[0];
      },
      "wrong answer"));
}

TEST_F(KernelFileRun, CatchesWorkThatIsDoneOnlyAtFirst) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        if (call.call < 12) twice(call);
      },
      "invalid: wrong answer"));
}

TEST_F(KernelFileRun, CatchesWorkThatIsLeftOutNowAndThen) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        if (call.call < 12 || call.call % 2 == 0) twice(call);
      },
      "wrong answer"));
}

TEST_F(KernelFileRun, CatchesAnAnswerFromMemoryForOtherInputs) {
  std::vector<float> kept;
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        if (kept.empty()) {
          twice(call);
          kept.assign(call.y, call.y + elements);
        }
        std::copy(kept.begin(), kept.end(), call.y);
      },
      "invalid: wrong answer for inputs that it had not seen before"));
}

TEST_F(KernelFileRun, CatchesAnAnswerFromMemoryForTheSameInputs) {
  std::map<float, std::vector<float>> kept;
  bool slow = false;
  script_.kernel_seconds = [&](int) { return slow ? 1e-4 : 2e-5; };
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        auto& mine = kept[call.x[0]];
        slow = mine.empty();
        if (slow) {
          kept.clear();
          twice(call);
          kept[call.x[0]].assign(call.y, call.y + elements);
        } else {
          std::copy(mine.begin(), mine.end(), call.y);
        }
      },
      "it keeps what it computed"));
}

TEST_F(KernelFileRun, CatchesAnswersThatAreKeptForAllInputs) {
  std::set<float> seen;
  bool slow = false;
  script_.kernel_seconds = [&](int) { return slow ? 1e-4 : 2e-5; };
  for (const auto cache : {CacheMode::cold, CacheMode::hot}) {
    measure_.cache = cache;
    seen.clear();
    EXPECT_TRUE(refused(
        [&](const KernelCall& call) {
          slow = seen.insert(call.x[0]).second;
          twice(call);
        },
        "it keeps what it computed"));
  }
}

TEST_F(KernelFileRun, CatchesWorkThatKnowsTheInputsOfTheSamples) {
  float usual = -1;
  bool known = false;
  script_.kernel_seconds = [&](int) { return known ? 2e-5 : 1e-4; };
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        if (usual < 0) usual = call.x[0];
        known = call.x[0] == usual;
        twice(call);
      },
      "it knows them"));
}

TEST_F(KernelFileRun, CatchesTheSameWithHotCaches) {
  measure_.cache = CacheMode::hot;
  std::map<float, std::vector<float>> kept;
  bool slow = false;
  script_.kernel_seconds = [&](int) { return slow ? 1e-4 : 2e-5; };
  EXPECT_EQ(refusal(twice), "");
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        slow = kept.count(call.x[0]) == 0;
        if (slow) kept.clear();
        twice(call);
        kept[call.x[0]];
      },
      "it keeps what it computed"));
  float usual = -1;
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        if (usual < 0) usual = call.x[0];
        slow = call.x[0] != usual;
        twice(call);
      },
      "it knows them"));
}

TEST_F(KernelFileRun, CatchesWorkThatIsDoneOnlyAfterAPause) {
  // Inputs are loaded and outputs are fetched in pauses, which a kernel can tell by a clock.
  bool paused = true;
  float seen = -1;
  bool slow = false;
  script_.on_copy = [&] { paused = true; };
  script_.kernel_seconds = [&](int) { return slow ? 1e-4 : 2e-5; };
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        slow = paused || call.x[0] != seen;
        paused = false;
        seen = call.x[0];
        twice(call);
      },
      "it keeps what it computed"));
}

TEST_F(KernelFileRun, RefusesAToleranceThatLetsZerosPass) {
  const HostKernel zeros = [](const KernelCall& call) {
    std::fill(call.y, call.y + call.size, 0.0F);
  };
  EXPECT_TRUE(refused(zeros, "wrong answer: element 0 of 'y'"));
  spec_.absolute = 3;
  EXPECT_TRUE(refused(zeros, "the tolerance is as wide as the values of 'y': zeros would pass"));
  spec_.args[1].formula = "0";  // then zeros are right
  EXPECT_EQ(refusal(zeros), "");
}

TEST_F(KernelFileRun, CatchesAnInputThatIsMadeEasier) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        const_cast<float*>(call.x)[3] = 0;
        call.y[3] = 0;
      },
      "wrong answer"));
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        if (call.call == 30) const_cast<float*>(call.x)[0] = 0;
      },
      "invalid: the kernel changed an input"));
}

TEST_F(KernelFileRun, CatchesWritesOutOfBounds) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[elements] = 1;
      },
      "out of bounds, behind 'y'"));
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[-1] = 1;
      },
      "out of bounds, before 'y'"));
}

TEST_F(KernelFileRun, CatchesAnAnswerKeptInScratchMemory) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        // Its mark from the last run is gone each time, so it would have to do the work.
        if (call.scratch[0] == 42) return;
        if (call.call < 12) twice(call);
        call.scratch[0] = 42;
      },
      "wrong answer"));
}

TEST_F(KernelFileRun, CatchesTimesThatTheDeviceCantHave) {
  // 2 KiB read at 1 GB/s take 2 us.
  script_.kernel_seconds = [](int) { return 1e-6; };
  EXPECT_TRUE(refused(twice, "is less than"));
  script_.kernel_seconds = [](int) { return 5e-6; };
  EXPECT_EQ(refusal(twice), "");
  spec_.traffic = {{"read", "1e6"}};
  EXPECT_TRUE(refused(twice, "'traffic' says too much"));
}

TEST(LeastSeconds, CountsWhatCachesCannotHold) {
  DeviceFacts device;
  device.peak_memory_bytes_per_s = 1e9;
  device.peak_fp32_flops = 1e9;
  device.l2_bytes = 1000;
  const Traffic traffic{.bytes_read = 3000, .bytes_written = 500, .flops_fp32 = 100};
  EXPECT_DOUBLE_EQ(least_seconds(traffic, device, CacheMode::cold), 3e-6);
  EXPECT_DOUBLE_EQ(least_seconds(traffic, device, CacheMode::hot), 2.5e-6);
  EXPECT_DOUBLE_EQ(least_seconds({.flops_fp32 = 5000}, device, CacheMode::cold), 5e-6);
  EXPECT_EQ(least_seconds(traffic, {}, CacheMode::cold), 0);
}

}  // namespace
}  // namespace apod::run
