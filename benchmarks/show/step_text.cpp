#include "benchmarks/show/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod::show {
namespace {

constexpr std::size_t most_told = 3;
constexpr double uneven = 1.5;               ///< times the median: a mean that is said
constexpr double slow_enough_to_name = 1.3;  ///< times the median
constexpr double least_waited = 0.1;         ///< of a step; what is shorter needs no place
constexpr double least_other = 0.005;
constexpr double least_named_part = 0.03;  ///< of a step; what is shorter is "other"

/// A name that the program chose, as far as a line has room for it.
std::string told(std::string_view name) {
  return text::shorten(text::printable(name), longest_told);
}

struct UnitOfTime {
  const char* name;
  double a_second;
};
UnitOfTime unit_of(double seconds) {
  if (seconds >= 1) return {"s", 1};
  if (seconds >= 1e-3) return {"ms", 1e3};
  return seconds >= 1e-6 ? UnitOfTime{"us", 1e6} : UnitOfTime{"ns", 1e9};
}

/// Without its unit, in that of `whole`: "4.5" of 4.5 ms, beside "27.8 ms".
std::string bare(double seconds, double whole) {
  return text::format_count(std::round(seconds * unit_of(whole).a_second * 1000) / 1000);
}

bool is_of_the_host(std::string_view id) {
  constexpr std::array<std::string_view, 8> ids{
      "host-bound",     "many-small-kernels",    "blocking-reads",
      "exposed-copies", "exposed-communication", "rank-skew",
      "first-use",      "allocation-in-loop"};
  return std::ranges::find(ids, id) != ids.end();
}

/// Whole percents that add up to 100, by largest remainders.
std::vector<int> percents(const std::vector<double>& seconds) {
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::vector<int> whole(seconds.size());
  std::vector<std::pair<double, std::size_t>> rest;
  int left = 100;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double exact = all > 0 ? 100 * seconds[i] / all : 0;
    whole[i] = static_cast<int>(exact);
    left -= whole[i];
    rest.emplace_back(whole[i] - exact, i);
  }
  if (!(all > 0)) return whole;
  std::ranges::stable_sort(rest);
  for (std::size_t i = 0; i < rest.size() && left > 0; ++i, --left) ++whole[rest[i].second];
  return whole;
}

std::string causes_text(const std::vector<NamedTime>& causes, double all) {
  std::string text;
  std::size_t count = 0;
  for (const auto& cause : causes) {
    if (cause.time.total_s < 0.05 * all || ++count > 2) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cause.name, time(cause.time.total_s));
  }
  return text;
}

/// All of the steps together can't save more than all.
double together(const StepReport& report) {
  double host = 0;
  double kernels = 0;
  for (const auto& finding : report.findings) {
    if (finding.severity != Severity::warning) continue;
    (is_of_the_host(finding.id) ? host : kernels) += finding.gain;
  }
  const double step = report.steps.mean_s();
  const double of_kernels = step > 0 ? report.steps.mean()[StepPart::kernels] / step : 0;
  return std::min(1.0, host + std::min(kernels, of_kernels));
}

std::string of_subject(const Finding& finding) {
  if (finding.subject.empty()) return "";
  return " in " + told(short_kernel_name(finding.subject));
}

bool is_cause(const Finding& finding) {
  return finding.severity == Severity::warning && finding.gain > 0;
}

/// A note that the answer tells too.
bool is_told_note(const Finding& finding) {
  return finding.severity == Severity::note && finding.id == "unused-tensor-cores";
}

