#include "benchmarks/report/explanation_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "benchmarks/model/kernel_name.hpp"
#include "benchmarks/model/library_kernels.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

constexpr std::size_t most_rows = 5;

std::string size_text(const std::array<std::uint32_t, 3>& size) {
  return size[0] > 0 ? shape(size) : text::no_value;  // a task of the host has none
}

std::string bytes_or_none(std::uint64_t bytes) {
  return bytes > 0 ? text::format_bytes(static_cast<double>(bytes)) : text::no_value;
}

std::string average(const Tally& time) {
  return time.count > 0 ? text::format_time(time.total_s / static_cast<double>(time.count))
                        : text::no_value;
}

/// Resident threads / threads that the device can hold, while the kernel fills it.
std::string occupancy_of(const KernelProfile& kernel, const DeviceFacts& device) {
  const double most = device.max_threads_per_multiprocessor;
  if (kernel.resident_blocks == 0 || most <= 0) return text::no_value;
  const double threads = static_cast<double>(kernel.block[0]) * kernel.block[1] * kernel.block[2];
  return text::format_percent(kernel.resident_blocks * threads / most);
}

std::string limiter_of(const KernelProfile& kernel) {
  if (kernel.limiter == OccupancyLimiter::unknown) return text::no_value;
  std::string name(to_string(kernel.limiter));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

template <class Entry>
double total_s(const std::vector<Entry>& entries) {
  double total = 0;
  for (const auto& entry : entries) total += entry.time.total_s;
  return total;
}

std::string share(const Tally& time, double total) {
  return total > 0 ? text::format_percent(time.total_s / total) : text::no_value;
}

std::string operation_of(const KernelProfile& kernel) {
  const auto& operation = kernel.operation;
  return operation ? operation->name + " " + operation->direction : text::no_value;
}

/// What all launches of the kernel did of `amount`, over their time.
std::string rate_of(const KernelProfile& kernel, double Operation::*amount, const char* unit) {
  if (!kernel.operation || kernel.time.total_s <= 0) return text::no_value;
  const double each = (*kernel.operation).*amount;
  if (each <= 0) return text::no_value;
  return text::format_rate(each * static_cast<double>(kernel.time.count) / kernel.time.total_s,
                           unit);
}

std::string tensor_cores_of(const KernelProfile& kernel) {
  if (!kernel.operation) return text::no_value;
  const auto used = uses_tensor_cores(kernel);
  return !used ? text::no_value : *used ? "yes" : "no";
}

/// A task of the host has no grid, and so on: columns that say nothing of any row go.
void drop_empty_columns(Table& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const auto says_nothing = [&](const auto& row) { return row[i].text == text::no_value; };
    if (!std::all_of(table.rows.begin(), table.rows.end(), says_nothing)) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

/// A table of the first entries. `row` makes one.
template <class Entry, class Row>
void add_table(const std::string& name, const std::vector<Entry>& entries,
               std::vector<Column> columns, const Row& row, std::vector<TitledTable>& tables) {
  if (entries.empty()) return;
  const std::size_t shown = std::min(entries.size(), most_rows);
  TitledTable titled{name, {std::move(columns), {}}};
  if (shown < entries.size()) titled.title += fmt::format(" ({} of {})", shown, entries.size());
  const double total = total_s(entries);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<Cell> cells;
    for (auto& text : row(entries[i], total)) cells.push_back({std::move(text)});
    titled.table.rows.push_back(std::move(cells));
  }
  drop_empty_columns(titled.table);
  tables.push_back(std::move(titled));
}

using Texts = std::vector<std::string>;

std::vector<TitledTable> tables_of(const Profile& profile, const DeviceFacts& device) {
  std::vector<TitledTable> tables;
  add_table(
      "kernels", profile.kernels,
      {{"kernel", false},
       {"operation", false, 95},
       {"shapes", false, 68},
       {"type", false, 69},
       {"time"},
       {"share"},
       {"launches", true, 80},
       {"average", true, 65},
       {"FLOP/s", true, 90},
       {"B/s", true, 85},
       {"tensor cores", false, 78},
       {"grid", true, 75},
       {"block", true, 70},
       {"registers", true, 40},
       {"shared", true, 30},
       {"local", true, 20},
       {"occupancy", true, 60},
       {"limited by", false, 50}},
      [&](const KernelProfile& kernel, double total) {
        return Texts{
            text::printable(without_parameters(kernel.name)),
            text::printable(operation_of(kernel)),
            kernel.operation ? text::printable(kernel.operation->shapes) : text::no_value,
            kernel.operation ? text::printable(kernel.operation->type) : text::no_value,
            text::format_time(kernel.time.total_s),
            share(kernel.time, total),
            std::to_string(kernel.time.count),
            average(kernel.time),
            rate_of(kernel, &Operation::flops, "FLOP/s"),
            rate_of(kernel, &Operation::bytes, "B/s"),
            tensor_cores_of(kernel),
            size_text(kernel.grid),
            size_text(kernel.block),
            kernel.registers_per_thread > 0 ? std::to_string(kernel.registers_per_thread)
                                            : text::no_value,
            bytes_or_none(std::uint64_t{kernel.static_shared_bytes} + kernel.dynamic_shared_bytes),
            bytes_or_none(kernel.local_bytes),
            occupancy_of(kernel, device),
            limiter_of(kernel)};
      },
      tables);
  add_table(
      "copies", profile.copies,
      {{"copy", false},
       {"from", false},
       {"to", false},
       {"time"},
       {"copies"},
       {"bytes"},
       {"rate"},
       {"host waited", true, 50}},
      [](const CopyProfile& copy, double) {
        const auto bytes = static_cast<double>(copy.bytes);
        const double time = copy.time.total_s;
        const bool is_memset = copy.name == "memset";
        return Texts{text::printable(copy.name),
                     is_memset ? text::no_value : std::string(to_string(copy.source)),
                     std::string(to_string(copy.target)),
                     text::format_time(time),
                     std::to_string(copy.time.count),
                     text::format_rate(bytes, "B"),
                     time > 0 ? text::format_rate(bytes / time, "B/s") : text::no_value,
                     std::to_string(copy.synchronous)};
      },
      tables);
  add_table(
      "calls", profile.calls, {{"call", false}, {"time"}, {"calls"}, {"average"}, {"longest"}},
      [](const CallProfile& call, double) {
        return Texts{text::printable(call.name), text::format_time(call.time.total_s),
                     std::to_string(call.time.count), average(call.time),
                     text::format_time(call.time.max_s)};
      },
      tables);
  return tables;
}

std::string time_of(const Estimate& time) {
  std::string text = text::format_time(time.value);
  if (time.high > time.low && time.value > 0) {
    text += (time.lopsided() ? " " : " ±") + format_spread(time);
  }
  return text;
}

/// ", bound by memory: 92 % of its ceiling"; empty where no ceiling is known.
std::string bound_of(const std::optional<Roofline>& roofline) {
  if (!roofline) return "";
  std::string text = ", bound by " + std::string(to_string(roofline->bound));
  if (roofline->busiest.bound != Bound::unknown) {
    text += " (" + roofline->busiest.name + " at " + text::format_percent(roofline->busiest.share) +
            ")";
  }
  if (roofline->nearest == Bound::unknown) return text;
  const bool near = roofline->bound == roofline->nearest;
  if (near && roofline->share > above_ceiling) {
    return text + ": " + text::format_percent(roofline->share) +
           " of its ceiling, which should be measured again (bench ceilings)";
  }
  return text + ": " + text::format_percent(roofline->share) + " of " +
         (near ? "its ceiling"
               : "the nearest ceiling, " + std::string(to_string(roofline->nearest)));
}

/// A trace of the host alone may hold no kernels, but always a span.
bool was_traced(const Result& result, const CaseSummary& summary) {
  const auto& all = result.measurements;
  return summary.facts.contains("span") || std::any_of(all.begin(), all.end(), [&](const auto& m) {
           return m.case_index == summary.info->index && !m.profile.empty();
         });
}

}  // namespace

