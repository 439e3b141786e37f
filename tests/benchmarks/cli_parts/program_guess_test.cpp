/// \file
/// Guesses about whole programs, a kind of code each.

#include <ctime>

#include "tests/benchmarks/cli_parts/guessed.hpp"

namespace apod::cli {
namespace {

constexpr const char* fill = R"(
__global__ void fill(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1;
}
)";

TEST(ProgramGuess, ReadsOnBehindTemplatesWithDefaultsAndSpecialisations) {
  const auto text = guessed(R"(
template <class T, class = typename enable<(sizeof(T) > 2)>::type, int K = 4> struct Tile {};
template <class T> __device__ T least(T a);
template <> __device__ int least<int>(int a) { return a; }
template <class T, int K = 4> __global__ void scaled(T* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = K; }
void run(float* y, int n) { scaled<float><<<1, 64>>>(y, n); }
)",
                            {outputs, whole});
  EXPECT_HAS(text, "name: \"scaled<float>\"");
  EXPECT_HAS(text, "block: 64");
}

TEST(ProgramGuess, TakesTheBranchesThatTheCompilerTakes) {
  // A header sees what is defined ahead of it.
  const Sources sources{{"h.h", R"(
#if defined(WIDE) && WIDE > 1
typedef double real;
#elif !defined(NARROW)
typedef float real;
#endif
)"},
                        {"k.cu", std::string(R"(
#define WIDE 2
#include "h.h"
#if UNKNOWN
#define BLOCK 64
#else
#define BLOCK 128
#endif
)") + fill + R"(
void run(int n) { float* y; cudaMalloc(&y, n * sizeof(real)); fill<<<1, BLOCK>>>(y, n); })"}};
  const auto text = guessed(sources, {outputs, whole});
  EXPECT_HAS(text, "block: 128");
  EXPECT_HAS(text, "shape: \"2 * n\"");
}

TEST(ProgramGuess, KnowsNoValueThatChangesOnTheWay) {
  const auto text = guessed(std::string(fill) + R"(
void run(float* y, int limit) {
  int n = 1;
  while (n < limit) n <<= 1;
  int rounds = 3;
  for (int k = 0; k < rounds; ++k) fill<<<1, 64>>>(y, n);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "axes: {n: 1048576}");
}

TEST(ProgramGuess, TakesTheValueOfTheCodeBeforeThatOfTheCommandLine) {
  const auto text = guessed(std::string(fill) + R"(
int main(int argc, char** argv) {
  float* y;
  int step = 0;
  int n = 5000;
  if (argc > 1) n = atoi(argv[1]);
  fill<<<step ? step : n, 64>>>(y, n);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "axes: {n: 5000}");
  EXPECT_HAS(text, "grid: n");
}

TEST(ProgramGuess, KeepsTheBracketsOfASum) {
  const auto text = guessed(std::string(fill) + R"(
void run(float* y, int n) { fill<<<(n + 6) / 4, 64>>>(y, (n - 1) / (n + 1)); })",
                            {outputs, whole});
  EXPECT_HAS(text, "grid: \"floor((n + 6) / 4)\"");
  EXPECT_HAS(text, "value: \"floor((n - 1) / (n + 1))\"");
}

TEST(ProgramGuess, WritesTheArgumentsOfATemplateThatHostVariablesAre) {
  const auto text = guessed(R"(
template <int K> __global__ void each(float* y) { y[threadIdx.x] = K; }
void run(float* y) {
  const int n = 4096;
  const int parts = n / 32;
  const int per = parts / 16;
  each<per><<<1, 64>>>(y);
})",
                            {outputs});
  EXPECT_HAS(text, "name: \"each<8>\"");
}

TEST(ProgramGuess, TakesTheHostsTemplateFromItsCallerAndItsCase) {
  const auto text =
      guessed(R"(
template <class T, int K> __global__ void each(T* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = K; }
template <class T> void run(T* y, int n, int threads) {
  dim3 block(threads, 1, 1);
  switch (threads) {
    case 64: each<T, 64><<<1, block, threads * sizeof(T)>>>(y, n); break;
    case 32: each<T, 32><<<1, block, threads * sizeof(T)>>>(y, n); break;
  }
}
int main() { double* y; run(y, 100, pick()); })",
              {{.text = "double*", .is_pointer = true, .type = ElementType::f64}, whole});
  EXPECT_HAS(text, "name: \"each<double, 64>\"");
  EXPECT_HAS(text, "block: 64");
  EXPECT_HAS(text, "shared: 512");
}

TEST(ProgramGuess, TakesAKernelThatMainReaches) {
  const auto text = guessed(R"(
__global__ void old(float* y) { y[threadIdx.x] = 1; }
__global__ void used(float* y) { y[threadIdx.x] = 2; }
void run_old(float* y) { for (int i = 0; i < 9; ++i) old<<<1, 32>>>(y); }
void run_used(float* y) { used<<<1, 32>>>(y); }
int main() { float* y; run_used(y); })",
                            {outputs});
  EXPECT_HAS(text, "name: used");
}