void add_causes(const StepReport& report, List& list, Audience audience) {
  const double step = report.steps.mean_s();
  std::size_t count = 0;
  std::size_t more = 0;
  for (const auto& finding : report.findings) {
    if (!is_cause(finding)) continue;
    if (++count > most_told) {
      ++more;
      continue;
    }
    auto& item = list.items.emplace_back();
    item.text = {{fmt::format("{} ", count)},
                 {finding.id, Tone::warning},
                 {fmt::format(", at most {} ({})", time(finding.gain * step),
                              text::format_share(finding.gain))},
                 {of_subject(finding) + ": " + finding.evidence}};
    if (!finding.advice.empty()) item.more.emplace_back(finding.advice);
  }
  std::string last;
  if (count == 0) last = "the timeline shows no cause that costs 1 % or more";
  if (count > 1) last = "together at most " + text::format_share(together(report));
  if (more > 0) last += "; " + text::counted(more, "more finding");
  if (more > 0 && audience != Audience::page) last += ": --table findings";
  const double recorder = report.steps.mean()[StepPart::recorder];
  if (recorder > 0) {
    last +=
        fmt::format("{}subtracted: the {} that the recorder added to {}", last.empty() ? "" : "; ",
                    time(recorder), report.steps.repeats() ? "a step" : "the run");
    if (report.by_recorder) {
      last += fmt::format("; not subtracted: up to {} for recording the calls",
                          time(report.steps.calls_a_step * recorded_call_s));
    }
  }
  if (!last.empty()) list.items.push_back({last});
}

std::string apart_text(const Steps& found) {
  const auto& apart = found.apart;
  std::string text = "left out between the steps: ";
  if (found.apart_s > least_other * found.median_s()) text += time(found.apart_s) + ", ";
  const auto shown = std::min(apart.size(), most_told);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : ", ") + (found.by == StepsBy::ranges ? told(apart[i]) : apart[i]);
  return apart.size() > shown ? text + fmt::format(", {} more", apart.size() - shown) : text;
}

/// The name that took the most time, and its share of all time: "HtoD (92 %)".
std::string longest_text(const std::map<std::string, double>& seconds, double all) {
  const auto longest =
      std::ranges::max_element(seconds, {}, [](const auto& one) { return one.second; });
  return fmt::format("{} ({})", told(longest->first), text::format_share(longest->second / all));
}

/// The kernels of a step by the name or family that takes most of their time, and what can be done.
/// The owner of a program can't change the kernels of a library.
std::string kernels_text(const StepReport& report) {
  std::map<std::string, double> own;
  std::map<std::string, double> families;
  double all = 0;
  double of_libraries = 0;
  bool may_mask = false;
  for (const auto& kernel : report.profile.kernels) {
    const double time_s = kernel.time.total_s;
    if (kernel_family(kernel.name) == KernelFamily::communication) continue;
    const bool is_library = is_library_kernel(kernel.name);
    all += time_s;
    of_libraries += is_library ? time_s : 0;
    may_mask = may_mask || (kernel_family(kernel.name) == KernelFamily::attention &&
                            kernel.name.find("flash_fwd") == std::string::npos &&
                            kernel.name.find("flash_bwd") == std::string::npos);
    if (!is_library) own[short_kernel_name(kernel.name)] += time_s;
    families[std::string(to_string(kernel_family(kernel.name)))] += time_s;
  }
  if (!(all > 0)) return "";
  if (of_libraries > 0.5 * all) {
    const auto longest = longest_text(families, all);
    const bool fuses = longest.starts_with(to_string(KernelFamily::elementwise)) ||
                       longest.starts_with(to_string(KernelFamily::softmax));
    const bool attention = may_mask && longest.starts_with(to_string(KernelFamily::attention));
    const auto advice = fuses && !report.fuse.empty() ? report.fuse
                        : attention ? "use the causal flag instead of a mask, which takes all pairs"
                                    : "change precision, layout or sizes to get other kernels";
    return fmt::format("kernels are the limit; the most time goes to {}: {}", longest, advice);
  }
  return fmt::format("kernels are the limit; the most time goes to {}{}", longest_text(own, all),
                     report.may_capture ? " (bench capture -- PROGRAM makes an experiment of this "
                                          "kernel; its --counters say more)"
                                        : "");
}

