#pragma once

/// \file
/// A base with a history: how far apart its own nights lie tells what one more night may do.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace apod::judge {

/// With fewer nights a case has no history.
constexpr std::size_t fewest_nights = 5;
/// See Distances::Tail.
constexpr std::size_t own_weight = 3;

/// What the nights of the base say of one case. Everything is of ln time.
struct NightWord {
  double level = 0;           ///< of the base: the median of its last five nights
  double change = 0;          ///< of the new side's nights that speak from the level: their mean
  double beyond = 0;          ///< the median of what they are beyond the shift that all cases share
  double noise = 0;           ///< how far out a night may lie; see noise_of_nights
  double noise_of_other = 0;  ///< the same, had it moved to the other side
  double error = 0;           ///< standard error of `change`
  double degrees = 1;
  std::size_t base_nights = 0;
  std::size_t new_nights = 0;    ///< that speak: the last, and those before it that say the same
  std::size_t other_nights = 0;  ///< of the new side, before them
  /// Nights in a row at the end that lie beyond the noise on one side: the new side's, and, where
  /// all of these do, those of the base before them, as far as a step begins there. 0: the last
  /// does not.
  std::size_t in_a_row = 0;
  bool sure = false;  ///< two or more in a row, of different occasions, lie beyond sure_beyond
  /// Two nights of the base or more, and one in ten, lie as far out as the noise is ever said to
  /// be: nothing is sure of such a case, since the noise is larger than what is said.
  bool wild = false;
  std::size_t taken = 0;  ///< nights of the base that count with the new side's; all else is of
                          ///< the base before them
};

/// The distances of a case's earlier nights from what was expected of them.
struct Distances {
  double deviation = 0;  ///< robust
  std::size_t count = 0;
  /// The farthest of this case and of those that spread about as much, farthest first: one case's
  /// rare nights are too few to tell how rare they are. Its own are in there own_weight times.
  struct Tail {
    /// Not more than this share of all lies farther out, or the `places` farthest.
    double at(double share, std::size_t places) const;

    std::vector<double> farthest;
    double all = 0;  ///< their number
  };
  Tail slow;  ///< of those on the slow side
  Tail both;
  double tick = 0;              ///< of ln time: times are multiples of it
  std::size_t beyond_most = 0;  ///< nights as far out as no noise is said to be
};

/// How many times as far out as usual the cases of a night lie, but 1 at least.
struct Restlessness {
  double median = 1;          ///< of those near what all share
  double upper_quartile = 1;  ///< of all that did not change by much
};

/// With s = deviation * (1 + 2 / sqrt(count)), the larger of 10 s and 2 s more than what 5 in 1,000
/// distances of the tail exceed. That is cut at ln 1.4, or at the larger of 3 s and what 17 in
/// 1,000 exceed, fewer in a restless night, but these at ln 1.65: rare wild nights hide no change
/// of half the time, and none hides that a case takes twice as long. It grows with the night's
/// median from 2 on. It is at least two ticks, because times that round to neighbours may be equal.
/// A slower case is held against `slow`, since fast nights do not make slow ones likely; a faster
/// one against `both`, since slow nights that end look like an improvement.
double noise_of_nights(const Distances& distances, bool slower, const Restlessness& night = {});

/// Two nights in a row are sure beyond so much: twice the noise, or ln 1.65. Cases of a real CI
/// moved by less and stayed there for days, without a change of their code.
double sure_beyond(double noise);

/// ln time of a case, night by night; NaN where it was not measured.
using NightRow = std::vector<double>;

/// The nights of a side, in the order of time.
struct NightRows {
  std::vector<NightRow> cases;           ///< all of one length
  std::vector<std::uint32_t> occasions;  ///< of each night; what it met there, others may have
};

/// The words on every case; absent where it has fewer than fewest_nights before the new side's.
class Nights {
 public:
  Nights() = default;
  /// Cases and their `ticks`, of ln time, are parallel. Occasions of both sides have one numbering.
  Nights(const NightRows& base, const NightRows& new_side, std::span<const double> ticks);

  const std::vector<std::optional<NightWord>>& cases() const { return cases_; }
  /// The same on the shift that all cases share; absent with fewer than three cases.
  const std::optional<NightWord>& common() const { return common_; }

 private:
  std::vector<std::optional<NightWord>> cases_;
  std::optional<NightWord> common_;
};

}  // namespace apod::judge
