/// Programs asked for their kernels, through a toolkit program that these tests play themselves.

#include "benchmarks/look/program_code.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::look {
namespace {

using namespace std::chrono_literals;

/// A folder that is the whole PATH while it lives, with programs of our own in it.
class Toolbox : public ::testing::Test {
 protected:
  Toolbox() {
    for (const char* name : {"PATH", "CUDA_HOME", "CUDA_PATH"}) {
      const char* value = std::getenv(name);
      before_.emplace_back(name, value == nullptr ? "" : value);
    }
    ::setenv("PATH", folder_.c_str(), 1);
    ::setenv("CUDA_HOME", folder_.c_str(), 1);
    ::setenv("CUDA_PATH", folder_.c_str(), 1);
  }
  ~Toolbox() override {
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }

  std::string add(const std::string& name, const std::string& script) {
    const auto path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << script << '\n';
    ::chmod(path.c_str(), 0755);
    return path.string();
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  std::vector<std::pair<std::string, std::string>> before_;
};

KernelCode kernel(const char* name, const char* architecture, std::uint64_t adds = 0) {
  KernelCode code{name, architecture, {}};
  code.mix.fp64_add = adds;
  return code;
}

TEST_F(Toolbox, AskedForBothKindsOfCode) {
  const std::string data = std::string(APOD_SOURCE_DIR) + "/tests/data/sass/direct_double";
  add("cuobjdump", "[ $1 = -sass ] && exec /bin/cat " + data +
                       ".sass\n[ $1 = -ptx ] && exec /bin/cat " + data + ".ptx\nexit 1");
  const auto code = code_of_program("any");
  EXPECT_EQ(code.note, "");
  ASSERT_EQ(code.kernels.size(), 2u);
  EXPECT_EQ(architecture_for(code, "9.0"), "sm_90");
  EXPECT_EQ(architecture_for(code, "8.6"), "compute_75");
  const auto mixes = mixes_of(code, "sm_90");
  ASSERT_EQ(mixes.size(), 1u);
  EXPECT_EQ(mixes.begin()->second.fp64_add, 7u);
  EXPECT_EQ(mixes.begin()->second.fp64_mul, 0u);
}

/// cuobjdump of a program with two kernels that writes down how it was called.
std::string two_kernels(const std::filesystem::path& folder) {
  const std::string data = std::string(APOD_SOURCE_DIR) + "/tests/data/sass/direct_double";
  return "echo \"$*\" >> " + (folder / "calls").string() + R"(
if [ $1 = -symbols ]; then
  echo 'arch = sm_90'
  echo 'STT_OBJECT       STB_LOCAL  STO_GLOBAL     _ZN4apod5tableE'
  echo 'STT_FUNC         STB_GLOBAL STO_ENTRY      _Z5otherv'
  grep -o -m1 '_Z[A-Za-z0-9_]*' )" +
         data + ".sass | sed 's/^/STT_FUNC STB_GLOBAL STO_ENTRY /'\nexit 0\nfi\n" +
         "[ $1 = -sass ] && exec /bin/cat " + data + ".sass\nexec /bin/cat " + data + ".ptx";
}

TEST_F(Toolbox, OfALargeProgramOnlyWhatIsAskedForIsDisassembled) {
  ::setenv("PATH", (folder_.string() + ":/usr/bin:/bin").c_str(), 1);
  add("cuobjdump", two_kernels(folder_));
  const auto all = code_of_program("any");
  ASSERT_FALSE(all.kernels.empty());
  std::vector<KernelProfile> kernels(2);
  kernels[0].name = all.kernels.front().name;
  kernels[1].name = "of a library";
  ProgramMixes mixes("any", "9.0");
  EXPECT_EQ(mixes.describe(kernels, 20s), "");
  ASSERT_TRUE(kernels[0].instructions);
  EXPECT_EQ(kernels[0].instructions->fp64_add, 7u);
  EXPECT_FALSE(kernels[1].instructions);
  kernels[0].instructions.reset();
  EXPECT_EQ(mixes.describe(kernels, 20s), "");
  EXPECT_TRUE(kernels[0].instructions) << "what is known is not read again";
  std::ifstream file(folder_ / "calls");
  std::vector<std::string> calls;
  for (std::string line; std::getline(file, line);) calls.push_back(line);
  ASSERT_EQ(calls.size(), 5u) << "two for everything, three for the one kernel";
  EXPECT_EQ(calls[2], "-symbols any");
  EXPECT_EQ(calls[3].find("-sass -fun _Z"), 0u) << calls[3];
  EXPECT_FALSE(contains(calls[3], "other"));
}

TEST_F(Toolbox, WhatCannotBeReadIsTriedOnce) {
  add("cuobjdump", "echo x >> " + (folder_ / "calls").string() + "\nexit 3");
  std::vector<KernelProfile> kernels(1);
  kernels[0].name = "first";
  ProgramMixes mixes("any", "9.0");
  EXPECT_TRUE(contains(mixes.describe(kernels, 20s), "ended with exit code 3"));
  kernels[0].name = "second";
  EXPECT_EQ(mixes.describe(kernels, 20s), "");
  std::ifstream file(folder_ / "calls");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "x\n");
}