/// Where kernels or copies take most of a step and no finding saves much: which of them to work on.
std::string limit_text(const StepReport& report) {
  constexpr double much = 0.25;
  for (const auto& finding : report.findings) {
    if (finding.gain >= much) return "";
  }
  const auto mean = report.steps.mean();
  if (const double paused = mean[StepPart::between]; paused > much * mean.total_s()) {
    return fmt::format(
        "for {}, the device is idle although work is launched: this work waits for another "
        "stream, or the recording lacks work of CUDA graphs",
        time(paused));
  }
  const double most = 0.5 * mean.total_s();
  if (mean[StepPart::kernels] > most) return kernels_text(report);
  if (!(mean[StepPart::copies] > most) || report.profile.copies.empty()) return "";
  std::map<std::string, double> copies;
  double all = 0;
  bool pageable = false;
  for (const auto& copy : report.profile.copies) {
    copies[copy.name] += copy.time.total_s;
    all += copy.time.total_s;
    pageable |= copy.source == MemoryKind::pageable || copy.target == MemoryKind::pageable;
  }
  return fmt::format(
      "copies are the limit; the most time goes to {}: copy less, or keep data on the device{}",
      longest_text(copies, all),
      pageable && !report.steps.repeats()
          ? " (pinned memory saves time only if it is used more than once)"
          : "");
}

/// Where the device mostly waits for the host; empty where it waits little, or in many places.
std::string wait_text(const Steps& found) {
  const auto& [after, before, where, waits, all_s] = found.wait;
  const auto number = static_cast<double>(std::max<std::size_t>(1, found.steady.size()));
  if (waits.empty() || all_s < least_waited * found.mean_s() * number) return "";
  const auto between = !after.empty() && !before.empty()
                           ? fmt::format(" between {} and {}", told(after), told(before))
                       : !after.empty()  ? " after " + told(after)
                       : !before.empty() ? " before " + told(before)
                                         : "";
  const auto a_step =
      static_cast<std::size_t>(std::ceil(static_cast<double>(waits.count) / number));
  return fmt::format("waiting for the host: {} of {}{}{} ({} of {})",
                     bare(waits.total_s / number, all_s / number), time(all_s / number), between,
                     where.empty() ? "" : ", " + told(where), text::counted(a_step, "wait"),
                     time(waits.mean_s()));
}

}  // namespace

std::string time(double seconds) {
  return text::format_time(seconds, text::in_prose);
}

std::string parts_text(const Parts& parts) {
  std::vector<std::string_view> names;
  std::vector<double> seconds;
  double rest = 0;
  std::vector<std::size_t> order(program_parts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return parts.s[a] > parts.s[b]; });
  for (const auto part : order) {
    if (parts.s[part] < least_named_part * parts.total_s()) {
      rest += parts.s[part];
      continue;
    }
    names.push_back(to_string(static_cast<StepPart>(part)));
    seconds.push_back(parts.s[part]);
  }
  if (rest >= least_other * parts.total_s()) {
    names.push_back("other");
    seconds.push_back(rest);
  }
  const auto shares = percents(seconds);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("{}{} {} ({} %)", i == 0 ? "" : ", ", names[i],
                        bare(seconds[i], parts.total_s()), shares[i]);
  }
  return text;
}

