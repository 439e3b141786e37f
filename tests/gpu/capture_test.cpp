// Launches of a program, captured and run again as cases, on the first device.

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/gpu/cuda_backend.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod {
namespace {

class CapturedOnGpu : public OnCuda<> {
 protected:
  struct Outcome {
    int exit_code = 0;
    std::string text;
  };

  void SetUp() override {
    OnCuda::SetUp();
    if (IsSkipped()) return;
    if (in_folder("command -v nvcc").exit_code != 0) GTEST_SKIP() << "there is no nvcc";
  }

  Outcome in_folder(const std::string& command) const {
    const auto said = folder_.path("said.txt");
    const int status = std::system(
        ("cd '" + folder_.path("") + "' && { " + command + "; } >'" + said + "' 2>&1").c_str());
    std::ifstream file(said);
    return {WEXITSTATUS(status), std::string(std::istreambuf_iterator<char>(file), {})};
  }
  /// Compiles a program of this text.
  void program(const std::string& text) const {
    folder_.write("app.cu", text);
    const auto compiled = in_folder("nvcc -arch=native -o app app.cu");
    ASSERT_EQ(compiled.exit_code, 0) << compiled.text;
  }
  Outcome bench(const std::string& words) const { return in_folder(APOD_BENCH " " + words); }

  TemporaryFolder folder_;
};

TEST_F(CapturedOnGpu, ALaunchIsVerifiedAndHoldsItsReplacements) {
  ASSERT_NO_FATAL_FAILURE(program(R"(
__global__ void scale(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
int main() {
  const int n = 1 << 16;
  float* x = nullptr;
  float* y = nullptr;
  static float values[n];
  for (int i = 0; i < n; ++i) values[i] = i + 1;
  cudaMalloc(&x, sizeof values);
  cudaMalloc(&y, sizeof values);
  cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
  scale<<<n / 256, 256>>>(y, x, n);
  return cudaDeviceSynchronize();
})"));
  const auto captured = bench("capture --kernel scale --out c -- ./app");
  ASSERT_EQ(captured.exit_code, 0) << captured.text;
  const auto alone = bench("--config c/experiment.yaml --trust --processes 1");
  EXPECT_EQ(alone.exit_code, 0) << alone.text;

  const auto replaced = [&](const std::string& name, const std::string& value) {
    folder_.write("c/" + name + ".cu",
                  "extern \"C\" __global__ void mine(float* y, const float* x, int n) {\n"
                  "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  if (i < n) " +
                      value + ";\n}\n");
    folder_.write("c/" + name + ".yaml",
                  "schema: 1\nexperiments:\n  - kernel: {capture: ., name: mine, args: {y: p0, x: "
                  "p1, n: p2}, type: f32}\n"
                  "    axes: {variant: [captured, " +
                      name + ".cu]}\n");
    return bench("--config c/" + name + ".yaml --trust --processes 1");
  };
  const auto same = replaced("same", "y[i] = x[i] + x[i]");
  EXPECT_EQ(same.exit_code, 0) << same.text;
  EXPECT_NE(same.text.find("2 measured"), std::string::npos) << same.text;
  for (const auto& [name, value] :
       {std::pair{"last", "y[i] = i == n - 1 ? x[i] : 2 * x[i]"},
        std::pair{"near", "y[i] = 2.001f * x[i]"}, std::pair{"none", ";"}}) {
    const auto wrong = replaced(name, value);
    EXPECT_EQ(wrong.exit_code, 1) << wrong.text;
    EXPECT_NE(wrong.text.find("1 measured, 1 failed"), std::string::npos) << wrong.text;
  }
}

TEST_F(CapturedOnGpu, AKernelThatWaitsForALaterLaunchDoesNotHangTheProgram) {
  ASSERT_NO_FATAL_FAILURE(program(R"(
#include <cstdio>
__device__ volatile int flag;
__global__ void waits(int* y) {
  while (flag == 0) {}
  *y = 1;
}
__global__ void frees() { flag = 1; }
int main() {
  int* y = nullptr;
  cudaMalloc(&y, sizeof *y);
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  frees<<<1, 1, 0, b>>>();  // loaded before anything waits
  cudaDeviceSynchronize();
  int zero = 0;
  cudaMemcpyToSymbol(flag, &zero, sizeof zero);
  waits<<<1, 1, 0, a>>>(y);
  frees<<<1, 1, 0, b>>>();
  int value = 0;
  cudaMemcpy(&value, y, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("ended with %d\n", value);
  return cudaDeviceSynchronize();
})"));
  const auto captured = in_folder("APOD_CAPTURE_WAIT_MS=500 timeout 60 " APOD_BENCH
                                  " capture --kernel waits --out w -- ./app");
  EXPECT_EQ(captured.exit_code, 1) << captured.text;
  for (const auto* part : {"does it wait for a later launch?", "ended with 1"}) {
    EXPECT_NE(captured.text.find(part), std::string::npos) << captured.text;
  }
}

}  // namespace
}  // namespace apod