TEST_F(Toolbox, WhatItCannotReadIsSaid) {
  add("cuobjdump",
      "echo \"cuobjdump info : File '$2' does not contain device code\" >&2\nexit 255");
  const auto code = code_of_program("/bin/true");
  EXPECT_TRUE(code.kernels.empty());
  EXPECT_EQ(code.note, "cuobjdump info : File '/bin/true' does not contain device code");
  add("cuobjdump", "exit 3");
  EXPECT_TRUE(contains(code_of_program("x").note, "ended with exit code 3"));
}

TEST_F(Toolbox, TheLimitIsThatOfBothReadingsTogether) {
  const std::string listing = std::string(APOD_SOURCE_DIR) + "/tests/data/sass/direct_double.sass";
  add("cuobjdump", "[ $1 = -sass ] && exec /bin/cat " + listing + "\nexec /bin/sleep 60");
  const auto begin = std::chrono::steady_clock::now();
  const auto code = code_of_program("any", 400ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
  EXPECT_EQ(code.kernels.size(), 1u) << "what was read is kept";
  EXPECT_TRUE(contains(code.note,
                       "cuobjdump -ptx did not end within 1 s; the machine code was read, the "
                       "PTX was not"));
}

TEST_F(Toolbox, AKernelThatMayBeCutOffIsLeftOut) {
  const std::string listing = std::string(APOD_SOURCE_DIR) + "/tests/data/sass/direct_double.sass";
  add("cuobjdump", "/bin/cat " + listing + "\nexit 3");
  const auto code = code_of_program("any");
  EXPECT_TRUE(code.kernels.empty());
  EXPECT_TRUE(contains(code.note, "ended with exit code 3"));
  EXPECT_FALSE(contains(code.note, "was read"));
}

TEST_F(Toolbox, EqualKernelsStandOnceAndDifferentOnesBoth) {
  const auto kernel = [](const char* instruction) {
    return std::string("echo 'Function : k'\necho '/*0000*/ ") + instruction + " ;'\n";
  };
  add("cuobjdump", "[ $1 = -ptx ] && exit 0\necho 'code for sm_90'\n" + kernel("LDG.E R0, [R2]") +
                       kernel("LDGSTS [R0], [R2]") + kernel("LDG.E R0, [R2]"));
  const auto code = code_of_program("any");
  EXPECT_EQ(code.note, "");
  EXPECT_EQ(code.kernels.size(), 2u);
}

TEST_F(Toolbox, WithoutTheToolTheNoteSaysWhereItIsToBeHad) {
  if (::access("/usr/local/cuda/bin/cuobjdump", X_OK) == 0) GTEST_SKIP() << "this machine has it";
  const auto code = code_of_program("any");
  EXPECT_TRUE(code.kernels.empty());
  EXPECT_TRUE(contains(code.note, "cuobjdump was not found"));
  EXPECT_TRUE(contains(code.note, "nvidia-cuda-cuobjdump"));
}

TEST(ProgramCode, TheDeviceRunsItsOwnCodeFirst) {
  const auto chosen = [](std::vector<const char*> architectures, const char* capability) {
    ProgramCode code;
    for (const auto* name : architectures) code.kernels.push_back(kernel("k", name));
    return architecture_for(code, capability);
  };
  EXPECT_EQ(chosen({"sm_80", "sm_90", "compute_75"}, "9.0"), "sm_90");
  EXPECT_EQ(chosen({"sm_80", "sm_90", "compute_75"}, "8.9"), "sm_80");
  EXPECT_EQ(chosen({"sm_80", "sm_86", "sm_89"}, "8.7"), "sm_86");
  EXPECT_EQ(chosen({"sm_80", "sm_90", "compute_75"}, "7.5"), "compute_75");
  EXPECT_EQ(chosen({"sm_80", "compute_80", "compute_90"}, "12.0"), "compute_90");
  EXPECT_EQ(chosen({"sm_90", "sm_90a"}, "9.0"), "sm_90a");
  EXPECT_EQ(chosen({"sm_90a", "compute_90a"}, "10.0"), "") << "for 9.0 alone";
  EXPECT_EQ(chosen({"sm_90"}, "8.0"), "");
  EXPECT_EQ(chosen({"sm_100", "sm_103"}, "10.3"), "sm_103");
  for (const char* bad : {"", "9", "x.y", ".", "9.", "-"})
    EXPECT_EQ(chosen({"sm_90"}, bad), "") << bad;
  EXPECT_EQ(chosen({"", "sm", "sm_", "sm_x", "sm_99999999999999"}, "9.0"), "");
}

TEST(ProgramCode, KernelsThatCannotBeToldApartHaveNoMix) {
  ProgramCode code;
  code.kernels = {kernel("clear", "sm_90", 1), kernel("twofold", "sm_90", 1),
                  kernel("twofold", "sm_90", 2), kernel("other", "sm_80", 1)};
  const auto mixes = mixes_of(code, "sm_90");
  ASSERT_EQ(mixes.size(), 1u);
  EXPECT_EQ(mixes.count("clear"), 1u);
}

}  // namespace
}  // namespace apod::look
