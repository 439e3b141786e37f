#pragma once

/// \file
/// x -> a x + b, `depth` times for each value. a is a little under 1 and b = 1 - a, so that every
/// value creeps towards 1 and the result has a closed form: 1 + (x - 1) a^depth. Both are exact in
/// fp32.

namespace apod::fma {

constexpr float factor = 1.0F - 1.0F / 1024;
constexpr float summand = 1.0F / 1024;

}  // namespace apod::fma