TEST(ProgramGuess, MakesNoArrayShorterThanTheKernelsReach) {
  const auto text = guessed(R"(
__global__ void halve(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[2 * i] + x[2 * i + 1];
}
void run(int n, int length) {
  float *x, *y;
  cudaMalloc(&x, length * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  halve<<<(n + 63) / 64, 64>>>(y, x, n);
})",
                            {outputs, inputs, whole});
  EXPECT_HAS(text, "name: x, type: f32, shape: [2, n]}");
  EXPECT_HAS(text, "# - x has the length that the kernel needs");
  EXPECT_LACKS(text, "length:");
}

TEST(ProgramGuess, SaysWhatOnlyMemoryIsAsLongAs) {
  const auto text = guessed(R"(
__global__ void follow(float* y, const float* table) { y[threadIdx.x] = table[next(y[threadIdx.x])]; }
void run(int entries) {
  float *table, *y;
  cudaMalloc(&table, entries * sizeof(float));
  follow<<<1, 64>>>(y, table);
})",
                            {outputs, inputs});
  EXPECT_HAS(text, "entries is a guess: the code does not say how long table is for this launch");
}

TEST(ProgramGuess, TakesEitherBufferOfAChoice) {
  const auto text = guessed(R"(
__global__ void step(float* y, const float* x, int n) { if (threadIdx.x < n - 2) y[threadIdx.x] = x[threadIdx.x]; }
void run(int n) {
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  for (int k = 0; k < 10; ++k) step<<<1, 64>>>((k % 2) ? a : b, (k % 2) ? b : a, n);
})",
                            {outputs, inputs, whole});
  EXPECT_HAS(text, "name: y, type: f32, shape: n");
  EXPECT_HAS(text, "name: x, type: f32, shape: n}");
}

TEST(ProgramGuess, KnowsTheBytesOfStructsAndRefusesAddresses) {
  const Parameter structs{.text = "Cell*", .is_pointer = true, .type = {}};
  constexpr const char* kernel = R"(
__global__ void each(Cell* c, int n) { if (threadIdx.x < n) use(&c[threadIdx.x]); }
void run(Cell* c, int n) { each<<<1, 64>>>(c, n); })";
  const auto mixed =
      guessed("struct Cell { double at; int kind; };" + std::string(kernel), {structs, whole});
  EXPECT_HAS(mixed, "name: c, type: u8, shape: [n, 16], role: inout}");
  EXPECT_HAS(guessed("struct Cell { Cell* next; };" + std::string(kernel), {structs, whole}),
             "c is memory that contains pointers (Cell*)");
  EXPECT_HAS(guessed(kernel, {structs, whole}), "add --arg \"c=[LENGTH, BYTES]\"");
}

TEST(ProgramGuess, SeesCastsAndWhatFunctionsChange) {
  const auto text = guessed(R"(
__device__ void walk(float* y, int& at, int n) {
  while (at < 4) { y[at * n] = 1; at = hidden(at); }
}
__global__ void each(float* y, float* x, float* z, int n) {
  int at = 0;
  walk(y, at, n);
  z[threadIdx.x] = reinterpret_cast<float2*>(x)[threadIdx.x].x;
}
void run(float* y, float* x, float* z, int n) { each<<<1, 64>>>(y, x, z, n); })",
                            {outputs, outputs, outputs, whole});
  EXPECT_HAS(text, "name: x, type: f32, shape: 128}");
  EXPECT_LACKS(text, "name: y, type: f32, shape: 1,");
}

