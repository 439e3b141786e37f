#pragma once

/// \file
/// Short ways to make problems and outputs in tests.

#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/api/registry.hpp"
#include "tests/kernels/execute.hpp"

namespace apod::test {

inline const Family& family(std::string_view name) {
  const auto* found = Registry::instance().family(name);
  if (found == nullptr) throw std::runtime_error("no family " + std::string(name));
  return *found;
}

inline Traffic traffic(std::string_view name,
                       std::vector<std::pair<std::string, AxisValue>> values) {
  auto params = default_params(family(name));
  for (auto& [axis, value] : values) params.set(axis, value);
  return family(name).traffic(params);
}

inline std::unique_ptr<Problem> make(std::string_view name, DataSpec::Kind kind,
                                     std::vector<std::pair<std::string, AxisValue>> values) {
  auto params = default_params(family(name));
  for (auto& [axis, value] : values) params.set(axis, value);
  return family(name).make(params, {.kind = kind});
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

inline std::vector<float> input_of(const Problem& problem) {
  std::vector<float> values(problem.input().size() / sizeof(float));
  std::memcpy(values.data(), problem.input().data(), problem.input().size());
  return values;
}

inline const AxisValue fp32 = std::string("fp32");
inline const AxisValue fp64 = std::string("fp64");
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

}  // namespace apod::test
