/// \file
/// Guesses about which kernel is meant, and which of its values are sizes or cases.

#include "tests/benchmarks/cli_parts/guessed.hpp"

namespace apod::cli {
namespace {

constexpr const char* two_kernels = R"(
__global__ void plain(float* y, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[i] = 1; }
__global__ void other(float* y, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[i] = 2; }
)";

TEST(GuessedChoice, FollowsTextsAndComparisons) {
  const auto chosen = [](const std::string& condition) {
    return guessed(std::string(two_kernels) +
                       "int main() { const char* way = \"late\"; int n = 640; float* y;\nif (" +
                       condition + ") plain<<<10, 64>>>(y, n);\nelse other<<<10, 64>>>(y, n); }",
                   {outputs, whole});
  };
  EXPECT_HAS(chosen("strcmp(way, \"early\") == 0"), "name: other}");
  EXPECT_HAS(chosen("!strcmp(way, \"late\")"), "name: plain}");
  EXPECT_HAS(chosen("n > 1000"), "name: other}");
  EXPECT_HAS(chosen("n <= 1000 && n != 3"), "name: plain}");
}

TEST(GuessedChoice, FollowsWhatTheCompilerLeavesOut) {
  const auto chosen = [](const std::string& condition) {
    return guessed(std::string(two_kernels) +
                       "#define RELEASE(major, minor) ((major) * 1000 + (minor) * 10)\n"
                       "int main() { float* y; int n = 64;\n#if " +
                       condition +
                       "\nplain<<<1, 64>>>(y, n);\n#else\nother<<<1, 64>>>(y, n);\n#endif\n}",
                   {outputs, whole});
  };
  EXPECT_HAS(chosen("CUDART_VERSION / 1000 >= 11"), "name: plain}");
  EXPECT_HAS(chosen("CUDART_VERSION / 1000 < 11"), "name: other}");
  EXPECT_HAS(chosen("CUDART_VERSION >= RELEASE(12, 4)"), "name: plain}");
  EXPECT_HAS(chosen("defined RELEASE && !defined(RELEASED) || (1 << 3) % 8"), "name: plain}");
  EXPECT_HAS(chosen("4 / -2 == -2 && -7 / -1 == 7 && (~0 & 1) && (5 ^ 1) == 4"), "name: plain}");
  EXPECT_HAS(chosen("0x7fffffffffffffff + 1 > 0"), "name: other}");
  std::string chain = "1";
  for (int i = 0; i < 100'000; ++i) chain += "||1";
  EXPECT_HAS(chosen(chain), "{file: ") << "too long to be read, and no crash";
  EXPECT_HAS(chosen("(1 << 3) % 8 || UNKNOWN || defined(UNKNOWN)"), "name: other}");
}

TEST(GuessedChoice, IsNoKernelOfATemplateThatNothingCalls) {
  const auto text = guessed(R"(
template <class F> __global__ void each(int n, F f) { f(threadIdx.x); }
template <class F> void for_each(int n, F&& f) { each<<<n, 64>>>(n, std::forward<F>(f)); }
__global__ void own(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }
void run(float* y, int n) { own<<<1, 64>>>(y, n); })",
                            {outputs, whole});
  EXPECT_HAS(text, "name: own}");
}

TEST(GuessedChoice, DeducesTheArgumentOfATemplateOfTheParameter) {
  const auto text = guessed(R"(
template <class T> struct Table { int rows; T* values; };
template <class T> __global__ void clear(T* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 0; }
template <class T> void run(Table<T>* table) { clear<T><<<1, 64>>>(table->values, table->rows); }
int main() { Table<double>* table = new Table<double>; run(table); })",
                            {outputs, whole});
  EXPECT_HAS(text, "clear<double>");
}

