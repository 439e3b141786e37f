#include "benchmarks/cli/kernel_guess.hpp"

#include <gtest/gtest.h>

namespace apod::cli {
namespace {

using Parameter = file::KernelSketch::Parameter;

const Parameter changed{.text = "float*", .is_pointer = true, .type = ElementType::f32};
const Parameter read{
    .text = "float const*", .is_pointer = true, .is_const = true, .type = ElementType::f32};
const Parameter real{.text = "float", .type = ElementType::f32};
const Parameter count{.text = "int", .type = ElementType::i32};

constexpr const char* saxpy = R"(
__global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";

/// The experiment for a source whose kernel takes `parameters`, or why there is none.
std::string made(const std::string& text, const std::vector<Parameter>& parameters,
                 KernelWish wish = {}) {
  wish.file = "k.cu";
  try {
    const auto program = source::read_program({{"k.cu", text}});
    const auto kernel = choose_kernel(program, wish);
    const file::KernelSketch sketch{.name = kernel.name, .parameters = parameters};
    return experiment_text(kernel, guess(program, kernel, sketch, wish), wish);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}
std::string made(const KernelWish& wish) {
  return made(saxpy, {changed, read, real, count}, wish);
}

TEST(KernelGuess, FollowsFromTheCode) {
  EXPECT_EQ(made(KernelWish{}), R"yaml(schema: 1
name: k
# bench guessed roles, shapes, data and the launch.
# Without a reference, the check only shows that the kernel gives the same result every time.
# - the code has no value for n, a
# - the block is a guess: no launch of the kernel was found
# - the grid is a guess: no launch of the kernel was found
experiments:
  - kernel: {file: "k.cu", name: saxpy}
    axes: {n: 1048576}
    grid: "ceil(n / 256)"
    block: 256
    args:
      - {name: y, type: f32, shape: n, role: inout}
      - {name: x, type: f32, shape: n}
      - {name: a, type: f32, value: 1}
      - {name: n, type: i32, value: n}
)yaml");
}

TEST(KernelGuess, TakesWhatIsWished) {
  const auto text = made(KernelWish{.size = 100,
                                    .block = 64,
                                    .grid = "ceil(n / 64)",
                                    .reference = "a * x",
                                    .args = {"0=out", "x=[n, 3]", "2=0.5"}});
  for (const auto* part :
       {"{n: 100}", "grid: \"ceil(n / 64)\"", "block: 64", "y, type: f32, shape: n, role: out",
        "x, type: f32, shape: [n, 3]}", "value: \"0.5\"", "{y: \"a * x\"}"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(KernelGuess, TracesTheLaunchToWhereItIsDefined) {
  const auto text = made(std::string(saxpy) + R"(
#define BLOCK 128
int blocks_for(int n, int block) { return (n + block - 1) / block; }
void run(float* y, float* x, int count) {
  saxpy<<<blocks_for(count, BLOCK), BLOCK, 2 * BLOCK * sizeof(double)>>>(y, x, 0.25f, count);
}
int main() {
  const int count = 3 << 10;
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * (count + 2));
  cudaMalloc(&y, count * sizeof(float));
  run(y, x, count);
})",
                         {changed, read, real, count});
  for (const auto* part :
       {"axes: {count: 3072}", "grid: \"ceil(count / 128)\"", "block: 128", "shared: 2048",
        "y, type: f32, shape: count, role: inout", "x, type: f32, shape: \"count + 2\"",
        "value: \"0.25\"", "n, type: i32, value: count"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(KernelGuess, ReadsAClassThatEndsAnywhere) {
  const std::string member =
      "template <class T> struct Runner { public: template <int N> void go(T* y, int n) { "
      "saxpy<<<(n + N - 1) / N, N>>>(y, y, 2, n); } };";
  for (std::size_t length = 0; length <= member.size(); ++length) {
    const auto cut = member.substr(0, length);
    for (const auto* end : {"", "}", " template }", "<"}) {
      EXPECT_NE(made(saxpy + cut + end, {changed, read, real, count}), "") << cut << end;
    }
  }
}

TEST(KernelGuess, TakesTheKernelThatIsLaunchedMost) {
  const auto text = made(R"(
__global__ void rare(float* y) { y[threadIdx.x] = 1; }
__global__ void usual(float* y) { y[threadIdx.x] = 2; }
void run(float* y) {
  if (sizeof(int) == 8) for (;;) rare<<<1, 32>>>(y);
  rare<<<1, 32>>>(y);
  for (int i = 0; i < 9; ++i) usual<<<1, 32>>>(y);
})",
                         {changed});
  EXPECT_NE(text.find("name: usual"), std::string::npos) << text;
  EXPECT_NE(text.find("rare(float*y): bench try k.cu --kernel rare"), std::string::npos) << text;
}

TEST(KernelGuess, ShrinksWhatABlockCannotHold) {
  const auto text = made(R"(
__global__ void one(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }
void run(float* y, int n) { one<<<1, n>>>(y, n); })",
                         {changed, count});
  EXPECT_NE(text.find("axes: {n: 1024}"), std::string::npos) << text;
}

TEST(KernelGuess, SaysWhatItCannotGuess) {
  EXPECT_EQ(made(KernelWish{.kernel = "saxpi"}),
            "there is no kernel 'saxpi' in k.cu; did you mean 'saxpy'?");
  EXPECT_EQ(made("int main() {}", {}).find("there is no __global__ function in k.cu"), 0u);
  const Parameter strange{.text = "CUtensorMap_st"};
  EXPECT_EQ(
      made("__global__ void k(CUtensorMap map) {}", {strange})
          .find("parameter map has the type CUtensorMap_st, which an experiment can't provide"),
      0u);
  for (const auto* bad : {"4=out", "0", "z=1", "0=3", "2=out", "3=[n]", "=1"}) {
    EXPECT_EQ(made(KernelWish{.args = {bad}}).find("--arg "), 0u) << bad;
  }
  EXPECT_NE(made(KernelWish{.grid = "\""}).find("quotation mark"), std::string::npos);
}

}  // namespace
}  // namespace apod::cli
