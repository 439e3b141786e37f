/// Kernels that come in files, on the first device: compiled, launched, verified, timed.

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "benchmarks/plan/config/load.hpp"
#include "benchmarks/plan/expand.hpp"
#include "benchmarks/run/case_runner.hpp"
#include "benchmarks/run/memory_check.hpp"
#include "tests/gpu/cuda_backend.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod {
namespace {

class KernelFiles : public OnCuda<> {
 protected:
  void SetUp() override {
    OnCuda::SetUp();
    if (IsSkipped()) return;
    const auto missing = entry->kernel_files.missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
  }

  static Plan planned(const config::LoadOutcome& loaded) {
    for (const auto& diagnostic : loaded.diagnostics) ADD_FAILURE() << to_string(diagnostic);
    if (!loaded.config) return {};
    const auto outcome = plan::expand(*loaded.config, Registry::instance(), {});
    for (const auto& diagnostic : outcome.diagnostics) ADD_FAILURE() << to_string(diagnostic);
    return outcome.plan.value_or(Plan{});
  }
  /// The experiment `yaml` about `source`, which is k.cu in its folder.
  Plan plan_of(const std::string& source, const std::string& yaml) const {
    folder_.write("k.cu", source);
    return planned(
        config::load_text("schema: 1\nmeasure: {max_time: 50ms, warmup: 0ms}\n"
                          "experiments:\n" +
                              yaml,
                          folder_.path("k.yaml"), Registry::instance(), {}));
  }
  static Measurement measured(const Plan& plan, const Case& c,
                              record::Pass pass = record::Pass::measure) {
    record::WorkItem item{.info = c, .experiment = plan.experiment_of(c), .pass = pass};
    run::CaseRunner runner(Registry::instance());
    return runner.run(item, {.stage = [](auto&) {}, .cancelled = [] { return false; }});
  }
  /// Why the cases fail; empty where none does.
  static std::string failures(const Plan& plan, record::Pass pass = record::Pass::measure) {
    std::string all = plan.cases.empty() ? "there is no case" : "";
    for (const auto& c : plan.cases) {
      const auto why = c.skip.empty() ? measured(plan, c, pass).failed : c.skip;
      if (!why.empty()) all += c.id + ": " + why + "\n";
    }
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(KernelFiles, ComputeTheShippedExamples) {
  const auto plan = planned(
      config::load_file(APOD_SOURCE_DIR "/configs/your_kernel.yaml", Registry::instance(), {}));
  EXPECT_EQ(failures(plan, record::Pass::check), "");
}

TEST_F(KernelFiles, RefuseEveryCheat) {
  const auto plan = planned(
      config::load_file(APOD_SOURCE_DIR "/tests/gpu/cheats.yaml", Registry::instance(), {}));
  ASSERT_EQ(plan.cases.size(), 26u);
  for (const auto& c : plan.cases) {
    const auto result = measured(plan, c);
    RecordProperty(c.id, result.failed);
    if (c.variant.find("honest") != std::string::npos) {
      EXPECT_EQ(result.failed, "");
      EXPECT_GE(result.facts.at("spot_checks"), 5);
    } else {
      EXPECT_NE(result.failed, "") << c.id << " was believed";
      EXPECT_TRUE(result.samples_s.empty()) << c.variant;
    }
  }
}

TEST_F(KernelFiles, AreCheckedWithEachArrayInAnAllocationOfItsOwn) {
  if (run::find_sanitizer().empty()) GTEST_SKIP() << "compute-sanitizer is not on the PATH";
  folder_.write("k.cu", R"(
__global__ void fine(float* y, float* s, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { s[i] = x[i]; y[i] = s[i]; }
}
__global__ void beyond(float* y, float* s, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i + 1];
}
__global__ void unset(float* y, float* s, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + (s[i] > 0 ? 1 : 0);
}
)");
  std::string yaml = "schema: 1\nexperiments:\n";
  for (const auto* kernel : {"fine", "beyond", "unset"}) {
    yaml += "  - {name: " + std::string(kernel) + ", kernel: {file: k.cu, name: " + kernel +
            "}, axes: {n: 1024}, grid: 4, block: 256, args: [{name: y, type: f32, shape: n, "
            "role: out}, {name: s, type: f32, shape: n, role: scratch}, {name: x, type: f32, "
            "shape: n}, {name: n, type: i32, value: n}]}\n";
  }
  folder_.write("k.yaml", yaml);
  const auto checked = [&](const std::string& fault) {
    const auto said = folder_.path(fault + ".txt");
    const int status = std::system((APOD_BENCH " --config '" + folder_.path("k.yaml") +
                                    "' --trust --check " + fault + " >'" + said + "' 2>&1")
                                       .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << fault;
    std::ifstream file(said);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const auto memory = checked("memory");
  EXPECT_NE(memory.find("beyond/k.cu/n:1024: memory: "), std::string::npos) << memory;
  EXPECT_NE(memory.find("Invalid __global__ read of size 4 bytes"), std::string::npos) << memory;
  EXPECT_NE(memory.find("fine/k.cu/n:1024: clean"), std::string::npos) << memory;
  const auto init = checked("init");
  EXPECT_NE(init.find("unset/k.cu/n:1024: init: "), std::string::npos) << init;
  EXPECT_NE(init.find("fine/k.cu/n:1024: clean"), std::string::npos) << init;
}

TEST_F(KernelFiles, CopyEveryType) {
  const std::string source = R"(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class T> __global__ void copy(T* y, const T* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
})";
  const std::pair<const char*, const char*> types[] = {
      {"f16", "__half"},       {"bf16", "__nv_bfloat16"},
      {"f32", "float"},        {"f64", "double"},
      {"i8", "signed char"},   {"i16", "short"},
      {"i32", "int"},          {"i64", "long long"},
      {"u8", "unsigned char"}, {"u16", "unsigned short"},
      {"u32", "unsigned"},     {"u64", "unsigned long long"},
      {"bool", "bool"},        {"c64", "float2"},
      {"c128", "double2"}};
  for (const auto& [name, cpp] : types) {
    const std::string type(name);
    // Complex arrays are compared with what another run leaves; all others with a formula.
    const std::string reference =
        type[0] == 'c' ? "{kernel: \"copy<" + std::string(cpp) + ">\"}" : "{expression: x}";
    EXPECT_EQ(
        failures(
            plan_of(source, "  - kernel: {file: k.cu, name: \"copy<" + std::string(cpp) +
                                ">\"}\n    axes: {n: 1000}\n    grid: 4\n    block: "
                                "256\n    args:\n      - {name: y, type: " +
                                type + ", shape: n, role: out}\n      - {name: x, type: " + type +
                                ", shape: n}\n      - {name: m, type: i32, value: n}\n"
                                "    reference: " +
                                reference + "\n"),
            record::Pass::check),
        "")
        << type;
  }
}

TEST_F(KernelFiles, LaunchInThreeDimensionsWithSharedMemoryAndScratchInTurn) {
  const std::string source = R"(
#include <cooperative_groups.h>
__global__ void fill(float* t, const float* x) {
  const int i = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int per = blockDim.x * blockDim.y * blockDim.z;
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  t[i * per + thread] = 2 * x[i * per + thread];
}
__global__ void reversed(float* y, const float* t, int n) {
  extern __shared__ float held[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) held[i] = t[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = held[n - 1 - i];
}
__global__ void together(float* y, const float* x) {
  auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
  grid.sync();
  const float other = y[gridDim.x * blockDim.x - 1 - i];
  grid.sync();
  y[i] += other;
})";
  EXPECT_EQ(failures(plan_of(source, R"(  - kernel:
      - {file: k.cu, name: fill, grid: [4, 3, 2], block: [8, 8, 16], args: [t, x]}
      - {name: reversed, grid: 1, block: 512, shared: "4 * n", args: [y, t, m]}
    axes: {n: 24576}
    args:
      - {name: y, type: f32, shape: n, role: out}
      - {name: x, type: f32, shape: n}
      - {name: t, type: f32, shape: n, role: scratch}
      - {name: m, type: i32, value: n}
    reference: {expression: "2 * x[n - 1 - i]"}
  - name: cooperative
    kernel: {file: k.cu, name: together, cooperative: true}
    axes: {n: 4096}
    grid: 16
    block: 256
    args: [{name: y, type: f32, shape: n, role: out}, {name: x, type: f32, shape: n}]
    reference: {expression: "x + x[n - 1 - i]"}
    tolerance: {relative: 1e-6}
)")),
            "");
}

TEST_F(KernelFiles, LaunchClusters) {
  if (std::stoi(devices[0].compute_capability) < 9) GTEST_SKIP() << "needs compute capability 9.0";
  EXPECT_EQ(failures(plan_of(R"(
#include <cooperative_groups.h>
__global__ void ranks(int* y) {
  auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) y[blockIdx.x] = cluster.block_rank() + 10 * cluster.num_blocks();
})",
                             R"(  - kernel: {file: k.cu, name: ranks}
    axes: {size: 8}
    grid: 8
    block: 32
    cluster: 4
    args: [{name: y, type: i32, shape: size, role: out}]
    reference: {expression: "i % 4 + 40"}
)")),
            "");
}

TEST_F(KernelFiles, RunFromHostMemoryToHostMemory) {
  const auto plan = plan_of(
      "__global__ void k(float* y, const float* x) { y[threadIdx.x] = x[threadIdx.x] + 1; }\n",
      R"(  - kernel: {file: k.cu, name: k}
    scope: end_to_end
    axes: {n: 256, host_memory: [pageable, pinned], chunk_launch: [kernels, graph]}
    grid: 1
    block: 256
    args: [{name: y, type: f32, shape: n, role: out}, {name: x, type: f32, shape: n}]
    reference: {expression: "x + 1"}
    tolerance: {relative: 1e-6}
)");
  ASSERT_EQ(plan.cases.size(), 4u);
  EXPECT_EQ(failures(plan), "");
}

TEST_F(KernelFiles, SplitTheirWorkOverStreamsAndChangeItInPlace) {
  const auto plan = plan_of(R"(
__global__ void k(float* y, const float* x, const float* w, int rows) {
  if (blockIdx.x < rows) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = y[i] + x[i] * w[threadIdx.x];
  }
})",
                            R"(  - kernel: {file: k.cu, name: k}
    scope: end_to_end
    split: rows
    axes: {rows: 1003, streams: [1, 3], chunk_launch: [kernels, graph], order: [by_chunk, uploads_first]}
    grid: rows
    block: 128
    args:
      - {name: y, type: f32, shape: [rows, 128], role: inout}
      - {name: x, type: f32, shape: [rows, 128]}
      - {name: w, type: f32, shape: 128}
      - {name: n, type: i32, value: rows}
    reference: {expression: "y + x * w[i % 128]"}
    tolerance: {relative: 1e-6}
)");
  ASSERT_EQ(plan.cases.size(), 8u);
  EXPECT_EQ(failures(plan), "");
}

