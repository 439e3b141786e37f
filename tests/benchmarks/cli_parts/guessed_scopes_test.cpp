/// \file
/// Names that several scopes of a program have, and values that a condition decides.

#include "tests/benchmarks/cli_parts/guessed.hpp"

namespace apod::cli {
namespace {

constexpr const char* filling = R"(
__global__ void fill(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1;
}
)";

/// Of a program whose host code is `code`.
std::string filled(const std::string& code) {
  return guessed(filling + code, {outputs, whole});
}

TEST(GuessedScopes, TellTheEnumeratorsOfTwoEnumerationsApart) {
  const std::string enums = R"(
enum class Few { block = 64, large = 300 };
enum class Many { block = 128, large = 9000 };
namespace far { enum Way { block = 512 }; }
)";
  const auto launch = [&](const char* block, const char* n) {
    return filled(enums + "void run(float* y) { fill<<<1, int(" + block + ")>>>(y, (int)" + n +
                  "); }");
  };
  auto text = launch("Many::block", "Many::large");
  EXPECT_HAS(text, "block: 128");
  EXPECT_HAS(text, "name: n, type: i32, value: 9000");
  text = launch("Few::block", "Few::large");
  EXPECT_HAS(text, "block: 64");
  EXPECT_HAS(text, "name: n, type: i32, value: 300");
  EXPECT_HAS(launch("far::block", "Few::large"), "block: 512");
  EXPECT_HAS(launch("far::Way::block", "Few::large"), "block: 512");
  // One of an enumeration that is not here has no value.
  EXPECT_HAS(launch("32", "Other::large"), "has no value for large");
}

TEST(GuessedScopes, TellTheMethodsOfTwoClassesApart) {
  const std::string classes = R"(
struct Narrow {
  void run(float* y, int n) { launch(y, n, 32); }
  void launch(float* y, int n, int b) { fill<<<n / 32, b>>>(y, n); }
};
struct Wide {
  void run(float* y, int n) { launch(y, n, 256); }
  void launch(float* y, int n, int b) { other<<<n / 32, b>>>(y, n); }
};
__global__ void other(float* y, int n) { y[threadIdx.x] = n; }
int main() {
  float* y;
  Narrow narrow;
  Wide wide;
  wide.run(y, 9000);
  narrow.run(y, 4000);
})";
  const auto of = [&](const char* kernel) {
    return guessed(Sources{{"k.cu", filling + classes}}, {outputs, whole},
                   {.file = "k.cu", .kernel = kernel});
  };
  auto text = of("fill");
  EXPECT_HAS(text, "axes: {b: 32, n: 4000}");
  text = of("other");
  EXPECT_HAS(text, "axes: {b: 256, n: 9000}");
}

TEST(GuessedScopes, TakeAConstantOfTheClassBeforeAGlobalOne) {
  const std::string classes = R"(
constexpr int block = 32;
const int rows = 7;
struct Solver {
  static constexpr int block = 128;
  enum { rows = 5000 };
  void run(float* y) { fill<<<1, block>>>(y, rows); }
};
struct Other { static const int block = 512; enum class Way { rows = 3 }; };
)";
  auto text = filled(classes + "int main() { Solver s; float* y; s.run(y); }");
  EXPECT_HAS(text, "block: 128");
  EXPECT_HAS(text, "value: 5000");
  text = filled(classes + "int main() { float* y; fill<<<1, Other::block>>>(y, Solver::rows); }");
  EXPECT_HAS(text, "block: 512");
  EXPECT_HAS(text, "value: 5000");
  text = filled(classes + "int main() { float* y; fill<<<1, block>>>(y, rows); }");
  EXPECT_HAS(text, "block: 32");
  EXPECT_HAS(text, "value: 7");
  // A function that is defined outside of its class.
  text = filled(R"(
const int tile = 8;
class Grid { static const int tile = 64; public: void run(float* y); };
void Grid::run(float* y) { fill<<<2, tile>>>(y, tile * 2); }
int main() { Grid g; float* y; g.run(y); })");
  EXPECT_HAS(text, "block: 64");
}

