#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/run/pipeline.hpp"
#include "benchmarks/run/sampler.hpp"

namespace apod::run {

/// How the samples of one case are launched and timed.
class Launcher {
 public:
  /// Records the launch mode in `measurement`, with a note if it is not the one asked for.
  Launcher(Backend& backend, Pipeline& pipeline, const record::WorkItem& item,
           const Variant& variant, Measurement& measurement);

  /// One sample; throws BackendError.
  Sample take() { return end_to_end_ ? take_end_to_end() : take_kernel(); }

 private:
  bool can_block();
  /// Why the work can't be recorded; empty when it was.
  std::string record_graph();
  Sample take_end_to_end();
  Sample take_kernel();
  /// Counts the launches of the last sample, and returns its phase. From now on so many empty
  /// launches are made before each sample that the launches per sample are one more than a multiple
  /// of launch_phases: the samples visit all phases, whatever the work launches.
  std::optional<std::uint8_t> turn();

  Backend& backend_;
  Pipeline& pipeline_;
  const MeasureSpec& spec_;
  bool end_to_end_;
  LaunchMode mode_;
  const bool restores_;
  std::unique_ptr<Event> start_, stop_;
  std::unique_ptr<Graph> graph_;
  bool has_phases_ = false;
  int empty_launches_ = 0;      ///< before the next sample
  std::uint64_t launches_ = 0;  ///< before it, from the first sample on
};

}  // namespace apod::run
