/// \file
/// Guesses about memory and about values that other functions set.

#include "tests/benchmarks/cli_parts/guessed.hpp"

namespace apod::cli {
namespace {

constexpr const char* fill_kernel = R"(
__global__ void fill(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1;
}
)";

TEST(GuessedMemory, EndsAtTypesThatAreMadeOfThemselves) {
  const auto text = guessed(std::string(fill_kernel) + R"(
struct cell { float a, b; };
typedef struct cell cell;
typedef loop other; typedef other loop;
int main() {
  float *y, *z; int n = 640;
  cudaMalloc(&y, n * sizeof(cell));
  cudaMalloc(&z, n * sizeof(loop));
  fill<<<10, 64>>>(y, n);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "shape: \"2 * n\"");
}

TEST(GuessedMemory, IsAsLongAsWhatAFunctionReturns) {
  const auto text = guessed(R"(
std::vector<float> table(int rows, int columns) { return std::vector<float>(rows * columns); }
__global__ void mix(float* y, int n) { y[__umulhi(threadIdx.x, n)] = 1; }
int main(int argc, char** argv) {
  int side = atoi(argv[1]);
  std::vector<float> host;
  host = table(side, side);
  float* y;
  cudaMalloc(&y, host.size() * sizeof(float));
  mix<<<side, 64>>>(y, side);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "shape: [side, side]");
}

TEST(GuessedMemory, IsReadAsFarAsItsOwnCondition) {
  const auto text = guessed(R"(
__global__ void smooth(float* y, const float* x, int n) {
  __shared__ float part[18];
  int to = blockIdx.x * 16 + threadIdx.x;
  int from = to - 1;
  part[threadIdx.x] = from >= 0 && from < n ? x[from] : 0;
  __syncthreads();
  if (threadIdx.x < 16 && to < n) y[to] = part[threadIdx.x] + part[threadIdx.x + 2];
}
void run(float* y, const float* x, int n) { smooth<<<(n + 15) / 16, 18>>>(y, x, n); })",
                            {outputs, inputs, whole});
  EXPECT_HAS(text, "name: x, type: f32, shape: n}");
  EXPECT_HAS(text, "name: y, type: f32, shape: n, role: out}");
}

TEST(GuessedMemory, BeginsAsTheLastOfCopiesAndFillings) {
  const std::string kernel = "__global__ void sum(float* y, int n) { atomicAdd(y, n); }\n";
  const auto copied = guessed(kernel + R"(
void run(float* host, float* device, int n) {
  cudaMemcpy(device, host, 4, cudaMemcpyHostToDevice);
  sum<<<1, 64>>>(device, n);
}
int main() { float* y; float first = 9; cudaMalloc(&y, 4); run(&first, y, 3); })",
                              {outputs, whole});
  EXPECT_HAS(copied, "role: inout");
  const auto cleared = guessed(kernel + R"(
int main() {
  float *y, *host; cudaMalloc(&y, 4);
  cudaMemcpy(y, host, 4, cudaMemcpyHostToDevice);
  cudaMemset(y, 0, 4);
  sum<<<1, 64>>>(y, 3);
})",
                               {outputs, whole});
  EXPECT_HAS(cleared, "role: zeroed");
}

TEST(GuessedMemory, ThatIsManagedMayBeTheHostsToFill) {
  const auto begun = [](const std::string& how) {
    return guessed(std::string(fill_kernel) + "int main() { float *y, *host; int n = 640;\n" +
                       "cudaMallocManaged(&y, n * sizeof(float));\n" + how +
                       "\nfill<<<9, 64>>>(y, n); }",
                   {outputs, whole});
  };
  EXPECT_HAS(begun("memcpy(y, host, n * sizeof(float));"), "role: inout");
  EXPECT_HAS(begun("y[0] = 3;"), "role: inout");
  EXPECT_HAS(begun(""), "role: out");
}