TEST(GuessedScopes, OfNamespacesAreToldApart) {
  const auto text = filled(R"(
namespace a { const int block = 32; }
namespace b { const int block = 256; void run(float* y, int n) { fill<<<a::block, block>>>(y, n); } }
int main() { float* y; b::run(y, 700); })");
  EXPECT_HAS(text, "grid: 32");
  EXPECT_HAS(text, "block: 256");
}

TEST(GuessedScopes, WhatAConditionThatIsOpenSetsKeepsItsEarlierValue) {
  const std::string classes = R"(
struct Solver {
  int n = 1000;
  int block = 64;
  Solver(bool large) { if (large) n = 9000; }
  void tune(int which) { if (which == 2) { block = 256; } }
  void run(float* y) { fill<<<4, block>>>(y, n); }
};
)";
  auto text = filled(classes +
                     "int main(int c, char**) { Solver s(c > 2); float* y; s.tune(c); s.run(y); }");
  EXPECT_LACKS(text, "has no value for");
  EXPECT_HAS(text, "1000");
  EXPECT_HAS(text, "block: 64");
  // A condition that is decided.
  text = filled(classes + "int main() { Solver s(true); float* y; s.run(y); }");
  EXPECT_HAS(text, "n: 9000");
  text = filled(classes + "int main() { Solver s(false); float* y; s.run(y); }");
  EXPECT_HAS(text, "value: 1000");
  // The fields of a global, and of a local.
  text = filled(R"(
struct Config { int n; };
Config config = {1000};
void init(int c) { if (c > 3) config.n = 9000; }
int main(int c, char**) { float* y; init(c); fill<<<4, 64>>>(y, config.n); })");
  EXPECT_LACKS(text, "n: 9000");
  text = filled(R"(
struct Config { int n; };
int main(int c, char**) { float* y; Config config = {1000}; if (c > 3) config.n = 9000; fill<<<4, 64>>>(y, config.n); })");
  EXPECT_LACKS(text, "n: 9000");
}

TEST(GuessedScopes, AnArgumentOfACallIsNoDeclaration) {
  const auto text = filled(R"(
const int COUNT = 5000;
int main() {
  float *x, *y;
  int sides[] = {4, COUNT, 2}, more[2] = {COUNT, 3};
  init<<<1, 64>>>(x, COUNT, 3);
  init<<<1, COUNT, 0>>>(x, 3);
  fill<<<1, 64>>>(y, COUNT);
})");
  EXPECT_HAS(text, "name: n, type: i32, value: 5000");
}

TEST(GuessedScopes, AConstantThatATemplateTakesIsGuessedOnce) {
  const auto text = guessed(R"(
template <int ITEMS> __global__ void sum(float* y, int n) {
  int i = (blockIdx.x * 64 + threadIdx.x) * ITEMS;
  if (i < n) y[i] = 1;
}
void run(float* y, int n) {
  constexpr int items = items_of(n);
  sum<items><<<(n + 64 * items - 1) / (64 * items), 64>>>(y, n);
})",
                            {outputs, whole});
  EXPECT_HAS(text, "name: \"sum<8>\"");
  EXPECT_HAS(text, "the template arguments are a guess: ITEMS = 8");
  EXPECT_HAS(text, "grid: \"ceil(n / 512)\"");
  EXPECT_LACKS(text, "items:");
}

TEST(GuessedScopes, TheSidesOfGridAndBlockInAStructAreOwnAxes) {
  const auto text = filled(R"(
struct Sides { int x, y; };
struct Config { Sides grid, block; };
void run(float* y, Config cfg, int n) { fill<<<dim3(cfg.grid.x, cfg.grid.y), dim3(cfg.block.x, cfg.block.y)>>>(y, n); }
)");
  EXPECT_HAS(text, "grid: [grid_x, grid_y]");
  EXPECT_HAS(text, "block: [block_x, block_y]");
}

