#include "benchmarks/show/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/limit.hpp"
#include "benchmarks/show/step_text.hpp"

namespace apod::show {

namespace {

/// Templates have names of a thousand characters; more than this says no more.
constexpr std::size_t longest_subject = 80;

std::string subject_of(const Finding& finding) {
  if (finding.subject.empty()) return "";
  const char last = finding.subject.back();
  const bool is_long =
      finding.subject.size() > longest_subject && (last == '>' || last == ']' || last == ')');
  return ": " + (is_long ? short_kernel_name(finding.subject) : finding.subject);
}

}  // namespace

std::string timeline_line(const std::map<std::string, double>& facts) {
  std::string line;
  const auto is = [&](const char* fact, double number) {
    const auto found = facts.find(fact);
    return found != facts.end() && found->second == number;
  };
  const auto add = [&](const char* fact, const char* words) {
    const auto found = facts.find(fact);
    if (found == facts.end()) return;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", words, fact_text(fact, found->second));
  };
  const bool copies = !is("copies", 0);
  add("span", "span");
  add("busy", "busy");
  if (!facts.contains("busy")) add("idle", "idle");
  add("longest_gap", "longest gap");
  add("kernel_time", "in kernels");
  if (copies) add("copy_time", "in copies");
  if (!is("traced_streams", 1)) {
    add("overlap", "operations overlapping");
    if (copies) add("copy_kernel_overlap", "copies overlapping kernels");
    add("kernel_overlap", "kernels overlapping kernels");
  }
  add("traced_streams", "streams");
  add("kernels", "kernels");
  if (copies) add("copies", "copies");
  add("occupancy", "occupancy");
  add("launch_latency", "launch latency");
  add("host_wait", "host waits");
  return line;
}

std::string gain_text(const Finding& finding) {
  constexpr double least_shown = 0.00005;
  if (!(finding.gain >= least_shown)) return "";
  return " (up to " + text::format_percent(finding.gain) + " of the time)";
}

List findings_list(const std::vector<Finding>& findings) {
  List list;
  for (const auto& finding : findings) {
    const bool warns = finding.severity == Severity::warning;
    auto& item = list.items.emplace_back();
    item.text = {{std::string(to_string(finding.severity)) + " "},
                 {finding.id, warns ? Tone::warning : Tone::strong},
                 {subject_of(finding) + gain_text(finding)}};
    for (const auto* text : {&finding.evidence, &finding.advice}) {
      if (!text->empty()) item.more.emplace_back(*text);
    }
  }
  return list;
}

Table findings_table(const std::vector<Finding>& findings) {
  Table table{"", {{"id"}, {"severity"}, {"subject"}, {"evidence"}, {"advice"}, {"gain"}}};
  for (const auto& finding : findings) {
    table.rows.push_back({{{finding.id},
                           {std::string(to_string(finding.severity))},
                           {finding.subject},
                           {finding.evidence},
                           {finding.advice},
                           {"", Tone::plain, finding.gain}}});
  }
  return table;
}

namespace {

constexpr std::size_t most_rows = 5;         ///< of a table of one case among several
constexpr std::size_t longest_kernel = 100;  ///< a name, unless two would be called the same

std::string size_text(const std::array<std::uint32_t, 3>& size) {
  return size[0] > 0 ? shape(size) : "";  // a task of the host has none
}

std::string bytes_or_none(std::uint64_t bytes) {
  return bytes > 0 ? text::format_bytes(static_cast<double>(bytes)) : "";
}

std::string average(const Tally& time) {
  return time.empty() ? "" : text::format_time(time.mean_s());
}

/// Resident threads / threads that the device can hold, while the kernel fills it.
std::string occupancy_of(const KernelProfile& kernel, const DeviceFacts& device) {
  const double most = device.max_threads_per_multiprocessor;
  if (kernel.resident_blocks == 0 || most <= 0) return "";
  const double threads = static_cast<double>(kernel.block[0]) * kernel.block[1] * kernel.block[2];
  return text::format_percent(kernel.resident_blocks * threads / most);
}

std::string limiter_of(const KernelProfile& kernel) {
  if (kernel.limiter == OccupancyLimiter::unknown) return "";
  std::string name(to_string(kernel.limiter));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string share(const Tally& time, double total) {
  return total > 0 ? text::format_percent(time.total_s / total) : "";
}

/// What all launches of the kernel did of `amount`, over their time.
std::string rate_of(const KernelProfile& kernel, double Operation::*amount, const char* unit) {
  if (!kernel.operation || kernel.time.total_s <= 0) return "";
  const double each = (*kernel.operation).*amount;
  if (each <= 0) return "";
  return text::format_rate(each * static_cast<double>(kernel.time.count) / kernel.time.total_s,
                           unit);
}

std::string tensor_cores_of(const KernelProfile& kernel) {
  if (!kernel.operation) return "";
  const auto used = uses_tensor_cores(kernel);
  return !used ? "" : *used ? "yes" : "no";
}

Column words(const char* name, int priority = Column::essential, bool key = false) {
  return {.name = name, .align = Align::left, .priority = priority, .key = key};
}

Column numbers(const char* name, int priority = Column::essential, bool key = false) {
  return {.name = name, .priority = priority, .key = key};
}

/// A table of the first entries. `row` makes one.
template <class Entry, class Row>
Table table_of(const std::string& name, const std::vector<Entry>& entries, std::size_t most,
               std::vector<Column> columns, const Row& row) {
  const std::size_t shown = std::min(entries.size(), most);
  Table table{name, std::move(columns)};
  if (shown < entries.size()) table.caption += fmt::format(" ({} of {})", shown, entries.size());
  for (std::size_t i = 0; i < shown; ++i) {
    auto& cells = table.rows.emplace_back().cells;
    for (auto& text : row(entries[i])) cells.push_back({std::move(text)});
  }
  return table;
}

using Texts = std::vector<std::string>;

Table kernels_table(const Profile& profile, const DeviceFacts& device, std::size_t most) {
  const double all = profile.work_s();
  std::vector<std::string> names;
  for (const auto& kernel : profile.kernels) names.push_back(without_parameters(kernel.name));
  names = text::shorten_apart(names, longest_kernel);
  auto name = names.begin();
  return table_of(
      "kernels", profile.kernels, most,
      {words("kernel", Column::essential, true), words("operation", 95, true),
       words("shapes", 68, true), words("type", 69, true), numbers("time"),
       numbers("of device work"), numbers("launches", 80), numbers("average", 65),
       numbers("FLOP/s", 90), numbers("B/s", 85), words("tensor cores", 78),
       numbers("grid", 75, true), numbers("block", 70, true), numbers("registers", 40),
       numbers("shared", 30), numbers("local", 20), numbers("occupancy", 60),
       words("limited by", 50)},
      [&](const KernelProfile& kernel) {
        const auto& operation = kernel.operation;
        return Texts{
            std::move(*name++),
            operation ? operation->name + " " + operation->direction : "",
            operation ? operation->shapes : "",
            operation ? operation->type : "",
            text::format_time(kernel.time.total_s),
            share(kernel.time, all),
            std::to_string(kernel.time.count),
            average(kernel.time),
            rate_of(kernel, &Operation::flops, "FLOP/s"),
            rate_of(kernel, &Operation::bytes, "B/s"),
            tensor_cores_of(kernel),
            size_text(kernel.grid),
            size_text(kernel.block),
            kernel.registers_per_thread > 0 ? std::to_string(kernel.registers_per_thread) : "",
            bytes_or_none(std::uint64_t{kernel.static_shared_bytes} + kernel.dynamic_shared_bytes),
            bytes_or_none(kernel.local_bytes),
            occupancy_of(kernel, device),
            limiter_of(kernel)};
      });
}

Table copies_table(const Profile& profile, std::size_t most) {
  return table_of("copies", profile.copies, most,
                  {words("copy", Column::essential, true), words("from", Column::essential, true),
                   words("to", Column::essential, true), numbers("time"), numbers("copies"),
                   numbers("bytes"), numbers("rate"), numbers("host waited", 50)},
                  [](const CopyProfile& copy) {
                    const auto bytes = static_cast<double>(copy.bytes);
                    const double time = copy.time.total_s;
                    return Texts{copy.name,
                                 copy.name == "memset" ? "" : std::string(to_string(copy.source)),
                                 std::string(to_string(copy.target)),
                                 text::format_time(time),
                                 std::to_string(copy.time.count),
                                 text::format_rate(bytes, "B"),
                                 time > 0 ? text::format_rate(bytes / time, "B/s") : "",
                                 std::to_string(copy.synchronous)};
                  });
}

template <class Entry, class NameOf>
Table times_table(const std::string& caption, const char* one, const char* several,
                  const std::vector<Entry>& entries, std::size_t most, const NameOf& name_of,
                  double steps = 1) {
  return table_of(caption, entries, most,
                  {words(one, Column::essential, true), numbers("time"), numbers(several),
                   numbers("average"), numbers("longest")},
                  [&](const Entry& entry) {
                    const bool once = entry.time.count == 1;  // its time says all
                    return Texts{name_of(entry), text::format_time(entry.time.total_s / steps),
                                 text::format_count(static_cast<double>(entry.time.count) / steps),
                                 once ? "" : average(entry.time),
                                 once ? "" : text::format_time(entry.time.max_s)};
                  });
}

/// ", bound by memory: 92 % of the measured memory ceiling"; without ceilings the share of the
/// theoretical peak; empty where neither is known.
std::string bound_phrase(const CaseSummary& summary) {
  const auto& roofline = summary.roofline;
  const Limit limit = limit_of(summary);
  if (!roofline) return limit.nearest == Bound::unknown ? "" : ", " + limit.text();
  std::string text = roofline->bound == Bound::none ? ", not near a ceiling"
                     : roofline->bound == Bound::unknown
                         ? ""
                         : ", bound by " + std::string(to_string(limit.bound));
  if (roofline->busiest.bound != Bound::unknown) {
    const auto& busiest = roofline->busiest;
    text += " (" + busiest.name + " at " + text::format_percent(busiest.share) +
            (busiest.counted_in.empty() ? "" : ", counted in " + busiest.counted_in) + ")";
  }
  if (limit.nearest == Bound::unknown) return text;
  return text + (text.empty() ? ", " : ": ") + limit.text();
}

std::string nothing_found(const CaseSummary& summary) {
  if (summary.info->backend != BackendKind::cuda) {
    return "no findings: most findings need a GPU; a host case can only have findings about "
           "streams and ceilings";
  }
  const Limit limit = limit_of(summary);
  const bool far = limit.nearest != Bound::unknown && limit.share < near_ceiling;
  return far ? "no reason was found why the case reaches only " + limit.text() : no_cause;
}

/// "29.74 ms ±0.15 %", then what bounds it.
std::string time_of(const CaseSummary& summary) {
  const std::string interval = interval_text(summary.time());
  return text::format_time(summary.time().value) + (interval.empty() ? "" : " " + interval) +
         bound_phrase(summary);
}

/// What is to be known of all sections together: that nothing was traced, or some cases were not;
/// that no ceilings are known.
void add_remarks(Document& document, const Result& result,
                 const std::vector<CaseSummary>& summaries) {
  std::size_t traced = 0;
  std::size_t unrecorded = 0;  // a span is known, but no kernel, copy or call
  std::size_t untraced = 0;
  bool any_finding = false;
  for (const auto& summary : summaries) {
    if (summary.status != CaseStatus::measured) continue;
    const bool recorded = !summary.profile->empty();
    ++(recorded ? traced : summary.fact("span") != nullptr ? unrecorded : untraced);
    any_finding = any_finding || !summary.findings.empty();
  }
  const std::string why = result.interrupted ? " (interrupted)" : "";
  if (is_thin(result)) {
    document.add(
        Paragraph{std::string("samples, timelines, kernels, copies and calls: ") + not_kept});
  } else if (traced + unrecorded == 0) {
    if (!any_finding) document.add(Paragraph{"not traced, so nothing can be explained" + why});
  } else if (untraced > 0) {
    document.add(Paragraph{"not traced: " + text::counted(untraced, "case") + why});
  }
  if (unrecorded > 0 && !is_thin(result)) {
    document.add(Paragraph{"traced, but without kernels, copies and calls: " +
                           text::counted(unrecorded, "case")});
  }
  if (traced > 0 && !result.ceilings) {
    document.add(Paragraph{no_ceilings});
  }
}

Table ranges_table(const Profile& profile, std::size_t most) {
  auto ranges = profile.ranges;
  std::erase_if(ranges, [](const auto& range) { return range.time.max_s <= 0; });  // marks
  std::ranges::stable_sort(ranges, std::greater(), [](const auto& r) { return r.time.total_s; });
  return times_table("NVTX ranges", "range", "times", ranges, most, [](const auto& range) {
    return range.domain.empty() ? range.name : range.domain + ":" + range.name;
  });
}

}  // namespace

Table calls_table(const Profile& profile, std::size_t most, double steps) {
  return times_table("calls", "call", "calls", profile.calls, most, std::mem_fn(&CallProfile::name),
                     steps);
}

Document profile_tables(const Profile& profile, const DeviceFacts& device, std::size_t most) {
  Document document;
  document.add(kernels_table(profile, device, most));
  document.add(copies_table(profile, most));
  document.add(calls_table(profile, most));
  document.add(ranges_table(profile, most));
  return document;
}

Document explanation_document(const Result& result) {
  const auto summaries = summarize(result);
  Document document;
  const bool traced =
      std::ranges::any_of(summaries, [](const auto& summary) { return !summary.profile->empty(); });
  document.add(
      Heading{1,
              {"explanation"},
              is_thin(result) ? "findings of the whole result, before --thin removed the samples"
              : traced        ? "for each traced case, from a run after the timed runs"
                       : "not traced: the explanation uses only the times and the stated work"});
  add_remarks(document, result, summaries);
  for (const auto& summary : summaries) {
    const Profile& profile = *summary.profile;
    const bool has_something = !profile.empty() || !summary.findings.empty();
    if (summary.status != CaseStatus::measured || !has_something) continue;
    document.add(Heading{
        2, {summary.info->id}, time_of(summary), false, explanation_anchor(summary.info->index)});
    if (const auto parts = parts_named(profile.parts_s); parts.total_s() > 0) {
      document.add(Paragraph{fmt::format("the traced run of {}: {}",
                                         text::format_time(parts.total_s(), text::in_prose),
                                         parts_text(parts))});
    }
    const auto timeline = timeline_line(summary.values());
    if (!timeline.empty()) document.add(Paragraph{timeline});
    document.add(findings_list(summary.findings));
    if (summary.findings.empty()) document.add(Paragraph{nothing_found(summary)});
    document.append(profile_tables(profile, result.environment.device, most_rows));
  }
  return document;
}

}  // namespace apod::show