TEST(ProgramGuess, FollowsAVariableThatIsMadeAnew) {
  const auto text = guessed(R"(
__global__ void turn(float* y, const float* x, int rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 8 * rows * n) return;
  int rest = i;
  int page = rest / (rows * n);
  rest = rest % (rows * n);
  int row = rest / n;
  rest = rest % n;
  y[page * rows * n + row * n + rest] = x[page * rows * n + rest * rows + row];
}
void run(float* y, float* x, int rows, int n) {
  turn<<<(8 * rows * n + 63) / 64, 64>>>(y, x, rows, n);
})",
                            {outputs, inputs, whole, whole});
  EXPECT_HAS(text, "name: y, type: f32, shape: [8, n, rows]");
  EXPECT_HAS(text, "name: x, type: f32, shape: [8, n, rows]");
}

TEST(ProgramGuess, BelievesMemoryThatTheLaunchIsAsLongAs) {
  // The index is at most 2 n - 1 by its parts, and n - 1 in truth.
  const auto text = guessed(R"(
__global__ void mix(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int low = i & (n - 1);
  if (i < n) y[(i - low) + low] = 1;
}
void run(int n) {
  float* y;
  cudaMalloc(&y, n * sizeof(float));
  mix<<<(n + 63) / 64, 64>>>(y, n);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "name: y, type: f32, shape: n,");
}

TEST(ProgramGuess, TakesALoopThatMemoryDependsOnForCases) {
  const auto text = guessed(R"(
__global__ void pick(float* y, const float* z, int n) { if (threadIdx.x < n) y[threadIdx.x] = z[hidden()]; }
void run(float* y, int rest) {
  for (int n = 64; n <= 4096; n *= 2) {
    float* z;
    cudaMalloc(&z, (n + 8 - rest) * sizeof(float));
    pick<<<n / 64, 64>>>(y, z, n);
  }
})",
                            {outputs, inputs, whole});
  EXPECT_HAS(text, "axes: {n: 64, rest: 64}");
  EXPECT_LACKS(text, "for:");
}

TEST(ProgramGuess, ReadsABlockThatIsAQuotient) {
  const auto text = guessed(std::string(fill) + R"(
void run(float* y, int n) {
  dim3 blocks = (n + 63) / 64;
  fill<<<blocks, 64>>>(y, n);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "grid: \"ceil(n / 64)\"");
}

TEST(ProgramGuess, SaysWhichValuesAreGuesses) {
  const auto text = guessed(R"(
__global__ void scaled(float* y, float a, float b, int n, int m) { if (threadIdx.x < n) atomicAdd(&y[m], a * b); }
void run(float* y, float a, int n) { const int m = 3; scaled<<<1, 64>>>(y, a, 0.5f, n, m); })",
                            {outputs,
                             {.text = "float", .type = ElementType::f32},
                             {.text = "float", .type = ElementType::f32},
                             whole,
                             whole});
  EXPECT_HAS(text, "# - the code has no value for n, a\n");
  // Sums in any order cancel.
  EXPECT_HAS(text, "tolerance: {absolute: 1e-3, relative: 1e-3}");
}

TEST(ProgramGuess, RefusesSurfacesAndSeesAddressesInBrackets) {
  const Parameter handle{.text = "unsigned long long", .type = ElementType::u64};
  EXPECT_HAS(
      guessed("__global__ void draw(cudaSurfaceObject_t s) { surf2Dwrite(1, s, 0, 0); }", {handle}),
      "s is a surface (cudaSurfaceObject_t)");
  const auto text = guessed(R"(
__global__ void put(float* y, float* x) { Store(buffer).Write(&(y[threadIdx.x]), Block().Load(&(x[threadIdx.x]))); }
void run(float* y, float* x) { put<<<1, 64>>>(y, x); })",
                            {outputs, outputs});
  EXPECT_HAS(text, "name: y, type: f32, shape: \"1 * 64\", role: inout}");
  EXPECT_HAS(text, "name: x, type: f32, shape: \"1 * 64\"}");
}