std::string answer_line(const StepReport& report) {
  const auto& steps = report.steps;
  const auto mean = steps.mean();
  const double all = mean.total_s();
  const auto works = text::format_share(all > 0 ? 1 - mean.idle_s() / all : 0);
  const auto subject = told(report.subject);
  if (!steps.repeats()) {
    return fmt::format(
        "{}: no steps were found, so this describes the whole run: {} from the first operation to "
        "the last{}; the GPU is busy for {} of this time.",
        subject, time(all), steps.start.empty() ? "" : " without the start", works);
  }
  const auto launches = text::format_count(std::round(steps.launches_a_step));
  const auto name = told(steps.name);
  const auto what = steps.by == StepsBy::ranges ? fmt::format("runs '{}'", name)
                    : launches == "0" ? fmt::format("repeats {}", name)  // of copies alone
                    : launches == "1"
                        ? fmt::format("repeats the launch of {}", name)
                        : fmt::format("repeats {} launches (the first is {})", launches, name);
  const auto times = steps.found == 1 ? "once" : fmt::format("{} times", steps.found);
  const auto within = steps.within.empty() ? "" : fmt::format(" within '{}'", told(steps.within));
  const auto line = fmt::format("{} {} {}{}", subject, what, times, within);
  if (steps.steady.size() == 1) {
    return line + fmt::format(
                      ". {} takes {}; the GPU is busy for {} of this time. With one step, there is "
                      "no spread.",
                      steps.found == 1 ? "It" : "The step after the start", time(all), works);
  }
  double least = all;
  double most = 0;
  for (const auto& step : steps.steady) {
    least = std::min(least, step.parts.total_s());
    most = std::max(most, step.parts.total_s());
  }
  const double median = steps.median_s();
  const auto mean_text =
      all > uneven * median ? fmt::format(", {} on average", time(all)) : std::string();
  return line + fmt::format(", {} each (median of {}, {} to {}){}; the GPU is busy for {}",
                            time(median), steps.steady.size(), bare(least, median),
                            bare(most, median), mean_text, works);
}

List answer_list(const StepReport& report, Audience audience) {
  const auto& steps = report.steps;
  List list;
  list.items.push_back({Span{answer_line(report), Tone::strong}});
  if (report.exit_code != 0) {
    list.items.push_back(
        {Span{fmt::format("The program ended with exit code {}{}.", report.exit_code,
                          steps.by == StepsBy::ranges && !steps.steady.empty()
                              ? fmt::format(" after {}", told(steps.steady.back().name))
                              : ""),
              Tone::warning}});
  }
  const auto mean = steps.mean();
  list.items.push_back({fmt::format("{} of {}: {}", steps.repeats() ? "mean step" : "the run",
                                    time(mean.total_s()), parts_text(mean))});
  if (auto wait = wait_text(steps); !wait.empty()) list.items.push_back({std::move(wait)});
  if (steps.start_s > 0) {
    const auto& names = steps.start_names;
    const auto which = names.empty()       ? std::string()
                       : names.size() == 1 ? " with " + told(names.front())
                                           : fmt::format(" with the first {} steps", names.size());
    list.items.push_back({fmt::format("left out: the start{}, {}: {}", which, time(steps.start_s),
                                      causes_text(steps.start, steps.start_s))});
  }
  const auto* slow = steps.slowest();
  if (steps.steady.size() > 2 && slow->parts.total_s() > slow_enough_to_name * steps.median_s()) {
    const auto reason = reason_of(steps);
    list.items.push_back(
        {fmt::format("the slowest step, {}: {} more than usual ({})", told(slow->name),
                     time(reason.more_s), to_string(reason.part))});
  }
  add_causes(report, list, audience);
  if (auto limit = limit_text(report); !limit.empty()) list.items.push_back({std::move(limit)});
  for (const auto& finding : report.findings) {
    if (!is_told_note(finding)) continue;
    const bool idle = mean[StepPart::kernels] < 0.5 * mean.total_s();
    list.items.push_back({finding.evidence.substr(0, finding.evidence.find(" (")) +
                          (idle ? ", but kernels are not the limit" : "")});
    list.items.back().more.emplace_back(finding.advice);
  }
  if (!steps.apart.empty()) list.items.push_back({apart_text(steps)});
  if (steps.repeats() && steps.after_s > steps.median_s())
    list.items.push_back({fmt::format("left out after the last step: {}", time(steps.after_s))});
  const double judged = mean.total_s() * static_cast<double>(steps.steady.size());
  if (const double left_out = steps.apart_s + steps.after_s; left_out > judged) {
    list.items.push_back({fmt::format("the steps take {} of the time after the start",
                                      text::format_share(judged / (judged + left_out)))});
  }
  return list;
}

