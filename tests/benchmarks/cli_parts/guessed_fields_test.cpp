/// \file
/// Fields of classes and structures, sides of vectors, and constants of the host's code.

#include "tests/benchmarks/cli_parts/guessed.hpp"

namespace apod::cli {
namespace {

const Parameter fraction{.text = "float", .type = ElementType::f32};

constexpr const char* scale = R"(
__global__ void scale(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
)";

TEST(GuessedFields, OfAnObjectComeFromItsConstructor) {
  const auto text = guessed(std::string(scale) + R"(
class Scaler {
 public:
  Scaler(int n, float by) : n(n), by_{by} {
    this->threads = 128;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&this->y, this->n * sizeof(float));
  }
  void run();
 private:
  int n, threads;
  float by_, *x, *y;
};
void Scaler::run() { scale<<<(this->n + threads - 1) / threads, this->threads>>>(this->y, x, by_, this->n); }
int main() {
  Scaler other(7, 1.5f);
  auto scaler = std::make_unique<Scaler>(100000, 2.5f);
  scaler->run();
})",
                            {outputs, inputs, fraction, whole});
  EXPECT_HAS(text, "axes: {n: 100000, threads_: 128}");
  EXPECT_HAS(text, "grid: \"ceil(n / threads_)\"");
  EXPECT_HAS(text, "{name: x, type: f32, shape: n}");
  EXPECT_HAS(text, "{name: a, type: f32, value: \"2.5\"}");
  EXPECT_LACKS(text, "no value");
}

TEST(GuessedFields, ComeFromWhatOtherFunctionsOfTheClassDo) {
  const auto text = guessed(std::string(scale) + R"(
struct Runner {
  int n_ = 0, block_ = 256;
  float a_ = 0.5f, *x_ = nullptr, *y_ = nullptr;
  void size(int n) { n_ = n; }
  void block(int b) { block_ = b; }
  int blocks() const { return (n_ + block_ - 1) / block_; }
  void make() { cudaMalloc(&x_, n_ * 4); cudaMalloc(&y_, n_ * 4); cudaMemset(y_, 0, n_ * 4); }
  void run() { scale<<<blocks(), block_>>>(y_, x_, a_, n_); }
};
void measure(Runner& runner) { runner.run(); }
int main() { Runner runner; runner.size(5000); runner.block(512); runner.make(); measure(runner); })",
                            {outputs, inputs, fraction, whole});
  EXPECT_HAS(text, "axes: {b: 512, n: 5000}");
  EXPECT_HAS(text, "grid: \"ceil(n / b)\"");
  EXPECT_HAS(text, "{name: y, type: f32, shape: n, role: zeroed}");
  EXPECT_HAS(text, "{name: a, type: f32, value: \"0.5\"}");
}

TEST(GuessedFields, ThatSeveralFunctionsSetHaveNoValue) {
  const auto text = guessed(std::string(scale) + R"(
struct Runner {
  int n_;
  void small() { n_ = 100; }
  void large() { n_ = 100000; }
  void run(float* y, float* x) { scale<<<n_ / 64, 64>>>(y, x, 1.0f, n_); }
};)",
                            {outputs, inputs, fraction, whole});
  EXPECT_HAS(text, "the code has no value for n_");
}

TEST(GuessedFields, OfWhatAFunctionReturnsAreKnown) {
  const auto text = guessed(std::string(scale) + R"(
struct Field { float *x, *y; int n; };
Field make(int n) { Field f; f.n = n; cudaMalloc(&f.x, n * 4); cudaMalloc(&f.y, n * 4); return f; }
void run(Field* f) { scale<<<f->n / 64, 64>>>(f->y, f->x, 1.0f, f->n); }
int main() { Field f = make(6400); run(&f); })",
                            {outputs, inputs, fraction, whole});
  EXPECT_HAS(text, "axes: {n: 6400}");
  EXPECT_HAS(text, "{name: x, type: f32, shape: n}");
}

TEST(GuessedFields, NamedLikeSidesAreNoSidesOfALaunch) {
  const auto text = guessed(std::string(scale) + R"(
struct Extent { int x, y; };
void run(float* y, float* x, Extent e) { scale<<<e.x, e.y>>>(y, x, 1.0f, e.x * e.y); }
int main() { run(nullptr, nullptr, Extent{96, 64}); })",
                            {outputs, inputs, fraction, whole});
  EXPECT_HAS(text, "grid: 96\n    block: 64");
}

