#include "benchmarks/judge/search/trees.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace apod::search {
namespace {

constexpr std::size_t trees = 20;  ///< of a model
constexpr int most_splits = 5;     ///< from the root of a tree to a leaf
constexpr int tried_splits = 4;    ///< the best of these is taken
constexpr std::ptrdiff_t least_leaf = 2;

/// A regression tree whose splits are drawn by chance (Geurts, Ernst & Wehenkel 2006, "Extremely
/// randomized trees").
class Tree {
 public:
  Tree(const plan::Space& space, std::vector<Seen>& seen, std::mt19937_64& random)
      : random_(random) {
    for (std::size_t d = 0; d < space.dimensions(); ++d) {
      auto& of_levels = coordinates_.emplace_back(space.levels(d));
      std::iota(of_levels.begin(), of_levels.end(), 0.0);
      if (space.is_ordered(d)) {
        for (std::size_t l = 0; l < of_levels.size(); ++l) of_levels[l] = space.coordinate(d, l);
      } else {
        // Levels without an order have one by chance, another in each tree.
        std::shuffle(of_levels.begin(), of_levels.end(), random_);
      }
    }
    grow(seen.begin(), seen.end(), most_splits);
  }

  double value(const Levels& at) const {
    std::size_t i = 0;
    while (nodes_[i].left != 0) i = is_left(nodes_[i], at) ? nodes_[i].left : nodes_[i].right;
    return nodes_[i].value;
  }

 private:
  using Iterator = std::vector<Seen>::iterator;

  struct Node {
    double value = 0;  ///< the mean of its rows
    std::size_t dimension = 0;
    double cut = 0;
    std::size_t left = 0;  ///< 0: a leaf
    std::size_t right = 0;
  };

  bool is_left(const Node& node, const Levels& at) const {
    return coordinates_[node.dimension][at[node.dimension]] < node.cut;
  }

  static double sum_of(Iterator begin, Iterator end) {
    return std::accumulate(begin, end, 0.0,
                           [](double sum, const Seen& one) { return sum + one.value; });
  }

  /// A cut of one dimension, both by chance.
  Node drawn_split(Iterator begin, Iterator end) {
    Node split{.dimension = random_() % coordinates_.size()};
    const auto& of_levels = coordinates_[split.dimension];
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (auto one = begin; one != end; ++one) {
      low = std::min(low, of_levels[(*one->at)[split.dimension]]);
      high = std::max(high, of_levels[(*one->at)[split.dimension]]);
    }
    split.cut = low + (high - low) * std::uniform_real_distribution<>(0, 1)(random_);
    return split;
  }

  std::size_t grow(Iterator begin, Iterator end, int splits) {
    const auto own = nodes_.size();
    const auto count = static_cast<double>(end - begin);
    const double sum = sum_of(begin, end);
    nodes_.push_back({.value = sum / count});
    if (splits == 0 || end - begin < 2 * least_leaf) return own;
    Node chosen;
    double most = 1e-12;
    for (int tried = 0; tried < tried_splits; ++tried) {
      const auto split = drawn_split(begin, end);
      double left = 0;
      double rows = 0;
      for (auto one = begin; one != end; ++one) {
        if (!is_left(split, *one->at)) continue;
        left += one->value;
        ++rows;
      }
      if (rows < least_leaf || count - rows < least_leaf) continue;
      // By how much the sum of squares becomes less.
      const double gain =
          left * left / rows + (sum - left) * (sum - left) / (count - rows) - sum * sum / count;
      if (gain <= most) continue;
      most = gain;
      chosen = split;
      chosen.left = 1;
    }
    if (chosen.left == 0) return own;
    const auto middle =
        std::partition(begin, end, [&](const Seen& one) { return is_left(chosen, *one.at); });
    nodes_[own].dimension = chosen.dimension;
    nodes_[own].cut = chosen.cut;
    const auto left = grow(begin, middle, splits - 1);
    const auto right = grow(middle, end, splits - 1);
    nodes_[own].left = left;
    nodes_[own].right = right;
    return own;
  }

  std::mt19937_64& random_;
  std::vector<std::vector<double>> coordinates_;  ///< by dimension and level
  std::vector<Node> nodes_;
};

}  // namespace

std::vector<double> expected(const plan::Space& space, const std::vector<Seen>& seen,
                             const std::vector<Levels>& at, std::mt19937_64& random) {
  std::vector<Seen> sample;
  for (std::size_t i = 0; i < seen.size(); ++i) sample.push_back(seen[random() % seen.size()]);
  std::vector<double> sums(at.size());
  for (std::size_t t = 0; t < trees; ++t) {
    const Tree tree(space, sample, random);
    for (auto& one : sample) one.value -= tree.value(*one.at);
    for (std::size_t i = 0; i < at.size(); ++i) sums[i] += tree.value(at[i]);
  }
  return sums;
}

}  // namespace apod::search
