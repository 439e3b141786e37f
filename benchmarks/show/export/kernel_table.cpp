#include "benchmarks/show/export/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "benchmarks/base/enclosing_ranges.hpp"
#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/kernel_operations.hpp"
#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::exports {

namespace {

const std::string unknown = "na";

/// How a column is laid out where columns are aligned: PyProf's least widths for its own, and 0 for
/// the two that share what is left.
struct Layout {
  std::size_t width;
  bool right = false;
};

constexpr std::array<Layout, 22> layouts{
    {{7, true}, {7},  {7},        {12, true}, {10},       {25},      {5},       {3, true},
     {15},      {15}, {0},        {0},        {10, true}, {2},       {3, true}, {3, true},
     {12},      {12}, {12, true}, {12, true}, {16, true}, {14, true}}};

std::size_t index_of(const std::string& name) {
  const auto& all = kernel_columns();
  const auto found =
      std::ranges::find_if(all, [&](const KernelColumn& column) { return column.name == name; });
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string> names;
  for (const auto& column : all) names.push_back(column.name);
  const auto near = text::closest(name, names);
  throw std::invalid_argument("'" + text::printable(name) + "' is not a column; the columns are " +
                              text::joined(names, ", ") +
                              text::in_brackets(text::did_you_mean(near)));
}

std::vector<std::size_t> chosen_columns(const std::vector<std::string>& names) {
  static const std::vector<std::string> usual{"idx", "dir",    "sub",    "mod",
                                              "op",  "kernel", "params", "sil"};
  std::vector<std::size_t> chosen;
  if (names.size() == 1 && names.front() == "all") {
    for (std::size_t i = 0; i < layouts.size(); ++i) chosen.push_back(i);
    return chosen;
  }
  for (const auto& name : names.empty() ? usual : names) {
    const auto index = index_of(name);
    if (std::ranges::find(chosen, index) != chosen.end())
      throw std::invalid_argument("column '" + name + "' is named twice");
    chosen.push_back(index);
  }
  return chosen;
}

std::vector<std::size_t> widths_of(const std::vector<std::size_t>& columns, std::size_t width) {
  std::size_t least = 0;
  std::size_t flexible = 0;
  for (const auto column : columns) {
    least += layouts[column].width + 1;
    flexible += layouts[column].width == 0 ? 1 : 0;
  }
  // Below this a name says nothing.
  constexpr std::size_t least_name = 8;
  least += flexible * least_name;
  if (width + 1 < least) {
    throw std::invalid_argument(
        fmt::format("these columns need a width of {} or more; {} is too small", least - 1, width));
  }
  std::vector<std::size_t> widths;
  for (const auto column : columns) {
    widths.push_back(layouts[column].width > 0 ? layouts[column].width
                                               : least_name + (width + 1 - least) / flexible);
  }
  return widths;
}

std::string triple(const std::array<std::uint32_t, 3>& sizes) {
  if (sizes[0] == 0) return unknown;
  return fmt::format("{},{},{}", sizes[0], sizes[1], sizes[2]);
}

std::string or_unknown(const std::string& text) {
  return text.empty() ? unknown : text;
}

std::string whole_number(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? fmt::format("{:.0f}", *number) : unknown;
}

/// `amount` in `kernel`'s time, a second.
std::string rate(const std::optional<double>& amount, const Activity& kernel) {
  const auto ns = static_cast<double>(kernel.end_ns - kernel.start_ns);
  return amount && ns > 0 ? whole_number(*amount / ns * 1e9) : unknown;
}

KernelOrigin origin_of(const Operation& operation) {
  return {operation.name, operation.direction, operation.shapes + ", " + operation.type,
          operation.flops, operation.bytes};
}

/// What is the same for every launch of a kernel.
struct KernelNames {
  std::string name;
  std::string tensor_cores;
};

/// The call that launched a kernel.
struct Launch {
  std::uint32_t thread = 0;
  const std::string* layer = nullptr;  ///< null where the column is not shown
};

class Rows {
 public:
  Rows(const KernelTable& table, const std::vector<std::size_t>& columns)
      : table_(table), columns_(columns), operations_(table.trace) {
    EnclosingRanges ranges(table.trace);
    const auto layer = static_cast<std::size_t>(Name::layer);
    const bool layered = std::ranges::find(columns, layer) != columns.end();
    for (const auto& call : table.trace.calls) {
      if (call.correlation == 0) continue;
      Launch launch{call.thread};
      if (layered) launch.layer = &*layers_.insert(joined(ranges.around(call))).first;
      launches_.try_emplace(call.correlation, launch);
    }
    if (table.profile == nullptr) return;
    for (const auto& kernel : table.profile->kernels) {
      auto& known = tensor_cores_[kernel.name];
      known = std::max(known, uses_tensor_cores(kernel));
    }
  }

