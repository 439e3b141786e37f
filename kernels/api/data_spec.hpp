#pragma once

/// \file
/// The data that an experiment's `data:` asks for. kernels/data makes it, or reads it.

#include <cstdint>
#include <string>

#include "kernels/api/types.hpp"

namespace apod {

/// Where the values come from. Floats change both the error of a sum and the speed of some chips,
/// so they are part of a case.
struct DataSpec {
  enum class Kind : std::uint8_t { ones, uniform, normal, file };
  Kind kind = Kind::uniform;
  std::uint64_t seed = 42;  ///< for uniform and normal
  std::string file;         ///< .npy (float32 or float64, C order) or .pgm (P2 or P5), for `file`
  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};
template <>
struct EnumNames<DataSpec::Kind> {
  static constexpr std::array<std::string_view, 4> names{"ones", "uniform", "normal", "file"};
};

/// "ones", "uniform(seed 42)", "file photo.pgm".
inline std::string to_string(const DataSpec& spec) {
  const std::string kind(to_string(spec.kind));
  if (spec.kind == DataSpec::Kind::ones) return kind;
  if (spec.kind == DataSpec::Kind::file) return kind + " " + spec.file;
  return kind + "(seed " + std::to_string(spec.seed) + ")";
}

}  // namespace apod