std::vector<Finding> further_findings(std::vector<Finding> findings) {
  std::size_t count = 0;
  std::erase_if(findings,
                [&](const Finding& finding) { return is_cause(finding) && ++count <= most_told; });
  return findings;
}

List tried_list(const std::vector<TriedSwitch>& tried) {
  List list;
  for (const auto& one : tried) {
    auto& item = list.items.emplace_back();
    item.text.spans.push_back({text::printable(one.name), Tone::strong});
    const auto add = [&](std::string more, Tone tone = Tone::plain) {
      item.text.spans.push_back({std::move(more), tone});
    };
    if (!one.failed.empty()) {
      add(": not measured, " + one.failed, Tone::warning);
      continue;
    }
    // A step that takes longer saves less than nothing.
    const double least = -one.change.high * one.base_s;
    const double most = -one.change.low * one.base_s;
    const auto interval =
        fmt::format("95 % interval {} to {} of {}, from {} rounds", bare(least, one.base_s),
                    bare(most, one.base_s), time(one.base_s), one.rounds);
    const double saved = one.base_s - one.with_s;
    if (least > 0) {
      add(fmt::format(" saves {} a step ({})", time(saved), interval), Tone::good);
    } else if (most < 0) {
      add(fmt::format(" costs {} a step (saving: {})", time(-saved), interval), Tone::bad);
    } else {
      add(fmt::format(" saves no more than the noise ({})", interval));
    }
    if (one.at_most_s > 0)
      add(fmt::format("; upper bound of {}: {}", one.finding, bare(one.at_most_s, one.base_s)));
    const bool tells = least > 0 || most < 0;
    if (!one.differs.empty()) add("; " + one.differs);
    if (one.differs.empty() && tells) add("; the kernels and copies are the same");
    if (one.differs.empty() && !tells)
      add("; a step does the same work: the program ignores this switch, or already uses it");
    if (std::abs(one.start_with_s - one.start_base_s) > 0.1 * one.start_base_s) {
      add(fmt::format("; the start takes {} instead of {}", time(one.start_with_s),
                      time(one.start_base_s)));
    }
  }
  return list;
}

std::string step_change(const Comparison& comparison) {
  constexpr std::string_view family_of_step = "step: kernels of ";
  constexpr std::string_view device_of_step = "step: device ";
  const CaseComparison* step = nullptr;
  std::vector<const CaseComparison*> parts;
  for (const auto& c : comparison.cases) {
    if (c.name == "step") step = &c;
    const bool is_part = c.name.starts_with(part_of_step) && !c.name.starts_with(family_of_step) &&
                         !c.name.starts_with(device_of_step);
    if (is_part) parts.push_back(&c);
  }
  if (step == nullptr || !(step->base_s > 0) || !(step->new_s > 0)) return "";
  const auto change = [](const CaseComparison* c) { return std::abs(c->new_s - c->base_s); };
  std::erase_if(parts, [&](const auto* c) { return change(c) < 0.01 * step->base_s; });
  std::ranges::stable_sort(parts,
                           [&](const auto* a, const auto* b) { return change(a) > change(b); });
  if (parts.size() > most_told) parts.resize(most_told);
  auto line = fmt::format("step {} -> {} {}", bare(step->base_s, step->base_s),
                          bare(step->new_s, step->base_s), unit_of(step->base_s).name);
  for (const auto* c : parts) {
    line += fmt::format("{} {} {} -> {}", c == parts.front() ? ":" : ",",
                        c->name.substr(part_of_step.size()), bare(c->base_s, step->base_s),
                        bare(c->new_s, step->base_s));
  }
  return line;
}

}  // namespace apod::show