TEST(ProgramGuess, MakesShapesOfWhatTheKernelTakesAndIsLaunchedWith) {
  const auto text = guessed(R"(
__global__ void each(float* y, float* x, int heads, int side) {
  if (threadIdx.x < side) y[blockIdx.x * side + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
}
void run(float* y, float* x) {
  const int c = 1000;
  const int heads = 7;
  each<<<heads, c / heads>>>(y, x, heads, c / heads);
})",
                            {outputs, outputs, whole, whole});
  EXPECT_HAS(text, "name: y, type: f32, shape: [heads, \"floor(c / heads)\"]");
}

TEST(ProgramGuess, TakesNoByteForASizeAndLeavesNoGridEmpty) {
  const auto text = guessed(R"(
__global__ void find(float* y, int n, char sought) { if (threadIdx.x < n) y[threadIdx.x] = sought; }
void run(float* y, int n, int length, char sought) { find<<<(n - length + 63) / 64, 64>>>(y, n, sought); })",
                            {outputs, whole, {.text = "char", .type = ElementType::i8}});
  EXPECT_HAS(text, "axes: {length: 512, n: 1024}");
  EXPECT_HAS(text, "name: sought, type: i8, value: 1}");
  EXPECT_HAS(text, "the code has no value for length, n, sought");
}

TEST(ProgramGuess, FitsMemoryAndTakesLogarithmsForSmall) {
  const auto text = guessed(R"(
__global__ void wide(float* y, int rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[blockIdx.y * n + i] = 1;
}
void run(float* y, int rows, int log_n) {
  int n = 1 << log_n;
  wide<<<dim3(n / 64, rows), 64>>>(y, rows, n);
})",
                            {outputs, whole, whole});
  EXPECT_HAS(text, "axes: {log_n: 16, rows: 8192}");
}

TEST(ProgramGuess, FollowsWhatTheHostDecidesOnTheWay) {
  // Blocks for the rest, three ways to say it.
  const auto blocks = [](const std::string& code) {
    return guessed(std::string(fill) + "void run(float* y, int n) {\n  int b = 128;\n" + code +
                       "\n  fill<<<g, b>>>(y, n);\n}",
                   {outputs, whole});
  };
  for (const auto* code :
       {"int g = n / b; if (n % b != 0) g += 1;", "int g = n / b; if (n % b) ++g;",
        "int g = n / b + (n % b > 0 ? 1 : 0);", "int g = n % b == 0 ? n / b : n / b + 1;"}) {
    EXPECT_HAS(blocks(code), "grid: \"ceil(n / b)\"");
  }
  EXPECT_HAS(blocks("int g = 64; if (n < 4096) { g = n / 64; }"),
             "grid: \"if(n < 4096, floor(n / 64), g)\"");
  // A condition that is made of nothing that is known here is left out.
  EXPECT_HAS(blocks("int g = 64; if (getenv(\"FAST\")) g = 7;"), "grid: g");
  // In a loop it is known behind it alone.
  EXPECT_HAS(blocks("int g = 1; do { g++; } while (g * b < n);"), "grid: g");
  EXPECT_HAS(blocks("int g = 1; g |= n;"), "grid: g");
  EXPECT_HAS(blocks("int g = n; g *= 2;"), "grid: \"2 * n\"");
  // Decision upon decision can't be written out.
  std::string many = "int g = n;";
  for (int i = 0; i < 26; ++i) many += "if (g > b) g += " + std::to_string(i) + ";";
  EXPECT_HAS(blocks(many), "grid: g");
}

