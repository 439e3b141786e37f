/// What a profiler hears. NVTX lets a program bring its own tool: this file is one, and writes down
/// every call. In a build without annotations there is nothing to hear.

#include <gtest/gtest.h>

#include "benchmarks/look/trace/ranges.hpp"
#include "kernels/api/operation.hpp"

#if APOD_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace apod::trace {
namespace {

struct Pushed {
  std::string domain;
  std::string name;
  std::uint32_t color = 0;
  std::uint64_t payload = 0;
  std::size_t depth = 0;
};

struct Heard {
  std::string domain;
  std::vector<Pushed> pushed;
  std::size_t open = 0;
  std::string thread_name;
  std::uint32_t thread_id = 0;
};

Heard& heard() {
  static Heard instance;
  return instance;
}

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  heard().domain = name;
  return reinterpret_cast<nvtxDomainHandle_t>(&heard());
}

int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  const bool ours = domain == reinterpret_cast<nvtxDomainHandle_t>(&heard());
  EXPECT_EQ(attributes->colorType, NVTX_COLOR_ARGB);
  EXPECT_EQ(attributes->payloadType, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64);
  EXPECT_EQ(attributes->messageType, NVTX_MESSAGE_TYPE_ASCII);
  heard().pushed.push_back({ours ? heard().domain : "", attributes->message.ascii,
                            attributes->color, attributes->payload.ullValue, heard().open});
  return static_cast<int>(heard().open++);
}

int NVTX_API pop(nvtxDomainHandle_t /*domain*/) {
  return static_cast<int>(--heard().open);
}

void NVTX_API name_os_thread(std::uint32_t id, const char* name) {
  heard().thread_id = id;
  heard().thread_name = name;
}

template <class Function>
void replace(NvtxFunctionTable table, unsigned size, unsigned index, Function function) {
  ASSERT_LT(index, size);
  *table[index] = reinterpret_cast<NvtxFunctionPointer>(function);
}

int NVTX_API start_profiler(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
  replace(table, size, NVTX_CBID_CORE2_DomainCreateA, create_domain);
  replace(table, size, NVTX_CBID_CORE2_DomainRangePushEx, push);
  replace(table, size, NVTX_CBID_CORE2_DomainRangePop, pop);
  if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) return 0;
  replace(table, size, NVTX_CBID_CORE_NameOsThreadA, name_os_thread);
  return 1;
}

NvtxGetExportTableFunc_t& exports() {
  static NvtxGetExportTableFunc_t table = nullptr;
  return table;
}

/// No tool yet, as with the program's own tracer, which comes when there is something to trace.
int NVTX_API come_later(NvtxGetExportTableFunc_t export_table) {
  exports() = export_table;
  return 0;
}

// Before the first range of the program, which is when NVTX looks for a tool.
const bool injected = [] {
  unsetenv("NVTX_INJECTION64_PATH");
  InitializeInjectionNvtx2_fnptr = come_later;
  return true;
}();

class Nvtx : public testing::Test {
 protected:
  /// Only in the first of the tests that share a process nobody listens before.
  static void SetUpTestSuite() {
    ASSERT_TRUE(injected);
    Range around("begun unheard", Color::setup);
    EXPECT_TRUE(heard().pushed.empty());
    ASSERT_NE(exports(), nullptr);
    ASSERT_EQ(start_profiler(exports()), 1);
  }
};

TEST_F(Nvtx, AToolThatComesLaterHearsWhatFollows) {
  EXPECT_EQ(heard().open, 0u) << "the end of a range that began unheard is not shown";
  { Range range("heard", Color::sample); }
  ASSERT_FALSE(heard().pushed.empty());
  EXPECT_EQ(heard().pushed.front().name, "heard");
  EXPECT_EQ(heard().pushed.front().domain, "apod");
}

TEST_F(Nvtx, AnOperationIsARangeThatCanBeReadBack) {
  annotate_operations();
  heard().pushed.clear();
  const Operation relu{"relu", "fprop", "4x4", "fp32", 16, 128};
  {
    const OperationScope scope([&] { return relu; });
    EXPECT_EQ(heard().open, 1u);
  }
  show_operations(nullptr);
  EXPECT_EQ(heard().open, 0u);
  ASSERT_EQ(heard().pushed.size(), 1u);
  EXPECT_EQ(heard().pushed[0].domain, annotation_domain);
  EXPECT_EQ(parse_operation(heard().pushed[0].name), relu);
}

TEST_F(Nvtx, RangesNestInTheDomainWithColourAndPayload) {
  ASSERT_TRUE(ranges_available());
  heard().pushed.clear();
  {
    Range experiment("streams", Color::experiment, 1);
    const std::string whole = "case/size:100#cut here";
    Range of_case(std::string_view(whole).substr(0, 13), Color::case_, 42);
    PhaseTimers timers;
    for (std::uint64_t i = 0; i < 2; ++i) Phase sample(timers, "sample", Color::sample, i);
    EXPECT_EQ(heard().open, 2u);
  }
  EXPECT_EQ(heard().open, 0u);
  const auto& pushed = heard().pushed;
  ASSERT_EQ(pushed.size(), 4u);
  for (const auto& range : pushed) EXPECT_EQ(range.domain, "apod");
  EXPECT_EQ(pushed[0].name, "streams");
  EXPECT_EQ(pushed[0].color, static_cast<std::uint32_t>(Color::experiment));
  EXPECT_EQ(pushed[1].name, "case/size:100");
  EXPECT_EQ(pushed[1].payload, 42u);
  EXPECT_EQ(pushed[1].depth, 1u);
  EXPECT_EQ(pushed[3].name, "sample");
  EXPECT_EQ(pushed[3].payload, 1u);
  EXPECT_EQ(pushed[3].depth, 2u);
}

TEST_F(Nvtx, NamesThreadsInFull) {
  std::thread([] { name_thread("apod stream 3 of 8"); }).join();
  EXPECT_EQ(heard().thread_name, "apod stream 3 of 8");
  EXPECT_NE(heard().thread_id, 0u);
}

}  // namespace
}  // namespace apod::trace

#else

TEST(Nvtx, IsAbsentFromThisBuild) {
  EXPECT_FALSE(apod::trace::ranges_available());
}

#endif