TEST_F(KernelFiles, GiveStructsConstantsTexturesAndLoops) {
  const std::string source = R"(
struct Step { const float* x; int n; float a; };
__constant__ float weights[4];
__global__ void scaled(float* y, Step step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < step.n) y[i] = step.a * step.x[i] + weights[i % 4];
}
__global__ void read(float* y, cudaTextureObject_t t, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = tex2D<float>(t, i % width + 0.5f, i / width + 0.5f);
}
__global__ void add(float* sum, int k) { atomicAdd(sum, float(k)); })";
  EXPECT_EQ(failures(plan_of(source, R"(  - kernel: {file: k.cu, name: scaled}
    axes: {n: 1000}
    grid: 4
    block: 256
    args:
      - {name: y, type: f32, shape: n, role: out}
      - name: step
        fields:
          - {name: x, type: f32, shape: n}
          - {name: m, type: i32, value: n}
          - {name: a, type: f32, value: "2.0"}
      - {name: w, type: f32, shape: 4, variable: weights}
    reference: {expression: "2 * x + w[i % 4]"}
    tolerance: {relative: 1e-6}
  - name: texture
    kernel: {file: k.cu, name: read}
    axes: {width: 64}
    grid: 8
    block: 256
    args:
      - {name: y, type: f32, shape: [32, width], role: out}
      - {name: x, type: f32, shape: [32, width], texture: nearest}
      - {name: w, type: i32, value: width}
    reference: {expression: x}
  - name: loop
    kernel: {file: k.cu, name: add}
    grid: 1
    block: 1
    for: {k: "1..10"}
    args: [{name: sum, type: f32, shape: 1, role: zeroed}, {name: v, type: i32, value: k}]
    reference: {expression: "55"}
)")),
            "");
}

