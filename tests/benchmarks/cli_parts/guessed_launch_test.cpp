/// \file
/// Guesses about what a launch of a program is given: grids, sizes, textures and variables.

#include "tests/benchmarks/cli_parts/guessed.hpp"

namespace apod::cli {
namespace {

constexpr const char* cover = R"(
__global__ void cover(float* y, int rows, int columns) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows && j < columns) y[i * columns + j] = 1;
}
)";

TEST(GuessedLaunch, HasTheSidesOfAGridThatIsSetAnew) {
  // What is elsewhere is a quotient by its name.
  const auto text = guessed(std::string(cover) + R"(
int iDivUp(int a, int b) { return (a + b - 1) / b; }
void run(float* y, int rows, int columns) {
  dim3 blocks(1, 1);
  dim3 threads(16, 8);
  blocks = dim3(iDivUp(columns, 16), iDivUp(rows, 8));
  cover<<<blocks, threads>>>(y, rows, columns);
})",
                            {outputs, whole, whole});
  EXPECT_HAS(text, "grid: [\"ceil(columns / 16)\", \"ceil(rows / 8)\"]");
  EXPECT_HAS(text, "copied the launch from the file");
}

TEST(GuessedLaunch, IsNotTheFilesOwnIfItCouldNotBeRead) {
  const auto text = guessed(std::string(cover) + R"(
int chosen(int a);
void run(float* y, int rows, int columns) {
  dim3 blocks;
  blocks = dim3(chosen(columns), chosen(rows));
  cover<<<blocks, dim3(16, 8)>>>(y, rows, columns);
})",
                            {outputs, whole, whole});
  EXPECT_HAS(text, "# bench guessed roles, shapes, data and the launch.\n");
  EXPECT_HAS(text, "# - the grid is a guess: the launch in the host code could not be read");
  EXPECT_HAS(text, "grid: [\"ceil(columns / 16)\", \"ceil(rows / 8)\"]");
}

TEST(GuessedLaunch, KnowsNoValueThatAFunctionSets) {
  for (const std::string halved :
       {"void half(int* n); #half(&columns);", "void half(int& n); #half(columns);"}) {
    const auto at = halved.find('#');
    const auto text = guessed(cover + halved.substr(0, at) + R"(
void run(float* y) {
  int rows = 512, columns = 1024;
  )" + halved.substr(at + 1) + R"(
  cover<<<dim3(columns / 16, rows / 8), dim3(16, 8)>>>(y, rows, columns);
})",
                              {outputs, whole, whole});
    EXPECT_HAS(text, "# - the code has no value for columns\n");
    EXPECT_HAS(text, "axes: {columns: 1024, rows: 512}");
  }
  const auto kept = guessed(std::string(cover) + R"(
void print(const int* n);
void run(float* y) {
  int rows = 512, columns = 1024;
  print(&columns);
  cover<<<dim3(columns / 16, rows / 8), dim3(16, 8)>>>(y, rows, columns);
})",
                            {outputs, whole, whole});
  EXPECT_HAS(kept, "axes: {columns: 1024, rows: 512}");
  EXPECT_LACKS(kept, "has no value for");
}

TEST(GuessedLaunch, KnowsConstantsOfAScope) {
  const auto text = guessed(R"(
struct Tile { float* y; static constexpr int rows = 64; };
namespace sizes { static const int width = 4096; }
__global__ void copy(float* y, const float* x) {
  float* own = y + blockIdx.x * sizes::width;
  for (int j = threadIdx.x; j < sizes::width; j += blockDim.x) own[j] = x[j % Tile::rows];
}
void run(float* y, float* x) { copy<<<100, 128>>>(y, x); })",
                            {outputs, inputs});
  EXPECT_HAS(text, "{name: y, type: f32, shape: 409600, role: out}");
  EXPECT_HAS(text, "{name: x, type: f32, shape: 64}");
}

TEST(GuessedLaunch, HasShapesForAllValuesOfItsAxes) {
  // Not "rows * columns + 1024", which is rows where there are 1024.
  const auto text = guessed(R"(
__global__ void walk(float* y, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) for (int k = 0; k <= columns; ++k) y[i * (columns + 1) + k] = k;
}
void run(float* y, int rows, int columns) { walk<<<(rows + 255) / 256, 256>>>(y, rows, columns); })",
                            {outputs, whole, whole});
  EXPECT_HAS(text, "shape: \"columns * rows + rows\", role: out}");
}

TEST(GuessedLaunch, CountsVectorsWhereIndicesAreOfThem) {
  Parameter vectors = inputs;
  vectors.count = 4;
  const Parameter indices{
      .text = "int const*", .is_pointer = true, .is_const = true, .type = ElementType::i32};
  const auto text = guessed(R"(
__global__ void gather(float* y, const float4* x, const int* at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[at[i]].x;
}
int main() {
  float *y; float4* x; int* at;
  const int n = 5120, count = 100;
  cudaMalloc(&y, n * sizeof(float)); cudaMalloc(&x, count * sizeof(float4)); cudaMalloc(&at, n * sizeof(int));
  gather<<<n / 256, 256>>>(y, x, at, n);
})",
                            {outputs, vectors, indices, whole});
  EXPECT_HAS(text, "name: x, type: f32, shape: [count, 4]");
  EXPECT_HAS(text, "(i * 7919) % count");
}

