/// `bench try` on kernel files as people write them: the experiment that it makes of each compiles.

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

class TryFiles : public ProgramTest {
 protected:
  void SetUp() override {
    write("error.cu", "#error is cheap to compile\n__global__ void unlucky() {}\n");
    const auto run = shell("bench try ./error.cu");
    for (const auto* lack : {"this build has no CUDA", "no nvcc found"}) {
      if (run.err.find(lack) != std::string::npos) GTEST_SKIP() << run.err;
    }
  }
  /// Without the user's cache.
  Outcome tried(const std::string& file, const std::string& flags = "") const {
    return shell("XDG_CACHE_HOME=$PWD/cache bench try --dry-run " + flags +
                 " '" APOD_SOURCE_DIR "/tests/data/kernels/" + file + "'");
  }
  /// The experiment for a file, which compiles.
  std::string experiment(const std::string& file) const {
    const auto run = tried(file);
    EXPECT_EQ(run.exit_code, 0) << file << ": " << run.err;
    EXPECT_TRUE(holds(run.err, " registers")) << file;
    return run.out;
  }
};

TEST_F(TryFiles, TakeTheLaunchOfTheHostCode) {
  EXPECT_TRUE(holds(experiment("softmax.cu"), "axes: {count: 4096, length: 1000, threads_: 128}",
                    "grid: count", "block: threads_", "shared: \"4 * threads_\"",
                    "{name: out, type: f32, shape: [count, length], role: out}",
                    "{name: in, type: f32, shape: [count, length]}",
                    "{name: length, type: i32, value: length}"));
  EXPECT_TRUE(holds(experiment("scan.cu"), "name: \"prefix::scan\"", "cooperative: true",
                    "shape: [blocks, per_block], role: inout"));
  EXPECT_TRUE(holds(experiment("cluster.cu"), "cluster: [4, 1, 1]", "block: 64"));
  EXPECT_TRUE(holds(experiment("bitonic.cu"),
                    "for: {k: \"2..n by *2\", j: \"floor(k / 2)..1 by /2\"}",
                    "{name: j, type: i32, value: j}"));
}

TEST_F(TryFiles, SayWhichLineOfTheExperimentIsWrong) {
  const auto said = tried("softmax.cu", "--grid 'ceil(count/'").err;
  EXPECT_TRUE(holds(said, "in the experiment, grid: \"ceil(count/\": the expression ends"));
  EXPECT_TRUE(lacks(said, "try.yaml"));
}

TEST_F(TryFiles, ReadPtxForTypesAndTheLargestBlock) {
  write("d.ptx",
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry d(.param .u64 d_0, .param .u64 d_1, .param .u64 d_2)\n"
        ".maxntid 128, 1, 1\n{\n.reg .b64 %rd<4>;\n.reg .f64 %fd<2>;\n"
        "ld.param.u64 %rd1, [d_0];\nld.param.u64 %rd2, [d_1];\nld.param.u64 %rd3, [d_2];\n"
        "setp.ge.u64 %p1, %rd0, %rd3;\n"
        "ld.global.f64 %fd1, [%rd2];\nst.global.f64 [%rd1], %fd1;\nret;\n}\n");
  const auto run = shell("XDG_CACHE_HOME=$PWD/cache bench try --dry-run ./d.ptx");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "types are guesses", "block: 128", "name: p0, type: f64",
                    "role: inout}", "name: p1, type: f64", "name: p2, type: i64"));
}

TEST_F(TryFiles, WithoutAGpuNothingWasMeasured) {
  if (exists("/proc/driver/nvidia/version")) GTEST_SKIP() << "this machine has a GPU";
  const std::string file = "'" APOD_SOURCE_DIR "/tests/data/kernels/softmax.cu'";
  const auto run = ends(4, "CUDA_VISIBLE_DEVICES= XDG_CACHE_HOME=$PWD/cache bench " + file);
  EXPECT_TRUE(holds(run.err,
                    "the kernel compiles; to measure it, run this on a machine with a GPU: bench"));
  EXPECT_EQ(count(run.err, "all cases are skipped"), 1) << run.err;
  EXPECT_LT(run.err.find(" registers"), run.err.find("all cases are skipped")) << run.err;
  EXPECT_TRUE(lacks(tried("softmax.cu").err, "run this on a machine")) << "and ends with 0";
}

