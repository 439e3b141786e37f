#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/guess_parts.hpp"

namespace apod::cli {
namespace {

/// Which leaves at most a `little` share of both, and what it leaves.
std::optional<std::vector<std::string>> largest_product(const std::vector<LengthFactor>& factors,
                                                        double wanted, double other, double little,
                                                        std::pair<double, double>& rest) {
  std::optional<std::vector<std::string>> found;
  double least = 1e300;
  std::vector<std::string> sides;
  const auto consider = [&](double product, double other_product) {
    const double times = std::floor(wanted / product);
    if (times < 1 || times > 4096) return;
    const double more = wanted - times * product;
    const double other_more = other > 0 ? other - times * other_product : more;
    const bool is_near =
        more <= wanted * little && other_more >= 0 && (other <= 0 || other_more <= other * little);
    const double cost = (more > 0 || other_more > 0 ? 1e6 + more : 0) + times +
                        8.0 * static_cast<double>(sides.size());
    if (!is_near || cost >= least || (other <= 0 && times > 1)) return;
    least = cost;
    found = sides;
    if (times > 1 || sides.empty())
      found->insert(found->begin(), fmt::format("{}", static_cast<std::int64_t>(times)));
    rest = {more, other_more};
  };
  const std::function<void(std::size_t, double, double)> grow =
      [&](std::size_t from, double product, double other_product) {
        consider(product, other_product);
        if (sides.size() >= 6) return;
        for (auto i = from; i < factors.size(); ++i) {
          const auto& factor = factors[i];
          if (factor.usual <= 1 || product * factor.usual > wanted) continue;
          sides.push_back(factor.text);
          grow(i, product * factor.usual, other_product * factor.otherwise);
          sides.pop_back();
        }
      };
  grow(0, 1, 1);
  return found;
}

}  // namespace

std::string product_text(const std::vector<std::string>& sides) {
  return text::joined(sides, " * ", bracketed);
}

std::optional<GuessedLength> length_near(const std::vector<LengthFactor>& factors, double wanted,
                                         double other) {
  std::pair<double, double> more{0, 0};
  auto sides = largest_product(factors, wanted, other, 1.0 / 32, more);
  if (!sides) return std::nullopt;
  GuessedLength made{std::move(*sides)};
  made.is_for_all = more.second == more.first;
  if (more.first <= 0) return made;
  auto rest = fmt::format("{}", static_cast<std::int64_t>(more.first));
  if (!made.is_for_all) {
    std::pair<double, double> none;
    const auto exact = largest_product(factors, more.first, more.second, 0, none);
    made.is_for_all = exact.has_value();
    if (exact) rest = product_text(*exact);
  }
  made.sides = {product_text(made.sides) + " + " + rest};
  return made;
}

}  // namespace apod::cli
