#pragma once

/// \file
/// GPUs of one model that measured the same cases (the axis `device`): is one of them slower than
/// its siblings?

#include <string>
#include <vector>

#include "benchmarks/base/summary.hpp"

namespace apod {

enum class Standing : std::uint8_t { alike, slower, faster };
template <>
struct EnumNames<Standing> {
  static constexpr std::array<std::string_view, 3> names{"alike", "slower", "faster"};
};

struct Sibling {
  std::string device;
  /// Its times against the median of the others', as a share: the mean over the cases, and its 95 %
  /// interval between cases.
  Estimate apart;
  /// How far the others lie apart among themselves, as a share: their largest difference of the
  /// same kind.
  double others_apart = 0;
  std::size_t cases = 0;
  Standing standing = Standing::alike;
};

/// One for each value of `device`, in the order of the plan; empty for fewer than three, because
/// of two none is the odd one. Of the cases that every device measured those count whose times are
/// known to 2 % or better; at least three are needed. Each weighs alike. A GPU is slower or
/// faster if its interval lies beyond both 1 % and what the others differ by.
std::vector<Sibling> siblings(const std::vector<CaseSummary>& summaries);

}  // namespace apod