TEST_F(KernelFiles, DoEveryPass) {
  const auto plan = plan_of("__global__ void k(float* y) { y[threadIdx.x] = threadIdx.x; }\n",
                            R"(  - kernel: {file: k.cu, name: k}
    grid: 1
    block: 256
    args: [{name: y, type: f32, shape: 256, role: out}]
    reference: {expression: i}
)");
  using record::Pass;
  for (const auto pass : {Pass::compile, Pass::trace, Pass::counters}) {
    EXPECT_EQ(failures(plan, pass), "") << to_string(pass);
  }
}

TEST_F(KernelFiles, SayWhyALaunchCannotBe) {
  const auto plan = plan_of("__global__ void k(float* y) { *y = 1; }\n",
                            R"(  - kernel: {file: k.cu, name: k}
    grid: 1000000
    block: 1024
    cooperative: true
    args: [{name: y, type: f32, shape: 1, role: out}]
)");
  const auto said = failures(plan);
  EXPECT_NE(said.find("launching k: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"), std::string::npos)
      << said;
}

TEST_F(KernelFiles, LoseTheDeviceToAnIllegalAddressAlone) {
  if (shares_its_process()) GTEST_SKIP() << needs_a_process;
  const auto plan = plan_of("__global__ void k(float* y) { y[1ll << 40] = 1; }\n",
                            R"(  - kernel: {file: k.cu, name: k}
    grid: 1
    block: 1
    args: [{name: y, type: f32, shape: 1, role: out}]
)");
  record::WorkItem item{.info = plan.cases.at(0), .experiment = plan.experiments.at(0)};
  run::CaseRunner runner(Registry::instance());
  const auto result = runner.run(item, {.stage = [](auto&) {}, .cancelled = [] { return false; }});
  EXPECT_NE(result.failed.find("IllegalAddress"), std::string::npos) << result.failed;
  EXPECT_TRUE(runner.device_lost());
}

}  // namespace
}  // namespace apod