TEST(GuessedScopes, SizesAreAsLargeAsALaunchOfSoManyThreads) {
  const auto text = guessed(R"(
__global__ void edges(int rows, int cols, float* img, float* des) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= 1 || x >= cols - 1 || y <= 1 || y >= rows - 1) return;
  des[y * cols + x] = img[(y - 1) * cols + x];
}
void run(int rows, int cols, float* img, float* des) {
  dim3 block(32, 32);
  edges<<<dim3(20, 15), block>>>(rows, cols, img, des);
})",
                            {whole, whole, outputs, outputs});
  EXPECT_HAS(text, "axes: {cols: 640, rows: 480}");
  EXPECT_HAS(text, "has no value for cols, rows");
  // Threads that step on take any size.
  EXPECT_HAS(guessed(R"(
__global__ void all(float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 1;
}
void run(float* y, int n) { all<<<64, 64>>>(y, n); })",
                     {outputs, whole}),
             "axes: {n: 1048576}");
}

TEST(GuessedScopes, AStepOfOneAndALimitBehindASumCount) {
  const auto text = guessed(R"(
__global__ void blur(float* y, const float* x, const float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  int row = -2;
  for (int k = 0; k < 25; ++k) {
    if (k % 5 == 0) row++;
    int at = i + row * 10;
    if (at < 0 || at >= n) continue;
    sum += x[at];
  }
  for (int k = 0; k < 9; ++k) {
    int at = i * 4 + k;
    if ((at + 3) < n) sum += z[at + 3];
  }
  y[i] = sum;
}
void run(float* y, float* x, float* z, int n) { blur<<<(n + 255) / 256, 256>>>(y, x, z, n); })",
                            {outputs, inputs, inputs, whole});
  EXPECT_HAS(text, "{name: x, type: f32, shape: n}");
  EXPECT_HAS(text, "{name: z, type: f32, shape: n}");
}

TEST(GuessedScopes, FieldsOfAnObjectBehindAPointerAreThoseThatTheProgramSets) {
  const auto text = filled(R"(
typedef struct { int n, steps; dim3 grid, block; } simulation;
simulation* create() {
  simulation* made = (simulation*)malloc(sizeof(simulation));
  dim3 grid(20, 4), block(32, 8);
  made->n = 5000;
  made->grid = grid;
  made->block = block;
  return made;
}
void advance(simulation* s) { s->steps = 1; }
void reset(simulation* s) { s->steps = 0; }
void run(simulation* sim, float* y) { fill<<<sim->grid, sim->block>>>(y, sim->n); }
int main() { simulation* sim = create(); float* y; run(sim, y); })");
  EXPECT_HAS(text, "grid: [20, 4]");
  EXPECT_HAS(text, "block: [32, 8]");
  EXPECT_HAS(text, "5000");
}

TEST(GuessedScopes, AStructureOfArraysIsOne) {
  const auto text =
      guessed(R"(
#define N 1000
struct Lattice { double f[9][N], u[N]; };
__global__ void move(Lattice* to, Lattice* from) { to->u[threadIdx.x] = from->u[threadIdx.x]; }
void run(Lattice* to, Lattice* from, cudaDeviceProp prop) {
  move<<<dim3(min(N / 8, prop.maxGridSize[0]), 2), 64>>>(to, from);
})",
              {{.text = "Lattice*", .is_pointer = true}, {.text = "Lattice*", .is_pointer = true}});
  EXPECT_HAS(text, "grid: [125, 2]");
  EXPECT_HAS(text, "{name: to, type: u8, shape: [1, 80000]");
}

TEST(GuessedScopes, ALoopOfUnknownLengthHasNoCount) {
  const auto text = guessed(R"(
__global__ void blur(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row = -2;
  const int length = sizeof(weights) / sizeof(weights[0]);
  for (int k = 0; k < length; ++k) {
    int at = i + row * 10;
    if (at < 0 || at >= n) continue;
    y[i] += x[at];
    row++;
  }
}
void run(float* y, float* x, int n) { blur<<<(n + 255) / 256, 256>>>(y, x, n); })",
                            {outputs, inputs, whole});
  EXPECT_HAS(text, "{name: x, type: f32, shape: n}");
}

