#pragma once

#include <cmath>
#include <cstdint>

namespace apod::stats {

/// Gaussian noise that is the same with every standard library, unlike std::normal_distribution.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  double operator()() {
    // Box and Muller 1958.
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * M_PI * uniform());
  }

 private:
  double uniform() {  // SplitMix64, Steele, Lea & Flood 2014
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  std::uint64_t state_;
};

}  // namespace apod::stats