TEST_F(TryFiles, TellShapesFromAllocationsOrIndices) {
  EXPECT_TRUE(holds(experiment("gemm.cu"), "name: \"gemm<16, float>\"",
                    "axes: {k: 512, m: 512, n: 512}", "{name: a, type: f32, shape: [k, m]}",
                    "{name: b, type: f32, shape: [k, n]}",
                    "{name: c, type: f32, shape: [m, n], role: out}"));
  EXPECT_TRUE(holds(experiment("histogram.cu"), "count: 16777216",
                    "{name: bins, type: u32, shape: 256, role: zeroed}",
                    "{name: values, type: u8, shape: count}"));
  EXPECT_TRUE(holds(experiment("spmv.cu"), "{expression: \"i * floor((per_row * rows) / rows)\"}",
                    "{expression: \"(i * 7919) % rows\"}", "shape: \"rows + 1\""));
}

TEST_F(TryFiles, GiveWhatIsNeitherArrayNorNumber) {
  EXPECT_TRUE(holds(experiment("convolution.cu"), "shape: 7, variable: filter}",
                    "variable: width_of_rows, data: {expression: width}"));
  EXPECT_TRUE(holds(experiment("nbody.cu"), "- name: step\n        fields:\n",
                    "{name: step_positions, type: f32, shape: [bodies, 4]}",
                    "{name: step_count, type: i32, value: bodies}"));
  EXPECT_TRUE(holds(experiment("dequantize.cu"), "type: e4m3", "type: f16"));
  EXPECT_TRUE(holds(experiment("texture.cu"), "texture: [nearest]"));
}

TEST_F(TryFiles, ReadAStructureThatIsFilledByBraces) {
  for (const auto* filled : {"Rows rows{n, x}", "Rows rows = {n, x}"}) {
    write("rows.cu",
          "struct Rows { int count; const float* x; };\n"
          "__global__ void k(Rows rows, float* y) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < rows.count) y[i] = rows.x[i];\n}\n"
          "int main() {\n  float *x, *y;\n  const int n = 500000;\n  cudaMalloc(&x, n * 4);\n"
          "  cudaMalloc(&y, n * 4);\n  " +
              std::string(filled) + ";\n  k<<<(n + 255) / 256, 256>>>(rows, y);\n}\n");
    const auto run = shell("bench try --dry-run rows.cu");
    EXPECT_TRUE(holds(run.out, "axes: {n: 500000}", "{name: rows_count, type: i32, value: n}",
                      "{name: y, type: f32, shape: n, role: out}"))
        << run.out;
  }
}

TEST_F(TryFiles, GiveAFunctionObjectAByte) {
  for (const std::string object : {"Next()", "Next{}", "other::Next<float>()"}) {
    write("map.cu", R"(
struct Next { __device__ float operator()(float a) const { return a + 1; } };
namespace other {
template <class T> struct Next { __device__ T operator()(T a) const { return a + 1; } };
}
template <class Op> __global__ void map(float* y, const float* x, int n, Op op) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = op(x[i]);
}
int main() {
  int n = 1 << 20;
  float *x, *y;
  cudaMalloc(&x, n * sizeof *x);
  cudaMalloc(&y, n * sizeof *y);
  map<<<n / 256, 256>>>(y, x, n, )" +
                        object + R"();
}
)");
    const auto run = passes("bench try map.cu --dry-run");
    EXPECT_TRUE(holds(run.out, "name: \"map<" + object.substr(0, object.size() - 2) + ">\"",
                      "{name: op, type: u8, value: 0}"));
  }
}

