#pragma once

/// \file
/// A side's times in the formats of other programs: see docs/formats.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>

#include "benchmarks/base/side.hpp"
#include "kernels/api/types.hpp"

namespace apod::exports {

enum class ExportFormat : std::uint8_t {
  google,             ///< Google Benchmark's JSON, one `iteration` row a case
  bmf,                ///< Bencher Metric Format
  smaller_is_better,  ///< github-action-benchmark's `customSmallerIsBetter`
  go,                 ///< Go's benchmark text, one line a process, for benchstat
};

/// Writes the cases of `side` that have a time, in their order, and returns their number. A case's
/// time is the geometric mean of its processes' medians, in nanoseconds, its interval the 95 %
/// interval between processes (estimate_time); fewer than three processes have none. Names that a
/// format can't distinguish get a number: "a b" and "a_b" become "A_b" and "A_b#01" for Go.
std::size_t export_side(std::ostream& out, const Side& side, ExportFormat format);

}  // namespace apod::exports

namespace apod {
template <>
struct EnumNames<exports::ExportFormat> {
  static constexpr std::array<std::string_view, 4> names{"google", "bmf", "smaller_is_better",
                                                         "go"};
};
}  // namespace apod