TEST(GuessedLaunch, IsReadBehindTheMarkOfUtf8) {
  EXPECT_HAS(
      guessed("\xEF\xBB\xBF#include <cmath>\n" + std::string(cover), {outputs, whole, whole}),
      "name: cover");
}

TEST(GuessedLaunch, GivesVariablesWhoseTypeIsAMacro) {
  const auto text = guessed(R"(
#define REAL float
typedef REAL number;
__constant__ number taps[9];
__device__ REAL scale[4];
__global__ void scaled(REAL* y) { y[threadIdx.x] = taps[threadIdx.x % 9] * scale[0]; }
void run(float* y) { scaled<<<1, 64>>>(y); })",
                            {outputs});
  EXPECT_HAS(text, "{name: taps, type: f32, shape: 9, variable: taps}");
  EXPECT_HAS(text, "{name: scale, type: f32, shape: [4], variable: scale} to args");
}

TEST(GuessedLaunch, TakesTheInstanceThatItsCallerAsksFor) {
  const auto text = guessed(R"(
template <class T, int K> __global__ void add(T* y, const T* x) { y[threadIdx.x] += K * x[threadIdx.x]; }
template <class T, int K> void twice(T* y, const T* x) { add<T, K><<<1, 64>>>(y, x); }
template <class T> void run(T* y, const T* x) {
  constexpr int k = 3;
  twice<T, 2 * k>(y, x);
}
int main() { void *x, *y; run<double>((double*)y, (double*)x); })",
                            {outputs, inputs});
  EXPECT_HAS(text, "name: \"add<double, 6>\"");
}

TEST(GuessedLaunch, IsSeenInAMacro) {
  const auto text = guessed(std::string(cover) + R"(
#define LAUNCH(kernel, grid, block, ...) do { kernel<<<grid, block>>>(__VA_ARGS__); check(); } while (0)
#define ROWS 512
void run(float* y) {
  const int columns = 1024;
  dim3 block(32, 4);
  LAUNCH(cover, dim3(columns / block.x, ROWS / block.y), block, y, ROWS, columns);
})",
                            {outputs, whole, whole});
  EXPECT_HAS(text, "copied the launch from the file");
  EXPECT_HAS(text, "grid: [\"floor(columns / 32)\", 128]");
  EXPECT_HAS(text, "block: [32, 4]");
  EXPECT_HAS(text, "{name: rows, type: i32, value: 512}");
}

TEST(GuessedLaunch, EndsAtTheLimitOfTheKernel) {
  const auto text = guessed(R"(
__global__ void inner(float* y, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx - 2 && j < ny - 2) y[(j + 1) * nx + i + 1] = 1;
})",
                            {outputs, whole, whole});
  EXPECT_HAS(text, "grid: [\"ceil((nx - 2) / 16)\", \"ceil((ny - 2) / 16)\"]");
}

TEST(GuessedLaunch, StaysWithinTheCodesOwnArrays) {
  const auto text = guessed(R"(
#define LONGEST 40
__constant__ float taps[LONGEST];
__global__ void filtered(float* y, const float* x, int n, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += taps[count - 1 - k] * x[i];
  y[i] = sum;
}
void run(float* y, float* x, int n, int count) { filtered<<<n / 256, 256>>>(y, x, n, count); })",
                            {outputs, inputs, whole, whole});
  EXPECT_HAS(text, "axes: {count: 40, n: 1024}");
}

TEST(GuessedLaunch, TakesAWindowForWhatTheKernelCallsOne) {
  const auto text = guessed(std::string(cover) + R"(
__global__ void blurred(float* y, int n, int ksize) { if (threadIdx.x < n) y[threadIdx.x] = ksize; }
void run(float* y, int n, int size) { blurred<<<n / 256, 256>>>(y, n, size); })",
                            {outputs, whole, whole});
  EXPECT_HAS(text, "size: 5}");
}

std::string with_texture(const std::string& host) {
  const Parameter handle{.text = "unsigned long long", .type = ElementType::u64};
  return guessed(R"(
__global__ void sampled(float* y, cudaTextureObject_t tex, int rows, int columns) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i < rows && j < columns) y[i * columns + j] = tex2D<float>(tex, j / 2, i / 2);
}
void run(float* y, cudaTextureObject_t tex, int rows, int columns, int height, int width) {
)" + host + R"(
  sampled<<<dim3(columns / 16, rows / 16), dim3(16, 16)>>>(y, tex, rows, columns);
})",
                 {outputs, handle, whole, whole});
}

