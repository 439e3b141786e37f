#include "benchmarks/show/comparison_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/estimate_text.hpp"

namespace apod::show {
namespace {

constexpr std::array<Verdict, 11> report_order{
    Verdict::regression,   Verdict::suspect,   Verdict::missing,      Verdict::invalid,
    Verdict::improvement,  Verdict::small,     Verdict::inconclusive, Verdict::added,
    Verdict::within_noise, Verdict::unchanged, Verdict::identical};

/// What the report order compares: the verdict's place, then the change's size. No NaN.
std::pair<std::ptrdiff_t, double> sort_key(const CaseComparison& c) {
  const auto place = std::ranges::find(report_order, c.verdict);
  const double size = std::isfinite(c.change.value) ? std::abs(c.change.value) : 0;
  return {place - report_order.begin(), -size};
}

}  // namespace

bool is_judged(const CaseComparison& c) {
  const bool compared =
      c.verdict != Verdict::missing && c.verdict != Verdict::added && c.verdict != Verdict::invalid;
  return compared && c.base_s > 0 && c.new_s > 0;
}

std::size_t count_judged(const Comparison& comparison) {
  return static_cast<std::size_t>(std::ranges::count_if(comparison.cases, is_judged));
}

bool is_compared(const CaseComparison& c) {
  return is_judged(c) || c.verdict == Verdict::identical;
}

std::size_t count_compared(const Comparison& comparison) {
  return static_cast<std::size_t>(std::ranges::count_if(comparison.cases, is_compared));
}

bool ended_early(const Comparison& comparison) {
  return comparison.interrupted || !comparison.failure.empty();
}

std::size_t count_lacking(const Comparison& comparison) {
  return comparison.count(Verdict::invalid) +
         (comparison.of_recordings ? 0 : comparison.count(Verdict::missing));
}

bool is_incomplete(const Comparison& comparison) {
  return ended_early(comparison) || !comparison.unlike.empty() || count_lacking(comparison) > 0;
}

bool is_problem(Verdict verdict) {
  return verdict == Verdict::regression || verdict == Verdict::missing ||
         verdict == Verdict::invalid;
}

std::vector<const CaseComparison*> in_report_order(const Comparison& comparison) {
  std::vector<const CaseComparison*> cases;
  cases.reserve(comparison.cases.size());
  for (const auto& c : comparison.cases) cases.push_back(&c);
  std::ranges::stable_sort(
      cases, [](const auto* a, const auto* b) { return sort_key(*a) < sort_key(*b); });
  return cases;
}

StepName step_of(const Comparison& comparison, const std::string& name) {
  const auto begin = name.rfind(" [");
  const auto arrow = name.rfind(" -> ");
  const bool is_step = comparison.method == CompareMethod::blocks && name.ends_with(']') &&
                       begin != std::string::npos && arrow != std::string::npos && arrow > begin;
  if (!is_step) return {name, "", ""};
  const auto inside = name.substr(begin + 2, name.size() - begin - 3);
  const auto blank = inside.find(' ');
  return {name.substr(0, begin), inside.substr(0, blank), inside.substr(blank + 1)};
}

std::string name_of(const Comparison& comparison, const CaseComparison& c) {
  const StepName own = step_of(comparison, c.name);
  const std::string step = c.name.substr(own.name.size());
  const bool shared = std::ranges::all_of(
      comparison.cases, [&](const auto& other) { return other.name.ends_with(step); });
  return shared ? own.name : c.name;
}

std::string anchor_of(const Comparison& comparison, const CaseComparison& c) {
  return "c" + std::to_string(&c - comparison.cases.data());
}

std::vector<std::string> remarks(const CaseComparison& c) {
  std::vector<std::string> lines;
  if (!c.reason.empty()) lines.push_back(c.reason);
  if (is_change(c.verdict)) {
    for (const auto& cause : c.causes) lines.push_back(cause.text);
  }
  for (const auto& warning : c.warnings) lines.push_back("! " + warning);
  return lines;
}

std::string detectable_of(const CaseComparison& c) {
  if (!is_judged(c) || !c.detectable) return "";
  return c.noise_source == NoiseSource::none ? text::format_percent(*c.detectable)
                                             : beside_change(c.change, *c.detectable);
}

std::vector<std::string> common_lines(const Comparison& comparison) {
  constexpr double worth_telling = 0.005;
  if (!comparison.common) return {};
  const auto& common = *comparison.common;
  const bool moved = is_change(common.verdict) ||
                     (!common.other_machine && std::abs(common.change.value) > common.noise);
  const double least = std::min(worth_telling, comparison.options.threshold / 2);
  if (!moved && std::abs(common.change.value) < least) return {};
  const auto noise = common.noise == 0
                         ? ""
                         : fmt::format(", {} their noise of {}", moved ? "beyond" : "within",
                                       beside_change(common.change, common.noise));
  const char* why = common.other_machine ? "; they ran on different machines"
                    : moved ? ": the cause is the machine, or a change that affects all cases"
                            : "";
  std::vector<std::string> lines{
      fmt::format("{} changed together by {}{}{}", text::counted(common.cases, "case"),
                  change_text(common.change), noise, why),
      "each verdict is about the change beyond this shift; the column noise includes the shift"};
  for (const auto& cause : common.causes)
    lines.push_back("for example in " + common.example + ": " + cause.text);
  return lines;
}

std::string times_of(const CaseComparison& c) {
  if (!is_judged(c)) return "";
  return fmt::format("{} -> {}, {}", shown_value(c, c.base_s), shown_value(c, c.new_s),
                     change_text(c.change));
}

std::string shown_value(bool is_counter, bool is_rate, double value) {
  return is_counter ? fmt::format("{:.4g}", value)
         : is_rate  ? text::format_quantity(1 / value, text::Unit::per_second)
                    : text::format_time(value);
}

}  // namespace apod::show