TEST(ProgramGuess, TakesSizesForWhichTheHostLaunchesIt) {
  const auto text = guessed(std::string(fill) + R"(
__global__ void square(float* y, int n) { y[threadIdx.x] = n; }
void run(float* y, int n, int m) {
  if (n == m) square<<<n, 64>>>(y, n);
  else for (;;) fill<<<m, 64>>>(y, n);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "axes: {m: 512, n: 1024}");
  const auto of_case = guessed(std::string(fill) + R"(
void run(float* y, int kind, int n) { if (kind == 3) fill<<<n, 64>>>(y, kind); })",
                               {outputs, whole});
  EXPECT_HAS(of_case, "{name: n, type: i32, value: 3}");
  const auto never = guessed(std::string(fill) + R"(
void run(float* y) { int n = 100; if (n > 4096) fill<<<n, 64>>>(y, n); })",
                             {outputs, whole});
  EXPECT_HAS(
      never,
      "# - the host code launches the kernel if n > 4096, which is false for these axis values");
}

TEST(ProgramGuess, TakesSizesThatFitTheBlocksMemory) {
  constexpr const char* cached = R"(
__global__ void cached(float* y, const float* x, int n, int m) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < n * m; i += blockDim.x) s[i] = x[i];
  y[threadIdx.x] = s[threadIdx.x];
}
)";
  const std::vector<Parameter> takes{outputs, inputs, whole, whole};
  const auto least = guessed(std::string(cached) + R"(
void run(float* y, float* x, int n, int m) {
  cached<<<1, 256, min(n * m * sizeof(float), (size_t)48000)>>>(y, x, n, m);
})",
                             takes);
  EXPECT_HAS(least, "axes: {m: 64, n: 128}");
  const auto most = guessed(std::string(cached) + R"(
void run(float* y, float* x, int n, int m) {
  cached<<<1, 256, n * m * sizeof(float)>>>(y, x, n, m);
})",
                            takes);
  EXPECT_HAS(most, "axes: {m: 32, n: 1024}");
}

TEST(ProgramGuess, BeginsMemoryAsTheHostSetsIt) {
  const Parameter slots{.text = "int*", .is_pointer = true, .type = ElementType::i32};
  const auto text = guessed(R"(
#define SLOTS 4096
int* made() {
  int* table;
  cudaMalloc(&table, SLOTS * sizeof(int));
  cudaMemset(table, 0xff, SLOTS * sizeof(int));
  return table;
}
__global__ void insert(int* slots, const int* count) {
  if (threadIdx.x < *count) atomicCAS(&slots[threadIdx.x], -1, 1);
}
int main() {
  int* slots = made();
  int n = 200;
  int* count;
  cudaMalloc(&count, sizeof(int));
  cudaMemcpy(count, &n, sizeof(int), cudaMemcpyHostToDevice);
  insert<<<1, 256>>>(slots, count);
})",
                            {slots, slots});
  EXPECT_HAS(text,
             "{name: slots, type: i32, shape: 4096, role: inout, data: {expression: \"-1\"}}");
  EXPECT_HAS(text, "{name: count, type: i32, shape: 1, data: {expression: n}}");
}

TEST(ProgramGuess, MakesRangesOfSomeElements) {
  const Parameter ends{
      .text = "int const*", .is_pointer = true, .is_const = true, .type = ElementType::i32};
  const auto text = guessed(R"(
__global__ void rows(float* y, const float* v, const int* ends, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = ends[i]; k < ends[i + 1]; ++k) sum += v[k];
  y[i] = sum;
}
void run(float* y, float* v, int* ends, int n) { rows<<<(n + 255) / 256, 256>>>(y, v, ends, n); })",
                            {outputs, inputs, ends, whole});
  EXPECT_HAS(text, "{name: ends, type: i32, shape: \"n + 1\", data: {expression: \"16 * i\"}}");
  EXPECT_HAS(text, "{name: v, type: f32, shape: [16, n]}");
}

TEST(ProgramGuess, CountsWhatStructsAndFunctionsHold) {
  const auto text = guessed(std::string(fill) + R"(
typedef struct { float x, y, z; } Point;
struct Grid { int n; };
std::vector<float> points(int seed, int count) {
  std::vector<float> all;
  all.reserve(count);
  return all;
}
void launch(float* y, Grid grid) { fill<<<1, 64>>>(y, grid.n); }
int main() {
  auto all = points(3, 700);
  Grid grids[2];
  grids[0].n = grids[1].n = all.size();
  float* y;
  cudaMalloc(&y, all.size() * sizeof(Point));
  launch(y, grids[0]);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "value: 700}");
  EXPECT_HAS(text, "shape: 2100");
}

TEST(ProgramGuess, ReadsALaunchWithBlanks) {
  const auto text = guessed(std::string(fill) + R"(
void run(float* y, int n) { fill << <n / 64, 64> >> (y, n); fill<< < n / 64, 64 >> >(y, n); })",
                            {outputs, whole});
  EXPECT_HAS(text, "copied the launch from the file");
  EXPECT_HAS(text, "grid: \"floor(n / 64)\"");
}

