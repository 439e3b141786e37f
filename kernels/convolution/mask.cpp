#include "kernels/convolution/mask.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/data/data.hpp"

namespace apod::convolution {
namespace {

Floats uniform(std::uint64_t seed, std::int64_t count) {
  // Another seed than the image's: a uniform image would begin with the very values of the mask.
  constexpr std::uint64_t other = 0x6d61736b00000000;
  return *make_vector({DataSpec::Kind::uniform, seed ^ other, {}}, count);
}

std::vector<float> random_mask(std::uint64_t seed, std::int64_t width) {
  const auto raw = uniform(seed, width * width);
  const double sum = std::accumulate(raw.begin(), raw.end(), 0.0);
  std::vector<float> mask(raw.size(), 1.0F / static_cast<float>(raw.size()));
  if (sum > 0) {
    std::transform(raw.begin(), raw.end(), mask.begin(),
                   [sum](float x) { return static_cast<float>(x / sum); });
  }
  return mask;
}

/// Products of whole numbers up to 2^11, which fit a float, over a power of two that is no less
/// than their sum: nothing is rounded.
std::vector<float> separable_mask(std::uint64_t seed, std::int64_t width) {
  auto numbers = uniform(seed, 2 * width);
  for (float& x : numbers) x = std::floor(x * 2047) + 1;
  const auto down = std::span(numbers).first(static_cast<std::size_t>(width));
  const auto across = std::span(numbers).last(static_cast<std::size_t>(width));
  const double sum = std::accumulate(down.begin(), down.end(), 0.0) *
                     std::accumulate(across.begin(), across.end(), 0.0);
  const auto scale = static_cast<float>(std::exp2(-std::ceil(std::log2(sum))));
  std::vector<float> mask;
  for (const float k : down) {
    for (const float l : across) mask.push_back(k * l * scale);
  }
  return mask;
}

}  // namespace

std::vector<float> make_mask(std::uint64_t seed, std::int64_t width, Weights weights) {
  return weights == Weights::separable ? separable_mask(seed, width) : random_mask(seed, width);
}

std::optional<Factors> factors(std::span<const float> mask, std::int64_t width) {
  const auto side = static_cast<std::size_t>(width);
  // Any weight but zero will do, and the largest is not one.
  const auto largest = static_cast<std::size_t>(
      std::max_element(mask.begin(), mask.end(),
                       [](float a, float b) { return std::abs(a) < std::abs(b); }) -
      mask.begin());
  const auto at = [&](std::size_t k, std::size_t l) { return double{mask[k * side + l]}; };
  const std::size_t row = largest / side;
  const std::size_t col = largest % side;
  const double pivot = at(row, col);
  Factors found;
  for (std::size_t k = 0; k < side; ++k) {
    // Products of two floats are exact in a double.
    for (std::size_t l = 0; l < side; ++l) {
      if (at(k, l) * pivot != at(k, col) * at(row, l)) return std::nullopt;
    }
    found.down.push_back(pivot == 0 ? 0 : at(k, col) / pivot);
    found.across.push_back(at(row, k));
  }
  return found;
}

}  // namespace apod::convolution
