// A reference in C++, which is compiled and run in a process of its own.

#include "benchmarks/run/host_reference.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/kernels/api/kernel_spec.hpp"
#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace apod::run {
namespace {

class HostReference : public testing::Test {
 protected:
  /// Of y = 2 x, as ref.cpp of the folder has it.
  HostReference() : spec_(file::doubled()) {
    spec_.folder = folder_.path();
    spec_.reference = {.kind = file::ReferenceSpec::Kind::host};
    spec_.reference.launch.file = "ref.cpp";
    spec_.reference.launch.kernel = "reference";
    layout_ = std::make_shared<const file::KernelFamily>(spec_)->shapes().layout(file::point(4));
  }
  const TemporaryFolder folder_;
  file::KernelSpec spec_;
  file::Layout layout_;
};

TEST_F(HostReference, WaitsForNoPipeThatItLeaves) {
  folder_.write("ref.cpp", R"(
#include <sys/stat.h>
#include <unistd.h>
#include <cstring>
#include <fstream>
#include <string>
struct Last {
  ~Last() {
    std::string words;
    std::getline(std::ifstream("/proc/self/cmdline"), words);
    const char* out = words.c_str() + words.rfind('\0', words.size() - 2) + 1;
    unlink(out);
    mkfifo(out, 0600);
  }
} last;
void reference(float*, const float*, int) {}
)");
  const std::vector<std::byte> input(layout_.input_bytes);
  const auto refusal =
      error_of([&] { host_reference(spec_, layout_, input, [] { return false; }); });
  EXPECT_TRUE(contains(refusal, "wrote no output: ") && contains(refusal, "not a regular file"))
      << refusal;
}

TEST_F(HostReference, LeavesNothingBehindThatItStarted) {
  folder_.write("ref.cpp", R"(
#include <unistd.h>
#include <cstdio>
void reference(float* y, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
  if (fork() != 0) return;
  setsid();
  FILE* file = std::fopen(")" + folder_.path("pid") +
                               R"(", "w");
  std::fprintf(file, "%d\n", getpid());
  std::fclose(file);
  sleep(1000);
  _exit(0);
}
)");
  std::vector<std::byte> input(layout_.input_bytes);
  const std::vector<float> x{1, 2, 3, 4};
  std::memcpy(input.data() + layout_.args[1].in_input, x.data(), 4 * sizeof(float));
  ::setenv("CXX", "env c++", 1);  // several words
  const auto output = host_reference(spec_, layout_, input, [] { return false; });
  ::unsetenv("CXX");
  std::vector<float> y(4);
  std::memcpy(y.data(), output.data() + layout_.args[0].in_output, 4 * sizeof(float));
  EXPECT_EQ(y, (std::vector<float>{2, 4, 6, 8}));
  const auto pid = std::atoi(content_of(folder_.path("pid")).c_str());
  // It may end before it has written its number.
  if (pid > 0) {
    EXPECT_NE(::kill(pid, 0), 0) << "it goes on";
  }
}

}  // namespace
}  // namespace apod::run