  /// The text of each column for the kernel, which is the `index`-th, counted from 1.
  std::vector<std::string> row(const Activity& kernel, std::size_t index) {
    const auto found = launches_.find(kernel.correlation);
    const Launch* launch = found == launches_.end() ? nullptr : &found->second;
    const KernelOrigin* origin = origin_of_launch(kernel);
    std::vector<std::string> cells;
    for (const auto column : columns_)
      cells.push_back(cell(static_cast<Name>(column), kernel, index, launch, origin));
    return cells;
  }

 private:
  enum class Name : std::uint8_t {
    idx,
    seq,
    altseq,
    tid,
    layer,
    trace,
    dir,
    sub,
    mod,
    op,
    kernel,
    params,
    sil,
    tc,
    device,
    stream,
    grid,
    block,
    flops,
    bytes,
    flops_per_s,
    bytes_per_s,
  };

  /// What the kernel's operation tells goes before what the case as a whole does.
  const KernelOrigin* origin_of_launch(const Activity& kernel) {
    if (const auto* operation = operations_.of(kernel)) {
      const auto [found, is_new] = origins_.try_emplace(operation);
      if (is_new) found->second = origin_of(*operation);
      return &found->second;
    }
    return table_.origin_of ? table_.origin_of(kernel) : nullptr;
  }

  std::string cell(Name name, const Activity& kernel, std::size_t index, const Launch* launch,
                   const KernelOrigin* origin) {
    switch (name) {
      case Name::idx:
        return std::to_string(index);
      case Name::tid:
        return launch != nullptr ? std::to_string(launch->thread) : unknown;
      case Name::layer:
        return launch != nullptr ? *launch->layer : text::no_value;
      case Name::dir:
        return origin != nullptr ? or_unknown(origin->direction) : unknown;
      case Name::op:
        return origin != nullptr ? or_unknown(origin->op) : unknown;
      case Name::kernel:
        return names(kernel).name;
      case Name::params:
        return origin != nullptr ? or_unknown(origin->params) : unknown;
      case Name::sil:
        return std::to_string(std::max<std::int64_t>(0, kernel.end_ns - kernel.start_ns));
      case Name::tc:
        return names(kernel).tensor_cores;
      case Name::device:
        return std::to_string(kernel.device);
      case Name::stream:
        return std::to_string(kernel.stream);
      case Name::grid:
        return triple(kernel.grid);
      case Name::block:
        return triple(kernel.block);
      case Name::flops:
        return origin != nullptr ? whole_number(origin->flops) : unknown;
      case Name::bytes:
        return origin != nullptr ? whole_number(origin->bytes) : unknown;
      case Name::flops_per_s:
        return origin != nullptr ? rate(origin->flops, kernel) : unknown;
      case Name::bytes_per_s:
        return origin != nullptr ? rate(origin->bytes, kernel) : unknown;
      case Name::seq:
      case Name::altseq:
      case Name::trace:
      case Name::sub:
      case Name::mod:
        return unknown;
    }
    return unknown;
  }

  static std::string joined(const std::vector<const NvtxRange*>& ranges) {
    // Nobody nests so deep: a program that never pops what it pushes has thousands open.
    constexpr std::size_t deepest = 64;
    std::string layer;
    for (std::size_t i = 0; i < std::min(ranges.size(), deepest); ++i)
      layer += (layer.empty() ? "" : ":") + ranges[i]->name;
    if (ranges.size() > deepest) layer += ":...";
    return layer.empty() ? text::no_value : layer;
  }

  const KernelNames& names(const Activity& kernel) {
    const auto [found, is_new] = names_.try_emplace(kernel.name);
    if (is_new) {
      const auto known = tensor_cores_.find(kernel.name);
      const auto used =
          known == tensor_cores_.end() ? uses_tensor_cores({.name = kernel.name}) : known->second;
      found->second = {short_kernel_name(kernel.name), !used ? text::no_value : *used ? "1" : "0"};
    }
    return found->second;
  }

