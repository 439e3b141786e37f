/// The same work takes as long whatever was launched before it.

#include "benchmarks/base/launch_phase.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/run/pipeline.hpp"
#include "benchmarks/run/sampler.hpp"
#include "kernels/api/several_streams.hpp"
#include "tests/gpu/cuda_backend.hpp"

namespace apod {
namespace {

/// A sum by CUB, which is two kernels, ready to be launched.
struct CubSum {
  explicit CubSum(Backend& backend) {
    params.set("size", std::int64_t{1} << 20);
    params.set("accumulator", std::string("fp32"));
    problem =
        Registry::instance().family("reduction")->make(params, {.kind = DataSpec::Kind::ones});
    variant->prepare(params, backend.facts());
    pipeline.emplace(backend, *problem, *variant, params, Scope::kernel, timers);
  }
  std::unique_ptr<Variant> variant = Registry::instance().variant("reduction", "cub")->make();
  Params params;
  std::shared_ptr<Problem> problem;
  trace::PhaseTimers timers;
  std::optional<run::Pipeline> pipeline;
};

class LaunchPhase : public CudaBackend {
 protected:
  /// The time of a sum by CUB behind so many further launches, s.
  std::vector<double> times_behind(int most_launches) {
    CubSum sum(*backend);
    record::WorkItem item;
    item.experiment.measure.min_samples = 4000;  // a median of so many is known to 0.05 %
    std::vector<double> times;
    for (int launches = 0; launches <= most_launches; ++launches) {
      backend->begin_launches(sum.pipeline->stream(), launches);
      Measurement measurement;
      run::Launcher launcher(*backend, *sum.pipeline, item, *sum.variant, measurement);
      const run::SamplerHooks hooks{.take = [&] { return launcher.take(); },
                                    .clock = [&] { return backend->clock(); },
                                    .stage = [](const std::string&) {},
                                    .cancelled = [] { return false; },
                                    .begin = [&] { launcher.begin(); }};
      run::sample_case("sum", item.experiment.measure, 0, hooks, sum.timers, measurement);
      EXPECT_EQ(measurement.launch, "blocked");
      EXPECT_EQ(measurement.launch_phases.size(), measurement.samples_s.size());
      std::vector<std::size_t> of_phase(launch_phases, 0);
      for (const auto phase : measurement.launch_phases) ++of_phase.at(phase);
      const auto [least, most] = std::minmax_element(of_phase.begin(), of_phase.end());
      EXPECT_LE(*most - *least, 2u) << "of a round at either end, a part";
      times.push_back(summarize_process(measurement).median_s);
    }
    return times;
  }
};

TEST_F(LaunchPhase, ASumTakesAsLongBehindFurtherLaunches) {
  const auto times = times_behind(7);
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  EXPECT_LE(*most / *least, 1.005) << *least << " to " << *most << " s";
}

/// Without the count of what comes between, the phases would be mixed, and show no effect.
TEST_F(LaunchPhase, WhatComesBetweenSamplesIsCounted) {
  CubSum sum(*backend);
  const record::WorkItem item;
  Measurement measurement;
  run::Launcher launcher(*backend, *sum.pipeline, item, *sum.variant, measurement);
  std::vector<double> samples;
  std::vector<std::uint64_t> launches;
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    const auto sample = launcher.take();
    if (i >= 100) {
      samples.push_back(sample.seconds);
      launches.push_back(sample.launches.value());
    }
    launcher.aside([&] {
      for (auto flushes = random() % 4; flushes > 0; --flushes) {
        backend->flush_cache(sum.pipeline->stream(), CacheMode::cold);
      }
    });
  }
  const auto effect = phase_effect(samples, launches);
  ASSERT_TRUE(effect);
  EXPECT_GT(effect->spread, 0.05);
}

/// A variant that says that it uses a second stream.
class InTwoStreams : public Variant, public SeveralStreams {
 public:
  explicit InTwoStreams(const Variant& work) : work_(work) {}
  void compute(const Task& task) const override { work_.compute(task); }
  bool uses_several(const Params&) const override { return true; }

 private:
  const Variant& work_;
};

TEST_F(LaunchPhase, AVariantOfSeveralStreamsHasNone) {
  const CopyLaunch copy(*backend, 1 << 10);
  const InTwoStreams both(*copy.variant);
  trace::PhaseTimers timers;
  run::Pipeline pipeline(*backend, *copy.problem, both, copy.params, Scope::kernel, timers);
  Measurement measurement;
  const record::WorkItem item;
  EXPECT_FALSE(run::Launcher(*backend, pipeline, item, both, measurement).take().launches);
  EXPECT_TRUE(run::Launcher(*backend, pipeline, item, *copy.variant, measurement).take().launches);
}

/// What bench counts between begin and end is what the phase counts: see the table in
/// docs/launch-phase.md.
class Counted : public LaunchPhase {
 protected:
  std::uint64_t counted(const std::function<void()>& enqueue) {
    backend->begin_launches(*stream, 3);
    enqueue();
    backend->end_launches(*stream);
    stream->synchronize();
    return *backend->counted_launches() - 1;
  }
};

TEST_F(Counted, KernelsAre) {
  const CopyLaunch copy(*backend, 1 << 10);
  for (const std::uint64_t copies : {0u, 1u, 5u}) {
    EXPECT_EQ(copies, counted([&] {
                for (std::uint64_t i = 0; i < copies; ++i) copy.run(*stream);
              }));
  }
}

TEST_F(Counted, LaunchesInAGraphAreNot) {
  const CopyLaunch copy(*backend, 1 << 10);
  const auto graph = backend->capture(*stream, [&] { copy.run(*stream); });
  EXPECT_EQ(counted([&] { graph->launch(*stream); }), 0u);
}

TEST_F(Counted, CopiesOnTheDeviceAre) {
  const auto from = backend->allocate(1 << 22, MemoryKind::device);
  const auto to = backend->allocate(1 << 22, MemoryKind::device);
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{1} << 22}) {
    const auto copy = [&] { backend->copy(to->data(), from->data(), bytes, *stream); };
    EXPECT_EQ(counted(copy), 1u) << bytes;
  }
}

TEST_F(Counted, CopiesFromTheHostAreNot) {
  const auto from = backend->allocate(1 << 12, MemoryKind::pinned);
  const auto to = backend->allocate(1 << 12, MemoryKind::device);
  EXPECT_EQ(counted([&] { backend->copy(to->data(), from->data(), 1 << 12, *stream); }), 0u);
}

TEST_F(Counted, LargeMemsetsAreAndSmallOnesAreNot) {
  const auto to = backend->allocate(1 << 26, MemoryKind::device);
  EXPECT_EQ(counted([&] { backend->fill(to->data(), 0, 1 << 26, *stream); }), 1u);
  EXPECT_EQ(counted([&] { backend->fill(to->data(), 0, 1 << 10, *stream); }), 0u);
}

}  // namespace
}  // namespace apod
