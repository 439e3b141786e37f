#pragma once

/// \file
/// The problems that every variant is run on, so that the host's and the GPU's tests can't drift
/// apart.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/api/registry.hpp"
#include "tests/kernels/points.hpp"
#include "tests/kernels/scene.hpp"

namespace apod::test {

/// One problem, and the number of chunks it is computed in.
struct Case {
  Params params;
  DataSpec data;
  std::int64_t chunks = 1;
};

inline std::string describe(const Case& c) {
  std::string text;
  for (const auto& [axis, value] : c.params.entries()) text += axis + "=" + to_string(value) + " ";
  return text + "data=" + to_string(c.data) + " chunks=" + std::to_string(c.chunks);
}

/// A family and one of its variants.
struct Pair {
  std::string family;
  std::string variant;
};
inline void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.family << '/' << pair.variant;
}
inline std::string pair_name(const testing::TestParamInfo<Pair>& info) {
  return info.param.family + "_" + info.param.variant;
}

/// Every registered variant of `backend` that was built.
inline std::vector<Pair> built_variants(BackendKind backend) {
  std::vector<Pair> pairs;
  for (const auto* family : Registry::instance().families()) {
    for (const auto* variant : Registry::instance().variants(family->name())) {
      if (variant->backend == backend && variant->make) {
        pairs.push_back({variant->family, variant->name});
      }
    }
  }
  return pairs;
}

inline Params default_params(const Family& family) {
  Params params;
  for (const auto& axis : family.axes()) params.set(axis.name, axis.default_value);
  return params;
}

/// General points for a family with the axes `size`, `mask` and `accumulator`: small and odd sizes,
/// every accumulator. Other axes have their defaults, so a new family is tested from its first day.
inline std::vector<Point> general_points(const Family& family) {
  const auto axes = family.axes();
  const auto axis = [&](std::string_view name) -> const AxisSpec* {
    const auto found = std::find_if(axes.begin(), axes.end(),
                                    [&](const AxisSpec& spec) { return spec.name == name; });
    return found == axes.end() ? nullptr : &*found;
  };
  std::vector<AxisValue> sizes;
  if (const auto* size = axis("size"); size != nullptr && size->kind == AxisSpec::Kind::shape) {
    for (const char* shape : {"1x1", "1x7", "7x1", "33x65", "130x257", "200x200"}) {
      sizes.emplace_back(std::string(shape));
    }
  } else {
    for (const std::int64_t count : {1, 2, 31, 33, 255, 257, 8193, 100001, 1000003}) {
      sizes.emplace_back(count);
    }
  }
  std::vector<AxisValue> masks{std::int64_t{0}};
  if (axis("mask") != nullptr) {
    masks = {std::int64_t{1}, std::int64_t{3}, std::int64_t{13}, std::int64_t{31}};
  }
  std::vector<std::string> accumulators{""};
  if (axis("accumulator") != nullptr) accumulators = {"fp32", "fp64"};

  std::vector<Point> points;
  for (const auto& size : sizes) {
    for (const auto& mask : masks) {
      for (const auto& accumulator : accumulators) {
        Point point{{"size", size}};
        if (axis("mask") != nullptr) point.emplace_back("mask", mask);
        if (!accumulator.empty()) point.emplace_back("accumulator", accumulator);
        points.push_back(std::move(point));
      }
    }
  }
  return points;
}

/// Every kind of data that a family takes; of a file, one with structure.
inline std::vector<DataSpec> data_of(const Family& family) {
  static const std::string vector = scene_file(false);
  static const std::string image = scene_file(true);
  const bool takes_image = family.axes().front().kind == AxisSpec::Kind::shape;
  return {{.kind = DataSpec::Kind::ones},
          {.kind = DataSpec::Kind::uniform},
          {.kind = DataSpec::Kind::normal},
          {.kind = DataSpec::Kind::file, .file = takes_image ? image : vector}};
}

/// The cases a family is tested on: every point with every kind of data, in one chunk and in more,
/// which may be more than there are units.
inline std::vector<Case> cases_of(const Family& family) {
  const auto* own = points_of(family.name());
  std::vector<Case> cases;
  for (const auto& point : own != nullptr ? own->small : general_points(family)) {
    for (const auto& data : data_of(family)) {
      for (const std::int64_t chunks : {1, 3, 8}) {
        Case c{default_params(family), data, chunks};
        for (const auto& [name, value] : point) c.params.set(name, value);
        if (c.params.has("compute_repeats")) {
          c.params.set("compute_repeats", chunks == 3 ? std::int64_t{3} : std::int64_t{1});
        }
        cases.push_back(std::move(c));
      }
    }
  }
  return cases;
}

/// The problem of `c`; null where its data makes none that can be judged (normal values whose sum
/// is nearly 0 can't be normalised).
inline std::unique_ptr<Problem> make_problem(const Family& family, const Case& c) {
  try {
    return family.make(c.params, c.data);
  } catch (const std::runtime_error&) {
    if (c.data.kind != DataSpec::Kind::normal || family.name() != "normalize") throw;
    return nullptr;
  }
}

/// Large and unusual cases, for devices that are fast: more work than a grid holds at once, tiles
/// of full height, every odd mask. For `size` and `mask` as in `cases_of`.
inline std::vector<Case> large_cases_of(const Family& family) {
  std::vector<Case> cases;
  if (const auto* own = points_of(family.name())) {
    for (const auto& point : own->large) {
      for (const std::int64_t chunks : {1, 3}) {
        Case c{default_params(family), {}, chunks};
        for (const auto& [name, value] : point) c.params.set(name, value);
        cases.push_back(std::move(c));
      }
    }
    return cases;
  }
  const auto add = [&](AxisValue size, std::optional<std::int64_t> mask) {
    for (const std::string accumulator : {"fp32", "fp64"}) {
      for (const std::int64_t chunks : {1, 3}) {
        Case c{default_params(family), {}, chunks};
        const bool accumulates = c.params.has("accumulator");
        c.params.set("size", size);
        if (mask) c.params.set("mask", *mask);
        if (accumulates) c.params.set("accumulator", accumulator);
        if (accumulates || accumulator == "fp32") cases.push_back(std::move(c));
      }
    }
  };
  if (!default_params(family).has("mask")) {
    add(std::int64_t{30'000'001}, std::nullopt);
    return cases;
  }
  for (const std::int64_t mask : {13, 31}) add(std::string("2050x3001"), mask);
  for (std::int64_t mask = 1; mask <= 31; mask += 2) add(std::string("71x150"), mask);
  return cases;
}

}  // namespace apod::test
