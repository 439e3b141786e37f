// What a kernel takes, by its mangled name, its PTX and its machine code: nothing is compiled.

#include "kernels/backends/cuda/files/signature.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "kernels/backends/cuda/files/compiler.hpp"
#include "kernels/backends/cuda/files/resources.hpp"
#include "kernels/backends/cuda/files/sources.hpp"

namespace apod::cuda {
namespace {

TEST(Sources, FindKernelsByTheirMark) {
  EXPECT_EQ(kernels_in("__global__ void a(int) {}\nstatic __global__ void\nb (float*);\n"
                       "template <class T> __global__ __launch_bounds__(128, 2) void c(T* x) {}\n"
                       "__global__ void a(int);__global__"),
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(kernels_in("int main() { return 0; }").empty());
}

TEST(Signature, IsReadFromAMangledName) {
  // void f<4>(float*, double const*, unsigned long, __half, S)
  const auto all = parameters_of("_Z1fILi4EEvPfPKdm6__half1S");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 5u);
  EXPECT_EQ((*all)[0].type, ElementType::f32);
  EXPECT_TRUE((*all)[1].is_const);
  EXPECT_EQ((*all)[1].type, ElementType::f64);
  EXPECT_EQ((*all)[2].type, ElementType::u64);
  EXPECT_EQ((*all)[3].type, ElementType::f16);
  EXPECT_FALSE((*all)[4].type);
  EXPECT_TRUE(parameters_of("_Z1gv")->empty());
  EXPECT_FALSE(parameters_of("plain"));
}

TEST(Signature, LaysOutAStructByItsFields) {
  file::KernelSpec spec;
  spec.args = {{.name = "n", .type = ElementType::i32, .value = "1", .structure = "p"},
               {.name = "x", .shape = {"1"}, .structure = "p"},
               {.name = "b", .type = ElementType::i8, .value = "1", .structure = "p"},
               {.name = "alone", .type = ElementType::i16, .value = "1"}};
  const auto given = file::parameters_of(spec, {0, 1, 2, 3});
  ASSERT_EQ(given.size(), 2u);
  EXPECT_EQ(given[0].offsets, (std::vector<std::size_t>{0, 8, 16}));
  EXPECT_EQ(given[0].bytes, 24u);
  EXPECT_EQ(given[1].bytes, 2u);
  const CompiledKernel fits{.mangled = "k", .sizes = {{24, 2}}};
  EXPECT_EQ(misfit(spec, {0, 1, 2, 3}, "k", fits), "");
  const CompiledKernel other{.mangled = "k", .sizes = {{32, 2}}};
  EXPECT_EQ(misfit(spec, {0, 1, 2, 3}, "k", other),
            "argument 1 of k has 32 bytes, but 'args' gives 'p', a structure, which has 24");
}

TEST(Signature, ReadsParametersAndTheMostThreadsFromPtx) {
  const std::string ptx =
      ".visible .entry one(\n.param .u64 one_param_0,\n.param .u32 one_param_1\n)\n"
      ".maxntid 16, 8, 1\n.minnctapersm 2\n{ ret; }\n"
      ".entry none()\n{\nld.param.u32 %r1, [x];\n}\n.entry last()\n.maxntid 64\n{ ret; }"
      ".entry only(.param .align 8 .b8 p[24], .param .f32 a, .param .u64 .ptr .align 1 x)\n"
      ".reqntid 32, 2\n{ ret; }";
  const auto all = kernels_of_ptx(ptx);
  const auto read = [&](const std::string& name) { return all.at(name); };
  EXPECT_EQ(read("one").sizes, (std::vector<std::size_t>{8, 4}));
  EXPECT_EQ(read("only").sizes, (std::vector<std::size_t>{24, 4, 8}));
  EXPECT_EQ(read("only").seen[1].type, ElementType::f32);
  EXPECT_EQ(read("one").most, (std::vector<std::size_t>{16, 8, 1}));
  EXPECT_EQ(read("only").block, (std::vector<std::size_t>{32, 2, 1}));
  EXPECT_TRUE(read("last").block.empty());
  EXPECT_EQ(read("one").most_threads, 128u);
  EXPECT_EQ(read("none").sizes.value().size(), 0u);
  EXPECT_EQ(read("none").most_threads, 0u);
  EXPECT_EQ(read("last").most_threads, 64u);
  EXPECT_FALSE(all.contains("two"));
}

TEST(Signature, SeesWhatPtxDoesWithItsParameters) {
  const std::string ptx = R"(
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u64 k_param_2, .param .f64 k_param_3,
  .param .u64 k_param_4, .param .u64 k_param_5)
{
  ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1];
  ld.param.u64 %rd3, [k_param_2];
  ld.param.f64 %fd9, [k_param_3];
  ld.param.u64 %rd20, [k_param_4];
  ld.param.u64 %rd30, [k_param_5];
  setp.ge.u64 %p1, %rd10, %rd3;
  @%p1 bra $L__BB0_2;
  cvta.to.global.u64 %rd4, %rd1;
  cvta.to.global.u64 %rd5, %rd2;
  shl.b64 %rd6, %rd10, 3;
  add.s64 %rd7, %rd6, %rd4;  // the index is first
  add.s64 %rd8, %rd5, %rd6;
  ld.global.nc.f64 %fd1, [%rd8+16];
  st.global.f64 [%rd7], %fd1;
  atom.global.add.u32 %r1, [%rd20], 1;
  { // callseq 0
  st.param.b64 [param0], %rd30;
  }
$L__BB0_2:
  ret;
}
)";
  const auto seen = kernels_of_ptx(ptx).at("k").seen;
  using T = ElementType;
  const std::vector<T> types{T::f64, T::f64, T::i64, T::f64, T::i32, T::f32};
  const std::vector<bool> pointers{true, true, false, false, true, true};
  for (std::size_t i = 0; i < types.size(); ++i) {
    EXPECT_EQ(seen[i].type, types[i]) << i;
    EXPECT_EQ(seen[i].is_pointer, pointers[i]) << i;
    EXPECT_EQ(seen[i].is_const, i == 1) << i;
  }
}

