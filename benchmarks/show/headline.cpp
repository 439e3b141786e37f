#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/change_sentences.hpp"
#include "benchmarks/show/curve_axes.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/limit.hpp"
#include "benchmarks/show/run_result.hpp"

namespace apod::show {
namespace {

/// A smaller share of a ceiling is no answer.
constexpr double worth_saying = 0.01;
constexpr std::size_t most_answers = 8;

std::string nothing_measured(const Result& result, const std::vector<CaseSummary>& summaries) {
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::string why;
  for (const auto& summary : summaries) {
    failed += summary.status == CaseStatus::failed ? 1 : 0;
    skipped += summary.status == CaseStatus::skipped ? 1 : 0;
    if (why.empty()) why = summary.reason;
  }
  if (summaries.empty()) return "Nothing was measured: the plan has no case";
  if (failed > 0) return fmt::format("Nothing was measured: {} failed (first: {})", failed, why);
  if (skipped > 0) return fmt::format("Nothing was measured: {} skipped (first: {})", skipped, why);
  return result.interrupted ? "Nothing was measured: the run was interrupted"
                            : "Nothing was measured";
}

std::string failed(const std::vector<CaseSummary>& summaries) {
  std::size_t count = 0;
  const CaseSummary* first = nullptr;
  for (const auto& summary : summaries) {
    if (summary.status != CaseStatus::failed) continue;
    if (count++ == 0) first = &summary;
  }
  if (count == 0) return "";
  return fmt::format("{} of {} cases failed; the first is {}: {}", count, summaries.size(),
                     first->info->id, first->reason);
}

std::string missed(const Result& result) {
  std::size_t count = 0;
  const ExpectationOutcome* first = nullptr;
  for (const auto& outcome : result.expectations) {
    if (outcome.state != RuleState::missed) continue;
    if (count++ == 0) first = &outcome;
  }
  if (count == 0) return "";
  return fmt::format("{} of {} expectations not met: {} was expected, but {}", count,
                     result.expectations.size(), first->rule, first->observed);
}

/// The name of a case that is alone in its experiment.
std::string name_of(const Result& result, const CaseSummary& summary) {
  return result.plan.experiments.size() > 1 ? result.plan.experiment_of(*summary.info).name
                                            : summary.info->id;
}

/// "1.081 ms ±0.1 %".
std::string known(const CaseSummary& summary, const std::string& fact) {
  const Estimate& value = *summary.fact(fact);
  const auto interval = interval_text(value, fact);
  return fact_text(fact, value.value) + (interval.empty() ? "" : " " + interval);
}

/// The time, and the energy where it was measured.
std::string cost_of(const CaseSummary& summary) {
  return known(summary, "time") +
         (summary.fact("energy") == nullptr ? "" : " and " + known(summary, "energy"));
}

std::string near_ceiling_text(const Result& result, const Cases& cases) {
  const CaseSummary* best = nullptr;
  for (const auto* summary : cases) {
    const double share = sure_share(*summary);
    if (share >= worth_saying && (best == nullptr || share > sure_share(*best))) best = summary;
  }
  if (best == nullptr) return "";
  const Limit limit = limit_of(*best);
  const std::string where = where_of(result, cases, best, {});
  return fmt::format("{} reaches {}, in {}", where.empty() ? name_of(result, *best) : where,
                     limit.text(), cost_of(*best));
}

/// What there is to say of cases that no baseline and no ceiling tells of.
std::string overview(const Result& result, Cases cases) {
  if (cases.size() == 1) return name_of(result, *cases[0]) + " takes " + cost_of(*cases[0]);
  auto fact = compared_fact(cases);
  const auto moves = [](const auto* one) { return one->value("bus_bandwidth") > 0; };
  if (2 * std::ranges::count_if(cases, moves) > std::ssize(cases)) {
    fact = "bus_bandwidth";
    std::erase_if(cases, std::not_fn(moves));
  }
  const auto has_none = [&](const auto* one) { return one->fact(fact) == nullptr; };
  if (!is_rate(fact) || std::ranges::any_of(cases, has_none)) fact = "time";
  const auto named = [&, all = cases](const CaseSummary& one) {
    const auto where = where_of(result, all, &one, {});
    return where.empty() ? one.info->id : where;
  };
  std::ranges::sort(cases, {}, [&](const auto* one) {
    return is_rate(fact) ? -at_least(*one->fact(fact)) : at_most(one->time());
  });
  const auto& best = *cases[0];  // of programs only the first: they may do different work
  if (fact != "bus_bandwidth" && result.plan.experiment_of(*best.info).command) {
    const auto& last = *cases.back();
    const auto value = fact_text(fact, best.fact(fact)->value);
    if (value == fact_text(fact, last.fact(fact)->value))
      return fmt::format("The {} of each of {} cases is {}", spoken(fact), cases.size(), value);
    return fmt::format("The {} of {} cases goes from {} ({}) to {} ({})", spoken(fact),
                       cases.size(), known(best, fact), named(best), known(last, fact),
                       named(last));
  }
  const auto said = is_rate(fact) ? "is " + known(best, fact) : "takes " + cost_of(best);
  const auto first = is_rate(fact) ? "highest " + spoken(fact) : "fastest";
  const auto rival = std::find_if(cases.begin() + 1, cases.end(), [&](const auto* other) {
    return order_of(best, *other, fact) * (is_rate(fact) ? -1 : 1) >= 0;
  });
  const auto beside = rival == cases.end() ? "" : ", not clearly different from " + named(**rival);
  return fmt::format("The {} of {} cases {}: {}{}", first, cases.size(), said, named(best), beside);
}

}  // namespace

std::vector<std::string> headlines(const Result& result,
                                   const std::vector<CaseSummary>& summaries) {
  const Cases all = measured_cases(summaries);
  if (all.empty()) return {nothing_measured(result, summaries)};
  std::vector<std::string> answers;
  const auto& experiments = result.plan.experiments;
  std::vector<std::string> compared;
  std::vector<std::string> others;
  std::set<std::size_t> said;  // experiments
  const auto named = [&](std::size_t experiment, const std::string& text) {
    const auto& name = experiments[experiment].name;
    return experiments.size() == 1 || text.starts_with(name + " ") ? text : name + ": " + text;
  };
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const Cases cases = measured_cases(summaries, i);
    const auto asked = answers_of(result, summaries, i);
    for (const auto& text : asked) answers.push_back(named(i, text));
    const auto text =
        cases.empty() || !asked.empty() ? "" : against_baseline(result, summaries, cases);
    const bool pays =
        experiments.size() == 1 && result.plan.description.ends_with("pay?") && any_wins(cases);
    if (!text.empty()) compared.push_back((pays ? "Yes: " : "") + named(i, text));
    if (text.empty() && asked.empty()) continue;
    said.insert(i);
    for (const auto* summary : cases) {
      if (summary->info->baseline)
        said.insert(result.plan.cases[*summary->info->baseline].experiment);
    }
  }
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const Cases cases = measured_cases(summaries, i);
    if (cases.empty() || said.contains(i)) continue;
    const auto text = near_ceiling_text(result, cases);
    others.push_back(named(i, text.empty() ? overview(result, cases) : text));
  }
  std::vector<std::string> lines;
  for (auto& text : {failed(summaries), missed(result)}) {
    if (!text.empty()) lines.push_back(text);
  }
  for (const auto* part : {&answers, &compared, &others})
    lines.insert(lines.end(), part->begin(), part->end());
  if (lines.size() > most_answers) {
    const auto left = lines.size() - most_answers + 1;
    lines.resize(most_answers - 1);
    lines.push_back(
        fmt::format("{} more; all are in the tables", text::counted(left, "experiment")));
  }
  return lines;
}

}  // namespace apod::show
