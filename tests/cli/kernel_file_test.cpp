/// Kernels that come in files, up to their code. What needs a GPU is in tests/gpu.

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

class KernelFileCommands : public ProgramTest {
 protected:
  void SetUp() override {
    experiment("twice");
    write("k.cu", "#error is cheap to compile\n__global__ void twice() {}\n");
    const auto run = shell("bench --config ./k.yaml --dry-run");
    for (const auto* lack : {"this build has no CUDA", "no libnvrtc"}) {
      if (run.err.find(lack) != std::string::npos) GTEST_SKIP() << run.err;
    }
    write("k.cu", R"(
__global__ void twice(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)");
  }
  void experiment(const std::string& kernel, const std::string& more = "") const {
    write("k.yaml", "schema: 1\nexperiments:\n  - kernel: {file: k.cu, name: \"" + kernel +
                        "\"}\n    axes: {size: [1000, 2000], block: [128, 256]}\n    grid: "
                        "\"ceil(size / block)\"\n    block: block\n    args:\n      - {name: y, "
                        "type: f32, shape: size, role: out}\n      - {name: x, type: f32, shape: "
                        "size}\n      - {name: n, type: i32, value: size}\n    reference: "
                        "{expression: \"2 * x\"}\n" +
                        more);
  }
  /// Without the user's cache.
  Outcome compiles(const std::string& command) const {
    return shell("export XDG_CACHE_HOME=$PWD/cache; " + command);
  }
};

TEST_F(KernelFileCommands, CompileWithoutAGpu) {
  // 0 where a GPU could run it, 4 elsewhere.
  const auto run = compiles("bench --config ./k.yaml --dry-run");
  EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 4) << run.err;
  EXPECT_TRUE(holds(run.out, "kernel launches: twice in k.cu", "twice in k.cu: ", " registers"));
  EXPECT_TRUE(exists("cache/apodbench/kernels"));
}

TEST_F(KernelFileCommands, TheShippedOnesAndTheCheatsCompile) {
  for (const auto* config : {"your_kernel.yaml", "'" APOD_SOURCE_DIR "/tests/gpu/cheats.yaml'"}) {
    const auto run = compiles(std::string("bench --config ") + config + " --dry-run --trust");
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 4) << run.err;
    EXPECT_TRUE(holds(run.out, " registers"));
    EXPECT_TRUE(lacks(run.err, "do not compile", "there is no kernel"));
  }
}

TEST_F(KernelFileCommands, NvrtcTakesTheDevicePartOfHeadersToo) {
  write("own.h",
        "#include <strings.h>\n#include <iostream>\n#include <no_such_system_header>\n"
        "inline void say() { std::cout << strcasecmp(\"a\", \"b\"); }\n"
        "__device__ inline float two() { return 2; }\n");
  write("k.cu",
        "#include \"own.h\"\n__global__ void twice(float* y, const float* x, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = two() * "
        "x[i];\n}\n");
  passes("sed -i 's/file: k.cu/compiler: nvrtc, file: k.cu/' k.yaml");
  const auto run = compiles("bench --config ./k.yaml --dry-run");
  EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 4) << run.err;
  EXPECT_TRUE(holds(run.out, "by NVRTC"));
  // Those of its own are not guessed.
  write("own.h", "#include \"lost.h\"\n");
  EXPECT_TRUE(holds(compiles("bench --config ./k.yaml --dry-run").err, "lost.h"));
}

TEST_F(KernelFileCommands, NameTheLineOfACompileError) {
  write("k.cu", "__global__ void twice(float* y) {\n  *y = nothing;\n}\n");
  const auto run = compiles("bench --config ./k.yaml --dry-run");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "k.cu(2): error", "nothing", "1 of 1 kernels could not be built"));
}

