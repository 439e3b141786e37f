#pragma once

/// \file
/// One row for each kernel launch, in the columns of PyProf and two for achieved rates.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/profile.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/show/document.hpp"
#include "kernels/api/activity.hpp"

namespace apod::exports {

/// What the launching program knows about a kernel and a trace does not.
struct KernelOrigin {
  std::string op;               ///< "reduction"; empty: not known
  std::string direction;        ///< "fprop"; empty: has no meaning
  std::string params;           ///< "size=1048576,streams=4"; empty: not known
  std::optional<double> flops;  ///< of this launch, a fused multiply-add counting as two
  std::optional<double> bytes;  ///< of this launch, from and to device memory
};

struct KernelColumn {
  std::string name;   ///< for -c
  std::string title;  ///< PyProf's
  std::string help;   ///< one line
};
/// PyProf's 20 columns, in its order, and then the rates.
const std::vector<KernelColumn>& kernel_columns();

struct KernelTable {
  const Trace& trace;
  /// Counters and instructions of a kernel, for tensor cores; may be null.
  const Profile* profile = nullptr;
  /// The origin of a launch, or null if unknown; may be empty. Kernels within the range of an
  /// Operation have that one instead.
  std::function<const KernelOrigin*(const Activity& kernel)> origin_of;
};

/// Separated by one space, so that blanks within a field become "_"; every field quoted, separated
/// by commas; or aligned, cut to a width.
enum class KernelTableForm : std::uint8_t { spaces, csv, columns };

struct KernelTableStyle {
  KernelTableForm form = KernelTableForm::spaces;
  /// Names of columns; empty: PyProf's choice. "all" alone is every column.
  std::vector<std::string> columns;
  std::size_t width = 0;  ///< of the aligned form, columns of a terminal
};

/// A row for each kernel in order of start, under a row of titles. "na" is a value without meaning
/// here or unknown, "-" an empty list (PyProf's words). Throws std::invalid_argument for an unknown
/// column, one named twice, or a width that is too small.
void write_kernel_table(std::ostream& out, const KernelTable& table, const KernelTableStyle& style);
/// The kernels of several traces in one table, numbered throughout.
void write_kernel_table(std::ostream& out, const std::vector<KernelTable>& tables,
                        const KernelTableStyle& style);

/// The kernels of our own cases as PyProf's table, from the traces that the result keeps. `op` is
/// the workload with its variant, `params` the axes. A case knows only its total operations and
/// bytes: a launch gets an equal share if the case has launches of one kernel with one grid, and
/// "na" if several kernels share the work. `tc` comes from the profile of the traced pass.
void write_case_kernels(std::ostream& out, const Result& result, const KernelTableStyle& style);

/// nvprof's way to write a time: "420.61us", "704ns", "117.78ms": five significant digits, the unit
/// by size (ns, us, ms, s), whole nanoseconds below 1 us. "-" for anything that is not a number.
std::string format_nvprof_time(double seconds);

/// nvprof's summary. "GPU activities" are the kernels by name, whatever their grid, and copies and
/// memsets as "[CUDA memcpy HtoD]" and "[CUDA memset]"; "API calls" are those of the runtime and of
/// the driver. Time(%) is a share of the total of its group.
show::Table summary_table(const Profile& profile);

/// NVTX ranges by domain and name ("domain:name"; the default domain has no name). Time(%) is a
/// share of the time of all ranges, nested ones included, as in `nsys stats`. Marks, which take no
/// time, are left out.
show::Table ranges_table(const Profile& profile);

}  // namespace apod::exports