const Profile& traced_profile(const Result& result, std::size_t case_index) {
  static const Profile nothing;
  for (const auto& measurement : result.measurements) {
    if (measurement.case_index == case_index && !measurement.profile.empty())
      return measurement.profile;
  }
  return nothing;
}

std::vector<std::string> remarks(const Result& result) {
  std::size_t traced = 0;
  std::size_t untraced = 0;
  for (const auto& summary : summarize(result)) {
    if (summary.status == CaseStatus::measured) ++(was_traced(result, summary) ? traced : untraced);
  }
  const std::string why = result.interrupted ? " (interrupted)" : "";
  std::vector<std::string> lines;
  if (traced == 0) {
    lines.push_back("no case was traced, so nothing can be explained" + why);
  } else if (untraced > 0) {
    lines.push_back(
        fmt::format("not traced: {} {}{}", untraced, untraced == 1 ? "case" : "cases", why));
  }
  if (traced > 0 && !result.ceilings) {
    lines.emplace_back("no ceilings of this device were found: bench ceilings measures them");
  }
  return lines;
}

std::string nothing_found(const ExplanationView& view) {
  return view.on_gpu ? "nothing was found that loses time"
                     : "findings are about GPUs: only aliased streams and ceilings are judged of a "
                       "host case";
}

std::vector<ExplanationView> explain(const Result& result) {
  std::vector<ExplanationView> views;
  for (const auto& summary : summarize(result)) {
    if (summary.status != CaseStatus::measured) continue;
    const std::size_t index = summary.info->index;
    const Profile& profile = traced_profile(result, index);
    if (profile.empty() && summary.findings.empty()) continue;
    ExplanationView view;
    view.id = text::printable(summary.info->id);
    view.time = time_of(summary.time_s) + bound_of(summary.roofline);
    view.facts = summary.facts;
    view.tables = tables_of(profile, result.environment.device);
    view.findings = summary.findings;
    view.on_gpu = summary.info->backend == BackendKind::cuda;
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace apod::report