TEST_F(KernelFileCommands, SayWhichKernelsAndArgumentsThereAre) {
  experiment("thrice");
  EXPECT_TRUE(holds(compiles("bench --config ./k.yaml --dry-run").err,
                    "there is no kernel 'thrice' in k.cu; the kernels are: twice"));
  experiment("twice", "    name: e\n");
  write("k.cu", "__global__ void twice(double* y, const float* x, int n) {}\n");
  EXPECT_TRUE(holds(compiles("bench --config ./k.yaml --dry-run").err,
                    "./k.yaml:7:5: e/k.cu/size:1000/block:128:",
                    "argument 1 of twice is double*, but 'args' gives 'y', an array of f32",
                    "2 of 2 combinations of a kernel and a block size can't be launched"));
}

TEST_F(KernelFileCommands, RunNothingWithoutTrust) {
  const auto run = compiles("bench --config ./k.yaml");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_TRUE(holds(run.err, "./k.yaml runs kernels with your permissions", "--trust"));
  EXPECT_FALSE(exists("k.json"));
}

TEST_F(KernelFileCommands, AreKeptInTheirFolder) {
  compiles("mkdir inner && mv k.yaml inner/ && sed -i 's|k.cu|../k.cu|' inner/k.yaml");
  const auto run = compiles("bench --config inner/k.yaml --dry-run");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "inner/k.yaml:3:20: '../k.cu' is outside the experiment file's"));
  const auto trusted = compiles("bench --config inner/k.yaml --dry-run --trust");
  EXPECT_TRUE(holds(trusted.out, "twice in ../k.cu: "));
}

TEST_F(KernelFileCommands, TryGuessesWhatAKernelTakes) {
  const auto run = compiles("bench try k.cu --size 5000 --arg 0=out --reference '2 * x'");
  EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 4) << run.err;
  EXPECT_TRUE(holds(run.out, "{name: y, type: f32, shape: n, role: out}",
                    "{name: n, type: i32, value: n}", "n: 5000"));
  EXPECT_TRUE(lacks(run.out, " registers", "Nothing was run"));
  const auto again = compiles("bench try k.cu > again.yaml; bench --config ./again.yaml --dry-run");
  EXPECT_TRUE(again.exit_code == 0 || again.exit_code == 4) << again.err;
  EXPECT_TRUE(holds(again.out, "twice in k.cu: "));
  EXPECT_TRUE(holds(compiles("bench try k.cu --size 2^12").out, "n: 4096"));
  EXPECT_TRUE(holds(compiles("bench try k.cu --kernel twise").err, "kernel 'twise'", "twice"));
  const auto none = compiles("bench try ./none.cu");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_TRUE(holds(none.err, "./none.cu: there is no such file"));
  EXPECT_TRUE(lacks(compiles("bench try ./k.cu").out, "/./"));
  EXPECT_EQ(compiles("bench try").exit_code, 1);
  EXPECT_FALSE(exists("k.json")) << "what is tried leaves nothing behind";
}

TEST_F(KernelFileCommands, NewWritesWhatCompiles) {
  passes("bench new kernel mine");
  const auto run = compiles("bench --config ./mine.yaml --dry-run");
  EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 4) << run.err;
  EXPECT_TRUE(holds(run.out, "mine<4> in mine.cu: "));
  fails("bench new kernel mine");
  expect_refused({{"bench new kernel 2x", "is not a name for a kernel"},
                  {"bench new", "bench new kernel saxpy"},
                  {"bench new car x", "bench new kernel saxpy"}});
}

