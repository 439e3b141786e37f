// Kernels that come in files, up to code that could be loaded: no device is needed.

#include "kernels/backends/cuda/files/compile.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "kernels/backends/cuda/files/code_cache.hpp"
#include "kernels/backends/cuda/files/compiler.hpp"
#include "kernels/backends/cuda/files/confined.hpp"
#include "kernels/backends/cuda/files/signature.hpp"
#include "kernels/backends/cuda/files/sources.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::cuda {
namespace {

constexpr const char* saxpy = R"(// a comment: __global__ void no_kernel(
template <int TILE>
__global__ void __launch_bounds__(256) tiled(float* y, const float* x, float a, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * TILE;
  for (int i = first; i < first + TILE && i < n; ++i) y[i] += a * x[i];
}
__global__ void saxpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
extern "C" __global__ void plain(float* y, const float* x) { y[threadIdx.x] = x[threadIdx.x]; }
)";

class KernelFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto missing = compiler_missing(); !missing.empty()) GTEST_SKIP() << missing;
    ::setenv("XDG_CACHE_HOME", folder_.path("cache").c_str(), 1);
    folder_.write("saxpy.cu", saxpy);
    spec_.folder = folder_.path(".");
    spec_.args = {{.name = "y", .role = file::Role::inout, .shape = {"n"}},
                  {.name = "x", .shape = {"n"}},
                  {.name = "a", .value = "2"},
                  {.name = "n", .type = ElementType::i32, .value = "100"}};
  }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  file::Launch launch(const std::string& kernel, const std::string& file = "saxpy.cu") const {
    return {.file = file, .kernel = kernel, .block = {256, 1, 1}, .args = {0, 1, 2, 3}};
  }
  std::string failure(const file::Launch& of) const {
    try {
      compile(spec_, {of}, "9.0");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  file::KernelSpec spec_;
};

TEST_F(KernelFiles, CompilesTemplatesAndKernelsOfOneFileTogether) {
  const auto code = compile(spec_, {launch("tiled<4>"), launch("saxpy")}, "9.0");
  ASSERT_EQ(code.images.size(), 1u);
  ASSERT_EQ(code.entries.size(), 2u);
  EXPECT_NE(code.entries[0].mangled.find("tiled"), std::string::npos);
  EXPECT_NE(code.entries[0].mangled, code.entries[1].mangled);
  EXPECT_GT(code.entries[0].registers, 0);
  EXPECT_EQ(content_of_cubin(code.images[0]).kernels.at(code.entries[1].mangled).registers,
            code.entries[1].registers);
}

TEST_F(KernelFiles, ChoosesAnArchitectureThatTheCompilerKnows) {
  EXPECT_NO_THROW(compile(spec_, {launch("saxpy")}, ""));
  EXPECT_NO_THROW(compile(spec_, {launch("saxpy")}, "99.0"));
  EXPECT_THROW(compile(spec_, {launch("saxpy")}, "1.0"), std::runtime_error);
}

TEST_F(KernelFiles, KeepsCodeUntilWhatItIsMadeOfChanges) {
  folder_.write("k.cu", "#include \"factor.cuh\"\n__global__ void k(float* y) { *y = FACTOR; }\n");
  folder_.write("factor.cuh", "#define FACTOR 2\n");
  spec_.args.resize(1);
  const file::Launch k{.file = "k.cu", .kernel = "k", .args = {0}};
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(cache_folder()), {});
  };
  const auto first = compile(spec_, {k}, "9.0").images;
  ASSERT_EQ(files(), 1);
  EXPECT_EQ(compile(spec_, {k}, "9.0").images, first);
  EXPECT_EQ(files(), 1);
  folder_.write("factor.cuh", "#define FACTOR 3\n");
  EXPECT_NE(compile(spec_, {k}, "9.0").images, first);
  EXPECT_EQ(files(), 2);
  spec_.flags = {"-use_fast_math"};
  compile(spec_, {k}, "9.0");
  EXPECT_EQ(files(), 3);
  auto defined = k;
  defined.defines = {"UNUSED=1"};
  compile(spec_, {defined}, "9.0");
  EXPECT_EQ(files(), 4);
  compile(spec_, {k}, "8.0");
  EXPECT_EQ(files(), 5);
}