TEST_F(TryFiles, SayThatATemplatesArgumentsAreAGuess) {
  write("late.cu", R"(
template <class T, int B> __global__ void late(T* y, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) y[i] = 1;
}
)");
  EXPECT_TRUE(holds(passes("bench try late.cu --dry-run").out,
                    "# - the template arguments are a guess: T = float, B = 8"));
  write("runner.cu", R"(
#include "late.cu"
template <class T>
class Runner {
 public:
  explicit Runner(int n) : n_(n) { cudaMalloc(&y_, n * sizeof(T)); }
  void go() {
    constexpr int each = 128;
    late<T, each><<<(n_ + each - 1) / each, each>>>(y_, n_);
  }

 private:
  int n_;
  T* y_;
};
int main() {
  Runner<double> runner(1 << 22);
  runner.go();
}
)");
  const auto member = passes("bench try runner.cu --dry-run").out;
  EXPECT_TRUE(
      holds(member, "name: \"late<double, 128>\"", "grid: \"ceil(n_ / 128)\"", "block: 128"));
  EXPECT_TRUE(lacks(member, "the template arguments are a guess"));
}

TEST_F(TryFiles, SayThatTheLaunchIsOfAnotherInstance) {
  write("few.cu", R"(
template <class T, int Each> __global__ void few(T* y, int n) {
  int i = Each * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < Each; ++k) if (i + k < n) y[i + k] = 1;
}
int main() {
  int n = 1 << 20;
  float* y;
  cudaMalloc(&y, n * 4);
  few<float, 4><<<n / 1024, 256>>>(y, n);
}
)");
  const std::string note =
      "# - the grid and the block are copied from the launch of few<float, 4> in the host code";
  EXPECT_TRUE(holds(passes("bench try few.cu --dry-run --kernel 'few<float, 2>'").out, note,
                    "bench guessed roles, shapes, data and the launch."));
  EXPECT_TRUE(lacks(passes("bench try few.cu --dry-run --kernel 'few<float, 4>'").out, note));
}

TEST_F(TryFiles, FindTheKernelAndItsHeaders) {
  const auto made = experiment("inner/transpose.cu");
  EXPECT_TRUE(
      holds(made, "name: transpose, flags: [\"-I" APOD_SOURCE_DIR "/tests/data/kernels/include\"]",
            "--kernel copy"));
  EXPECT_TRUE(holds(tried("inner/transpose.cu", "--kernel copy").out, "name: copy"));
}

TEST_F(TryFiles, PrintWhatRunsFromTheFolderItIsIn) {
  passes("cp -r '" APOD_SOURCE_DIR "/tests/data/kernels' k");
  const auto run = passes(
      "export XDG_CACHE_HOME=$PWD/cache; cd k; bench try --dry-run inner/transpose.cu >x.yaml "
      "2>first.txt; bench --config x.yaml --dry-run 2>&1 || true");
  EXPECT_TRUE(holds(read("k/x.yaml"), "flags: [\"-Iinclude\"]"));
  EXPECT_TRUE(holds(run.out + run.err, " registers"));
}

TEST_F(TryFiles, TakeAProgramOfSeveralFiles) {
  write("part.cu", "__device__ float twice(float x) { return 2 * x; }\n");
  write("whole.cu",
        "__device__ float twice(float);\n"
        "__global__ void k(float* y, const float* x, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = twice(x[i]);\n}\n");
  write("main.cu",
        "__global__ void k(float* y, const float* x, int n);\n"
        "int main() {\n  float *x, *y;\n  const int n = 5120;\n  cudaMalloc(&x, 4 * n);\n"
        "  cudaMalloc(&y, 4 * n);\n  k<<<n / 256, 256>>>(y, x, n);\n}\n");
  const auto run =
      shell("XDG_CACHE_HOME=$PWD/cache bench try --dry-run ./whole.cu ./part.cu ./main.cu");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "sources: [\"part.cu\", \"main.cu\"]",
                    "copied the launch from the file", "block: 256"));
  EXPECT_TRUE(holds(shell("bench try ./whole.cu ./k.ptx").err, "k.ptx: with several files, each"));
  EXPECT_TRUE(
      holds(shell("bench try ./k.fatbin").err, "compile to a .cubin (nvcc -cubin) or .ptx"));
  // A C++ source is read for values, wherever it is named.
  write("go.cu",
        "__global__ void k(float* y, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 1;\n}\n"
        "void go(float* y, int n) { k<<<(n + 255) / 256, 256>>>(y, n); }\n");
  passes("mkdir inner");
  write("inner/values.cpp", "int main() { broken; float* y; int n = 777; go(y, n); }\n");
  const auto read = shell("XDG_CACHE_HOME=$PWD/cache bench try --dry-run ./inner/values.cpp go.cu");
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_TRUE(holds(read.out, "values were also read from values.cpp", "axes: {n: 777}"));
  EXPECT_TRUE(lacks(read.out, "sources:"));
}

