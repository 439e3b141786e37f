#pragma once

/// \file
/// Where the outputs of one side lie among its inputs, in whole numbers: every variant and the
/// reference find the same neighbours, and backward finds the outputs that forward used. For host
/// and device.

#include <algorithm>

namespace apod::bilinear {

/// Of input and output, in elements. With it, and one more row or column for halos, all products
/// below fit 32 bits.
inline constexpr unsigned largest_side = 1U << 16;

/// One side of the images: 1 <= in <= out <= largest_side. First and last output lie on first and
/// last input, as in Paddle (ratio = (in - 1) / (out - 1), or 0 for a single output): output o lies
/// o * step / unit inputs after the first.
struct Side {
  constexpr Side(unsigned inputs, unsigned outputs)
      : in(inputs), out(outputs), step(inputs - 1), unit(std::max(outputs - 1, 1U)) {}

  /// The input after `index`; the last has none and returns itself, with a weight of 0.
  constexpr unsigned next(unsigned index) const { return std::min(index + 1, step); }

  unsigned in;
  unsigned out;
  unsigned step;
  unsigned unit;
  float inverse = 1.0F / static_cast<float>(unit);  ///< device code divides slowly
};

/// An output among the inputs: `rest` / unit of the way from input `index` to the next.
struct Position {
  unsigned index = 0;
  unsigned rest = 0;
};

/// The weights of the two inputs around an output that is `rest` / unit after the first of them.
constexpr float weight_before(const Side& side, unsigned rest) {
  return static_cast<float>(side.unit - rest) * side.inverse;
}
constexpr float weight_behind(const Side& side, unsigned rest) {
  return static_cast<float>(rest) * side.inverse;
}

constexpr Position position(const Side& side, unsigned output) {
  const unsigned at = output * side.step;
  return {at / side.unit, at % side.unit};
}

/// Moves on to the next output. True when the index has changed; as no side shrinks, by one then.
constexpr bool advance(const Side& side, Position& position) {
  position.rest += side.step;
  if (position.rest < side.unit) return false;
  position.rest -= side.unit;
  ++position.index;
  return true;
}

/// The outputs less than one input from `input`: those whose gradient reaches it.
constexpr unsigned first_output(const Side& side, unsigned input) {
  return input == 0 ? 0 : (input - 1) * side.unit / side.step + 1;
}
constexpr unsigned last_output(const Side& side, unsigned input) {
  if (side.step == 0) return side.out - 1;
  return std::min(((input + 1) * side.unit - 1) / side.step, side.out - 1);
}

}  // namespace apod::bilinear