TEST_F(KernelFiles, FollowsIncludesHoweverTheyAreWritten) {
  spec_.args.resize(1);
  const file::Launch k{.file = "k.cu", .kernel = "k", .args = {0}};
  const std::string kernel = "\n__global__ void k(float* y) { *y = FACTOR; }\n";
  for (const auto* include :
       {"%:include \"factor.cuh\"", "#/* */include/* */\"factor.cuh\"",
        "const char* s = \"/*\";\n#include \"factor.cuh\"\n/* */", "#inc\\\nlude \"factor.cuh\"",
        "#define HEADER \"factor.cuh\"\n#include HEADER"}) {
    spec_.outside = true;
    folder_.write("k.cu", include + kernel);
    folder_.write("factor.cuh", "#define FACTOR 2\n");
    const auto first = compile(spec_, {k}, "9.0").images;
    folder_.write("factor.cuh", "#define FACTOR 3\n");
    EXPECT_NE(compile(spec_, {k}, "9.0").images, first) << include;
    spec_.outside = false;
    const TemporaryFolder other;
    other.write("factor.cuh", "#define FACTOR 4\n");
    std::string leading = include;
    leading.replace(leading.find("factor.cuh"), 10, other.path("factor.cuh"));
    folder_.write("k.cu", leading + kernel);
    EXPECT_NE(failure(k).find("(--trust allows this)"), std::string::npos) << include;
  }
}

TEST_F(KernelFiles, CompilesAnewWhatIsDamagedInTheCache) {
  const auto first = compile(spec_, {launch("saxpy")}, "9.0").images;
  for (const auto& entry : std::filesystem::directory_iterator(cache_folder())) {
    std::ofstream(entry.path(), std::ios::app) << "x";
  }
  // The table of lines has the time of the source's file, so the bytes differ, and nothing else.
  const auto again = compile(spec_, {launch("saxpy")}, "9.0").images;
  ASSERT_EQ(again.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(again[i].size(), first[i].size());
  EXPECT_EQ(compile(spec_, {launch("saxpy")}, "9.0").images, again) << "the cache is whole again";
}

TEST_F(KernelFiles, UsesNoCacheThatOthersCanWriteTo) {
  ASSERT_NE(cache_folder(), "");
  ::chmod(cache_folder().c_str(), 0777);
  EXPECT_EQ(cache_folder(), "");
  EXPECT_NO_THROW(compile(spec_, {launch("saxpy")}, "9.0"));
}

TEST_F(KernelFiles, ShowsNoFileFromOutside) {
  const TemporaryFolder other;
  const auto secret = other.write("secret.h", "int a secret word;\n");
  const std::string kernel = "__global__ void k(float* y) { *y = 1; }\n";
  spec_.args.resize(1);
  const file::Launch k{.file = "k.cu", .kernel = "k", .args = {0}};
  const auto shows = [&](const file::Launch& launch) {
    const auto said = failure(launch);
    EXPECT_NE(said, "");
    return said.find("secret word") != std::string::npos ? said : "";
  };
  // In the working folder, and by a way through the toolkit.
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(other.path("."));
  folder_.write("k.cu", "#include \"secret.h\"\n" + kernel);
  EXPECT_EQ(shows(k), "");
  std::filesystem::current_path(here);
  std::string up;
  for (int i = 0; i < 12; ++i) up += "../";
  folder_.write("k.cu", "#include \"" + up + secret.substr(1) + "\"\n" + kernel);
  EXPECT_EQ(shows(k), "");
  // By what a check of the source does not see: a folder of the system, and a blank behind a
  // backslash.
  for (const auto& include :
       {"#include <" + up + secret.substr(1) + ">\n", "#inc\\ \nlude \"" + secret + "\"\n"}) {
    folder_.write("k.cu", include + kernel);
    EXPECT_EQ(shows(k), "");
  }
  // Were a name to smuggle a line into the source, its message would not be shown.
  folder_.write("k.cu", kernel);
  auto odd = k;
  odd.kernel = "k\n#include \"" + secret + "\"\n";
  EXPECT_EQ(shows(odd), "");
  spec_.outside = true;
  EXPECT_NE(shows(odd), "") << "else this shows nothing";
}

TEST(Confinement, LetsAProcessReadAndWriteItsFoldersAlone) {
  if (!Confinement::is_possible()) GTEST_SKIP() << "this system has no Landlock";
  const TemporaryFolder own;
  const TemporaryFolder other;
  const TemporaryFolder scratch;
  const auto inside = own.write("in", "x");
  const auto outside = other.write("out", "x");
  std::filesystem::create_symlink(outside, own.path("link"));
  const Confinement confinement({own.path(".")}, {scratch.path(".")});
  const auto ends_with = [&](const auto& act) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!confinement.enter()) ::_exit(2);
      ::_exit(act() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  const auto can_read = [&](const std::string& path) {
    return ends_with([&] { return ::open(path.c_str(), O_RDONLY) >= 0; });
  };
  const auto can_make = [&](const std::string& path) {
    return ends_with([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT, 0600) >= 0; });
  };
  EXPECT_EQ(can_read(inside), 0);
  EXPECT_EQ(can_read(outside), 1);
  EXPECT_EQ(can_read(own.path("link")), 1);
  EXPECT_EQ(
      can_read(own.path("../") +
               std::filesystem::path(other.path(".")).parent_path().filename().string() + "/out"),
      1);
  EXPECT_EQ(can_make(scratch.path("new")), 0);
  EXPECT_EQ(can_read(scratch.path("new")), 0);
  EXPECT_EQ(can_make(own.path("new")), 1);
  EXPECT_EQ(can_make(inside), 1);
  EXPECT_EQ(ends_with([&] { return ::unlink(outside.c_str()) == 0; }), 1);
  EXPECT_EQ(ends_with([&] { return ::mkdir(other.path("folder").c_str(), 0700) == 0; }), 1);
}

