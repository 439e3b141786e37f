/// `bench sass`, of the program itself where there is cuobjdump to read it.

#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

using SassTest = ProgramTest;

/// The row of the table whose kernel holds `name`, as its numbers and the kernel.
std::vector<std::string> row_of(const std::string& table, const std::string& name) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(name) == std::string::npos || line.find("Instructions of") == 0) continue;
    std::istringstream words(line);
    std::vector<std::string> row(11);
    for (auto& word : row) words >> word;
    return row;
  }
  return {};
}

TEST_F(SassTest, FindsTheDoubleInThisProgramWithoutAGpu) {
  const auto ran = shell("bench sass --kernel convolve_direct");
  if (ran.exit_code != 0) {
    ASSERT_TRUE(ran.err.find("cuobjdump was not found") != std::string::npos ||
                ran.err.find("does not contain device code") != std::string::npos)
        << ran.err;
    GTEST_SKIP() << ran.err;
  }
  // all, fp32, f64 add, f64 mul, f64 fma, to f64 ...
  const auto accident = row_of(ran.out, "convolve_direct<float, double,");
  ASSERT_EQ(accident.size(), 11u) << ran.out;
  EXPECT_GT(std::stoi(accident[2]), 0) << "fp64 additions";
  EXPECT_EQ(accident[3], "0") << "fp64 multiplications";
  EXPECT_EQ(accident[4], "0") << "fp64 fused";
  EXPECT_EQ(accident[5], accident[2]) << "each product is widened";
  const auto floats = row_of(ran.out, "convolve_direct<float, float,");
  ASSERT_EQ(floats.size(), 11u) << ran.out;
  EXPECT_GT(std::stoi(floats[1]), 0);
  for (std::size_t column = 2; column <= 5; ++column) EXPECT_EQ(floats[column], "0") << column;
}

TEST_F(SassTest, LongNamesFitTheWidth) {
  // The tool's listing of one kernel, `a::b::kernel<float, double>(...)`, whatever the program is.
  write("cuobjdump",
        "#!/bin/sh\ntest $1 = -sass || exit 0\necho 'code for sm_90'\n"
        "echo 'Function : _ZN1a1b6kernelIfdEEvPKfPdmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm'\n"
        "echo '/*0000*/ FADD R0, R1, R2 ;'\n");
  write("program", "x");
  const auto listed = [&](const std::string& columns) {
    return shell("chmod +x cuobjdump; export PATH=$PWD:$PATH; export " + columns +
                 "; bench sass program");
  };
  const auto wide = listed("COLUMNS=1000");
  EXPECT_TRUE(holds(wide.out, "void a::b::kernel<float, double>(float const*, double*, "));
  const auto narrow = listed("COLUMNS=100");
  EXPECT_TRUE(holds(narrow.out, "  void a::b::kernel<float, double>\n"));
}

TEST_F(SassTest, KernelsForAFormOfAnArchitectureAreListedWithTheOthers) {
  write("cuobjdump",
        "#!/bin/sh\ntest $1 = -sass || exit 0\n"
        "for a in sm_80 sm_90 sm_90a; do\necho \"code for $a\"\necho \"Function : of_$a\"\n"
        "echo '/*0000*/ FADD R0, R1, R2 ;'\ndone\n");
  write("program", "x");
  const auto listed = [&](const std::string& flags) {
    return shell("chmod +x cuobjdump; PATH=$PWD:$PATH; bench sass program " + flags).out;
  };
  EXPECT_TRUE(holds(listed(""), "for sm_90, sm_90a (also available with --arch: sm_80)",
                    "of_sm_90\n", "of_sm_90a\n"));
  const auto form = listed("--arch sm_90a");
  EXPECT_TRUE(holds(form, "for sm_90a (", "of_sm_90a\n"));
  EXPECT_TRUE(lacks(form, "of_sm_90\n"));
  EXPECT_TRUE(holds(listed("--arch sm_80"), "of_sm_80\n"));
}

TEST_F(SassTest, SaysWhatItCannotDo) {
  const auto no_code = fails("bench sass /bin/sh");
  EXPECT_NE(no_code.err, "");
  EXPECT_EQ(no_code.out, "");
  write("empty", "");
  for (const auto& [file, why] : {std::pair{"/no/such/file", "there is no such file"},
                                  {".", "is a folder, not a program"},
                                  {"empty", "is empty"}}) {
    // Without cuobjdump too: it is not what is wrong.
    const auto bad = fails(std::string("PATH= CUDA_HOME= CUDA_PATH= bench sass ") + file);
    EXPECT_EQ(bad.err, std::string("bench sass: ") + file + ": " + why + "\n");
  }
}

}  // namespace
}  // namespace apod::test
