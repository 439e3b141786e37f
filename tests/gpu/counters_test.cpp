/// The device's counters, on kernels whose arithmetic and traffic are known.

#include "tests/gpu/cuda_backend.hpp"
#include "tests/kernels/execute.hpp"

namespace apod::test {
namespace {

/// One chunk of one variant, ready to run.
struct Work {
  Work(Backend& backend, const char* family_name, const char* variant_name, const AxisValue& size)
      : family(*Registry::instance().family(family_name)),
        variant(Registry::instance().variant(family_name, variant_name)->make()),
        params(params_of(family, {{"size", size}})) {
    if (params.has("mask")) params.set("mask", 13);
    if (params.has("accumulator")) params.set("accumulator", "fp32");
    problem = family.make(params, {.kind = DataSpec::Kind::ones});
    executor = std::make_unique<Executor>(backend, *variant, *problem, params, 1);
  }

  const Family& family;
  std::unique_ptr<Variant> variant;
  Params params;
  std::unique_ptr<Problem> problem;
  std::unique_ptr<Executor> executor;
};

class CudaCounters : public OnCuda<> {
 protected:
  void SetUp() override {
    OnCuda::SetUp();
    if (IsSkipped()) return;
    const auto probe = count("copy", "grid_stride", 1000);
    if (!probe.launches.empty()) return;
    ASSERT_EQ(probe.notes.size(), 1u);
    const auto& note = probe.notes.front();
    // The machine's own reasons; any other is a mistake of ours.
    for (const char* reason : {"administrators", "hypervisor", "built without", "no CUPTI library",
                               "install CUDA 12.6 or later"}) {
      if (note.find(reason) != std::string::npos) GTEST_SKIP() << note;
    }
    FAIL() << note;
  }

  Counters count(const std::function<void()>& work) {
    return backend->count(
        {}, [&] { backend->flush_cache(*stream, cache); }, work);
  }
  Counters count(const char* family, const char* variant, const AxisValue& size) {
    Work work(*backend, family, variant, size);
    flops_ = work.family.traffic(work.params).flops_fp32;
    return count([&] { work.executor->run(); });
  }
  /// The only kernel of a variant.
  KernelCounters kernel(const char* family, const char* variant, const AxisValue& size) {
    auto counters = count(family, variant, size);
    for (const auto& note : counters.notes) ADD_FAILURE() << note;
    EXPECT_EQ(counters.launches.size(), 1u);
    return counters.launches.empty() ? KernelCounters{} : counters.launches.front();
  }