TEST(GuessedChoice, TakesALoopOverLaunchesForCases) {
  const auto text = guessed(std::string(two_kernels) + R"(
int main() {
  float* y; int n = 4096; cudaMalloc(&y, n * sizeof(float));
  for (int power = 0; power <= 3; power++) {
    int threads = 1 << power;
    plain<<<(n + threads - 1) / threads, threads>>>(y, n);
  }
})",
                            {outputs, whole});
  EXPECT_HAS(text, "power: [0, 1, 2, 3]");
  EXPECT_LACKS(text, "for:");
  const auto listed = guessed(std::string(two_kernels) + R"(
int main() {
  float* y; int n = 4096; int widths[] = {32, 64, 96}; cudaMalloc(&y, n * sizeof(float));
  for (int k = 0; k < 3; k++) { int width = widths[k]; plain<<<n / width, width>>>(y, n); }
})",
                              {outputs, whole});
  EXPECT_HAS(listed, "widths: [32, 64, 96]");
  EXPECT_HAS(listed, "block: widths");
}

TEST(GuessedChoice, TakesNoSizeForWhatIsNoIndex) {
  const auto text = guessed(R"(
__device__ void order(float& a, int way) { if ((a > 2) == way) a = 0; }
__global__ void mark(float* y, int n, int depth, int way, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int next = i * step;
  if (i < n && y[next] == depth) y[next] = depth + 1;
  order(y[0], way);
}
void run(float* y, int n, int depth, int way, int step) {
  mark<<<(n + 63) / 64, 64>>>(y, n, depth, way, step);
})",
                            {outputs, whole, whole, whole, whole});
  EXPECT_HAS(text, "depth: 1, n: ");
  EXPECT_HAS(text, "way: 1}");
  EXPECT_LACKS(text, "step: 1,");
}

TEST(GuessedChoice, TakesTheCallThatLaunches) {
  const auto text = guessed(std::string(two_kernels) + R"(
void go(float* y, int n) {
  if (n < 100) plain<<<1, 64>>>(y, n);
  else if (n == 200) plain<<<2, 64>>>(y, n);
  else other<<<n / 64, 64>>>(y, n);
}
void run(float* y, int n) { go(y, n); }
int main() { float* y; run(y, 64); run(y, 200); for (int k = 0; k < 9; ++k) run(y, 6400); })",
                            {outputs, whole});
  EXPECT_HAS(text, "name: other}");
  EXPECT_HAS(text, "axes: {n: 6400}");
  EXPECT_HAS(text, "# - n is 6400, as in one call of run; other calls pass other values");
}

TEST(GuessedChoice, TakesTheFirstOfSeveralPasses) {
  const auto text = guessed(std::string(two_kernels) + R"(
void go(float* y, int n) { plain<<<n / 64, 64>>>(y, n); }
void run(float* y, int n, bool onHost) {
  for (int k = 0; k < 9; ++k) {
    go(y, n);
    if (!onHost) { int rest = n / 64; while (rest > 1) { go(y, rest); rest /= 64; } }
  }
}
int main() { float* y; run(y, 4096, flag("host")); })",
                            {outputs, whole});
  EXPECT_HAS(text, "axes: {n: 4096}");
  EXPECT_HAS(text, "grid: \"floor(n / 64)\"");
}

TEST(GuessedChoice, CountsTheLoopsAroundCalls) {
  const auto text = guessed(std::string(two_kernels) + R"(
void begin(float* y, int n) { plain<<<1, 64>>>(y, n); }
void step(float* y, int n) { other<<<1, 64>>>(y, n); }
int main() { float* y; begin(y, 64); begin(y, 64); for (int k = 0; k < 9; ++k) step(y, 64); })",
                            {outputs, whole});
  EXPECT_HAS(text, "name: other}");
}

TEST(GuessedChoice, TakesTheCaseOfASwitch) {
  const auto text = guessed(std::string(two_kernels) + R"(
void early(float* y, int n) { plain<<<1, 64>>>(y, n); plain<<<2, 64>>>(y, n); }
void late(float* y, int n) { other<<<1, 64>>>(y, n); }
void go(int way, float* y, int n) {
  switch (way) {
    case 1: case 2: early(y, n); break;
    case 3: { late(y, n); break; }
  }
}
int main() { float* y; int way = 3; go(way, y, 64); })",
                            {outputs, whole});
  EXPECT_HAS(text, "name: other}");
}