TEST_F(KernelFiles, NoWordOfAFileRunsInAShell) {
  const auto proof = folder_.path("proof");
  folder_.write("k.cu", "__global__ void k(float* y) { *y = 1; }\n");
  spec_.args.resize(1);
  for (const std::string& value : {"$(touch " + proof + ")", "`touch " + proof + "`"}) {
    for (const std::string flag : {"-DX=", "-UX", "-I"}) {
      spec_.flags = {flag + value};
      failure({.file = "k.cu", .kernel = "k", .args = {0}});
      EXPECT_FALSE(std::filesystem::exists(proof)) << flag << value;
    }
  }
  const std::string folder = "in`cd;touch x`c";
  std::filesystem::create_directory(folder_.path(folder));
  spec_.flags = {"-I" + folder};
  EXPECT_NE(failure({.file = "k.cu", .kernel = "k", .args = {0}}).find("shell"), std::string::npos);
}

TEST_F(KernelFiles, WaitsForNoPipe) {
  ASSERT_EQ(::mkfifo(folder_.path("pipe.h").c_str(), 0600), 0);
  spec_.args.resize(1);
  for (const std::string opens :
       {"#include \"pipe.h\"", "#if __has_include(\"pipe.h\")\n#endif",
        "#if __has_include_next(<pipe.h>)\n#endif", "#embed \"pipe.h\"",
        "#pragma GCC dependency \"pipe.h\"", "_Pragma(\"GCC dependency \\\"pipe.h\\\"\")"}) {
    folder_.write("k.cu", opens + "\n__global__ void k(float* y) { *y = 1; }\n");
    EXPECT_EQ(failure({.file = "k.cu", .kernel = "k", .args = {0}}),
              "#include \"pipe.h\": is not a regular file")
        << opens;
  }
}

TEST_F(KernelFiles, FollowsAnIncludeOnce) {
  std::string source;
  for (int i = 0; i < 200'000; ++i) source += "#include \"k.cu\"\n";
  folder_.write("k.cu", source);
  const auto begin = std::clock();
  EXPECT_LE(read_sources(spec_, "k.cu").files.size(), 2u)
      << "as it is named, and as it is included";
  EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC);
}

