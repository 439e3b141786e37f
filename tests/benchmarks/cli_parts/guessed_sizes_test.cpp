/// \file
/// Guesses about sizes: which axis a length is made of, and where its value comes from.

#include "tests/benchmarks/cli_parts/guessed.hpp"

namespace apod::cli {
namespace {

constexpr const char* doubled = R"(
__global__ void doubled(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)";
const std::vector<Parameter> of_doubled{outputs, inputs, whole};

TEST(GuessedSizes, GiveAVariableOfTheProgramOneValue) {
  const auto text = guessed(std::string(doubled) + R"(
int count = 1 << 13;
int blocks = count / 128;
void read_options(int argc, char** argv) {
  if (argc > 1) count = atoi(argv[1]);
  blocks = count / 128;
}
int main(int argc, char** argv) {
  read_options(argc, argv);
  float *x, *y;
  cudaMalloc(&x, count * sizeof(float));
  cudaMalloc(&y, count * sizeof(float));
  doubled<<<blocks, 128>>>(y, x, count);
})",
                            of_doubled);
  EXPECT_HAS(text, "grid: 64\n");
  EXPECT_LACKS(text, "axes:");
  EXPECT_HAS(text, "value: 8192}");
  EXPECT_LACKS(text, "no value");
}

TEST(GuessedSizes, SeeWhatMacrosOfTheKernelDo) {
  const auto text = guessed(R"(
#define COUNT 1e5
#define AT(a, row, column) a##_row[(row) * width + (column)]
#define STORE(to, value) do { to = value; } while (0)
#define y_row y
__global__ void move(float* y, const float* x, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width) STORE(AT(y, 2, i), x[i]);
}
int main() {
  int width = COUNT;
  float *x, *y;
  cudaMalloc(&x, width * sizeof(float));
  cudaMalloc(&y, 3 * width * sizeof(float));
  move<<<(width + 255) / 256, 256>>>(y, x, width);
})",
                            of_doubled);
  EXPECT_HAS(text, "axes: {width: 100000}");
  EXPECT_HAS(text, "name: y, type: f32, shape: \"3 * width\", role: out");
  EXPECT_HAS(text, "name: x, type: f32, shape: width}");
}

TEST(GuessedSizes, AreUnknownBehindALoopWhoseEndIsUnknown) {
  const auto text = guessed(R"(
[[nodiscard]] constexpr int tiles_of(int n) { return (n + 15) / 16; }
__global__ void rows(float* y, const float* x, int n) {
  int row = blockIdx.x;
  for (int t = 0; t < tiles_of(n); ++t) {
    int at = t * 16 + threadIdx.x;
    y[row] += at < n ? x[row * n + at] : 0;
  }
  for (int t = 0; t < __ffs(n); ++t) y[row] += x[t];
}
void run(float* y, const float* x) { rows<<<64, 16>>>(y, x, 4096); }
)",
                            of_doubled);
  EXPECT_LACKS(text, "shape: 79");
  EXPECT_HAS(text, "shape: 64, role: inout");
}

TEST(GuessedSizes, OfRealNumbersAreWhole) {
  const auto text = guessed(R"(
__global__ void step(float* y, const float* x, int t) { y[threadIdx.x] += t * x[threadIdx.x]; }
void run(float* y, const float* x) {
  for (int t = 0; t < 10.0 / 0.5; ++t) step<<<1, 32>>>(y, x, t);
})",
                            of_doubled);
  EXPECT_HAS(text, "for: {t: \"0..floor(10.0 / 0.5) - 1\"}");
  const auto far = guessed(R"(
__global__ void step(float* y, const float* x, int t) { y[threadIdx.x] += t * x[threadIdx.x]; }
void run(float* y, const float* x) {
  for (int t = 1; t < 1000.0 / 0.01; ++t) step<<<1, 32>>>(y, x, t);
})",
                           of_doubled);
  EXPECT_HAS(far, "for: {t: \"1..100\"}");
  EXPECT_HAS(far, "the loop over t has 99999 launches in the host code; here it has 100");
}

TEST(GuessedSizes, KeepTheMemoryOfPointersThatAreSetTogether) {
  const auto text = guessed(R"(
__global__ void mix(float* y, const float* x, int n) { y[__umulhi(threadIdx.x, n)] = x[0]; }
int main() {
  float *x, *y;
  x = y = NULL;
  cudaMalloc((void**)&x, 300 * sizeof(x[0]));
  cudaMalloc((void**)&y, 500 * sizeof(y[0]));
  mix<<<1, 64>>>(y, x, 64);
})",
                            of_doubled);
  EXPECT_HAS(text, "name: y, type: f32, shape: 500");
  EXPECT_HAS(text, "name: x, type: f32, shape: 300");
}

