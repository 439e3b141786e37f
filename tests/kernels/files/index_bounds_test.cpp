// What a kernel's code does with its arrays, by its words alone.

#include "kernels/files/source/index_bounds.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace apod::test {
namespace {

/// What kernel k does with x for n = 4096, j = 3 and 8192 threads.
source::Access access(const std::string& body, const std::string& ahead = "") {
  const auto program =
      source::read_program({{"k.cu", ahead +
                                         "__global__ void k(float* x, int n, int j) {\n"
                                         "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                                         body + "\n}\n"}});
  source::KernelLaunch launch;
  launch.grid = {32, 1, 1};
  launch.block = {256, 1, 1};
  launch.scalars = {{"n", 4096}, {"j", 3}};
  launch.element_bytes = {{"x", 4}};
  source::idle_loops(program, *program.kernels().front(), launch);
  return source::accesses_of(program, *program.kernels().front(), launch).at("x");
}

std::string repeated(const std::string& text) {
  std::string all;
  for (int i = 0; i < 500; ++i) all += text;
  return all;
}

TEST(IndexBounds, AreWhatComparisonsSay) {
  EXPECT_EQ(access("x[i] = 1;").highest, 8191);
  for (const auto* body :
       {"if (i < n) x[i] = 1;", "if (j > 1 && (i < n)) { x[i] = 1; }",
        "if (i >= n) return; x[i] = 1;", "if (j < 0 || i >= n) return; x[i] = 1;",
        "float a = i < n ? x[i] : 0;", "if (i < n == true) x[i] = 1;",
        "while (i < n ? j < 4 : false) x[i] = 1;"}) {
    EXPECT_EQ(access(body).highest, 4095) << body;
  }
  EXPECT_EQ(access("if (i < n - j && j < 4) x[i] = 1;").highest, 4092);
  EXPECT_EQ(access("if (i + 3 < n) x[i] = 1; else j = 2;").highest, 4092);
  EXPECT_EQ(access("float a = i < n ? 1 : 2; x[i] = a;").highest, 8191);
  EXPECT_EQ(access("if (i < n) j = 1; x[i] = j;").highest, 8191);
}

TEST(IndexBounds, ReadManyComparisonsInTimeOfTheirNumber) {
  for (const auto& body :
       {"x[i] = " + repeated("i<n?1:") + "0;", "if (" + repeated("i<n&&") + "j) x[i] = 1;",
        repeated("if(i+j<n) x[i+j]=1;\n"), repeated("i = j + 1; x[i] = 1;\n"),
        "x[i] = " + repeated("i<n<") + "0;", "x[i] = f(" + repeated("i<n,") + "0);"}) {
    const auto begin = std::clock();
    EXPECT_TRUE(access(body).is_written);
    EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC) << body.substr(0, 40);
  }
}

TEST(IndexBounds, OfMasksOfBits) {
  for (const auto* body : {"x[i & ~3] = 1;", "x[i & -4] = 1;", "x[i & ~31] = 1;", "x[~31 & i] = 1;",
                           "i &= ~3; x[i] = 1;"}) {
    EXPECT_EQ(access(body).highest, 8191) << body;
  }
  EXPECT_EQ(access("x[i & 31] = 1;").highest, 31);
  EXPECT_EQ(access("x[~i & 31] = 1;").highest, 31);
  EXPECT_EQ(access("x[j & i] = 1;").highest, 3);
  EXPECT_EQ(access("x[(n - ~j) & -1] = 1;").highest, 4100);
  EXPECT_EQ(access("x[5 + (-2 & -3)] = 1;").highest, 3);
}

TEST(IndexBounds, AreUnknownBehindMoreCallsThanAreFollowed) {
  std::string ahead = "__device__ void f0(float* a, int at) { a[at] = 1; }\n";
  for (int k = 1; k < 8; ++k) {
    ahead += "__device__ void f" + std::to_string(k) + "(float* a, int at) { f" +
             std::to_string(k - 1) + "(a, at); }\n";
  }
  const auto few = access("x[0] = 0; f5(x, i);", ahead);
  EXPECT_TRUE(few.is_known);
  EXPECT_EQ(few.highest, 8191);
  for (const auto* body : {"x[0] = 0; f6(x, i);", "x[0] = 0; f7(x + 2, i);"}) {
    const auto many = access(body, ahead);
    EXPECT_FALSE(many.is_known) << body;
    EXPECT_TRUE(many.is_written) << body;
  }
  const auto again = "__device__ int last(const float* a, int at) { return last(a, at / 2); }\n";
  const auto recursive = access("n = last(x, i);", again);
  EXPECT_FALSE(recursive.is_known);
}

TEST(IndexBounds, AreUnknownInAssemblyAndInFunctionsThatAreNotThere) {
  const auto read = access(
      "float v; asm volatile(\"ld.global.f32 %0, [%1];\" : \"=f\"(v) "
      ": \"l\"(x + i) : \"memory\");");
  EXPECT_FALSE(read.is_known);
  EXPECT_TRUE(read.is_read);
  const auto written = access("asm(\"st.global.f32 [%0], %1;\" :: \"l\"(&x[i]), \"f\"(1.0f));");
  EXPECT_FALSE(written.is_known);
  EXPECT_TRUE(written.is_written);
  EXPECT_FALSE(access("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(j)); x[j] = 1;").is_known);
  EXPECT_TRUE(access("asm(\"bar.sync 0;\"); x[i] = 1;").is_known);
  EXPECT_EQ(access("asm(\"mov.f32 %0, %1;\" : \"=f\"(x[n]) : \"f\"(x[j]));").highest, 4096);
  for (const auto* body : {"sort(x, n);", "sort(x + i, n);", "sort(&x[i], n);", "sort((int*)x);"})
    EXPECT_FALSE(access(body).is_known) << body;
  // These are of one element.
  for (const auto* body : {"sincosf(1, &x[i], &x[j]);", "__stcs(x + i, 1);",
                           "float v = __ldcg(x + i);", "atomicExch(x + i, 1);"}) {
    EXPECT_TRUE(access(body).is_known) << body;
    EXPECT_EQ(access(body).highest, 8191) << body;
  }
  EXPECT_EQ(access("__stcs((float4*)x + i, v);").highest, 4 * 8191 + 3);
}

TEST(IndexBounds, OfCopiesAreTheirBytes) {
  const auto all = access("float own[4096]; memcpy(x + 4, own, n * sizeof(float));");
  EXPECT_EQ(all.highest, 4099);
  EXPECT_TRUE(all.is_known && all.is_written && !all.is_read);
  EXPECT_EQ(access("memset(x, 0, n);").highest, 1023);
  const auto one = access("float4 v; memcpy(&v, &x[4 * i], sizeof(float4));");
  EXPECT_EQ(one.highest, 4 * 8191 + 3);
  EXPECT_TRUE(one.is_known && one.is_read && !one.is_written);
  EXPECT_FALSE(access("memset(x, 0, most());").is_known);
}

TEST(IndexBounds, AreUnknownWhereLoopsWithinLoopsTakeTooMuchWork) {
  const auto nested = [](const std::string& begin, const std::string& end, int times) {
    std::string all = ";";
    for (int k = 0; k < times; ++k) all = begin + all + end;
    return access(all + " x[i] = 1;");
  };
  for (const auto& all : {nested("for (;;) {", "}", 13), nested("do {", "} while (j);", 25)}) {
    EXPECT_FALSE(all.is_known);
    EXPECT_TRUE(all.is_written);
  }
  EXPECT_TRUE(nested("for (;;) {", "}", 6).is_known);
}

}  // namespace
}  // namespace apod::test