/// With a script in the place of a compiler, which finds our working folder in $HERE.
class KernelCompiler : public KernelFileCommands {
 protected:
  void script(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(path(name).parent_path());
    write(name, "#!/bin/bash\n" + text + "\n");
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }
  /// What --dry-run says while nvcc does `work` in its folder.
  Outcome with_nvcc(const std::string& work, const std::string& before = "") const {
    nvcc(work);
    return shell("export CUDA_HOME=$PWD/toolkit XDG_CACHE_HOME=$PWD/cache HERE=$PWD; " + before +
                 " bench --config ./k.yaml --dry-run");
  }
  void nvcc(const std::string& work) const {
    script("toolkit/bin/nvcc",
           "case $1 in --version) echo release 99.0, ;; --list-gpu-code) echo sm_90 ;;\n*) " +
               work + " ;; esac");
  }
  /// Kills the program while its compiler works: what that started ends, and its folder goes.
  void expect_nothing_left(const std::string& command) const {
    std::filesystem::create_directory(path("t"));
    const auto run = shell(
        "export CUDA_HOME=$PWD/toolkit XDG_CACHE_HOME=$PWD/cache HERE=$PWD "
        "TMPDIR=$PWD/t; set -m; " +
        command +
        " & while [ -z \"$child\" ]; do kill -0 $! || exit 9; sleep 0.01; "
        "child=$(find t -name child -exec cat {} + 2>&-); done; kill -KILL $!; wait $!; "
        "for i in {1..1000}; do grep -qs 'State:.[^Z]' /proc/$child/status || [ -n \"$(ls -A "
        "t)\" ] "
        "|| exit 0; sleep 0.01; done; exit 7");
    EXPECT_EQ(run.exit_code, 0) << "9: it ended early, 7: something is left\n"
                                << run.out << run.err;
  }
  static constexpr const char* lasting =
      "touch $TMPDIR/left; sleep 1000 & echo $! >$TMPDIR/new; mv $TMPDIR/new $TMPDIR/child; wait";
};

TEST_F(KernelCompiler, EndsWithAProgramThatIsKilled) {
  nvcc(lasting);
  expect_nothing_left("\"$BENCH\" --config ./k.yaml --dry-run");
}

TEST_F(KernelCompiler, EndsWithAMeasuringProgramThatIsKilled) {
  script("compiler", lasting);
  expect_nothing_left("PRETENDED_GPUS=one \"$FAULTY\" --config ./k.yaml --trust -q");
}

TEST_F(KernelCompiler, OfWhatIsNotTrustedHasLimitsThatAreNamed) {
  constexpr const char* limits = "(without --trust, the limit for compiling is 1 GB and 8 s of CPU";
  const auto burns = with_nvcc("while :; do :; done", "ulimit -St 2;");
  EXPECT_EQ(burns.exit_code, 4);
  EXPECT_TRUE(holds(burns.err, "the compiler used up its processor time", limits));
  experiment("twice", "    measure: {warmup: 0ms, max_time: 100ms, timeout: 1s}\n");
  EXPECT_TRUE(holds(with_nvcc("sleep 60").err, "did not end within 1 s", limits));
  const auto fills = with_nvcc("echo 'cc1plus: out of memory allocating 8 bytes'; exit 1");
  EXPECT_TRUE(holds(fills.err, "the compiler used up its memory", limits));
  // What the source says is no limit.
  const auto says = with_nvcc(
      "echo 'k.cu:1:2: error: #error bad_alloc'; echo '    1 | #error bad_alloc'; exit 1");
  EXPECT_TRUE(holds(says.err, "k.cu(1): error: #error bad_alloc"));
  EXPECT_TRUE(lacks(says.err, limits));
  const auto edg = with_nvcc("echo 'k.cu(1): catastrophic error: out of memory'; exit 1");
  EXPECT_TRUE(holds(edg.err, "the compiler used up its memory", limits));
  EXPECT_TRUE(
      holds(with_nvcc("echo \"k.cu(1): error: $(ulimit -v)\"; exit 1").err, "error: 950272"));
  // Its environment is no cache's.
  const auto shows =
      with_nvcc("echo \"k.cu(1): error: $CPATH.$CCACHE_DISABLE.$NVCC_CCBIN\"; exit 1",
                "export CPATH=/elsewhere NVCC_CCBIN=mine;");
  EXPECT_TRUE(holds(shows.err, "error: .1.mine"));
  // A crash is none, and its message is the compiler's own.
  const auto crash = with_nvcc("echo 'LLVM ERROR: broken'; kill -SEGV $$");
  EXPECT_TRUE(holds(crash.err, "LLVM ERROR: broken"));
  EXPECT_TRUE(lacks(crash.err, limits));
}