TEST(GuessedChoice, FollowsACaseThatFallsThroughAndTheDefault) {
  const auto chosen = [](int way, const std::string& cases) {
    return guessed(std::string(two_kernels) + "int main() { float* y; int n = 64; int way = " +
                       std::to_string(way) + "; switch (way) {" + cases + "} }",
                   {outputs, whole});
  };
  const std::string both = "plain<<<1, 64>>>(y, n); ";
  const std::string twice = "other<<<1, 64>>>(y, n); other<<<2, 64>>>(y, n); ";
  const auto falls = "case 0: n = 32; case 1: " + both + "break; default: " + twice;
  EXPECT_HAS(chosen(0, falls), "name: plain}");
  EXPECT_HAS(chosen(1, falls), "name: plain}");
  EXPECT_HAS(chosen(2, falls), "name: other}");
  // A case that ends in a block, and one that is a part of the default.
  const auto ends =
      "case 0: { n = 32; break; } case 1: " + twice + "break; case 2: default: " + both;
  EXPECT_HAS(chosen(0, ends), "plain");
  EXPECT_HAS(chosen(1, ends), "name: other}");
  EXPECT_HAS(chosen(2, ends), "name: plain}");
  EXPECT_HAS(chosen(3, ends), "name: plain}");
  EXPECT_HAS(chosen(0, "default: " + twice + "break; case 1: " + both), "name: other}");
  // A default that throws is no way of its own.
  const auto of_argument = [&](const std::string& end) {
    return guessed(std::string(two_kernels) +
                       "int main(int argc, char** argv) { float* y; int n = 64; int way = "
                       "atoi(argv[1]); switch (way) { case 0: plain<<<1, 64>>>(y, n); break; "
                       "case 1: plain<<<2, 64>>>(y, n); break; default: " +
                       end +
                       " } if (n > way) other<<<1, 64>>>(y, n); else other<<<2, 64>>>(y, n); }",
                   {outputs, whole});
  };
  EXPECT_HAS(of_argument("throw way;"), "name: plain}");
  EXPECT_HAS(of_argument("other<<<3, 64>>>(y, n);"), "name: other}");
  // All cases lead to the default.
  EXPECT_HAS(chosen(5, "case 0: n = 32; default: " + twice + "case 1: " + both), "name: other}");
}

TEST(GuessedChoice, OfManyLaunchesByManyCallsComesToAnEnd) {
  std::string text;
  std::string launches;
  std::string calls;
  for (int k = 0; k < 60; ++k) {
    const auto name = "k" + std::to_string(k);
    text += "__global__ void " + name +
            "(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }\n";
    launches += name + "<<<1, 64>>>(y, n); ";
    calls += "go(y, n); ";
  }
  text += "void go(float* y, int n) { " + launches + "}\nvoid run(float* y, int n) { " + calls +
          "k7<<<1, 64>>>(y, n); }\nint main() { float* y; int n = 64; k7<<<1, 64>>>(y, n); run(y, "
          "n); " +
          calls + calls + calls + calls + "}";
  EXPECT_HAS(guessed(text, {outputs, whole}), "name: k7}");
}

TEST(GuessedChoice, TakesAListOfTheCallerForCases) {
  const auto text = guessed(std::string(two_kernels) + R"(
void go(float* y, int n, int block) { plain<<<n / block, block>>>(y, n); }
int main() {
  float* y; int n = 4096; int blocks[] = {32, 64, 96}; cudaMalloc(&y, n * sizeof(float));
  for (int k = 0; k < sizeof(blocks) / sizeof(int); k++) {
    int block = blocks[k];
    go(y, n, block);
  }
})",
                            {outputs, whole});
  EXPECT_HAS(text, "blocks: [32, 64, 96]");
  EXPECT_LACKS(text, "for:");
}

TEST(GuessedChoice, SaysThatOneArrayIsSeveralArguments) {
  const auto text = guessed(R"(
__global__ void copy(float* to, const float* from) { to[threadIdx.x] = from[threadIdx.x]; }
void go(float* to, const float* from) { copy<<<1, 64>>>(to, from); }
int main() { float* y; cudaMalloc(&y, 256); go(y, y); })",
                            {outputs, inputs});
  EXPECT_HAS(text,
             "# - to and from share one array in the host code; here, each has its own array");
}

}  // namespace
}  // namespace apod::cli
