// What is taken out of a source for a compiler of device code alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "kernels/files/source/program.hpp"

namespace apod::test {
namespace {

constexpr const char* source = R"(#include <string>
#define TWICE(x) \
  ((x) + (x))
namespace a {
struct Error {
  std::string text;  // of "}" and ';'
};
static std::string names[] = {"a;", "b}"};
template <class T>
T most(const std::vector<T>& all) {
  return all[0];
}
__device__ float half(float x) { return x / 2; }
}  // namespace a
extern "C" {
__global__ void k(float* y) { *y = a::half(TWICE(2)); }
}
int main() { a::names[0] = "{"; return 0; } int other;
)";

/// The source without what the line is a part of; empty if nothing was taken.
std::string without(std::size_t line) {
  std::string text = source;
  return source::blank_host_part(text, line) ? text : "";
}
bool holds(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(HostPart, IsTheWholeDeclarationOfALine) {
  for (const std::size_t line : {5, 6, 7}) {
    const auto text = without(line);
    EXPECT_FALSE(holds(text, "Error")) << line;
    EXPECT_TRUE(holds(text, "names[]") && holds(text, "namespace a {")) << line;
  }
  EXPECT_FALSE(holds(without(8), "names[]"));
  EXPECT_TRUE(holds(without(8), "template <class T>"));
  for (const std::size_t line : {9, 10, 11, 12}) {
    EXPECT_FALSE(holds(without(line), "most(")) << line;
    EXPECT_TRUE(holds(without(line), "half(float x)")) << line;
  }
  EXPECT_FALSE(holds(without(18), "main"));
  EXPECT_FALSE(holds(without(18), "other")) << "both are on this line";
}

TEST(HostPart, IsNothingOfTheDeviceAndNoDirective) {
  for (const std::size_t line : {1, 2, 3, 13, 16, 19, 100}) EXPECT_EQ(without(line), "") << line;
}

TEST(HostPart, KeepsTheLines) {
  const auto text = without(5);
  const std::string whole = source;
  EXPECT_EQ(text.size(), whole.size());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            std::count(whole.begin(), whole.end(), '\n'));
}

TEST(HostPart, OfOddTextsEndsWell) {
  for (const std::string odd :
       {"", "{", "}", "}}}}", "\"", "/*", "//", "#", "#define x \\", "'", "((", "a\\"}) {
    auto text = odd;
    source::blank_host_part(text, 1);
    EXPECT_EQ(text.size(), odd.size());
  }
}

TEST(DeviceSources, KeepWhatOneTakesFromAnother) {
  const auto texts =
      source::device_sources({"constexpr int two() { return three(); }\nint three() { return 3; "
                              "}\nint four() { return 4; }\n",
                              "__global__ void k(int* y) { *y = two(); }\n"});
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_TRUE(holds(texts[0], "three") && holds(texts[0], "two"));
  EXPECT_FALSE(holds(texts[0], "four"));
  EXPECT_TRUE(holds(texts[1], "__global__ void k"));
}

TEST(DeviceSources, KeepTheNamedKernelsNeedsAlone) {
  const auto texts =
      source::device_sources({"#ifdef ANYTHING\nstatic int host(Error e) { return e; }\n#endif\n"
                              "struct Pair {\n  std::string title() const { return \"\"; }\n  "
                              "__device__ int sum() { return a + b; }\n"
                              "  int a, b;\n};\nstruct Window {\n  Handle handle;\n};\n"
                              "#define TWICE(x) plus(x, x)\n#define WHOLE(name) __global__ void "
                              "name(int* y) { *y = 1; }\n",
                              "__device__ int plus(int a, int b = 0) { return a + b; }\n"
                              "__device__ int unused(int a) { return a; }\nWHOLE(made)\n"
                              "__global__ void k(int* y, Pair p) { *y = TWICE(p.sum()); }\n"
                              "__global__ void other(Window* w) { w->handle = 1; }\n"
                              "[[nodiscard]] Window open() { return {}; }\n"},
                             "template void names<&k>();");
  ASSERT_EQ(texts.size(), 2U);
  for (const auto* kept :
       {"#ifdef ANYTHING", "#endif", "struct Pair", "int sum()", "int a, b;", "#define TWICE"})
    EXPECT_TRUE(holds(texts[0], kept)) << kept;
  for (const auto* gone : {"host(Error", "std::string", "Window"})
    EXPECT_FALSE(holds(texts[0], gone)) << gone;
  for (const auto* kept :
       {"int plus(int a, int b = 0) { return a + b; }", "WHOLE(made)", "void k("})
    EXPECT_TRUE(holds(texts[1], kept)) << kept;
  for (const auto* gone : {"unused", "other", "Window"})
    EXPECT_FALSE(holds(texts[1], gone)) << gone;
}

TEST(DeviceSources, FollowALongChainToItsEnd) {
  std::string chain;
  for (int i = 0; i < 3000; ++i) {
    const auto number = std::to_string(i);
    chain += "int f" + number + "() { return f" + std::to_string(i - 1) + "(); }\n";
  }
  const auto begin = std::clock();
  const auto texts = source::device_sources(
      {"int unused() { return 0; }\n" + chain + "__global__ void k(int* y) { *y = f2999(); }\n"});
  EXPECT_TRUE(holds(texts[0], "f0()") && holds(texts[0], "f2999()"));
  EXPECT_FALSE(holds(texts[0], "unused"));
  EXPECT_LT(std::clock() - begin, 4 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace apod::test
