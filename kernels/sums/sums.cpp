#include "kernels/sums/sums.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/data/data.hpp"

namespace apod::sums {

ReferenceSum reference_sum(std::span<const float> values) {
  constexpr std::int64_t block = 4096;
  const auto n = static_cast<std::int64_t>(values.size());
  std::vector<ReferenceSum> blocks(static_cast<std::size_t>((n + block - 1) / block));
  parallel_for(static_cast<std::int64_t>(blocks.size()),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t b = first; b < last; ++b) {
                   std::array<double, 8> sums{};
                   std::array<double, 8> magnitudes{};
                   const std::int64_t end = std::min(n, (b + 1) * block);
                   for (std::int64_t i = b * block; i < end; ++i) {
                     const double x = values[static_cast<std::size_t>(i)];
                     sums[static_cast<std::size_t>(i % 8)] += x;
                     magnitudes[static_cast<std::size_t>(i % 8)] += std::abs(x);
                   }
                   auto& mine = blocks[static_cast<std::size_t>(b)];
                   for (std::size_t k = 0; k < sums.size(); ++k) {
                     mine.sum += sums[k];
                     mine.magnitude += magnitudes[k];
                   }
                 }
               });
  for (std::size_t width = 1; width < blocks.size(); width *= 2) {
    for (std::size_t i = 0; i + width < blocks.size(); i += 2 * width) {
      blocks[i].sum += blocks[i + width].sum;
      blocks[i].magnitude += blocks[i + width].magnitude;
    }
  }
  return blocks.empty() ? ReferenceSum{} : blocks.front();
}

namespace {

/// Whether every value is a multiple of `quantum`, a power of two that is at least 2^-53 of each.
bool all_multiples_of(double quantum, std::span<const float> values) {
  std::atomic<bool> all = true;
  parallel_for(std::ssize(values), [&](std::int64_t first, std::int64_t last) {
    constexpr std::int64_t block = 4096;
    for (std::int64_t begin = first; begin < last && all; begin += block) {
      bool mine = true;
      for (std::int64_t i = begin; i < std::min(last, begin + block); ++i) {
        const double quanta = values[static_cast<std::size_t>(i)] / quantum;  // exact
        mine &= static_cast<double>(static_cast<std::int64_t>(quanta)) == quanta;
      }
      if (!mine) all = false;
    }
  });
  return all;
}

}  // namespace

double sum_tolerance(std::span<const float> values, const ReferenceSum& reference,
                     Number accumulator) {
  const double unit = accumulator == Number::fp64 ? std::numeric_limits<double>::epsilon() / 2
                                                  : std::numeric_limits<float>::epsilon() / 2;
  // The smallest power of two of which `magnitude` holds no more than 1 / unit.
  const double quantum = std::exp2(std::ceil(std::log2(reference.magnitude * unit)));
  if (std::isnormal(quantum) && all_multiples_of(quantum, values)) return 0;
  const auto count = static_cast<double>(values.size());
  const double length = count / (1 << 18) + std::min(count, 1280.0) + std::log2(count + 1) + 8;
  return unit * length;
}

double add_partials(std::span<const std::byte> partials, Number accumulator) {
  const auto add = [&]<class T>(T value) {
    double sum = 0;
    for (std::size_t at = 0; at < partials.size(); at += sizeof value) {
      std::memcpy(&value, partials.data() + at, sizeof value);
      sum += value;
    }
    return sum;
  };
  return accumulator == Number::fp64 ? add(double{}) : add(float{});
}

}  // namespace apod::sums
