#pragma once

#include <cstdint>

namespace apod {

/// A counter-based generator: 64 random bits of element i are a function of the seed and of i.
class RandomBits {
 public:
  /// The seed is mixed first, so that the sequences of seeds 1 and 2 do not overlap.
  explicit RandomBits(std::uint64_t seed) : key_(mix(seed + golden_ratio)) {}
  std::uint64_t operator[](std::int64_t i) const {
    return mix(key_ + static_cast<std::uint64_t>(i) * golden_ratio);
  }

 private:
  /// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
  /// generators", OOPSLA 2014): a bijection of 64 bits in which every input bit moves every output
  /// bit.
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  static constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15u;
  std::uint64_t key_;
};

}  // namespace apod