  CacheMode cache = CacheMode::cold;
  double flops_ = 0;  ///< of the last one counted
};

const AxisValue kImage = "1000x1400";

TEST_F(CudaCounters, FusedMultiplyAddsAreHalfTheFlops) {
  const auto counted = kernel("convolution", "direct", kImage);
  EXPECT_NE(counted.name.find("convolve_direct"), std::string::npos) << counted.name;
  EXPECT_EQ(counted.grid, (std::array<std::uint32_t, 3>{32, 44, 1}));
  EXPECT_EQ(counted.block, (std::array<std::uint32_t, 3>{32, 32, 1}));
  EXPECT_EQ(counted.values.at("ffma"), flops_ / 2);
  for (const char* none : {"dadd", "dmul", "dfma", "tensor_instructions"}) {
    EXPECT_EQ(counted.values.at(none), 0) << none;
  }
}

TEST_F(CudaCounters, AnAccidentalDoubleAddsAndDoesNotMultiply) {
  const auto counted = kernel("convolution", "direct_double", kImage);
  EXPECT_EQ(counted.values.at("dadd"), flops_ / 2);
  EXPECT_EQ(counted.values.at("fmul"), flops_ / 2);
  EXPECT_EQ(counted.values.at("dmul"), 0);
  EXPECT_EQ(counted.values.at("dfma"), 0);
}

TEST_F(CudaCounters, AColdReadComesFromDeviceMemory) {
  constexpr std::int64_t kElements = std::int64_t{64} << 20;
  constexpr double kBytes = kElements * 4.0;
  const auto counters = count("reduction", "grid_stride", kElements);
  ASSERT_EQ(counters.launches.size(), 2u) << "partial_reduce, single_thread_sum";
  const auto& read = counters.launches[0];
  const auto& sum = counters.launches[1];
  EXPECT_NE(read.name.find("partial_reduce"), std::string::npos) << read.name;
  EXPECT_NE(sum.name.find("single_thread_sum"), std::string::npos) << sum.name;
  EXPECT_EQ(sum.grid, (std::array<std::uint32_t, 3>{1, 1, 1}));
  EXPECT_NEAR(read.values.at("dram_bytes_read"), kBytes, 0.05 * kBytes);
  EXPECT_LT(read.values.at("dram_bytes_written"), 0.5 * kBytes);
  EXPECT_EQ(read.values.at("global_load_bytes"), kBytes);
  EXPECT_EQ(read.values.at("global_load_sectors"), kBytes / 32) << "each sector once";
  EXPECT_GE(read.values.at("fadd"), kElements);
  EXPECT_GT(read.values.at("achieved_occupancy"), 0.5);
  EXPECT_GT(read.values.at("dram_throughput"), 0.3);
  EXPECT_LT(sum.values.at("achieved_occupancy"), 0.1);
  EXPECT_LT(sum.values.at("dram_throughput"), 0.05);
}

TEST_F(CudaCounters, EveryCounterIsThereWithinItsUnit) {
  const auto counted = kernel("copy", "grid_stride", 16 << 20);
  for (const auto& counter : known_counters) {
    const auto found = counted.values.find(std::string(counter.name));
    ASSERT_NE(found, counted.values.end()) << counter.name;
    EXPECT_GE(found->second, 0) << counter.name;
    if (counter.unit == "share") {
      EXPECT_LE(found->second, 1.02) << counter.name;
    }
  }
  EXPECT_GT(counted.values.at("duration"), 1e-6);
  EXPECT_LT(counted.values.at("duration"), 1e-2);
}

TEST_F(CudaCounters, ThreadsDownTheRowsFetchMoreThanTheyAskFor) {
  const auto efficiency = [&](const char* variant) {
    const auto values = kernel("convolution", variant, kImage).values;
    return values.at("global_load_bytes") / (32 * values.at("global_load_sectors"));
  };
  EXPECT_LT(efficiency("direct"), 0.5 * efficiency("direct_coalesced"));
}

TEST_F(CudaCounters, WorkWithoutKernelsIsSaidToHaveNone) {
  const auto counters = count([] {});
  EXPECT_TRUE(counters.launches.empty());
  ASSERT_EQ(counters.notes.size(), 1u);
  EXPECT_EQ(counters.notes.front(), "nothing counted: no kernel was launched");
}

TEST_F(CudaCounters, WhatTheWorkThrowsPassesAndTheNextCountIsGood) {
  int runs = 0;
  Work work(*backend, "copy", "grid_stride", 1000);
  const auto fails = [&] {
    work.executor->run();
    if (++runs == 2) throw std::runtime_error("in the middle of a pass");
  };
  EXPECT_THROW(count(fails), std::runtime_error);
  EXPECT_EQ(count([&] { work.executor->run(); }).launches.size(), 1u);
}

TEST_F(CudaCounters, WorkThatIsNeverTheSameCannotBeCounted) {
  int runs = 0;
  Work work(*backend, "copy", "grid_stride", 1000);
  const auto counters = count([&] { work.executor->run(++runs); });
  EXPECT_TRUE(counters.launches.empty());
  ASSERT_EQ(counters.notes.size(), 1u);
  EXPECT_EQ(counters.notes.front().rfind("nothing counted: ", 0), 0u) << counters.notes.front();
}

TEST_F(CudaCounters, TracesBeforeAndAfterAreWhole) {
  Work work(*backend, "copy", "grid_stride", 1 << 20);
  const auto run = [&] { work.executor->run(); };
  const auto kernels = [&] {
    std::size_t found = 0;
    for (const auto& activity : backend->trace(run).activities) {
      found += activity.kind == Activity::Kind::kernel ? 1 : 0;
    }
    return found;
  };
  const auto before = kernels();
  const auto counters = count(run);
  EXPECT_EQ(counters.launches.size(), 1u);
  EXPECT_EQ(kernels(), before);
}

// Nor what the profiler leaves dirty when a pass begins: 9 MB on an H100.
TEST_F(CudaCounters, AColdKernelThatOnlyReadsWritesNothingOfTheFlushBack) {
  const auto written = [&](std::int64_t size) {
    const auto values = kernel("read", "vectorized", size).values;
    EXPECT_GT(values.at("dram_bytes_read"), 0.99 * 4 * static_cast<double>(size));
    return values.at("dram_bytes_written");
  };
  constexpr std::int64_t large = std::int64_t{1} << 26;
  EXPECT_LT(written(std::int64_t{1} << 20), 1e6);
  EXPECT_LT(written(large), 1e6);
  cache = CacheMode::flushed;
  const double flushed = written(large);
  EXPECT_GT(flushed, static_cast<double>(backend->facts().l2_bytes) / 4) << "what was left dirty";
}

}  // namespace
}  // namespace apod::test