  const KernelTable& table_;
  const std::vector<std::size_t>& columns_;
  KernelOperations operations_;
  std::unordered_map<const Operation*, KernelOrigin> origins_;
  std::set<std::string> layers_;                        ///< each once: a million launches share few
  std::unordered_map<std::uint32_t, Launch> launches_;  ///< by correlation
  std::unordered_map<std::string, std::optional<bool>> tensor_cores_;  ///< by the whole name
  std::unordered_map<std::string, KernelNames> names_;
};

void write_line(std::ostream& out, const std::vector<std::string>& cells, KernelTableForm form,
                const std::vector<std::size_t>& columns, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string text = text::printable(cells[i]);
    switch (form) {
      case KernelTableForm::csv:
        line += i == 0 ? "\"" : ",\"";
        for (const char c : text) line += c == '"' ? "\"\"" : std::string(1, c);
        line += '"';
        break;
      case KernelTableForm::spaces:
        std::replace(text.begin(), text.end(), ' ', '_');
        line += (i == 0 ? "" : " ") + (text.empty() ? text::no_value : text);
        break;
      case KernelTableForm::columns: {
        const std::string fitting = text::shorten(text, widths[i]);
        line += i == 0 ? "" : " ";
        line += layouts[columns[i]].right ? text::pad_left(fitting, widths[i])
                                          : text::pad_right(fitting, widths[i]);
        break;
      }
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

}  // namespace

const std::vector<KernelColumn>& kernel_columns() {
  static const std::vector<KernelColumn> columns{
      {"idx", "Idx", "index of the launch, from 1"},
      {"seq", "SeqId", "PyTorch's sequence id (not available: always na)"},
      {"altseq", "AltSeqId", "PyTorch's other sequence id (not available: always na)"},
      {"tid", "TId", "thread that launched the kernel"},
      {"layer", "Layer", "NVTX ranges around the launch, outermost first"},
      {"trace", "Trace", "call trace of the launch (not available: always na)"},
      {"dir", "Direction", "direction of the operation, or of the case (fprop, bprop)"},
      {"sub", "Sub", "sub-sequence id (not available: always na)"},
      {"mod", "Module", "Python module: na"},
      {"op", "Op", "operation of the kernel, or the workload of the case"},
      {"kernel", "Kernel", "name of the kernel, without parameters"},
      {"params", "Params", "shapes and type of the operation, or the parameters of the case"},
      {"sil", "Sil(ns)", "silicon time: time of the kernel on the device, ns"},
      {"tc", "TC", "tensor cores: 1 if the kernel uses them, 0 if not, - if not known"},
      {"device", "Device", "index of the device"},
      {"stream", "Stream", "number of the stream"},
      {"grid", "Grid", "blocks: x,y,z"},
      {"block", "Block", "threads of a block: x,y,z"},
      {"flops", "FLOPs", "floating point operations, a fused multiply-add counting as two"},
      {"bytes", "Bytes", "bytes from and to device memory"},
      {"flop_rate", "FLOP/s", "FLOPs over silicon time"},
      {"byte_rate", "B/s", "bytes over silicon time"},
  };
  return columns;
}

void write_kernel_table(std::ostream& out, const KernelTable& table,
                        const KernelTableStyle& style) {
  write_kernel_table(out, std::vector<KernelTable>{table}, style);
}

void write_kernel_table(std::ostream& out, const std::vector<KernelTable>& tables,
                        const KernelTableStyle& style) {
  const auto columns = chosen_columns(style.columns);
  std::vector<std::size_t> widths;
  if (style.form == KernelTableForm::columns) widths = widths_of(columns, style.width);
  std::vector<std::string> titles;
  for (const auto column : columns) titles.push_back(kernel_columns()[column].title);
  write_line(out, titles, style.form, columns, widths);
  std::size_t index = 0;
  for (const auto& table : tables) {
    Rows rows(table, columns);
    for (const auto& activity : table.trace.activities) {
      if (activity.kind != Activity::Kind::kernel) continue;
      write_line(out, rows.row(activity, ++index), style.form, columns, widths);
    }
  }
}

namespace {

/// The launches among which the work of a case is evenly spread; 0 where it is not.
std::size_t equal_launches(const Trace& trace) {
  const Activity* first = nullptr;
  std::size_t launches = 0;
  for (const auto& activity : trace.activities) {
    if (activity.kind != Activity::Kind::kernel) continue;
    if (first == nullptr) first = &activity;
    if (activity.name != first->name || activity.grid != first->grid) return 0;
    ++launches;
  }
  return launches;
}

const Measurement* measurement_of(const Result& result, std::size_t case_index) {
  const auto found = std::ranges::find_if(result.measurements, [&](const Measurement& m) {
    return m.case_index == case_index && m.failed.empty();
  });
  return found == result.measurements.end() ? nullptr : &*found;
}

KernelOrigin origin_of(const Result& result, const CaseTrace& traced) {
  const Case& info = result.plan.cases.at(traced.case_index);
  KernelOrigin origin;
  origin.op = result.plan.experiment_of(info).workload + "/" + info.variant;
  for (const auto& [axis, value] : info.params.entries()) {
    if (axis == "direction") origin.direction = to_string(value);
    origin.params += (origin.params.empty() ? "" : ",") + axis + "=" + to_string(value);
  }
  const auto launches = static_cast<double>(equal_launches(traced.trace));
  const auto* measured = measurement_of(result, traced.case_index);
  if (launches == 0 || measured == nullptr) return origin;
  const Traffic& work = measured->traffic;
  origin.flops = work.flops() / launches;
  origin.bytes = (work.bytes_read + work.bytes_written) / launches;
  return origin;
}

}  // namespace

void write_case_kernels(std::ostream& out, const Result& result, const KernelTableStyle& style) {
  const auto summaries = summarize(result);
  std::vector<KernelTable> tables;
  for (const auto& traced : result.traces) {
    tables.push_back({traced.trace, summaries.at(traced.case_index).profile,
                      [origin = origin_of(result, traced)](const Activity&) { return &origin; }});
  }
  write_kernel_table(out, tables, style);
}

namespace {

using show::Align;
using show::Cell;
using show::Column;
using show::Table;
using show::Tone;

/// Rows of one heading; its shares are of their sum.
struct Group {
  std::string type;
  std::vector<NamedTime> rows;

  void add(const std::string& name, const Tally& time) {
    if (!time.empty()) add_time(rows, name, time);
  }
};

std::vector<Group> summary_of(const Profile& profile) {
  Group activities{"GPU activities", {}};
  for (const auto& kernel : profile.kernels) activities.add(kernel.name, kernel.time);
  for (const auto& copy : profile.copies) {
    activities.add(copy.name == "memset" ? "[CUDA memset]" : "[CUDA memcpy " + copy.name + "]",
                   copy.time);
  }
  Group calls{"API calls", {}};
  for (const auto& call : profile.calls) calls.add(call.name, call.time);
  return {std::move(activities), std::move(calls)};
}

/// With all digits of the time in ns: totals are compared with those of other tools.
Cell time_cell(double seconds) {
  const double ns = std::clamp(seconds, 0.0, 1e9) * 1e9;
  return {format_nvprof_time(seconds), Tone::plain, std::round(ns)};
}

/// The rows of the groups, those that took longest first. `name` is the title of the last column,
/// `calls` that of the one that counts.
Table table_of(std::vector<Group> groups, const char* total, const char* calls, const char* name) {
  Table table;
  const auto times = [](const char* title, int priority = Column::essential) {
    return Column{.name = title, .id = std::string(title) + "(ns)", .priority = priority};
  };
  const bool typed = groups.size() > 1;
  if (typed) table.columns.push_back({.name = "Type", .align = Align::left});
  for (auto& column : std::vector<Column>{
           {"Time(%)"}, times(total), {calls}, times("Avg", 3), times("Min", 1), times("Max", 2)}) {
    table.columns.push_back(std::move(column));
  }
  table.columns.push_back({.name = name, .align = Align::left, .key = true});
  for (auto& group : groups) {
    double sum = 0;
    for (const auto& row : group.rows) sum += row.time.total_s;
    std::ranges::stable_sort(
        group.rows, [](const auto& a, const auto& b) { return a.time.total_s > b.time.total_s; });
    for (const auto& [row_name, time] : group.rows) {
      const double percent = sum > 0 ? time.total_s / sum * 100 : 0;
      auto& cells = table.rows.emplace_back().cells;
      if (typed) cells.push_back({group.type});
      cells.push_back({fmt::format("{:.2f}%", percent), Tone::plain, percent});
      cells.push_back(time_cell(time.total_s));
      cells.push_back({std::to_string(time.count)});
      const Cell mean{format_nvprof_time(time.mean_s()), Tone::plain, time.mean_s() * 1e9};
      for (Cell cell : {mean, time_cell(time.min_s), time_cell(time.max_s)}) {
        if (time.count == 1) cell.text.clear();  // one is no spread
        cells.push_back(std::move(cell));
      }
      cells.push_back({row_name});
    }
  }
  return table;
}

}  // namespace

std::string format_nvprof_time(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  const double ns = seconds * 1e9;
  if (std::abs(ns) < 1000) return fmt::format("{:.0f}ns", ns);
  static constexpr std::array<std::pair<double, const char*>, 3> units{
      {{1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}};
  // 999.996 us would be shown as 1000.0us: that belongs to the next unit.
  std::size_t unit = 0;
  while (unit + 1 < units.size() && std::abs(seconds) >= 0.999995 * units[unit + 1].first) ++unit;
  const double shown = seconds / units[unit].first;
  int decimals = 4;
  for (double limit = 10; decimals > 0 && std::abs(shown) >= limit * 0.999995; limit *= 10)
    --decimals;
  return fmt::format("{:.{}f}{}", shown, decimals, units[unit].second);
}

Table summary_table(const Profile& profile) {
  return table_of(summary_of(profile), "Time", "Calls", "Name");
}

Table ranges_table(const Profile& profile) {
  Group ranges;
  for (const auto& range : profile.ranges) {
    if (range.time.max_s <= 0) continue;  // a mark
    ranges.add(range.domain.empty() ? range.name : range.domain + ":" + range.name, range.time);
  }
  return table_of({std::move(ranges)}, "Total", "Instances", "Range");
}

}  // namespace apod::exports
