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

/// The family's own parameters, but for these.
inline Params params_of(const Family& family, const Point& point = {}) {
  Params params;
  for (const auto& axis : family.axes()) params.set(axis.name, axis.default_value);
  for (const auto& [name, value] : point) params.set(name, value);
  return params;
}

/// Each of the points with each value of an axis, if the family has it.
inline void cross(std::vector<Point>& points, const Family& family, const char* axis,
                  const std::vector<AxisValue>& values) {
  if (!params_of(family).has(axis)) return;
  std::vector<Point> crossed;
  for (const auto& point : points) {
    for (const auto& value : values) {
      crossed.push_back(point);
      crossed.back().emplace_back(axis, value);
    }
  }
  points = std::move(crossed);
}

/// General points for a family with the axes `size`, `mask` and `accumulator`: small and odd sizes,
/// every accumulator. Other axes have their defaults, so a new family is tested from its first day.
inline std::vector<Point> general_points(const Family& family) {
  std::vector<AxisValue> sizes{1, 2, 31, 33, 255, 257, 8193, 100001, 1000003};
  if (family.axes().front().kind == AxisSpec::Kind::shape) {
    sizes = {"1x1", "1x7", "7x1", "33x65", "130x257", "200x200"};
  }
  std::vector<Point> points;
  for (const auto& size : sizes) points.push_back({{"size", size}});
  cross(points, family, "mask", {1, 3, 13, 31});
  cross(points, family, "accumulator", {"fp32", "fp64"});
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

/// Those that `pair` promises to compute. The error of a transform in fp32 follows the brightest
/// pixel of a tile, so the data must be of like brightness (cuDNN may choose one too), and a mean
/// of cuFFT's one over many pixels.
inline std::vector<Case> promised(const Pair& pair, std::vector<Case> cases) {
  const bool is_fft = pair.variant == "fft_fp32";
  if (!is_fft && pair.variant != "cudnn") return cases;
  std::erase_if(cases, [&](const Case& c) {
    constexpr std::int64_t many = 13;
    if (!is_fft) return c.data.kind == DataSpec::Kind::file;
    const bool even = c.data.kind == DataSpec::Kind::ones || c.data.kind == DataSpec::Kind::uniform;
    return !even || c.params.integer("mask") < many;
  });
  return cases;
}

/// The cases a family is tested on: every point with every kind of data, in one chunk and in more,
/// which may be more than there are units.
inline std::vector<Case> cases_of(const Family& family) {
  const auto* own = points_of(family.name());
  std::vector<Case> cases;
  for (const auto& point : own != nullptr ? own->small : general_points(family)) {
    for (const auto& data : data_of(family)) {
      for (const std::int64_t chunks : {1, 3, 8}) {
        Case c{params_of(family, point), data, chunks};
        if (c.params.has("compute_repeats")) {
          c.params.set("compute_repeats", chunks == 3 ? 3 : 1);
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
  std::vector<Point> points;
  if (const auto* own = points_of(family.name())) {
    points = own->large;
  } else if (params_of(family).has("mask")) {
    for (const int mask : {13, 31}) points.push_back({{"size", "2050x3001"}, {"mask", mask}});
    for (int mask = 1; mask <= 31; mask += 2) {
      points.push_back({{"size", "71x150"}, {"mask", mask}});
      points.push_back({{"size", "71x300"}, {"mask", mask}});  // aligned rows
    }
    cross(points, family, "accumulator", {"fp32", "fp64"});
  } else {
    points = {{{"size", 30'000'001}}};
    cross(points, family, "accumulator", {"fp32", "fp64"});
  }
  std::vector<Case> cases;
  for (const auto& point : points) {
    for (const std::int64_t chunks : {1, 3})
      cases.push_back({params_of(family, point), {}, chunks});
  }
  return cases;
}

}  // namespace apod::test