TEST(GuessedScopes, FieldsOfVectorsAreAlignedInAStruct) {
  // float2 begins at a multiple of 8: 24 bytes, and not 20.
  const auto text = guessed(R"(
struct Item { float a; float2 b; float c; };
struct alignas(16) Wide { float4 a; char b; };
struct Long { char a[2][3]; float3 b; double2 c; };
__global__ void take(Item* y, Wide* z, Long* w, int n) { if (threadIdx.x < n) y[threadIdx.x].a = 1; }
void run(int n) {
  Item* y; Wide* z; Long* w;
  cudaMalloc(&y, n * sizeof(Item)); cudaMalloc(&z, n * sizeof(Wide)); cudaMalloc(&w, n * sizeof(Long));
  take<<<1, 64>>>(y, z, w, n);
})",
                            {{.text = "Item*", .is_pointer = true},
                             {.text = "Wide*", .is_pointer = true},
                             {.text = "Long*", .is_pointer = true},
                             whole});
  EXPECT_HAS(text, "name: y, type: u8, shape: [n, 24]");
  EXPECT_HAS(text, "name: z, type: u8, shape: [n, 32]");
  EXPECT_HAS(text, "name: w, type: u8, shape: [n, 48]");
}

TEST(GuessedScopes, FieldsOfAStructByValueLieWhereTheCompilerPutsThem) {
  const auto text = guessed(R"(
struct Inner { int n; char c; };
struct Items { float a; float2 b; Inner in[2]; char last; float m[2][2]; float* rows[2]; float4 v; };
__global__ void take(float* y, Items p) { y[threadIdx.x] = p.a; }
void run(float* y, Items p) { take<<<1, 64>>>(y, p); }
)",
                            {outputs, {.text = "Items"}});
  EXPECT_HAS(text, R"yaml(      - name: p
        fields:
          - {name: p_a, type: f32, value: 1}
          - {name: p_gap4, type: u32, value: 0}
          - {name: p_b_0, type: f32, value: 1}
          - {name: p_b_1, type: f32, value: 1}
          - {name: p_in_0_n, type: i32, value: p_in_0_n}
          - {name: p_in_0_c, type: i8, value: 1}
          - {name: p_in_1_n, type: i32, value: p_in_1_n}
          - {name: p_in_1_c, type: i8, value: 1}
          - {name: p_gap29, type: u8, value: 0}
          - {name: p_gap30, type: u16, value: 0}
          - {name: p_last, type: i8, value: 1}
          - {name: p_m_0, type: f32, value: 1}
)yaml");
  EXPECT_HAS(text, "p_rows_1, type: f32, shape:");
  EXPECT_HAS(text, "          - {name: p_gap72, type: u64, value: 0}\n          - {name: p_v_0");
}

TEST(GuessedScopes, AStructWithABaseOrAConstantOfItsOwnHasItsSize) {
  const auto taken = [](const std::string& type) {
    return guessed(R"(
struct alignas(99999999999999999999999) Odd { int n; };
struct Base { double a; };
struct Item : public Base { float b; };
struct Grid { enum { width = 6 }; float v[width]; int n; };
struct Bits { int n; unsigned low : 3; };
struct Either { int n; union { double a; int b; }; };
__global__ void take()" +
                       type + R"(* y, int n) { if (threadIdx.x < n) y[threadIdx.x].b = 1; }
void run(int n) {
  )" + type + "* y; cudaMalloc(&y, n * sizeof(" +
                       type + R"()); take<<<1, 64>>>(y, n);
})",
                   {{.text = type + "*", .is_pointer = true}, whole});
  };
  EXPECT_HAS(taken("Item"), "name: y, type: u8, shape: [n, 16]");
  EXPECT_HAS(taken("Grid"), "name: y, type: u8, shape: [n, 28]");
  EXPECT_HAS(taken("Bits"), "Bits, whose size is not in the code");
  EXPECT_HAS(taken("Either"), "Either, whose size is not in the code");
}

}  // namespace
}  // namespace apod::cli