TEST_F(KernelCompiler, GetsNoVariableThatTheCacheDoesNotKnow) {
  nvcc("echo \"k.cu(1): error: $CPATH.$CPLUS_INCLUDE_PATH.$NVCC_CCBIN\"; exit 1");
  const auto run = fails(
      "export CUDA_HOME=$PWD/toolkit XDG_CACHE_HOME=$PWD/cache CPATH=/elsewhere "
      "CPLUS_INCLUDE_PATH=/elsewhere NVCC_CCBIN=mine; bench --config ./k.yaml --dry-run --trust");
  EXPECT_TRUE(holds(run.err, "error: ..mine"));
  // What it gets is known.
  for (const char* one : {"/one", "/one", "/two"}) {
    compiles(std::string("LD_LIBRARY_PATH=") + one +
             ":$LD_LIBRARY_PATH bench --config ./k.yaml --dry-run --trust");
  }
  EXPECT_EQ(passes("ls cache/apodbench/kernels").out.size(),
            2 * (16 + std::string(".kernel\n").size()));
}

TEST_F(KernelCompiler, AndAllThatItStartsCountTogether) {
  constexpr const char* limits = " (without --trust, the limit for compiling is 1 GB";
  const auto fills = with_nvcc(
      "for i in 1 2 3; do (yes | tr -d '\\n' | head -c 450000000 | tail -n 1 | sleep 20) & done; "
      "sleep 20");
  // A slow machine takes longer to fill the memory than a compiler may take.
  EXPECT_TRUE(holds(fills.err, "the compiler used up its ", limits));
  // So it is with what `try` only looks at, and then no other compiler takes as much again.
  const std::string tries =
      "export CUDA_HOME=$PWD/toolkit XDG_CACHE_HOME=$PWD/cache; bench try ./k.cu --dry-run";
  nvcc("while :; do :; done & while :; do :; done");
  const auto tried = shell(tries);
  EXPECT_EQ(tried.exit_code, 4);
  EXPECT_TRUE(holds(tried.err, std::string("the compiler used up its processor time") + limits));
  nvcc("echo \"k.cu(1): error: $(ulimit -v)\"; exit 1");
  EXPECT_TRUE(holds(shell(tries).out, "k.cu(1): error: 950272"));
  EXPECT_TRUE(lacks(shell(tries + " --trust").out, "950272"));
}

TEST_F(KernelCompiler, BeginsNothingOnceItsTimeIsOver) {
  experiment("twice<block>");
  passes("sed -i 's/^__glob/template <int B> __glob/' k.cu; sed -i 's/, 256]/, 256, 512]/' k.yaml");
  script("compiler", "while :; do :; done & while :; do :; done");
  const auto run = shell("PRETENDED_GPUS=one \"$FAULTY\" --config ./k.yaml --dry-run");
  EXPECT_EQ(run.exit_code, 4) << "whether it could run on this GPU";
  EXPECT_TRUE(holds(run.err, "3 of 3 kernels were not compiled", "without --trust"));
  EXPECT_TRUE(lacks(run.err, "can't be launched"));
  // What a lost worker did not use is left for the others.
  const auto lost = with_nvcc("kill -KILL $PPID");
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_TRUE(holds(lost.err, "3 of 3 kernels could not be built"));
  EXPECT_TRUE(lacks(lost.err, "were not compiled"));
}

TEST_F(KernelCompiler, AheadOfASearchGivesWayAndEndsWithIt) {
  experiment("twice<block>");
  passes(
      "sed -i 's/^__glob/template <int B> __glob/' k.cu; blocks=$(seq -s ', ' 32 32 512); "
      "sed -i \"s/128, 256]/$blocks]/\" k.yaml");
  // What is not compiled ahead is compiled at once.
  script("compiler",
         "[ $(nice) = 19 ] || exit 0; echo $$ >new.$$; mv new.$$ child; exec sleep 1000");
  const auto run =
      ends(130,
           "set -m; PRETENDED_GPUS=one timeout --foreground -s KILL 60 \"$FAULTY\" tune --config "
           "./k.yaml --trust --budget 10s --seed 3 -q --out r.json & while kill -0 $! && ! test -e "
           "child; do sleep 0.01; done 2>&-; kill -INT $!; wait $!");
  EXPECT_TRUE(holds(run.err, "interrupted"));
  passes(
      "for i in {1..1000}; do grep -qs 'State:.[^Z]' /proc/$(cat child)/status || exit 0; "
      "sleep 0.01; done; exit 7");
}

