#pragma once

/// \file
/// Synthetic benchmarks: processes whose samples have a known distribution and a known slowdown.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string_view>
#include <vector>

namespace apod::simulation {

/// What disturbs a time. The first five are scaled so that the medians of processes spread by about
/// 0.4 % (drift aside, which is no spread of processes); the last two are what machines do at their
/// worst.
enum class Noise {
  gaussian,        ///< samples: gaussian, 1 %
  heavy_tailed,    ///< samples: Student's t with 2 degrees, 0.5 %, upwards only
  autocorrelated,  ///< samples: AR(1) with coefficient 0.9, 0.4 %
  drifting,   ///< as gaussian, and the machine gets slower by 1 % from the first slot to the last
  bimodal,    ///< three of ten processes run in a mode that is 0.75 % slower
  two_modes,  ///< every process lands in one of two modes that are 1 % apart, either as likely
  disturbed,  ///< as gaussian, and one process in forty, so one block in ten, is slower by 10 %
  mixed,      ///< each case of a suite another of these, drift aside
};
constexpr std::array<std::string_view, 8> noise_names{"gaussian",  "heavy-tailed", "autocorrelated",
                                                      "drifting",  "bimodal",      "two modes",
                                                      "disturbed", "mixed"};
constexpr std::size_t samples_per_process = 20;

/// Gaussian part of the spread between processes, on top of what the kind itself brings.
constexpr double process_part(Noise noise) {
  switch (noise) {
    case Noise::heavy_tailed:
      return 0.0037;
    case Noise::bimodal:
    case Noise::two_modes:
      return 0.0019;
    default:
      return 0.0029;
  }
}

class Machine {
 public:
  Machine(Noise noise, std::uint64_t seed)
      : mixed_(noise == Noise::mixed), noise_(noise), random_(seed) {
    begin_case(0);
  }

  /// What follows is of the case `index` of a suite.
  void begin_case(int index) {
    constexpr std::array kinds{Noise::gaussian, Noise::heavy_tailed, Noise::autocorrelated,
                               Noise::bimodal,  Noise::two_modes,    Noise::disturbed};
    if (mixed_) noise_ = kinds[static_cast<std::size_t>(index) % kinds.size()];
  }

  /// Samples (s) of one process that starts at `when`, 0 the first of the experiment, 1 its last.
  /// `slowdown` is the true change, 0.01 for 1 %.
  const std::vector<double>& samples(double slowdown, double when) {
    double level = std::log1p(slowdown) + process_part(noise_) * normal_(random_);
    if (noise_ == Noise::drifting) level += 0.01 * when;
    if (noise_ == Noise::bimodal && uniform_(random_) < 0.3) level += 0.0075;
    if (noise_ == Noise::two_modes && uniform_(random_) < 0.5) level += 0.01;
    if (noise_ == Noise::disturbed && uniform_(random_) < 0.025) level += 0.1;
    double previous = normal_(random_);
    for (auto& sample : samples_) {
      double disturbance = 0;
      if (noise_ == Noise::heavy_tailed) {
        disturbance = 0.005 * std::abs(student_(random_));
      } else if (noise_ == Noise::autocorrelated) {
        previous = 0.9 * previous + std::sqrt(1 - 0.81) * normal_(random_);
        disturbance = 0.004 * previous;
      } else {
        const bool modes = noise_ == Noise::bimodal || noise_ == Noise::two_modes;
        disturbance = (modes ? 0.001 : 0.01) * normal_(random_);
      }
      sample = 1e-3 * std::exp(level + disturbance);
    }
    return samples_;
  }

  /// Median of such samples, s: what a result file says of the process.
  double process(double slowdown, double when) {
    samples(slowdown, when);
    const auto middle = samples_.begin() + samples_per_process / 2;
    std::nth_element(samples_.begin(), middle, samples_.end());
    return (*std::max_element(samples_.begin(), middle) + *middle) / 2;
  }

 private:
  bool mixed_;
  Noise noise_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::student_t_distribution<double> student_{2};
  std::vector<double> samples_ = std::vector<double>(samples_per_process);
};

}  // namespace apod::simulation