TEST_F(TryFiles, AreNoProgramIfNeitherUsesTheOther) {
  const std::string one =
      "__global__ void k(float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 1;\n}\n"
      "int main() { float* y; int n = 777; k<<<(n + 255) / 256, 256>>>(y, n); }\n";
  write("old.cu", one);
  write("new.cu", one);
  EXPECT_TRUE(holds(fails("bench old.cu new.cu").err,
                    "old.cu and new.cu do not use each other, so they are not one program",
                    "add variant: [old.cu, new.cu] to the axes in both.yaml, and"));
  write("other.cu", "__global__ void j(float* y) { *y = 1; }\n");
  EXPECT_TRUE(holds(fails("bench try old.cu other.cu").err, "give both kernels the same name"));
}

TEST_F(TryFiles, KnowAKernelOfCWhoseNameIsALetter) {
  write("c.cu", "extern \"C\" __global__ void f(float* y) { *y = 1; }\n");
  const auto run = shell("XDG_CACHE_HOME=$PWD/cache bench try --dry-run ./c.cu");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "name: f}", "{name: y, type: f32"));
}

TEST_F(TryFiles, NameCasesByTheFileAsItLies) {
  write("k.cu", "__global__ void k(float* y) { y[threadIdx.x] = 1; }\n");
  const auto run = shell("bench try --dry-run ./k.cu");
  EXPECT_TRUE(holds(run.err, "k in k.cu: ")) << run.err;
  EXPECT_FALSE(holds(run.err, "/k.cu: ")) << run.err;
}

TEST_F(TryFiles, CompileTheDeviceCodeAloneIfTheHostsDoesNot) {
  write("host.cu",
        "#include <nowhere_at_all.h>\n__global__ void k(float* y) { *y = 1; }\n"
        "int main() { return nothing; }\n");
  const auto run = shell("XDG_CACHE_HOME=$PWD/cache bench try --dry-run ./host.cu");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "name: k, compiler: nvrtc}",
                    "NVRTC compiles the device code alone, because nvcc can't compile the file: "
                    "host.cu(1): fatal error"));
}

TEST_F(TryFiles, FindWhatAProgramOfSeveralFoldersHas) {
  write(
      "apart.cu",
      "#include <nowhere_at_all.h>\n#include \"sizes.h\"\n#include \"math.h\"\n"
      "__global__ void k(float* y, int n);\nvoid run(float* y, int n) { k<<<n, WIDE>>>(y, n); }\n");
  shell("mkdir headers parts");
  write("headers/sizes.h", "#define WIDE 64\n");
  write("parts/k.cu", "__global__ void k(float* y, int n) { if (threadIdx.x < n) *y = n; }\n");
  const auto run = shell("XDG_CACHE_HOME=$PWD/cache bench try --dry-run ./apart.cu");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "block: 64", "sources: [\"parts/k.cu\"]",
                    "# - k is only declared in ./apart.cu; parts/k.cu defines it",
                    "# - sizes.h was found in headers"));
  write("nowhere.cu", "__global__ void lost(float* y);\n");
  EXPECT_TRUE(holds(shell("bench try ./nowhere.cu").err,
                    "lost is only declared in ./nowhere.cu: also name the file that defines it"));
  write("lost.cu", "__global__ void lost() { /* to do */ }\nint main() { lost<<<1, 32>>>(); }\n");
  EXPECT_TRUE(
      holds(shell("XDG_CACHE_HOME=$PWD/cache bench try --dry-run ./lost.cu").out, "block: 32"));
  write("begin.cu", "void go(float* y);\nint main() { go(nullptr); }\n");
  write("parts/go.cu",
        "__global__ void g(float* y) { *y = 1; }\nvoid go(float* y) { g<<<3, 96>>>(y); }\n");
  const auto from_main = shell("XDG_CACHE_HOME=$PWD/cache bench try --dry-run ./begin.cu");
  EXPECT_TRUE(
      holds(from_main.out, "block: 96", "sources: [\"parts/go.cu\"]",
            "# - ./begin.cu has no kernel; parts/go.cu defines the launch functions that it calls"))
      << from_main.err;
}

