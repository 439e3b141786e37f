// A reference in C++, which is compiled and run in a process of its own.

#include "benchmarks/run/host_reference.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/kernels/api/kernel_spec.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::run {
namespace {

TEST(HostReference, LeavesNothingBehindThatItStarted) {
  const TemporaryFolder folder;
  folder.write("ref.cpp", R"(
#include <unistd.h>
#include <cstdio>
void reference(float* y, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
  if (fork() != 0) return;
  setsid();
  FILE* file = std::fopen(")" +
                              folder.path("pid") +
                              R"(", "w");
  std::fprintf(file, "%d\n", getpid());
  std::fclose(file);
  sleep(1000);
  _exit(0);
}
)");
  auto spec = file::doubled();
  spec.folder = folder.path();
  spec.reference = {.kind = file::ReferenceSpec::Kind::host};
  spec.reference.launch.file = "ref.cpp";
  spec.reference.launch.kernel = "reference";
  const auto family = std::make_shared<const file::KernelFamily>(spec);
  const auto layout = family->shapes().layout(file::point(4));
  std::vector<std::byte> input(layout.input_bytes);
  const std::vector<float> x{1, 2, 3, 4};
  std::memcpy(input.data() + layout.args[1].in_input, x.data(), 4 * sizeof(float));
  ::setenv("CXX", "env c++", 1);  // several words
  const auto output = host_reference(spec, layout, input, [] { return false; });
  ::unsetenv("CXX");
  std::vector<float> y(4);
  std::memcpy(y.data(), output.data() + layout.args[0].in_output, 4 * sizeof(float));
  EXPECT_EQ(y, (std::vector<float>{2, 4, 6, 8}));
  const auto pid = std::atoi(content_of(folder.path("pid")).c_str());
  // It may end before it has written its number.
  if (pid > 0) {
    EXPECT_NE(::kill(pid, 0), 0) << "it goes on";
  }
}

}  // namespace
}  // namespace apod::run