TEST_F(KernelFiles, TakesAFileForNoOption) {
  folder_.write("-x.cu", "__global__ void k(float* y) { *y = 1; }\n");
  spec_.args.resize(1);
  EXPECT_EQ(failure({.file = "-x.cu", .kernel = "k", .args = {0}}), "");
}

TEST_F(KernelFiles, NamesTheLineOfAnError) {
  folder_.write("bad.cu", "__global__ void k(float* y) {\n  *y = undeclared;\n}\n");
  const auto said = failure(launch("k", "bad.cu"));
  EXPECT_NE(said.find("bad.cu(2)"), std::string::npos) << said;
  EXPECT_NE(said.find("undeclared"), std::string::npos) << said;
}

TEST_F(KernelFiles, NamesTheErrorBehindManyWarnings) {
  std::string source;
  for (int i = 0; i < 60; ++i) source += "#warning of no matter " + std::to_string(i) + "\n";
  folder_.write("bad.cu", source + "__global__ void k(float* y) {\n  *y = undeclared;\n}\n");
  const auto said = failure(launch("k", "bad.cu"));
  EXPECT_NE(said.find("undeclared"), std::string::npos) << said;
}

TEST_F(KernelFiles, NamesTheKernelsThatThereAre) {
  EXPECT_EQ(failure(launch("saxpi")),
            "there is no kernel 'saxpi' in saxpy.cu; the kernels are: saxpy, tiled, plain");
  folder_.write("bad.cu", "__global__ void k(float* y) {\n  *y = undeclared;\n}\n");
  const auto said = failure(launch("kk", "bad.cu"));
  EXPECT_EQ(said.find("there is no kernel 'kk' in bad.cu; the kernels are: k\n"), 0U);
  EXPECT_NE(said.find("undeclared"), std::string::npos) << "it has an error of its own";
}

TEST_F(KernelFiles, DoesNotAccuseAKernelThatAMacroMakes) {
  folder_.write("m.cu", R"(
#define MAKE(name) extern "C" __global__ void name(float* y) { *y = 1; }
MAKE(made)
template <int n> __global__ void counted(float* y) { *y = n; })");
  std::string said;
  try {
    compile(spec_, {launch("made", "m.cu"), launch("counted<float>", "m.cu")}, "9.0");
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  EXPECT_EQ(said.find("there is no kernel"), std::string::npos) << said;
  EXPECT_NE(said.find("counted<float>"), std::string::npos) << said;
}

TEST_F(KernelFiles, NamesAHeaderThatIsMissing) {
  folder_.write("k.cu", "#include \"not_there.cuh\"\n__global__ void k() {}\n");
  EXPECT_NE(failure(launch("k", "k.cu")).find("not_there.cuh"), std::string::npos);
}

TEST_F(KernelFiles, HoldsArgumentsAgainstTheKernel) {
  auto few = launch("saxpy");
  few.args = {0, 1};
  EXPECT_EQ(failure(few),
            "saxpy takes 4 arguments: float*, float const*, float, int; 'args' has 2");
  spec_.args[2].type = ElementType::f64;
  EXPECT_EQ(failure(launch("saxpy")),
            "argument 3 of saxpy is float, but 'args' gives 'a', a scalar of f64");
  spec_.args[2] = {.name = "a", .shape = {"n"}};
  EXPECT_EQ(failure(launch("saxpy")),
            "argument 3 of saxpy is float, but 'args' gives 'a', an array of f32");
  auto plain = launch("plain");
  EXPECT_EQ(failure(plain), "plain takes 2 arguments: float*, float const*; 'args' has 4");
  plain.args = {0, 1};
  EXPECT_EQ(failure(plain), "");
}

TEST_F(KernelFiles, RefusesABlockThatTheRegistersDoNotAllow) {
  folder_.write("wide.cu", R"(
__global__ void wide(float* y, const float* x, float a, int n) {
  float v[120];
  #pragma unroll
  for (int i = 0; i < 120; ++i) v[i] = x[threadIdx.x + i * n];
  __syncthreads();
  float sum = 0;
  #pragma unroll
  for (int i = 0; i < 120; ++i) sum += v[119 - i] * v[(i * 7) % 120] * a;
  #pragma unroll
  for (int i = 0; i < 120; ++i) y[threadIdx.x + i * n] = v[i] * sum;
})");
  auto wide = launch("wide", "wide.cu");
  wide.block = {64, 1, 1};
  const auto code = compile(spec_, {wide}, "9.0");
  ASSERT_GT(code.entries[0].registers, 64);
  wide.block = {1024, 1, 1};
  EXPECT_NE(failure(wide).find("registers per thread, too many for a block of 1024 threads"),
            std::string::npos);
}

TEST_F(KernelFiles, RefusesABlockBeyondItsLaunchBounds) {
  folder_.write("bound.cu", R"(
__global__ void __launch_bounds__(128) bound(float* y, const float* x, float a, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = a * x[threadIdx.x];
})");
  auto bound = launch("bound", "bound.cu");
  bound.block = {32, 4, 1};
  EXPECT_EQ(failure(bound), "");
  bound.block = {32, 5, 1};
  EXPECT_EQ(failure(bound),
            "bound allows 128 threads in a block (__launch_bounds__), too few for a block of 160 "
            "threads");
}

constexpr const char* program = R"(
#include <cstdint>
#include <cstdio>
#include <vector>
int rounded(int n) { return (n + 31) / 32 * 32; }
static int of_the_host(int n) { std::vector<int> all(n); return std::printf("%d", n); }
template <int N> __global__ void fill(float* y, const float* x, float a, uint32_t n) {
  if (rounded(threadIdx.x) < n) y[threadIdx.x] = a * N * x[0];
}
int main() {
  float* y;
  cudaMalloc(&y, 1024);
  fill<4><<<1, 256>>>(y, y, 2.0f, 256);
  return of_the_host(3);
}
)";