TEST(GuessedValues, AreThoseThatAnotherFunctionSets) {
  const auto text = guessed(std::string(fill_kernel) + R"(
int count, bytes, units = 0;
float* y;
void prepare() {
  cudaDeviceProp about;
  units = about.multiProcessorCount;
  count = 48 * 40;
  bytes = count * sizeof(float);
  cudaMalloc(&y, bytes);
}
void go() { fill<<<units * 4, 64>>>(y, count); }
int main() { prepare(); go(); })",
                            {outputs, whole});
  EXPECT_HAS(text, "count: 1920, multiprocessorcount: 132}");
  EXPECT_HAS(text, "grid: \"4 * multiprocessorcount\"");
  EXPECT_HAS(text, "shape: count");
}

TEST(GuessedValues, LeaveNoGridEmpty) {
  const auto text = guessed(std::string(fill_kernel) + R"(
int units = 0;
void first() { units = 3; } void second() { units = 4; }
void go(float* y, int n, int threads) { fill<<<(units - units) / threads, threads>>>(y, n); })",
                            {outputs, whole});
  EXPECT_HAS(text, "grid: \"ceil(n / ");
  EXPECT_HAS(text, "# - the grid is a guess");
}

TEST(GuessedValues, OfALoopAreThoseOfItsFirstPass) {
  const auto text = guessed(R"(
__global__ void fold(float* y, int half) { int i = threadIdx.x; if (i < half) y[i] += y[half + i]; }
int main() {
  int n = 200; float* y;
  cudaMalloc(&y, n * sizeof(float));
  int rest = n;
  while (rest > 1) { rest /= 2; fold<<<1, 128>>>(y, rest); }
})",
                            {outputs, whole});
  EXPECT_HAS(text, "name: half, type: i32, value: \"floor(n / 2)\"");
  EXPECT_HAS(text, "# - half has its value from the first iteration of the host's loop");
}

TEST(GuessedValues, KeepTheKernelInMemoryOfKnownLength) {
  const auto text = guessed(R"(
__global__ void shift(float* y, int by) { y[threadIdx.x + by] = 1; }
void run(int by) {
  float* y; int n = 500;
  cudaMalloc(&y, n * sizeof(float));
  shift<<<1, 64>>>(y, by);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "axes: {by: 250, n: 500}");
}

TEST(GuessedValues, FollowWhatAFunctionReturnsAndSetsForALaunch) {
  const auto text = guessed(std::string(fill_kernel) + R"(
dim3 blocks_of(int w, int part) { int x = w / part; dim3 made(x, 2); return made; }
void shape(int w, dim3& block, int* last) { block = dim3(w < 64 ? w : 64); *last = w - 1; }
int main() {
  int w = 4096, last; dim3 block;
  shape(w, block, &last);
  dim3 grid = blocks_of(w, 26);
  float* y; cudaMalloc(&y, w * sizeof(float));
  fill<<<grid, block>>>(y, last);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "grid: [\"floor(w / 26)\", 2]");
  EXPECT_HAS(text, "block: \"if(w < 64, w, 64)\"");
  EXPECT_HAS(text, "value: \"w - 1\"");
}

TEST(GuessedValues, HaveOneNameEverywhere) {
  const auto text = guessed(std::string(fill_kernel) + R"(
int main(int argc, char** argv) {
  int each, part;
  if (argc > 2) { part = 64; } else { each = 4; part = 64 * each; }
  float* y;
  fill<<<part, 64>>>(y, each);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "axes: {each: 4}");
  EXPECT_HAS(text, "name: n, type: i32, value: each}");
  const auto passed = guessed(std::string(fill_kernel) + R"(
void go(float* y, int bits) { int size = 1 << bits; fill<<<size, 64>>>(y, bits); }
int main() { float* y; go(y, 9); })",
                              {outputs, whole});
  EXPECT_HAS(passed, "axes: {bits: 9}");
  EXPECT_HAS(passed, "value: bits}");
}

TEST(GuessedValues, KnowTheLimitsOfTypes) {
  const Parameter real{.text = "float", .type = ElementType::f32};
  const auto text = guessed(R"(
__global__ void least(float* y, float far, int most, float none) { y[threadIdx.x] = far + most + none; }
void run(float* y) { least<<<1, 32>>>(y, FLT_MAX, std::numeric_limits<int>::max(), 2e20f); })",
                            {outputs, real, whole, real});
  EXPECT_HAS(text, "value: \"3.4028234663852886e+38\"");
  EXPECT_HAS(text, "value: 2147483647");
  EXPECT_HAS(text, "value: \"2.0e+20\"");
}

TEST(GuessedValues, AreThoseSetJustBeforeTheCopy) {
  const auto text = guessed(R"(
__global__ void mark(int* found) { *found = 1; }
int main() {
  int* y; int found = 1;
  cudaMalloc(&y, sizeof(int));
  while (found) {
    found = 0;
    cudaMemcpy(y, &found, sizeof(int), cudaMemcpyHostToDevice);
    mark<<<1, 32>>>(y);
  }
})",
                            {{.text = "int*", .is_pointer = true, .type = ElementType::i32}});
  EXPECT_HAS(text, "data: {expression: 0}");
  EXPECT_LACKS(text, "axes:");
}