TEST(ProgramGuess, TakesTheInstanceThatTheFileAsksFor) {
  const auto text = guessed(R"(
template <int K, int M> __global__ void each(float* y) { y[threadIdx.x] = K / M; }
template __global__ void each<128, 2>(float* y);)",
                            {outputs});
  EXPECT_HAS(text, "name: \"each<128, 2>\"");
}

TEST(ProgramGuess, ReachesAsFarAsPointersThatMove) {
  const auto text = guessed(R"(
__global__ void rows(float* y, const float* x, int n) {
  x = &x[blockIdx.x * n];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
  for (int i = 0; i < 4; ++i) y[blockIdx.x * 4 + i] = sum;
}
void run(float* y, float* x, int m, int n) { rows<<<m, 32>>>(y, x, n); })",
                            {outputs, inputs, whole});
  EXPECT_HAS(text, "{name: x, type: f32, shape: [m, n]}");
  EXPECT_HAS(text, "{name: y, type: f32, shape: [4, m], role: out}");
}

TEST(ProgramGuess, SaysWhichVariablesStayZero) {
  const auto text = guessed(R"(
typedef float real;
struct Options { int n; };
__constant__ Options options[4];
__device__ real scale[8];
__device__ int set = 3;
__device__ int idle;
__global__ void scaled(float* y) { y[threadIdx.x] = scale[0] * options[0].n * set; })",
                            {outputs});
  EXPECT_HAS(
      text,
      "# - scale is set to zero: to give it values, add {name: scale, type: f32, shape: [8], "
      "variable: scale} to args");
  EXPECT_HAS(text,
             "# - options is set to zero: an experiment can't set a variable of type Options");
  EXPECT_LACKS(text, "set is zero");
  EXPECT_LACKS(text, "idle");
}

/// Seconds of this process since it was made.
class Clock {
 public:
  double seconds() const {
    return static_cast<double>(std::clock() - begin_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  std::clock_t begin_ = std::clock();
};

TEST(ProgramGuess, FollowsReturnsToAnEnd) {
  const Clock clock;
  EXPECT_HAS(guessed(std::string(fill) + R"(
float* make() { float* p = make(); if (a == 0) return p; return p; }
int main() { float* y = make(); fill<<<1, 64>>>(y, 64); })",
                     {outputs, whole}),
             "block: 64");
  // What they end with is known.
  std::string makers =
      "float* m0() { float* p; cudaMalloc(&p, 8192); if (a) return p; return p; }\n";
  for (int i = 1; i < 12; ++i) {
    const auto inner = std::to_string(i - 1);
    makers += "float* m" + std::to_string(i) + "() { float* p = m" + inner +
              "(); if (a) return p; if (b) return p; return p; }\n";
  }
  EXPECT_HAS(guessed(fill + makers + "int main() { float* y = m11(); fill<<<1, 64>>>(y, 64); }",
                     {outputs, whole}),
             "shape: 2048");
  EXPECT_LT(clock.seconds(), 10);
}

TEST(ProgramGuess, FollowsManyChangesToAnEnd) {
  std::string changes;
  for (int i = 0; i < 2000; ++i) {
    changes += "if (a > " + std::to_string(i) + ") n *= 2;\n";
  }
  const Clock clock;
  EXPECT_HAS(guessed(fill + ("int main(int a, char**) { float* y; int n = 64;\n" + changes +
                             "fill<<<n, 64>>>(y, n); }"),
                     {outputs, whole}),
             "the grid is a guess");
  EXPECT_LT(clock.seconds(), 10);
}

}  // namespace
}  // namespace apod::cli