TEST_F(KernelFiles, TakeAWholeProgramByEitherCompiler) {
  folder_.write("program.cu", program);
  spec_.args[3].type = ElementType::u32;
  // What nvcc takes is of the device: it has no functions without a mark there.
  const std::string marked = "__device__ " + std::string("int rounded");
  auto text = std::string(program);
  text.replace(text.find("int rounded"), 11, marked);
  folder_.write("marked.cu", text);
  for (const auto choice : {file::CompilerChoice::nvcc, file::CompilerChoice::nvrtc}) {
    spec_.compiler = choice;
    try {
      compiler_for(spec_);
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
    EXPECT_EQ(failure(launch("fill<4>", "marked.cu")), "");
  }
  EXPECT_EQ(failure(launch("fill<4>", "program.cu")), "") << "NVRTC keeps what device code calls";
  // What NVRTC says of all of CUB takes it ten seconds; that it says anything is enough.
  folder_.write("all.cu", "#error is cheap to compile\n#include <cub/cub.cuh>\n" + text);
  EXPECT_NE(failure(launch("fill<4>", "all.cu")).find("<cub/block/block_reduce.cuh>"),
            std::string::npos);
}

TEST_F(KernelFiles, SaysWhatCompiled) {
  const auto code = compile(spec_, {launch("saxpy")}, "9.0");
  EXPECT_EQ(code.compiler, compiler_for(spec_).name + " " + compiler_for(spec_).version);
}

TEST_F(KernelFiles, TakesFoldersOfIncludesBelowItsOwn) {
  std::filesystem::create_directory(folder_.path("deep"));
  folder_.write("deep/factor.cuh", "#define FACTOR 3\n");
  folder_.write("k.cu", "#include \"factor.cuh\"\n__global__ void k(float* y) { *y = FACTOR; }\n");
  spec_.args.resize(1);
  const file::Launch k{.file = "k.cu", .kernel = "k", .args = {0}};
  EXPECT_NE(failure(k), "");
  spec_.flags = {"-Ideep"};
  EXPECT_EQ(failure(k), "");
  spec_.flags = {"-I.."};
  EXPECT_NE(failure(k).find("outside the experiment file's folder"), std::string::npos);
}

TEST_F(KernelFiles, FindsTheToolkitsHeaders) {
  if (toolkit_includes().empty()) GTEST_SKIP() << "no headers of the toolkit are here";
  folder_.write("cub.cu", R"(
#include <cub/block/block_reduce.cuh>
#include <cuda/std/cstdint>
#include <cuda_fp16.h>
__global__ void sum(float* y, const float* x, float a, int n) {
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ typename Reduce::TempStorage storage;
  const float total = Reduce(storage).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) *y = total * a + __half2float(__float2half(1.0f)) + n;
})");
  EXPECT_EQ(failure(launch("sum", "cub.cu")), "");
}