TEST(Signature, TakesNoArrayOfPtxForANumberAndNoOutputForAnInput) {
  const std::string ptx = R"(
.visible .entry k(.param .u64 read, .param .u64 written, .param .u64 stride, .param .u64 tile, .param .u64 bulk,
  .param .u64 copied, .param .u64 unused)
{
  ld.param.u64 %rd1, [read]; ld.param.u64 %rd2, [written]; ld.param.u64 %rd3, [stride];
  ld.param.u64 %rd4, [tile]; ld.param.u64 %rd5, [bulk]; ld.param.u64 %rd6, [copied];
  mad.wide.s32 %rd11, %r3, 4, %rd1;
  mad.lo.s64 %rd12, %rd3, %rd20, %rd2;
  and.b64 %rd13, %rd1, -16;
  ld.global.f32 %f1, [%rd13];
  st.global.f32 [%rd12], %f1;
  wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd4], {%f1, %f2}, %r5;
  cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r6], 256;
  cp.async.ca.shared.global [%r7], [%rd6], 16;
}
)";
  const auto seen = kernels_of_ptx(ptx).at("k").seen;
  const std::vector<bool> inputs{true, false, false, false, false, true, false};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(seen[i].is_pointer, i != 2) << i;
    EXPECT_EQ(seen[i].is_const, inputs[i]) << i;
  }
}

TEST(Signature, ReadsManyKernelsInOneWalk) {
  std::string ptx;
  for (int i = 0; i < 20'000; ++i)
    ptx += ".visible .entry k" + std::to_string(i) +
           "(.param .u64 x)\n{\nld.param.u64 %rd1, [x];\nst.global.f32 [%rd1], %f1;\nret;\n}\n";
  const auto begin = std::clock();
  EXPECT_EQ(kernels_of_ptx(ptx).size(), 20'000u);
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
}

TEST(Resources, AreNotReadBeyondTheEnd) {
  EXPECT_TRUE(content_of_cubin({}).kernels.empty());
  std::vector<std::byte> noise(4096, std::byte{0x7F});
  EXPECT_TRUE(content_of_cubin(noise).kernels.empty());
}

}  // namespace
}  // namespace apod::cuda