TEST_F(TryFiles, SayWhatIsWrong) {
  write("none.cu", "int main() {}\n");
  EXPECT_TRUE(
      holds(shell("bench try ./none.cu").err, "there is no __global__ function in ./none.cu"));
  write("lost.cu", "#include \"nowhere_at_all.h\"\n__global__ void k(float* y) { *y = LOST; }\n");
  EXPECT_TRUE(holds(
      shell("bench try ./lost.cu").err, "lost.cu(1): fatal error",
      "nowhere_at_all.h is not in a folder near the file: name its folder with --flag=-IFOLDER"));
  write("instance.cu", "template <class T> __global__ void k(T* y) { y->x = 1; }\n");
  EXPECT_TRUE(
      holds(shell("bench try ./instance.cu").err,
            "this error is about k<float>: if the program launches another instance or kernel, "
            "name it with --kernel"));
  write("device.cu", "__global__ void k(float* y) { *y = nothing; }\nint main() { }\n");
  EXPECT_TRUE(holds(shell("bench try ./device.cu").err, "device.cu(1): error", "nothing"));
  write("part.cu", "__global__ void k(float* y) { *y = LEVEL; }\n");
  write("all.cu", "#define LEVEL 2\n#include \"part.cu\"\nint main() {}\n");
  EXPECT_TRUE(holds(shell("bench try ./part.cu").err, "part.cu(1): error",
                    "all.cu includes this file: to measure its kernels, type bench try all.cu"));
  write("two.cu",
        "__global__ void a(float** y) { **y = 1; }\n__global__ void b(float* y) { *y = 1; }\n");
  EXPECT_TRUE(holds(shell("bench try ./two.cu").err, "y is memory that contains pointers (float**)",
                    "--kernel b"));
  write("new.cu",
        "#if __CUDACC_VER_MAJOR__ < 99\n#error needs CUDA 99\n#endif\n"
        "__global__ void k(float* y) { *y = 1; }\n");
  EXPECT_TRUE(
      holds(shell("bench try ./new.cu").err, "new.cu(2): ", "needs CUDA 99", "(compiled by nvcc "));
  write(
      "functor.cu",
      "namespace own {\nstruct Twice { __device__ float operator()(float x) { return 2 * x; } };\n"
      "template <class Op> __global__ void map(float* y, Op op) { *y = op(*y); }\n"
      "Twice twice() { return {}; }\n}\n"
      "int main() {\n  float* y;\n  cudaMalloc(&y, 4);\n"
      "  own::map<<<1, 1>>>(y, own::twice());\n}\n");
  const auto functor = shell("bench try ./functor.cu");
  EXPECT_TRUE(holds(functor.err, "as an instance of a template", "--kernel 'own::map<"))
      << functor.err;
  shell("(echo '__global__ void k() {}'; head -c 20000000 /dev/zero | tr '\\0' ' ') > large.cu");
  EXPECT_TRUE(holds(shell("bench try ./large.cu").err,
                    "large.cu: with this file, the sources have more than 8 MiB"));
  EXPECT_TRUE(holds(shell("bench try ./none.cu --flag=-Xcompiler=-fplugin=x").err, "--flag",
                    "is not allowed as a compiler flag"));
}

}  // namespace
}  // namespace apod::test