constexpr const char* saxpy_ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z5saxpyPfPKffi(
.param .u64 p0, .param .u64 p1, .param .f32 p2, .param .u32 p3)
{ ret; }
)";

TEST_F(KernelFiles, ReadsPtxAndCubins) {
  const auto made = compile(spec_, {launch("saxpy")}, "9.0");
  folder_.write("saxpy.ptx", saxpy_ptx);
  folder_.write("saxpy.cubin",
                {reinterpret_cast<const char*>(made.images[0].data()), made.images[0].size()});
  for (const auto* file : {"saxpy.ptx", "saxpy.cubin"}) {
    const auto code = compile(spec_, {launch("saxpy", file)}, "9.0");
    EXPECT_EQ(code.entries[0].mangled, "_Z5saxpyPfPKffi") << file;
    const auto said = failure(launch("sexpy", file));
    EXPECT_EQ(
        said.find(std::string("there is no kernel 'sexpy' in ") + file + "; the kernels are: "), 0u)
        << said;
    EXPECT_NE(said.find("saxpy"), std::string::npos);
  }
  folder_.write("empty.cubin", "");
  EXPECT_NE(failure(launch("saxpy", "empty.cubin")), "");
  folder_.write("noise.cubin",
                "\x7f"
                "ELF and no more");
  EXPECT_NE(failure(launch("saxpy", "noise.cubin")), "");
  for (const auto* file : {"text.ptx", "text.cubin", "text.fatbin"}) {
    folder_.write(file, "text");
    const auto said = failure(launch("saxpy", file));
    EXPECT_NE(said.find("the content does not match the file's extension"), std::string::npos)
        << said;
  }
}

TEST_F(KernelFiles, TellsWhatAKernelTakes) {
  for (const auto* name : {"saxpy", "tiled<4>"}) {
    spec_.launches = {{.file = "saxpy.cu", .kernel = name}};
    const auto sketches = sketch_kernels(spec_);
    ASSERT_EQ(sketches.size(), 1u);
    EXPECT_EQ(sketches[0].name, name);
    ASSERT_EQ(sketches[0].parameters.size(), 4u);
    EXPECT_TRUE(sketches[0].parameters[0].is_pointer);
    EXPECT_FALSE(sketches[0].parameters[0].is_const);
    EXPECT_TRUE(sketches[0].parameters[1].is_const);
    EXPECT_EQ(sketches[0].parameters[3].type, ElementType::i32);
    EXPECT_EQ(sketches[0].sizes, (std::vector<std::size_t>{8, 8, 4, 4}));
  }
  // Though its name has none.
  spec_.launches = {{.file = "saxpy.cu", .kernel = "plain"}};
  EXPECT_EQ(sketch_kernels(spec_).at(0).parameters.size(), 2u);
}

TEST_F(KernelFiles, LetsNoIncludeLeadOutOfTheFolder) {
  const TemporaryFolder other;
  other.write("secret.cuh", "#define SECRET 1\n");
  folder_.write("k.cu", "#include \"" + other.path("secret.cuh") + "\"\n__global__ void k() {}\n");
  EXPECT_NE(failure(launch("k", "k.cu")).find("is outside the experiment file's folder"),
            std::string::npos);
  spec_.outside = true;
  spec_.args.clear();
  EXPECT_EQ(failure({.file = "k.cu", .kernel = "k"}), "");
}

}  // namespace
}  // namespace apod::cuda
