#include "benchmarks/show/change_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <tuple>
#include <variant>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/curve_axes.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/limit.hpp"

namespace apod::show {
namespace {

/// A smaller value of the axis is said to do as well from this part of the best saving on.
constexpr double nearly_all = 0.95;
/// Characters of a value in a sentence.
constexpr std::size_t longest_value = 60;
constexpr std::size_t many_pairs = 5;
/// From this factor on, times are said as a multiple and not as a saving.
constexpr double multiple = 2;
constexpr std::size_t most_arms = 3;

/// The axes on which two cases differ.
std::vector<std::string> differences(const Case& a, const Case& b) {
  std::vector<std::string> names;
  if (a.variant != b.variant && !a.params.has("variant")) names.emplace_back("variant");
  for (const auto& [name, value] : a.params.entries()) {
    const auto* other = b.params.find(name);
    if (other == nullptr || !(*other == value)) names.push_back(name);
  }
  return names;
}

/// What two cases differ in: "8 streams" and "1 stream", "size = 1e6" and "size = 1e3", or the
/// names of variants.
struct Sides {
  std::string best;
  std::string base;
  bool many = false;  ///< the best is several things, which save and do not saves

  auto operator<=>(const Sides&) const = default;
};

/// Whether the values of the axis count things, as its name in the plural says: streams, threads.
bool counts_things(const std::string& name, const std::optional<AxisValue>& value) {
  return name.ends_with('s') && value && std::holds_alternative<std::int64_t>(*value);
}

bool is_one(const std::optional<AxisValue>& value) {
  return *value == AxisValue{std::int64_t{1}};
}

/// "8 streams", "1 stream".
std::string things(const std::string& name, const std::optional<AxisValue>& value) {
  const bool hisses = name.ends_with("ches") || name.ends_with("shes") || name.ends_with("sses");
  const auto one = name.substr(0, name.size() - (hisses ? 2 : 1));
  return axis_texts({value}).front() + " " + (is_one(value) ? one : name);
}

Sides against(const Plan& plan, const Case& c, const Case& base) {
  Sides sides;
  if (c.experiment != base.experiment)
    sides = {plan.experiment_of(c).name, plan.experiment_of(base).name};
  const auto names = differences(c, base);
  if (sides.best.empty() && names.size() == 1) {
    const auto here = axis_of(c, names[0]);
    const auto there = axis_of(base, names[0]);
    if (counts_things(names[0], here) && counts_things(names[0], there))
      return {things(names[0], here), things(names[0], there), !is_one(here)};
  }
  for (const auto& name : names) {
    const auto texts = axis_texts({axis_of(c, name), axis_of(base, name)});
    const auto add = [&](std::string& side, const std::string& text) {
      if (text.empty()) return;
      side += (side.empty() ? "" : ", ") + (name == "variant" ? "" : name + " = ") +
              text::shorten(text::printable(text), longest_value);
    };
    add(sides.best, texts[0]);
    add(sides.base, texts[1]);
  }
  if (sides.base.empty()) sides.base = "the baseline";
  return sides;
}

std::string amount(const Estimate& delta) {
  Estimate positive{std::abs(delta.value), delta.low, delta.high};
  if (delta.value < 0) positive = {-delta.value, -delta.high, -delta.low};
  std::string text = change_text(positive);
  return text.starts_with('+') ? text.substr(1) : text;
}

/// -1 of a saving, 1 of a loss; 0 if the interval includes 0, or all digits that are printed are 0.
int side_of(const Estimate& delta) {
  const bool is_shown =
      !is_undecided(delta) && amount(delta).find_first_of("123456789") != std::string::npos;
  return !is_shown ? 0 : delta.value < 0 ? -1 : 1;
}

/// "16.2 times", with its interval, of the ratio of two times.
std::string times(const Estimate& ratio) {
  const std::string interval = interval_text(ratio, "speedup");
  return fmt::format("{:.3g} times{}", ratio.value, interval.empty() ? "" : " (" + interval + ")");
}

/// What the case does to the time of its baseline: "save 24.4 % ±0.2 of the time of 1 stream".
std::string change_against(const CaseSummary& summary, const Sides& sides) {
  const Estimate& delta = *summary.fact("delta");
  const auto& base = sides.base;
  const char* is = sides.many ? "are" : "is";
  const char* takes = sides.many ? "take" : "takes";
  if (is_undecided(delta))
    return fmt::format("{} not clearly different from {} ({})", is, base, change_text(delta));
  if (side_of(delta) == 0) return fmt::format("{} the same time as {}", takes, base);
  const Estimate longer{1 + delta.value, 1 + delta.low, 1 + delta.high};
  const Estimate faster{1 / longer.value, 1 / longer.high, 1 / longer.low};
  if (faster.value >= multiple) return fmt::format("{} {} as fast as {}", is, times(faster), base);
  if (delta.value < 0)
    return fmt::format("save{} {} of the time of {}", sides.many ? "" : "s", amount(delta), base);
  if (longer.value >= multiple)
    return fmt::format("{} {} as long as {}", takes, times(longer), base);
  return fmt::format("{} {} longer than {}", takes, amount(delta), base);
}

/// A case that differs from `best` in one axis of numbers, has less of it and saves nearly as much.
std::string sooner(const Cases& cases, const CaseSummary& best) {
  const CaseSummary* found = nullptr;
  std::string axis;
  for (const auto* other : cases) {
    const auto* delta = other->fact("delta");
    const bool comparable = delta != nullptr && other->info->baseline == best.info->baseline;
    if (!comparable || at_most(*delta) > nearly_all * at_most(*best.fact("delta"))) continue;
    const auto names = differences(*best.info, *other->info);
    if (names.size() != 1) continue;
    const auto here = axis_of(*best.info, names.front());
    const auto there = axis_of(*other->info, names.front());
    const auto* most = quantity_on(names.front(), here);
    const auto* less = quantity_on(names.front(), there);
    if (most == nullptr || less == nullptr || *less >= *most) continue;
    const auto* last = found == nullptr ? nullptr : found->info->params.find(names.front());
    if (last != nullptr && std::get<std::int64_t>(*last) <= *less) continue;
    found = other;
    axis = names.front();
  }
  if (found == nullptr) return "";
  const auto value = axis_of(*found->info, axis);
  const auto text = axis_texts({value}).front();
  const bool counts = counts_things(axis, value);
  return fmt::format(", and {} already save{} {}", counts ? text : axis + " = " + text,
                     counts && !is_one(value) ? "" : "s", amount(*found->fact("delta")));
}

/// What other words on the axis of `best` do to the same baseline: "; direct takes 0.46 % longer".
/// Empty if there are many.
std::string others_of(const Plan& plan, const Cases& cases, const CaseSummary& best) {
  std::vector<std::string> texts;
  for (const auto* other : cases) {
    if (other == &best || other->fact("delta") == nullptr) continue;
    if (other->info->baseline != best.info->baseline) continue;
    const auto names = differences(*best.info, *other->info);
    if (names.size() != 1) continue;
    const auto value = axis_of(*other->info, names.front());
    if (quantity_on(names.front(), value) != nullptr) continue;
    const auto sides = against(plan, *other->info, plan.cases.at(*other->info->baseline));
    texts.push_back(sides.best + " " + change_against(*other, sides));
  }
  if (texts.size() > most_arms) return "";
  std::string all;
  for (const auto& text : texts) all += "; " + text;
  return all;
}

/// Where the same change does the opposite to another baseline: "; with direct, it takes 87.8 %
/// longer than ...", of the clearest such case. Empty where there is none.
std::string opposite_of(const Result& result, const Cases& cases, const CaseSummary& best,
                        const Sides& sides) {
  const int opposite = -side_of(*best.fact("delta"));
  const CaseSummary* found = nullptr;
  for (const auto* other : cases) {
    const auto* delta = other->fact("delta");
    if (delta == nullptr || side_of(*delta) != opposite) continue;
    const Case& base = result.plan.cases.at(*other->info->baseline);
    if (against(result.plan, *other->info, base) != sides) continue;
    const bool clearer =
        found == nullptr || opposite * delta->value > opposite * found->fact("delta")->value;
    if (clearer) found = other;
  }
  if (found == nullptr) return "";
  const Case& base = result.plan.cases.at(*found->info->baseline);
  const auto where = where_of(result, cases, found, differences(*found->info, base));
  return fmt::format("; {}{} {}", where.empty() ? "" : "with " + where + ", ",
                     sides.many ? "they" : "it", change_against(*found, sides));
}

/// "24.4 % ±0.2 shorter", "16.2 times (±0.4 %) as fast": a decided change of the time.
std::string change_alone(const Estimate& delta) {
  const Estimate longer{1 + delta.value, 1 + delta.low, 1 + delta.high};
  const Estimate faster{1 / longer.value, 1 / longer.high, 1 / longer.low};
  if (faster.value >= multiple) return times(faster) + " as fast";
  if (longer.value >= multiple) return times(longer) + " as long";
  if (is_undecided(delta)) return change_text(delta);
  return amount(delta) + (delta.value < 0 ? " shorter" : " longer");
}

/// Of several pairs of cases that differ alike: how many are faster and slower, and from where to
/// where the change goes.
std::string change_of_all(const Result& result, const Cases& cases, const Sides& sides) {
  std::size_t faster = 0;
  std::size_t slower = 0;
  for (const auto* summary : cases) {
    const int side = side_of(*summary->fact("delta"));
    faster += side < 0 ? 1 : 0;
    slower += side > 0 ? 1 : 0;
  }
  const auto all = cases.size();
  std::vector<std::string> parts;
  for (const auto& [count, how, than] :
       {std::tuple{faster, "faster", " than "}, std::tuple{slower, "slower", " than "},
        std::tuple{all - faster - slower, "not clearly different", " from "}}) {
    if (count == 0) continue;
    if (!parts.empty()) {
      parts.push_back(fmt::format("{} in {}", how, count));
    } else {
      const auto where =
          count == all ? fmt::format("all {}", all) : fmt::format("{} of {}", count, all);
      parts.push_back(fmt::format("{}{}{} in {} cases", how, than, sides.base, where));
    }
  }
  std::string text = sides.best + (sides.many ? " are " : " is ") + parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  const auto by_change = [](const auto* a, const auto* b) {
    return a->fact("delta")->value < b->fact("delta")->value;
  };
  const auto [least, most] = std::ranges::minmax_element(cases, by_change);
  const auto end = [&](const CaseSummary* summary) {
    const Case& base = result.plan.cases.at(*summary->info->baseline);
    const auto where = where_of(result, cases, summary, differences(*summary->info, base));
    return change_alone(*summary->fact("delta")) + (where.empty() ? "" : " with " + where);
  };
  return text + ": from " + end(*least) + " to " + end(*most);
}

/// Where many cases have baselines of their own, as at many sizes: what differs from its baseline
/// most often. Empty where there are few, or no side wins half of them.
std::string against_many(const Result& result, const Cases& cases) {
  struct Arm {
    std::size_t pairs = 0;
    std::vector<double> saved;  // deltas of those that win
    std::vector<double> lost;
  };
  std::map<Sides, Arm> arms;
  Cases compared;
  std::size_t unsure = 0;
  for (const auto* summary : cases) {
    const auto* known = summary->fact("delta");
    if (known == nullptr || !summary->info->baseline) continue;
    const Estimate& delta = *known;
    const Case& base = result.plan.cases.at(*summary->info->baseline);
    Arm& arm = arms[against(result.plan, *summary->info, base)];
    ++arm.pairs;
    if (side_of(delta) < 0) arm.saved.push_back(-delta.value);
    if (side_of(delta) > 0) arm.lost.push_back(delta.value);
    unsure += delta.has_interval() ? 0 : 1;
    compared.push_back(summary);
  }
  // Of those that win equally often, the one that saves most.
  const auto best = std::ranges::max_element(arms, [](const auto& a, const auto& b) {
    return std::pair{a.second.saved.size(), stats::median(a.second.saved)} <
           std::pair{b.second.saved.size(), stats::median(b.second.saved)};
  });
  if (best == arms.end()) return "";
  const auto& [name, arm] = *best;
  const std::size_t pairs = arm.pairs;
  const std::string few = unsure == 0 ? ""
                          : unsure < compared.size()
                              ? " (some have no interval: fewer than three processes)"
                              : " (no interval: fewer than three processes)";
  // Of few cases that differ alike, the best alone would hide that others lose; of two it can be
  // said.
  const bool hides = pairs > 2 || (pairs == 2 && arm.saved.empty());
  if (arms.size() == 1 && hides && pairs < many_pairs && !arm.lost.empty())
    return change_of_all(result, compared, name) + few;
  const bool wins = 2 * arm.saved.size() > pairs;
  if (pairs < many_pairs || (!wins && (arms.size() > 1 || 2 * arm.lost.size() <= pairs))) return "";
  const auto& those = wins ? arm.saved : arm.lost;
  return fmt::format("{} {} {} than {} in {} of {} cases (median {}: {}){}", name.best,
                     name.many ? "are" : "is", wins ? "faster" : "slower", name.base, those.size(),
                     pairs, wins ? "saving" : "loss", text::format_percent(stats::median(those)),
                     few);
}

bool wins(const CaseSummary& summary) {
  return side_of(*summary.fact("delta")) < 0;
}

/// The case of a baseline (null: of any) that is shown to save most; null if there is none.
const CaseSummary* best_of(const Cases& cases, const CaseSummary* base) {
  // Those that are shown to save something come first.
  const auto rank = [](const CaseSummary& summary) {
    const Estimate& delta = *summary.fact("delta");
    const double most = at_most(delta);
    return std::pair{most >= 0, most < 0 ? most : delta.value};
  };
  const CaseSummary* best = nullptr;
  for (const auto* summary : cases) {
    if (summary->fact("delta") == nullptr) continue;
    if (base != nullptr && summary->info->baseline != base->info->index) continue;
    if (best == nullptr || rank(*summary) < rank(*best)) best = summary;
  }
  return best;
}

/// Of several baselines the one that takes longest, because the largest problem matters most: of
/// all, and of those that some case beats. Null where there is none.
struct LongestBaselines {
  const CaseSummary* of_all = nullptr;
  const CaseSummary* beaten = nullptr;
};
LongestBaselines longest_baselines(const std::vector<CaseSummary>& summaries, const Cases& cases) {
  LongestBaselines longest;
  const auto consider = [](const CaseSummary*& known, const CaseSummary& base) {
    if (known == nullptr || base.time().value > known->time().value) known = &base;
  };
  for (const auto* summary : cases) {
    if (summary->fact("delta") == nullptr || !summary->info->baseline) continue;
    const auto& base = summaries.at(*summary->info->baseline);
    consider(longest.of_all, base);
    if (wins(*summary)) consider(longest.beaten, base);
  }
  return longest;
}

}  // namespace

std::string where_of(const Result& result, const Cases& cases, const CaseSummary* c,
                     const std::vector<std::string>& said) {
  const CurveAxes axes = curve_axes(result, cases, {});
  std::vector<CaseAxis> all;
  if (axes.x) all.push_back(*axes.x);
  all.insert(all.end(), axes.by.begin(), axes.by.end());
  all.insert(all.end(), axes.facet.begin(), axes.facet.end());
  std::erase_if(
      all, [&](const CaseAxis& axis) { return std::ranges::find(said, axis.name) != said.end(); });
  const auto at = static_cast<std::size_t>(std::ranges::find(cases, c) - cases.begin());
  std::string text;
  for (const auto& axis : all) {
    if (!axis.values[at]) continue;
    text += (text.empty() ? "" : ", ") + (axis.name == "variant" ? "" : axis.name + " ") +
            text::shorten(text::printable(axis.texts[at]), longest_value);
  }
  return text;
}

std::string against_baseline(const Result& result, const std::vector<CaseSummary>& summaries,
                             const Cases& cases) {
  if (auto text = against_many(result, cases); !text.empty()) return text;
  const auto longest = longest_baselines(summaries, cases);
  if (longest.of_all == nullptr) return "";
  const auto* base_summary = longest.beaten != nullptr ? longest.beaten : longest.of_all;
  const bool is_one_of_many = std::ranges::count_if(cases, [&](const auto* one) {
                                return one->info->baseline == base_summary->info->index;
                              }) > 1;
  const bool none_wins = longest.beaten == nullptr && is_one_of_many;
  const CaseSummary* best = best_of(cases, none_wins ? nullptr : base_summary);
  const Case& base = result.plan.cases.at(*best->info->baseline);
  const Estimate& delta = *best->fact("delta");
  const Sides sides = against(result.plan, *best->info, base);
  const auto said = differences(*best->info, base);
  const std::string where = where_of(result, cases, best, said);
  const std::string change =
      change_against(*best, sides) + (where.empty() ? "" : ", with ") + where;
  const std::string unsure =
      delta.has_interval() ? "" : " (no interval: fewer than three processes)";
  if (none_wins) {
    return fmt::format("No case beats its baseline: at best, {} {}{}", sides.best, change, unsure);
  }
  std::string more = wins(*best) ? sooner(cases, *best) : "";
  if (more.empty()) more = others_of(result.plan, cases, *best);
  if (base_summary != longest.of_all) {
    const auto there = where_of(result, cases, best_of(cases, longest.of_all), said);
    if (!there.empty()) more += "; no case is faster with " + there;
  } else if (side_of(delta) != 0) {
    more += opposite_of(result, cases, *best, sides);
  }
  return fmt::format("{} {}{}{}", sides.best, change, more, unsure);
}

bool any_wins(const Cases& cases) {
  return std::ranges::any_of(cases, [](const auto* one) {
    return one->fact("delta") != nullptr && one->info->baseline && wins(*one);
  });
}

std::vector<std::string> answers_of(const Result& result, const std::vector<CaseSummary>& summaries,
                                    std::size_t experiment) {
  struct Asked {
    Sides sides;
    Cases cases;  ///< with a change
    std::size_t count = 0;
    const CaseSummary* unmeasured = nullptr;  ///< the first
  };
  std::vector<Asked> all;
  for (const auto& summary : summaries) {
    const Case& c = *summary.info;
    if (c.experiment != experiment || !c.answers || !c.baseline) continue;
    const auto sides = against(result.plan, c, result.plan.cases.at(*c.baseline));
    auto known = std::ranges::find_if(all, [&](const Asked& one) { return one.sides == sides; });
    if (known == all.end()) known = all.insert(all.end(), {.sides = sides});
    ++known->count;
    if (summary.fact("delta") != nullptr) {
      known->cases.push_back(&summary);
    } else if (known->unmeasured == nullptr) {
      const auto& base = summaries.at(*c.baseline);
      known->unmeasured = summary.status == CaseStatus::measured ? &base : &summary;
    }
  }
  std::vector<std::string> texts;
  for (const auto& [sides, cases, count, unmeasured] : all) {
    if (cases.empty()) {
      texts.push_back(fmt::format(
          "Not answered: {} against {}: {}{}", sides.best, sides.base, unmeasured->info->id,
          unmeasured->reason.empty() ? " was not measured" : ": " + unmeasured->reason));
      continue;
    }
    std::string text = change_of_all(result, cases, sides);
    if (cases.size() == 1) {
      const Case& base = result.plan.cases.at(*cases[0]->info->baseline);
      const auto where = where_of(result, measured_cases(summaries, experiment), cases[0],
                                  differences(*cases[0]->info, base));
      text = sides.best + " " + change_against(*cases[0], sides) +
             (where.empty() ? "" : ", with " + where);
    }
    if (count > cases.size())
      text += fmt::format(" ({} of {} cases were not measured)", count - cases.size(), count);
    const bool unsure = std::ranges::any_of(
        cases, [](const auto* one) { return !one->fact("delta")->has_interval(); });
    if (unsure) text += " (no interval: fewer than three processes)";
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace apod::show