TEST_F(KernelCompiler, HasALimitThatHoldsWhileWeAreStopped) {
  const auto run = with_nvcc("echo \"k.cu(1): error: $(ulimit -St) s\"; exit 1");
  EXPECT_TRUE(holds(run.err, "k.cu(1): error: 10 s"));
}

TEST_F(KernelCompiler, OfATrustedFileSaysAllWhenAMemoryLimitEndsIt) {
  nvcc("echo 'k.cu(7): note: here'; echo 'cc1plus: out of memory allocating 8 bytes'; exit 1");
  const auto run = shell(
      "export CUDA_HOME=$PWD/toolkit XDG_CACHE_HOME=$PWD/cache; bench --config ./k.yaml --dry-run "
      "--trust");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err,
                    "the compiler used up its memory (the limit for one compiler process is 8 GB)",
                    "k.cu(7): note: here"));
}

TEST_F(KernelCompiler, SaysWhyItWasRefusedAFile) {
  const auto run = with_nvcc("cat /etc/passwd");
  EXPECT_TRUE(holds(run.err, "without --trust"));
  EXPECT_TRUE(lacks(run.err, "root:"));
}

class KernelFilePlans : public ProgramTest {};

TEST_F(KernelFilePlans, TimeNoVariableOrTextureEndToEnd) {
  for (const std::string where : {"variable: table", "texture: nearest"}) {
    write("v.cu", "__global__ void k(float* y) {}\n");
    write("v.yaml",
          "schema: 1\nexperiments:\n  - kernel: {file: v.cu, name: k}\n    scope: end_to_end\n"
          "    axes: {n: 1024}\n    grid: 1\n    block: 32\n    args:\n"
          "      - {name: y, type: f32, shape: n, role: out}\n"
          "      - {name: t, type: f32, shape: n, " +
              where + "}\n");
    EXPECT_TRUE(holds(fails("bench --config ./v.yaml").err, "v.yaml:4:",
                      "scope end_to_end measures from host memory to host memory", "'t'"));
  }
}

TEST_F(KernelFilePlans, FindAReferenceOfAnotherSize) {
  write("k.cu", "__global__ void k(float* y, const float* x) {}\n");
  const auto plans = [&](const std::string& axis, const std::string& x) {
    write("k.yaml",
          "schema: 1\nexperiments:\n  - kernel: {file: k.cu, name: k}\n    axes: {" + axis +
              ": [100, 200]}\n    grid: 1\n    block: 32\n    args: [{name: y, type: f32, "
              "shape: " +
              axis.substr(axis.rfind(' ') + 1) + ", role: out}, {name: x, type: f32, shape: \"" +
              x + "\"}]\n    reference: {workload: copy}\n");
    return shell("bench --config ./k.yaml --dry-run");
  };
  EXPECT_TRUE(lacks(plans("size", "size").err, "./k.yaml:"));
  EXPECT_TRUE(holds(plans("unroll: [1, 2], size", "size").err,
                    "./k.yaml:4:12: axis 'unroll' changes nothing in the kernel"));
  const auto other = plans("n", "n");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(holds(other.err,
                    "./k.yaml:8:27: 'y' has 400 bytes, but the output of copy has 67108864; its "
                    "axes take the values of the experiment's axes with the same names, otherwise "
                    "their defaults: size 16777216"));
  EXPECT_TRUE(holds(plans("size", "2 * size").err,
                    "./k.yaml:8:27: 'x' has 800 bytes, but the input of copy has 400"));
}

}  // namespace
}  // namespace apod::test