TEST(GuessedMemory, BeginsWithTheNumberThatTheHostGivesEachElement) {
  const Parameter numbers{.text = "int*", .is_pointer = true, .type = ElementType::i32};
  const std::string begin = R"(
__global__ void least(int* y, int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMin(&y[i / 32], x[i]);
}
int main() {
  int n = 4096;
  int *x, *y, *from = new int[n], *to = new int[n / 32];
  for (int i = 0; i < n; i++) from[i] = i;
  for (int i = 0; i < n / 32; ++i) to[i] = INT_MAX;
  )";
  const std::string end = R"(
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&y, n / 32 * sizeof(int));
  cudaMemcpy(x, from, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(y, to, n / 32 * sizeof(int), cudaMemcpyHostToDevice);
  least<<<n / 256, 256>>>(y, x, n);
})";
  const auto text = guessed(begin + end, {numbers, numbers, whole});
  EXPECT_HAS(text, "role: inout, data: {expression: 2147483647}}");
  EXPECT_HAS(text, "name: x, type: i32, shape: n}");
  // Elements may be others.
  for (const char* change : {"to[0] = 3;", "to[0] ^= 3;", "to[1]++;", "fill(to, n);",
                             "int* other = to;", "std::swap(to[0], n);", "int& x = to[1];",
                             "for (int i = 0; i < n / 32; ++i) if (i % 2) to[i] = INT_MAX;"}) {
    EXPECT_LACKS(guessed(begin + change + end, {numbers, numbers, whole}), "2147483647");
  }
}

TEST(GuessedValues, AreThoseThatAConstructorSets) {
  const std::string begin = R"(
__global__ void scale(float* y, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= rows;
}
struct P {
  int n = 5000;
  int rows;
  )";
  const std::string end = R"(
  float* y;
  cudaMalloc(&y, p.n * sizeof(float));
  scale<<<(p.n + 127) / 128, 128>>>(y, p.n, p.rows);
})";
  for (const std::string way :
       {"P(int r) : rows(r) {} }; int main() { P p(33);",
        "P(int r) { rows = r; } }; int main() { P p{33};",
        "P(int r) { this->rows = r; } }; int main() { auto p = P(33);",
        "P(int r); }; P::P(int r) : rows{r} {} int main() { P p(33);",
        "P() : rows(33) {} P(int r) : rows(2), n(r) {} }; int main() { P p;"}) {
    const auto text = guessed(begin + way + end, {outputs, whole, whole});
    EXPECT_HAS(text, "axes: {n: 5000, rows: 33}") << way << text;
  }
}

