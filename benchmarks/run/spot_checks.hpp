#pragma once

/// \file
/// Checks that a kernel from a file does its work every time. Its outputs are poisoned before each
/// run anyway; here they are verified after unpredictable samples, and the kernel gets inputs that
/// it has never seen.

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/run/prepared_case.hpp"
#include "benchmarks/run/sampler.hpp"

namespace apod::run {

/// The least time that the device's peaks allow for the work, s; 0 if they are unknown. Reads count
/// in full if the caches hold none of the data when a sample begins; of all other bytes only those
/// beyond the last-level cache count. FP32 and FP64 work counts at the peak of its type.
double least_seconds(const Traffic& traffic, const DeviceFacts& device, CacheMode cache);

/// The median of their times and that of their clocks; 0 if most clocks are unknown.
Sample median_of(const std::vector<Sample>& samples);

/// What is wrong with the times of a kernel; empty: nothing. `firsts` (at least one) are times on
/// inputs that were new to it, `again` on the same once it had seen them, `usual` on the inputs of
/// the samples.
std::string why_not_its_work(std::vector<Sample> firsts, const Sample& again, const Sample& usual,
                             Scope scope);

class SpotChecks {
 public:
  struct Taking {
    std::function<Sample(bool counts)> sample;  ///< one of the case's own that count, or another
    std::function<void(const std::function<void()>&)> aside;  ///< does work between samples
  };

  /// `fresh` are problems that differ from the case's only in their inputs; they are kept.
  SpotChecks(const PreparedCase& prepared, std::vector<std::shared_ptr<const Problem>> fresh,
             Taking taking);

  /// Checks nothing before.
  void begin() { active_ = true; }
  /// A sample of the case, and now and then a check. Throws std::runtime_error if an output is
  /// wrong.
  Sample take();
  /// The remaining checks, and the judgement of the times. Throws std::runtime_error with "invalid:
  /// ..." if the times are too short for the work.
  void finish();

 private:
  bool is_hot() const { return prepared_.item.experiment.measure.cache == CacheMode::hot; }
  void look_at_output(const Problem& problem, const char* what);
  void look_at_input(const Problem& problem) const;
  /// Samples of inputs that the kernel has not seen lately.
  void take_fresh();
  /// One of the case, which is looked at.
  Sample take_own();
  std::size_t draw(std::size_t most) {
    return std::uniform_int_distribution(std::size_t{0}, most)(chance_);
  }

  const PreparedCase& prepared_;
  std::vector<std::shared_ptr<const Problem>> fresh_;
  const Taking taking_;
  std::mt19937_64 chance_;
  bool active_ = false;
  std::size_t until_next_ = 0;         ///< samples
  std::size_t gap_ = 4;                ///< half of the mean number of samples between two checks
  std::size_t pairs_ = 0;              ///< of samples of other inputs
  std::vector<Sample> first_, again_;  ///< of inputs that were new, and of others again
  /// Of the case's own from cold caches, each the median of some, if samples are hot.
  std::vector<Sample> usual_;
  std::size_t looked_at_ = 0;
};

}  // namespace apod::run