TEST(GuessedFields, OfVectorsAreTheirSides) {
  const Parameter floats{.text = "float2", .type = ElementType::c64};
  const Parameter three{.text = "int3", .type = ElementType::i32, .count = 3};
  const Parameter made{.text = "Pair"};
  const auto text = guessed(R"(
struct Pair { int a; float b; };
__global__ void k(float* y, int3 size, float2 from, Pair pair) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < size.x * size.y) y[i] = from.x + from.y + size.z + pair.a * pair.b;
}
int main() {
  float2 from; from.x = 0.25f; from.y = 0.75f;
  k<<<100, 64>>>(nullptr, make_int3(80, 40, 3), from, {5, 1.5f});
})",
                            {outputs, three, floats, made});
  EXPECT_HAS(text, "{name: size_x, type: i32, value: 80}");
  EXPECT_HAS(text, "{name: size_z, type: i32, value: 3}");
  EXPECT_HAS(text, "{name: from_y, type: f32, value: \"0.75\"}");
  EXPECT_HAS(text, "{name: pair_a, type: i32, value: 5}");
  EXPECT_HAS(text, "{name: pair_b, type: f32, value: \"1.5\"}");
}

TEST(GuessedFields, OfAnEnumerationAreIntegers) {
  const Parameter chosen{.text = "Way"};
  const auto text = guessed(R"(
enum class Way { down, across = 4, both };
__global__ void k(float* y, Way way, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n && way == Way::both) y[i] = 1;
}
int main() { k<<<10, 64>>>(nullptr, Way::both, 640); })",
                            {outputs, chosen, whole});
  EXPECT_HAS(text, "{name: way, type: i32, value: 5}");
}

TEST(GuessedFields, OfTheHostsTemplateAreKnown) {
  const auto text = guessed(std::string(scale) + R"(
template <int BLOCK, int EACH = 2>
void run(float* y, float* x, int n) { const int tile = BLOCK * EACH; scale<<<(n + tile - 1) / tile, BLOCK>>>(y, x, 1.0f, n); }
int main() { run<128, 4>(nullptr, nullptr, 100000); })",
                            {outputs, inputs, fraction, whole});
  EXPECT_HAS(text, "grid: \"ceil(n / 512)\"\n    block: 128");
}

TEST(GuessedFields, MemoryOfABlockFollowsTheBlock) {
  const auto with = [](const std::string& launch, std::optional<std::int64_t> block) {
    KernelWish wish{.file = "k.cu"};
    wish.block = block;
    return guessed(Sources{{"k.cu", R"(
__global__ void sum(float* y, const float* x) {
  extern __shared__ float part[];
  part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = part[blockDim.x - 1];
}
int main() { int n = 1 << 20; const int threads = 256; )" +
                                        launch + "; }"}},
                   {outputs, inputs}, wish);
  };
  EXPECT_HAS(with("sum<<<n / 256, 256, 256 * sizeof(float)>>>(0, 0)", 512), "shared: 2048");
  EXPECT_HAS(with("sum<<<n / 256, 256, 1024>>>(0, 0)", 128), "shared: 512");
  // So does what a block writes once, whatever the host allocates.
  const auto allocated =
      with("float* y; cudaMalloc(&y, n / 256 * 4); sum<<<n / 256, 256, 1024>>>(y, 0)", 64);
  EXPECT_HAS(allocated, "{name: y, type: f32, shape: \"floor(n / 64)\", role: out}");
  EXPECT_HAS(allocated, "y has the length that the kernel needs");
  EXPECT_HAS(with("sum<<<n / threads, threads, 1024>>>(0, 0)", std::nullopt),
             "shared: \"4 * threads_\"");
  EXPECT_HAS(with("sum<<<n / threads, threads, threads * 4>>>(0, 0)", 512), "shared: 2048");
  EXPECT_HAS(with("sum<<<n / 256, 256, 1000>>>(0, 0)", 512),
             "'shared' is right only for blocks of 256 threads");
}

}  // namespace
}  // namespace apod::cli