TEST(GuessedValues, OfAConstantThatOtherCodeNamesStayItsValue) {
  const std::string code = R"(
__global__ void scale(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= 2;
}
int main() {
  int n = N;
  float* y;
  cudaMalloc(&y, SIDE * sizeof(float));
  scale<<<(n + 127) / 128, 128>>>(y, n);
})";
  for (const std::string begin : {"\n#define N 4096\n", "constexpr int N = 4096;"}) {
    auto other = code;
    other.replace(other.find("SIDE"), 4, "N");
    EXPECT_LACKS(guessed(begin + other, {outputs, whole}), "axes:");
    other = code;
    other.replace(other.find("SIDE"), 4, "n");
    EXPECT_HAS(guessed(begin + other, {outputs, whole}), "axes: {n: 4096}");
  }
}

TEST(GuessedValues, AreMultiplesOfWhatTheHostAsserts) {
  const std::string begin = R"(
__global__ void scale(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= 2;
}
void run(float* y, int n) {
  )";
  const std::string end = "\n  scale<<<(n + 127) / 128, 128>>>(y, n);\n}";
  EXPECT_HAS(guessed(begin + "assert(n % 96 == 0);" + end, {outputs, whole}), "axes: {n: 1048320}");
  const auto large = guessed(begin + "assert(n > 3000000);" + end, {outputs, whole});
  EXPECT_HAS(large, "axes: {n: 4194304}");
  EXPECT_HAS(large, "# - n is 4194304: with a smaller value, the host would not launch the kernel");
}

TEST(GuessedValues, LetTheLoopsOfDeviceFunctionsRun) {
  const auto text = guessed(R"(
__device__ float part(const float* x, int per) {
  float sum = 0;
  for (int k = 0; k < per; ++k) sum += x[k];
  return sum;
}
__global__ void sums(float* y, const float* x, int n, int parts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < parts) y[i] = part(x, n / parts / 8);
}
void run(float* y, float* x, int n, int parts) { sums<<<(parts + 127) / 128, 128>>>(y, x, n, parts); })",
                            {outputs, inputs, whole, whole});
  EXPECT_HAS(text, "axes: {n: 1024, parts: 128}");
}

TEST(GuessedValues, OfTheBlockAreTheGridsToo) {
  const auto text = guessed(R"(
__global__ void scale(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= 2;
}
int main() {
  int n = 4096, size = 256;
  float* y;
  cudaMalloc(&y, n * sizeof(float));
  scale<<<n / 256, size>>>(y, n);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "grid: \"floor(n / size)\"");
}

TEST(GuessedMemory, OfTheCodesOwnArraysLimitsSizes) {
  const auto text = guessed(R"(
__constant__ float walls[100], pumps[15];
__global__ void move(float* y, int n, int nwalls, int npumps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < nwalls; ++k) y[i] += walls[k];
  for (int k = 0; k < npumps; ++k) y[i] += pumps[k];
}
void run(float* y, int n, int nwalls, int npumps) {
  move<<<(n + 63) / 64, 64>>>(y, n, nwalls, npumps);
})",
                            {outputs, whole, whole, whole});
  EXPECT_HAS(text, "axes: {n: 512, npumps: 15, nwalls: 100}");
  EXPECT_HAS(text, "# - nwalls is a guess: walls has 100 elements in the code\n");
  EXPECT_HAS(text, "# - npumps is a guess: pumps has 15 elements in the code\n");
}

TEST(GuessedMemory, OfLessThanAnElementLimitsNoSize) {
  const auto with = [](const std::string& bytes) {
    return guessed(R"(
__global__ void sum(float* x, int n) {
  for (int k = 0; k < n; ++k) x[k] += 1;
}
void run(int n) {
  float* x;
  cudaMalloc(&x, )" + bytes +
                       R"();
  sum<<<4, 64>>>(x, n);
})",
                   {outputs, whole});
  };
  EXPECT_HAS(with("402"), "# - n is a guess: x has 100 elements in the code\n");
  EXPECT_LACKS(with("2"), "elements in the code");
}

}  // namespace
}  // namespace apod::cli
