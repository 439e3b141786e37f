#include "benchmarks/cli/near_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "benchmarks/base/os/trusted.hpp"
#include "benchmarks/cli/kernel_guess.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::cli {
namespace {

using Sources = std::vector<std::pair<std::string, std::string>>;
using Names = std::vector<std::string>;

constexpr const char* misses = "k.cu(1): fatal error: h.h: No such file or directory";

/// What others may do with a new file is this test's, not the shell's.
class UsualMask {
 public:
  UsualMask() : before_(::umask(022)) {}
  ~UsualMask() { ::umask(before_); }
  UsualMask(const UsualMask&) = delete;
  UsualMask& operator=(const UsualMask&) = delete;

 private:
  ::mode_t before_;
};

class NearFiles : public testing::Test {
 protected:
  NearFiles() {
    for (const auto* folder : {"a", "b", "own"}) {
      std::filesystem::create_directory(folder_.path(folder));
    }
    file_ = folder_.write("own/k.cu", "");
  }
  void SetUp() override {
    const auto why = os::why_untrusted(file_);
    if (!why.empty()) GTEST_SKIP() << "nothing in the folder for temporary files counts: " << why;
  }
  Names folders_of(const std::string& said) const { return missing_header(said, file_).folders; }
  std::string advice_on(const std::string& said) const {
    return advice(said, file_, missing_header(said, file_));
  }
  UsualMask mask_;
  TemporaryFolder folder_;
  std::string file_;
};

/// The experiment that is printed for a kernel of a `float*` and an `int`.
std::string experiment_of(const source::Program& program, const ChosenKernel& chosen,
                          const KernelWish& wish) {
  const file::KernelSketch sketch{
      .name = chosen.name,
      .parameters = {{.text = "float*", .is_pointer = true, .type = ElementType::f32},
                     {.text = "int", .type = ElementType::i32}}};
  return experiment_text(chosen, guess(program, chosen, sketch, wish), wish);
}

TEST_F(NearFiles, FindsAHeaderThatOneFolderHas) {
  folder_.write("a/h.h", "");
  EXPECT_EQ(folders_of(misses), Names{"../a"});
  EXPECT_EQ(folders_of("k.cu(1): error"), Names{});
}

TEST_F(NearFiles, AsksWhichOfSeveralIsMeant) {
  folder_.write("a/h.h", "");
  folder_.write("b/h.h", "");
  EXPECT_EQ(folders_of(misses).size(), 2u);
  const auto said = advice_on(misses);
  EXPECT_NE(said.find("--flag=-I../a"), std::string::npos) << said;
  EXPECT_NE(said.find("--flag=-I../b"), std::string::npos) << said;
}

TEST_F(NearFiles, BelievesAMakefile) {
  folder_.write("a/h.h", "");
  folder_.write("b/h.h", "");
  folder_.write("own/Makefile", "FLAGS = -O2 \\\n  -I ../none -I../b\n");
  EXPECT_EQ(folders_of(misses), Names{"../b"});
}

TEST_F(NearFiles, ReadsALongMakefileOnce) {
  std::string flags;
  for (int i = 0; i < 500'000; ++i) flags += "-I";
  folder_.write("own/Makefile", flags);
  EXPECT_EQ(folders_of(misses), Names{});
}

TEST_F(NearFiles, LooksIntoSoManyFoldersOfAMakefile) {
  folder_.write("a/h.h", "");
  folder_.write("b/h.h", "");
  std::string flags;
  for (int i = 0; i < 5000; ++i) flags += "-Inone" + std::to_string(i) + " ";
  folder_.write("own/Makefile", flags + "-I../b");
  EXPECT_EQ(folders_of(misses).size(), 2u);
}

TEST_F(NearFiles, BelievesNothingThatOthersCouldPutThere) {
  const auto open = [&](const char* folder) {
    std::filesystem::permissions(folder_.path(folder), std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::add);
  };
  folder_.write("a/h.h", "");
  open("a");
  EXPECT_EQ(folders_of(misses), Names{});
  const auto said = advice_on(misses);
  EXPECT_NE(said.find("h.h is not used, because other users can write to"), std::string::npos)
      << said;
  folder_.write("own/Makefile", "FLAGS = -I../a\n");
  folder_.write("own/main.cpp", "void run(float*, int); int main() { run(0, 7); }");
  EXPECT_EQ(folders_of(misses), Names{});
  folder_.write("b/h.h", "");
  EXPECT_EQ(folders_of(misses), Names{"../b"});
  open("own");
  constexpr const char* kernel =
      "__global__ void fill(float* y) { y[threadIdx.x] = 1; }\n"
      "void run(float* y, int n) { fill<<<n, 32>>>(y); }\n";
  auto program = source::read_program({{"k.cu", kernel}});
  EXPECT_EQ(read_callers(program, file_), "");
}

TEST_F(NearFiles, ReadsTheCallerOfACaller) {
  folder_.write("own/middle.cpp", "void run(float*, int); void middle(int n) { run(0, n); }");
  folder_.write("own/test.cu",
                "__global__ void fill(float* y);\n"
                "void test(int n) { fill<<<n, 32>>>(nullptr); }\n");
  folder_.write("own/main.cpp", "void test(int n); int main() { test(77); }");
  auto program = source::read_program({{"k.cu", "__global__ void fill(float* y) { y[0] = 1; }"}});
  EXPECT_EQ(read_callers(program, file_), "test.cu and main.cpp");
}

TEST_F(NearFiles, SaysWhatAFileIsAPartOf) {
  EXPECT_NE(advice_on(misses).find("--flag=-IFOLDER"), std::string::npos);
  EXPECT_EQ(advice_on("k.cu(2): error"), "");
  folder_.write("own/all.cu", "int x;\n#include \"k.cu\"\n");
  EXPECT_NE(advice_on("k.cu(2): error").find("bench try all.cu"), std::string::npos);
}

TEST_F(NearFiles, ReadsTheMainThatCallsIt) {
  constexpr const char* kernel =
      "__global__ void fill(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }\n"
      "void run(float* y, int n) { fill<<<(n + 31) / 32, 32>>>(y, n); }\n";
  // Another program has a function of this name.
  folder_.write("own/a.cpp", "void run(float*, int) { int x; } int main() { run(0, 7); }");
  folder_.write("own/b.cpp",
                "void run(float* y, int n);\n#define SIZE 96\n__global__ void other() {}\n"
                "int main() { const int n = SIZE; float* y; run(y, n); }");
  auto program = source::read_program({{"k.cu", kernel}});
  EXPECT_EQ(read_callers(program, file_), "b.cpp");
  KernelWish wish{.file = "k.cu"};
  wish.callers = "b.cpp";
  const auto chosen = choose_kernel(program, wish);
  EXPECT_TRUE(chosen.others.empty());
  const auto text = experiment_of(program, chosen, wish);
  EXPECT_NE(text.find("axes: {n: 96}"), std::string::npos) << text;
  EXPECT_NE(text.find("# - values were also read from b.cpp"), std::string::npos) << text;
  // A program with a main is whole.
  auto all = source::read_program({{"k.cu", std::string(kernel) + "int main() {}"}});
  EXPECT_EQ(read_callers(all, file_), "");
}

TEST_F(NearFiles, ReadsHostCodeThatIsNamed) {
  folder_.write("own/launch.cu",
                "__global__ void fill(float*); void test(int n) { fill<<<n, 32>>>(nullptr); }\n");
  folder_.write("own/main.cpp", "int main() { test(1); }");
  folder_.write("a/other.cpp", "#include \"sizes.hpp\"\nint main() { test(size); }");
  folder_.write("a/sizes.hpp", "const int size = 55;\n");
  auto program = source::read_program({{"k.cu", "__global__ void fill(float* y) { y[0] = 1; }"}});
  EXPECT_EQ(read_callers(program, file_, {folder_.path("a/other.cpp")}), "other.cpp and launch.cu");
  KernelWish wish{.file = "k.cu"};
  const auto text = experiment_of(program, choose_kernel(program, wish), wish);
  EXPECT_NE(text.find("grid: 55"), std::string::npos) << text;
  for (const auto* name : {"a.cc", "a.c", "a.cxx", "a.h", "a.cuh"}) EXPECT_TRUE(is_host_code(name));
  EXPECT_FALSE(is_host_code("a.cu"));
}

TEST_F(NearFiles, ReadsTheFileThatLaunchesItsKernels) {
  folder_.write("a/sizes.h", "#define BLOCKS(n) (((n) + 31) / 32)\n");
  folder_.write("own/a.cu",
                "#include \"sizes.h\"\nvoid run(float* y, int n) {\n"
                "  measure([&] { fill<<<BLOCKS(n), 32>>>(y, n); });\n}\n");
  auto program = source::read_program(
      {{"k.cu", "__global__ void fill(float* y, int n) { y[threadIdx.x] = n; }\n"}});
  EXPECT_EQ(read_callers(program, file_), "a.cu");
  KernelWish wish{.file = "k.cu"};
  const auto chosen = choose_kernel(program, wish);
  const auto text = experiment_of(program, chosen, wish);
  EXPECT_NE(text.find("grid: \"ceil(n / 32)\""), std::string::npos) << text;
}

TEST_F(NearFiles, TakesNoLaunchOfAnotherProgram) {
  constexpr const char* kernel = "__global__ void fill(float* y, int n) { y[threadIdx.x] = n; }\n";
  const auto reads = [&](const std::string& text) {
    folder_.write("own/other.cu", text);
    auto program = source::read_program({{"k.cu", kernel}});
    return read_callers(program, file_);
  };
  folder_.write("own/same.cuh", kernel);
  folder_.write("own/k.cu", kernel);
  folder_.write("own/fill.cuh",
                "__global__ void fill(float* y, int m) { y[threadIdx.x] = 3 * m; }");
  const std::string launch = "int main() { float* y; fill<<<9, 32>>>(y, 7); }\n";
  EXPECT_EQ(reads("#include \"same.cuh\"\n" + launch), "other.cu");
  EXPECT_EQ(reads("#include \"k.cu\"\n" + launch), "other.cu");
  EXPECT_EQ(reads("__global__ void fill(float* y, int n);\n" + launch), "other.cu");
  // Its header has another kernel of this name; it takes more; it can't know this one.
  EXPECT_EQ(reads("#include \"fill.cuh\"\n" + launch), "");
  EXPECT_EQ(reads("#include \"none.h\"\nint main() { fill<<<9, 32>>>(y, x, 7); }"), "");
  EXPECT_EQ(reads("#include <cstdio>\n" + launch), "");
}

TEST_F(NearFiles, ReadsAHeaderOnce) {
  const std::string big(500'000, '\n');
  std::string includes;
  for (int i = 0; i < 1000; ++i) includes += "#include \"big.h\"\n";
  folder_.write("own/big.h", big + "constexpr int size = 96;\n");
  folder_.write("own/main.cpp", includes + "int main() { float* y; run(y, size); }");
  auto program =
      source::read_program({{"k.cu",
                             "__global__ void fill(float* y, int n) { y[threadIdx.x] = n; }\n"
                             "void run(float* y, int n) { fill<<<1, 32>>>(y, n); }\n"}});
  EXPECT_EQ(read_callers(program, file_), "main.cpp");
  EXPECT_EQ(std::count_if(program.variables.begin(), program.variables.end(),
                          [](const auto& one) { return one.name == "size"; }),
            1);
}

TEST_F(NearFiles, ReadsSoMuchOfHeaders) {
  std::string includes;
  for (int i = 0; i < 8; ++i) {
    const auto name = std::to_string(i);
    folder_.write("own/h" + name + ".h",
                  std::string(300'000, '\n') + "constexpr int size" + name + " = 96;\n");
    includes += "#include \"h" + name + ".h\"\n";
  }
  folder_.write("own/main.cpp", includes + "int main() { float* y; run(y, 7); }");
  auto program =
      source::read_program({{"k.cu",
                             "__global__ void fill(float* y, int n) { y[threadIdx.x] = n; }\n"
                             "void run(float* y, int n) { fill<<<1, 32>>>(y, n); }\n"}});
  EXPECT_EQ(read_callers(program, file_), "main.cpp");
  EXPECT_EQ(program.variables.size(), 3u);
}

TEST_F(NearFiles, SaysWhatToDoAboutAHeaderThatIsNowhere) {
  EXPECT_TRUE(advice_on(misses).ends_with("name its folder with --flag=-IFOLDER"));
  folder_.write("a/h.h", "");
  const auto said = advice_on("k.cu(1): fatal error: ../x/h.h: No such file or directory");
  EXPECT_NE(said.find("a file with this name is at ../a/h.h"), std::string::npos) << said;
}

TEST_F(NearFiles, FindsTheFilesThatDefineAKernel) {
  folder_.write("own/a.cu", "__global__ void fill(float* y);\n");
  EXPECT_EQ(files_with({"fill"}, true, file_), Names{});
  folder_.write("b/b.cu", "__global__ void fill(float* y) { *y = 1; }\n");
  EXPECT_EQ(files_with({"fill"}, true, file_), Names{"../b/b.cu"});
  folder_.write("own/c.cu", "__global__ void fill(float* y) { *y = 2; }\n");
  EXPECT_EQ(files_with({"fill"}, true, file_), Names{"c.cu"});
  // One that calls it launches nothing.
  folder_.write("own/d.cu", "void go(float* y) { fill<<<1, 32>>>(y); }");
  folder_.write("own/e.cu", "void stay(float* y) { go(y); }");
  EXPECT_EQ(files_with({"go", "stay"}, false, file_), Names{"d.cu"});
}

TEST_F(NearFiles, NamesTheFlagsOfAMakefile) {
  folder_.write("own/Makefile", "FLAGS = -O2 -DWIDE=16 -DOTHER -std=c++20\n");
  EXPECT_EQ(
      advice_on("k.cu(2): error: identifier \"WIDE\" is undefined"),
      "\na makefile compiles this file with other flags; try --flag=-DWIDE=16 --flag=-std=c++20");
}

TEST_F(NearFiles, LooksIntoNoOtherProject) {
  folder_.write("a/h.h", "");
  std::filesystem::create_directory(folder_.path("own/.git"));
  EXPECT_EQ(folders_of(misses), Names{});
  const auto said = advice_on("k.cu(1): fatal error: part/h.h: No such file or directory");
  EXPECT_TRUE(said.ends_with(
      "part/h.h is not in a folder near the file: name its folder with --flag=-IFOLDER"))
      << said;
}

TEST_F(NearFiles, LooksForAHeaderThatWasNotReadOnce) {
  folder_.write("a/sizes.h", "");
  std::set<std::string> looked;
  const Sources all{{"k.cu", "#include \"sizes.h\"\n#include \"read.h\"\n#include \"lost.h\"\n"},
                    {"../inner/read.h", ""}};
  EXPECT_EQ(unread_header(all, file_, looked).name, "sizes.h");
  EXPECT_EQ(unread_header(all, file_, looked).name, "");
  EXPECT_EQ(looked, (std::set<std::string>{"lost.h", "sizes.h"}));
}

TEST(MissingFlag, IsWhatTheCompilerAsksFor) {
  const std::string constant =
      "The experimental flag '--expt-relaxed-constexpr' can be used to allow this.";
  EXPECT_EQ(missing_flag(constant, {}), "--expt-relaxed-constexpr");
  EXPECT_EQ(missing_flag(constant, {"-expt-relaxed-constexpr"}), "");
  EXPECT_EQ(missing_flag("identifier \"concept\" is undefined", {}), "-std=c++20");
  EXPECT_EQ(missing_flag("identifier \"concept\" is undefined", {"-std=c++17"}), "");
}

TEST_F(NearFiles, FindsTheFileOfAFunction) {
  constexpr const char* said = "ptxas fatal   : Unresolved extern function '_Z4hashjj'";
  EXPECT_EQ(file_of_missing_function(said, file_), "");
  folder_.write("own/a.cu", "__device__ unsigned hash(unsigned a, unsigned b) { return a ^ b; }\n");
  EXPECT_EQ(file_of_missing_function(said, file_), "a.cu");
  folder_.write("own/b.cu", "__device__ unsigned hash(unsigned a, unsigned b) { return a + b; }\n");
  EXPECT_EQ(file_of_missing_function(said, file_), "");
  EXPECT_EQ(file_of_missing_function("k.cu(2): error", file_), "");
}

TEST(MacrosOfFlags, AreThoseOfTheCompiler) {
  const auto macros = macros_of({"-DN=64", "-I../include", "-DFAST"});
  const auto program = source::read_program({{"k.cu", R"(
#ifdef FAST
__global__ void fill(float* y) { y[threadIdx.x] = 1; }
#endif
void run(float* y) { fill<<<1, N>>>(y); })"}},
                                            macros);
  KernelWish wish{.file = "k.cu"};
  const auto chosen = choose_kernel(program, wish);
  const file::KernelSketch sketch{
      .name = chosen.name,
      .parameters = {{.text = "float*", .is_pointer = true, .type = ElementType::f32}}};
  const auto text = experiment_text(chosen, guess(program, chosen, sketch, wish), wish);
  EXPECT_NE(text.find("block: 64"), std::string::npos) << text;
}

}  // namespace
}  // namespace apod::cli