TEST(GuessedSizes, AddUpBranchesOnWhatChangesBetweenThem) {
  const auto text = guessed(R"(
__global__ void steps(float* y, const float* x) {
  int at = threadIdx.x;
  int step = 0;
  if (step == 0) at += 1000;
  step = 1;
  if (step == 1) at += 3000;
  y[at] = x[at];
}
void run(float* y, const float* x) { steps<<<1, 64>>>(y, x); })",
                            {outputs, inputs});
  EXPECT_HAS(text, "4064");
}

TEST(GuessedSizes, TellAxesOfOneValueApart) {
  const auto text = guessed(R"(
__global__ void sums(float* y, const float* x, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int j = threadIdx.x; j < width; j += blockDim.x) sum += x[row * width + j];
  if (threadIdx.x == 0) y[row] = sum;
}
void run(float* y, const float* x, int height, int width, int across, int down) {
  dim3 grid(1, height / down), block(across, down);
  sums<<<grid, block>>>(y, x, width);
})",
                            of_doubled);
  EXPECT_HAS(text, "axes: {across: 16, down: 16, height: 1024, width: 1024}");
  EXPECT_HAS(text, "name: y, type: f32, shape: height");
  EXPECT_HAS(text, "name: x, type: f32, shape: [height, width]");
}

TEST(GuessedSizes, AreANumberWhereNoExpressionFits) {
  const auto text = guessed(R"(
__global__ void odd(float* y, const float* x, int groups, int window) {
  for (int k = threadIdx.x; k < window; k += blockDim.x) y[k] = x[blockIdx.x * 3 + k];
}
void run(float* y, const float* x, int groups, int window) {
  odd<<<groups, 32>>>(y, x, groups, window);
})",
                            {outputs, inputs, whole, whole});
  EXPECT_HAS(text, "the size of x is right only for these axis values");
  EXPECT_HAS(text, "name: x, type: f32, shape: 125}");
  EXPECT_HAS(text, "name: y, type: f32, shape: window");
}

TEST(GuessedSizes, SatisfyWhatTheHostAsserts) {
  const auto text = guessed(std::string(doubled) + R"(
void run(float* y, const float* x, int n, int parts, int each) {
  assert(n / parts >= 32);
  doubled<<<n / parts, parts>>>(y, x, n);
  assert(each > 2 * parts);
})",
                            of_doubled);
  EXPECT_LACKS(text, "which is false");
  const auto none = guessed(std::string(doubled) + R"(
int main() {
  int n = 64;
  float *x, *y;
  assert(n > 100);
  doubled<<<1, n>>>(y, x, n);
})",
                            of_doubled);
  EXPECT_HAS(none,
             "the host code launches the kernel if n > 100, which is false for these axis values");
  const auto of_branch = guessed(std::string(doubled) + R"(
void run(float* y, const float* x, int n, bool tiny) {
  if (tiny) assert(n <= 32);
  doubled<<<(n + 255) / 256, 256>>>(y, x, n);
})",
                                 of_doubled);
  EXPECT_LACKS(of_branch, "n: 32");
  EXPECT_HAS(of_branch, "axes: {n: 1048576}");
}

TEST(GuessedSizes, AreNoAxisIfTheCodeCalculatesThem) {
  const auto program = std::string(doubled) + R"(
#define COUNT 4096
int main() {
  int n = COUNT;
  float *x, *y;
  dim3 block(256, 1);
  dim3 grid((n + block.x - 1) / block.x);
  size_t bytes = COUNT * sizeof(float), shared = block.x * 4;
  int spare = argc > 1 ? atoi(argv[1]) : COUNT;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, spare * sizeof(float));
  doubled<<<grid, block, shared>>>(y, x, n);
})";
  const auto text = guessed(program, of_doubled);
  EXPECT_HAS(text, "axes: {spare: 4096}") << "x has COUNT elements, so n is COUNT";
  EXPECT_HAS(text, "shared: 1024\n");
  EXPECT_HAS(text, "name: x, type: f32, shape: 4096}");
  KernelWish wish{.file = "k.cu"};
  wish.block = 512;
  const auto other = guessed({{"k.cu", program}}, of_doubled, wish);
  EXPECT_HAS(other, "grid: 8\n");
  EXPECT_HAS(other, "shared: 2048\n");
}

TEST(GuessedSizes, MakeTheKernelsLoopsRun) {
  const std::string kernel = R"(
__global__ void strided(float* y, const float* x, int n, int each) {
  float sum = 0;
  for (int k = 0; k < each / 8; k++) sum += x[8 * k + threadIdx.x % 8];
  for (int k = each / 8 * 8; k < each; k++) sum += x[k];
  if (blockIdx.x * blockDim.x + threadIdx.x < n) y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
)";
  const std::vector<Parameter> takes{outputs, inputs, whole, whole};
  const auto text = guessed(kernel + R"(
void run(float* y, const float* x, int total, int parts) {
  strided<<<(parts + 63) / 64, 64>>>(y, x, parts, total / parts);
})",
                            takes);
  EXPECT_HAS(text, "axes: {parts: 128, total: 1024}");
  EXPECT_LACKS(text, "runs zero times");
  const auto none = guessed(kernel + R"(
void run(float* y, const float* x, int n) { strided<<<(n + 63) / 64, 64>>>(y, x, n, 4); })",
                            takes);
  EXPECT_HAS(none, "# - the kernel's loop runs zero times: k<each/8 is false for these values\n");
  EXPECT_LACKS(none, "k<each is");
}