TEST(GuessedLaunch, TakesATexturesSidesFromTheMemoryBehindIt) {
  const auto array = with_texture("cudaArray_t a; cudaMallocArray(&a, &format, width, height);");
  EXPECT_HAS(array, "{name: tex, type: f32, shape: [height, width], texture: [nearest]}");
  EXPECT_LACKS(array, "size of tex is a guess");
  const auto unknown = with_texture("");
  EXPECT_HAS(unknown,
             "# - the size of tex is a guess: it equals the number of threads in the grid");
  const auto either = with_texture(
      "cudaMallocArray(&a, &format, width, height); cudaMallocArray(&b, &format, 64, 64);");
  EXPECT_HAS(either, "size of tex is a guess");
}

TEST(GuessedLaunch, CallsAFunctionInAMacro) {
  const auto text = guessed(R"(
int divide(int a, int b) { return (a + b - 1) / b; }
#define BLOCKS(x) divide((x) * 4, 256)
__global__ void k(float* y, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) y[i] = 1; }
int main() { float* y; int n = 1000; k<<<BLOCKS(n), 256>>>(y, n); })",
                            {outputs, whole});
  EXPECT_HAS(text, "axes: {n: 1000}");
  EXPECT_HAS(text, "grid: \"ceil(4 * n / 256)\"");
}

TEST(GuessedLaunch, IsSeenInAMacroOfAMacro) {
  const auto text = guessed(R"(
template <int N> __global__ void one(float* y, int n) { int i = blockIdx.x * N + threadIdx.x; if (i < n) y[i] = 1; }
#define LAUNCH(N) one<(N)><<<blocks, threads>>>(y, n);
#define CHOOSE(B, N)     \
  dim3 threads((N));     \
  dim3 blocks((B));      \
  switch ((N)) {         \
    case 64: LAUNCH(64) break;   \
    case 128: LAUNCH(128) break; \
  }
int main() { float* y; int n = 4096; const int width = 128; CHOOSE(n / width, width) })",
                            {outputs, whole});
  EXPECT_HAS(text, "copied the launch from the file");
  EXPECT_HAS(text, "one<128>");
}

TEST(GuessedLaunch, HasSidesThatAnotherFunctionSets) {
  const auto text = guessed(std::string(cover) + R"(
dim3 blocks, threads;
void begin() { threads.x = 32; threads.y = 4; blocks.x = 64 / threads.x; blocks.y = 64 / threads.y; }
int main() { float* y; begin(); cover<<<blocks, threads>>>(y, 64, 64); })",
                            {outputs, whole, whole});
  EXPECT_HAS(text, "grid: [2, 16]");
  EXPECT_HAS(text, "block: [32, 4]");
}

TEST(GuessedLaunch, StaysWithinABlocksOwnArrays) {
  const auto text = guessed(R"(
#define MOST 256
__global__ void sort(float* y, int length) {
  __shared__ float own[MOST];
  for (int k = threadIdx.x; k < length; k += blockDim.x) own[k] = y[blockIdx.x * length + k];
  __syncthreads();
  for (int k = threadIdx.x; k < length; k += blockDim.x) y[blockIdx.x * length + k] = own[length - 1 - k];
}
void run(float* y, int length) { sort<<<100, 64>>>(y, length); })",
                            {outputs, whole});
  EXPECT_HAS(text, "axes: {length: 256}");
}

TEST(GuessedLaunch, DividesByNothing) {
  const auto text = guessed(R"(
__global__ void walk(float* y, int n, int edge) { int i = blockIdx.x * (64 - 2 * edge) + threadIdx.x; if (i < n) y[i] = edge; }
void run(float* y, int n, int edge) {
  int rest = 64 - edge * 2;
  walk<<<n / rest + (n % rest == 0 ? 0 : 1), 64>>>(y, n, edge);
})",
                            {outputs, whole, whole});
  EXPECT_HAS(text, "edge: 16");
  EXPECT_LACKS(text, "the grid is a guess");
}

TEST(GuessedLaunch, KnowsAConstantThatAHeaderDeclares) {
  const auto text =
      guessed(Sources{{"k.h", "extern \"C\" const int width;"}, {"k.cu", std::string(cover) + R"(
extern "C" const int width = 48;
void run(float* y) { cover<<<dim3(width / 16, 8), dim3(16, 8)>>>(y, 64, width); })"}},
              {outputs, whole, whole});
  EXPECT_HAS(text, "grid: [3, 8]");
}

TEST(GuessedLaunch, MakesNoAxisOfARealVariable) {
  const auto text = guessed(R"(
__global__ void scale(float* y, int n, float by) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[i] *= by; }
void run(float* y, const float* x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  const float mean = sum / n;
  scale<<<n / 64, 64>>>(y, n, mean * mean);
})",
                            {outputs, whole, {.text = "float", .type = ElementType::f32}});
  EXPECT_HAS(text, "axes: {n: 1048576}");
  EXPECT_HAS(text, "{name: by, type: f32, value: 1}");
}

}  // namespace
}  // namespace apod::cli
