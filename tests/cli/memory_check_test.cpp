// bench --check memory|race|init, with a program in the place of compute-sanitizer. GPUs are
// pretended: tests/faults/pretended_gpus.cpp.

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

class MemoryCheck : public FaultsTest {
 protected:
  MemoryCheck() {
    write(
        "s.yaml",
        "schema: 1\nexperiments:\n  - workload: faults\n    axes: {variant: [on_gpu, fine], size: "
        "[64, 128]}\n");
    // It starts the worker, whose name is the last two words, and then writes its log: said.txt.
    passes("mkdir bin");
    write("bin/compute-sanitizer",
          "#!/bin/bash\n"
          "echo \"$* ${APOD_NO_POISON+without poison}"
          "${APOD_ARRAYS_APART+, arrays apart}\" >>words.txt\n"
          "while [[ $1 != --log-file ]]; do shift; done\n"
          "log=$2\n"
          "\"${@: -2:1}\" \"${@: -1}\"\n"
          "[[ -e said.txt ]] && cp said.txt \"$log\"\n"
          "exit 0\n");
    passes("chmod +x bin/compute-sanitizer");
  }
  Outcome check(int exit_code, const std::string& flags) const {
    return ends(exit_code,
                "PATH=$PWD/bin:$PATH PRETENDED_GPUS=big faulty --config s.yaml " + flags);
  }
};

TEST_F(MemoryCheck, EachCaseOnAGpuRunsOnceUnderTheSanitizer) {
  write("said.txt", "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
  const auto run = check(0, "--check memory");
  EXPECT_EQ(count(run.out, ": clean"), 2) << run.out;
  EXPECT_TRUE(holds(run.out, "faults/on_gpu/size:64: clean", "this case does not use a GPU"));
  const auto words = read("words.txt");
  EXPECT_EQ(count(words, "--tool memcheck"), 2) << words;
  EXPECT_EQ(count(words, ", arrays apart"), 2) << words;
  EXPECT_TRUE(lacks(words, "without poison"));
  EXPECT_FALSE(exists("s.json")) << "nothing was measured";
  check(0, "--check race --filter on_gpu");
  EXPECT_TRUE(holds(read("words.txt"), "--tool racecheck"));
  check(0, "--check init --filter on_gpu");
  EXPECT_TRUE(
      holds(read("words.txt"), "--tool initcheck --check-api-memory-access no", "without poison"));
}

TEST_F(MemoryCheck, ACaseFailsWithTheSanitizersWords) {
  write("said.txt",
        "========= COMPUTE-SANITIZER\n"
        "========= Invalid __global__ write of size 4 bytes\n"
        "=========     at k(float *)+0x110 in k.cu:7\n"
        "=========     by thread (0,0,0) in block (4,0,0)\n"
        "========= ERROR SUMMARY: 5 errors\n");
  const auto run = check(1, "--check memory --filter size:64");
  EXPECT_TRUE(holds(run.out,
                    "faults/on_gpu/size:64: memory: 5 errors: Invalid __global__ write of size 4 "
                    "bytes, at k(float *)+0x110 in k.cu:7, by thread (0,0,0) in block (4,0,0)"));
  EXPECT_TRUE(holds(run.err, "1 of 1 case failed"));
}

TEST_F(MemoryCheck, WhatCameToNoEndIsNotClean) {
  write("said.txt", "========= COMPUTE-SANITIZER\n========= Error: no device\n");
  EXPECT_TRUE(holds(check(1, "--check memory").out, "did not finish: no device"));
  passes("rm said.txt");
  EXPECT_TRUE(holds(check(1, "--check memory").out, "did not finish: it wrote no log"));
  write("bin/compute-sanitizer", "#!/bin/sh\necho not today >&2\nexit 3\n");
  EXPECT_TRUE(holds(check(1, "--check memory").out, "exit code 3", "not today"));
}

TEST_F(MemoryCheck, WithoutItNothingRuns) {
  if (exists("/usr/local/cuda/bin/compute-sanitizer"))
    GTEST_SKIP() << "this machine has compute-sanitizer";
  const auto run =
      ends(1,
           "PATH=/usr/bin:/bin CUDA_HOME= CUDA_PATH= PRETENDED_GPUS=big faulty --config s.yaml "
           "--check memory");
  EXPECT_TRUE(holds(run.err, "compute-sanitizer", "CUDA Toolkit", "PATH"));
  EXPECT_TRUE(holds(fails("bench --config s.yaml --check leaks").err, "memory", "race", "init"));
  EXPECT_TRUE(holds(check(1, "--check memory --profile").err, "--check"));
  write("h.yaml", copies("64"));
  EXPECT_TRUE(holds(ends(4, "PATH=$PWD/bin:$PATH bench --config h.yaml --check memory").out,
                    "not run: this case does not use a GPU"));
}

}  // namespace
}  // namespace apod::test
