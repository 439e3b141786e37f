// PyProf's kernel table.

#include "benchmarks/show/export/kernel_table.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "benchmarks/base/library_kernels.hpp"
#include "tests/support/texts.hpp"

namespace apod::exports {
namespace {

Activity kernel(const std::string& name, std::int64_t start_ns, std::int64_t end_ns,
                std::uint32_t correlation) {
  Activity activity;
  activity.name = name;
  activity.start_ns = start_ns;
  activity.end_ns = end_ns;
  activity.stream = 7;
  activity.correlation = correlation;
  activity.grid = {100352, 1, 1};
  activity.block = {512, 1, 1};
  return activity;
}

Trace kernel_trace() {
  Trace trace;
  trace.activities = {kernel("void at::relu<float>(float const*)", 1000, 382028, 1),
                      kernel("volta_fp16_s884cudnn", 400000, 560002, 2)};
  Activity copy;
  copy.kind = Activity::Kind::copy;
  copy.name = "HtoD";
  trace.activities.push_back(copy);
  trace.calls = {{"cudaLaunchKernel", false, 100, 200, 42, 1},
                 {"cudaLaunchKernel", false, 300, 350, 42, 2}};
  trace.ranges = {
      {"", "step", 0, 1000, 42}, {"", "layer 1", 50, 250, 42}, {"", "other", 0, 900, 9}};
  return trace;
}

std::string table_of(const Trace& trace, const KernelTableStyle& style,
                     const KernelOrigin* origin = nullptr) {
  std::ostringstream out;
  write_kernel_table(out, KernelTable{trace, nullptr, [&](const Activity&) { return origin; }},
                     style);
  return out.str();
}

std::string refusal(const KernelTableStyle& style) {
  return error_of<std::invalid_argument>([&] { table_of({}, style); });
}

/// Words as a line of PyProf's CSV.
std::string quoted(const std::string& words) {
  std::string line = "\"";
  for (const char c : words) line += c == ';' ? std::string("\",\"") : std::string(1, c);
  return line + "\"\n";
}

TEST(KernelTable, EveryFieldIsQuotedInCsv) {
  EXPECT_EQ(
      table_of(kernel_trace(), {KernelTableForm::csv, {"all"}, 0}),
      quoted("Idx;SeqId;AltSeqId;TId;Layer;Trace;Direction;Sub;Module;Op;Kernel;Params;Sil(ns);"
             "TC;Device;Stream;Grid;Block;FLOPs;Bytes;FLOP/s;B/s") +
          quoted("1;na;na;42;step:layer 1;na;na;na;na;na;at::relu;na;381028;-;0;7;100352,1,1;"
                 "512,1,1;na;na;na;na") +
          quoted("2;na;na;42;step;na;na;na;na;na;volta_fp16_s884cudnn;na;160002;1;0;7;"
                 "100352,1,1;512,1,1;na;na;na;na"));
}

TEST(KernelTable, SpacesSeparateFieldsAndAreNotWithinThem) {
  EXPECT_EQ(table_of(kernel_trace(), {KernelTableForm::spaces, {"idx", "layer", "sil"}, 0}),
            "Idx Layer Sil(ns)\n1 step:layer_1 381028\n2 step 160002\n");
}

TEST(KernelTable, TheUsualColumnsArePyProfs) {
  const auto text = table_of({}, {});
  EXPECT_EQ(text, "Idx Direction Sub Module Op Kernel Params Sil(ns)\n");
}

TEST(KernelTable, ColumnsAreAlignedAndCutToTheWidth) {
  const auto text =
      table_of(kernel_trace(), {KernelTableForm::columns, {"idx", "kernel", "sil", "tc"}, 40});
  EXPECT_EQ(text,
            "    Idx Kernel                Sil(ns) TC\n"
            "      1 at::relu               381028 -\n"
            "      2 volta_fp...cudnn       160002 1\n");
  EXPECT_EQ(refusal({KernelTableForm::columns, {"idx", "kernel", "params"}, 20}),
            "these columns need a width of 25 or more; 20 is too small");
}

TEST(KernelTable, TheCaseThatLaunchedTellsWhatATraceDoesNot) {
  const KernelOrigin origin{"relu", "fprop", "size=4", 51380224, 205520896};
  EXPECT_EQ(
      table_of(kernel_trace(),
               {KernelTableForm::spaces, {"dir", "op", "params", "flops", "bytes"}, 0}, &origin),
      "Direction Op Params FLOPs Bytes\n"
      "fprop relu size=4 51380224 205520896\n"
      "fprop relu size=4 51380224 205520896\n");
  const KernelOrigin nothing;
  EXPECT_EQ(table_of(kernel_trace(), {KernelTableForm::spaces, {"dir", "flops"}, 0}, &nothing),
            "Direction FLOPs\nna na\nna na\n");
}

TEST(KernelTable, TheOperationAroundALaunchGoesBeforeTheCase) {
  auto trace = kernel_trace();
  trace.ranges.push_back(
      {"apod", encode({"relu", "bprop", "4x4", "fp32", 381028, 762056}), 60, 240, 42});
  const KernelOrigin origin{"network/plain", "fprop", "size=4", std::nullopt, std::nullopt};
  EXPECT_EQ(table_of(trace,
                     {KernelTableForm::spaces,
                      {"dir", "op", "params", "flops", "bytes", "flop_rate", "byte_rate"},
                      0},
                     &origin),
            "Direction Op Params FLOPs Bytes FLOP/s B/s\n"
            "bprop relu 4x4,_fp32 381028 762056 1000000000 2000000000\n"
            "fprop network/plain size=4 na na na na\n");
}

TEST(KernelTable, ColumnsThatThereAreNotAreNamedWithTheNearest) {
  EXPECT_TRUE(contains(refusal({KernelTableForm::csv, {"kernal"}, 0}), "did you mean 'kernel'?"));
  EXPECT_TRUE(contains(refusal({KernelTableForm::csv, {"kernal"}, 0}), "idx, seq, altseq"));
  EXPECT_EQ(refusal({KernelTableForm::csv, {"idx", "idx"}, 0}), "column 'idx' is named twice");
  EXPECT_EQ(kernel_columns().size(), 22u) << "PyProf's 20 and the rates";
}

TEST(KernelTable, LaunchesThatAreNotKnownHaveNoThreadAndNoLayer) {
  auto trace = kernel_trace();
  trace.activities[0].correlation = 0;
  trace.activities[1].correlation = 99;
  trace.activities[1].grid = {0, 0, 0};  // a graph
  trace.activities[1].end_ns = 0;
  EXPECT_EQ(table_of(trace, {KernelTableForm::spaces, {"tid", "layer", "sil", "grid"}, 0}),
            "TId Layer Sil(ns) Grid\nna - 381028 100352,1,1\nna - 0 na\n");
}

TEST(KernelTable, RangesNeedNotEndInTheOrderOfTheirStack) {
  Trace trace;
  trace.ranges = {{"", "a", 0, 250, 42}, {"", "b", 50, 450, 42}, {"", "c", 150, 350, 42}};
  for (std::uint32_t i = 1; i <= 5; ++i) {
    trace.activities.push_back(kernel("k", 1000 * i, 1000 * i + 1, i));
    trace.calls.push_back({"cudaLaunchKernel", false, 100 * i, 100 * i + 1, 42, i});
  }
  EXPECT_EQ(table_of(trace, {KernelTableForm::spaces, {"layer"}, 0}),
            "Layer\na:b\na:b:c\nb:c\nb\n-\n");
}

TEST(KernelTable, RangesThatNeverEndFillNoTable) {
  Trace trace;
  constexpr std::uint32_t leaked = 20'000;
  for (std::uint32_t i = 1; i <= leaked; ++i) {
    trace.ranges.push_back({"", "step", 10 * i, 10 * leaked + 10, 42});
    trace.activities.push_back(kernel("k", 10 * i, 10 * i + 1, i));
    trace.calls.push_back({"cudaLaunchKernel", false, 10 * i + 1, 10 * i + 2, 42, i});
  }
  const auto text = table_of(trace, {KernelTableForm::spaces, {"layer"}, 0});
  std::string deep = "step";
  for (int i = 1; i < 64; ++i) deep += ":step";
  EXPECT_TRUE(contains(text, "\n" + deep + "\n"));
  EXPECT_TRUE(contains(text, "\n" + deep + ":...\n"));
  EXPECT_LE(text.size(), leaked * (deep.size() + 5) + 6);
}

TEST(KernelTable, TheProfileTellsOfTensorCoresToo) {
  const auto trace = kernel_trace();
  const auto column = [&](const Profile& profile) {
    std::ostringstream out;
    write_kernel_table(out, KernelTable{trace, &profile, {}}, {KernelTableForm::spaces, {"tc"}, 0});
    return out.str();
  };
  Profile profile;
  EXPECT_EQ(column(profile), "TC\n-\n1\n") << "the second is known by its name";
  profile.kernels.resize(2);
  for (auto& kernel : profile.kernels) kernel.name = "void at::relu<float>(float const*)";
  profile.kernels[0].instructions = InstructionMix{.fp32 = 4, .fp16 = 8};
  EXPECT_EQ(column(profile), "TC\n0\n1\n") << "no matrix instructions";
  profile.kernels[0].counters = {{"tensor_instructions", 8}};
  EXPECT_EQ(column(profile), "TC\n0\n1\n") << "the tensor pipe counts HFMA2 too";
  profile.kernels[0].instructions->tensor = 4;
  EXPECT_EQ(column(profile), "TC\n1\n1\n") << "though not with each grid";
}

TEST(KernelNames, ResultsTemplatesAndParametersGo) {
  EXPECT_EQ(short_kernel_name("void ns::reduce<256, float (*)(int)>(float*, int)"), "ns::reduce");
  EXPECT_EQ(short_kernel_name("saxpy(int, float*)"), "saxpy");
  EXPECT_EQ(short_kernel_name("(anonymous namespace)::k(int)"), "k");
  EXPECT_EQ(short_kernel_name("void at::native::<unnamed>::pool<float, int>(const T1 *)"),
            "at::native::pool");
  EXPECT_EQ(short_kernel_name("cudapy::__main__::convolve$241(Array<float, int=2, C>)"),
            "cudapy::__main__::convolve$241");
  EXPECT_EQ(short_kernel_name("kern::sum[abi:v2,cw51cX_3d](Array<float, 1, C>)"), "kern::sum");
  EXPECT_EQ(short_kernel_name("volta_sgemm_128x64_nn"), "volta_sgemm_128x64_nn");
  EXPECT_EQ(short_kernel_name("[CUDA graph 3]"), "[CUDA graph 3]");
  for (const char* odd : {"", "(", ")", "<", ">", "<>", "()", " ", "a<(>b)", "k(((", "<<<>"}) {
    short_kernel_name(odd);  // whatever it is, it ends
  }
}

}  // namespace
}  // namespace apod::exports