TEST(GuessedSizes, GrowWhereTheHostAssertsMore) {
  const auto text = guessed(std::string(doubled) + R"(
void run(float* y, const float* x, int n) {
  assert(n >= 1 << 22);
  doubled<<<n / 256, 256>>>(y, x, n);
})",
                            of_doubled);
  EXPECT_HAS(text, "axes: {n: 4194304}");
  EXPECT_LACKS(text, "which is false");
}

TEST(GuessedSizes, OfGatheredArraysAreSaidToBeGuesses) {
  const auto text = guessed(
      R"(
__global__ void gather(float* y, const float* x, const int* from, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) y[i] = x[from[i]];
})",
      {outputs,
       inputs,
       {.text = "int const*", .is_pointer = true, .is_const = true, .type = ElementType::i32},
       whole});
  EXPECT_HAS(text, "# - rows is a guess: the code does not say how long x is\n");
  EXPECT_HAS(text, "name: x, type: f32, shape: rows}");
  EXPECT_HAS(text, "{expression: \"(i * 7919) % rows\"}");
}

TEST(GuessedSizes, OfACooperativeLaunchFitTheGpu) {
  for (const std::string sync : {"grid.sync();", "cooperative_groups::sync(grid);"}) {
    const auto text = guessed(R"(
__global__ void steps(float* y, const float* x, int n) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
  )" + sync + "\n}",
                              of_doubled);
    EXPECT_HAS(text, "cooperative: true");
    EXPECT_HAS(text, "axes: {n: 16384}");
    EXPECT_HAS(text, "# - the launch is cooperative: the kernel synchronises the whole grid");
  }
  const auto text = guessed(std::string(doubled) + "// grid.sync()\n", of_doubled);
  EXPECT_LACKS(text, "cooperative");
}

TEST(GuessedSizes, SayWhichFieldsBecomeOneAxis) {
  const auto text = guessed(std::string(doubled) + R"(
struct Matrix { int rows; float* data; };
void run(Matrix& y, Matrix& x) {
  cudaMalloc(&x.data, x.rows * sizeof(float));
  doubled<<<y.rows / 64, 64>>>(y.data, x.data, x.rows);
})",
                            of_doubled);
  EXPECT_HAS(text, "# - the axis rows replaces x.rows, y.rows of the host code\n");
}

TEST(GuessedSizes, AreNoAxisIfAMacroIsPassed) {
  const auto text = guessed(std::string(doubled) + R"(
#define COUNT 4096
void run(float* y, const float* x, int n) { doubled<<<(n + 255) / 256, 256>>>(y, x, n); }
int main() {
  float *x, *y;
  cudaMalloc(&x, COUNT * sizeof(float));
  cudaMalloc(&y, COUNT * sizeof(float));
  run(y, x, COUNT);
})",
                            of_doubled);
  EXPECT_LACKS(text, "other calls");
  EXPECT_LACKS(text, "axes:");
  EXPECT_HAS(text, "value: 4096}");
}

TEST(GuessedSizes, AreThoseOfEachVectorOfADeclaration) {
  const auto text = guessed(std::string(doubled) + R"(
constexpr int rows = 30, columns = 40;
int main() {
  std::vector<float> one(rows), two(rows * columns);
  float *x, *y;
  cudaMalloc(&x, two.size() * sizeof(float));
  cudaMalloc(&y, two.size() * sizeof(float));
  doubled<<<5, 240>>>(y, x, rows * columns);
})",
                            of_doubled);
  EXPECT_HAS(text, "name: x, type: f32, shape: 1200}");
  EXPECT_LACKS(text, "right only for these values");
}

TEST(GuessedSizes, KnowALoopsOwnVariableFromAnotherOfItsName) {
  const auto text = guessed(R"(
__global__ void spread(float* y, const float* x, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int first = i * by;
    y[first] = x[i];
    for (int i = 1; i < by; i++) y[first + i] = 0;
  }
}
void run(float* y, float* x, int n, int by) { spread<<<(n + 255) / 256, 256>>>(y, x, n, by); })",
                            {outputs, inputs, whole, whole});
  EXPECT_LACKS(text, "is right only for");
}

TEST(GuessedSizes, OfBitsThatAreJoinedAreNotAboveTheirSum) {
  const auto text = guessed(R"(
__global__ void pack(float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i << 2 | 3] = 1;
}
void run(float* y) { pack<<<3, 100>>>(y); })",
                            {outputs});
  EXPECT_LACKS(text, "2048");
}

}  // namespace
}  // namespace apod::cli
