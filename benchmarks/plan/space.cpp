#include "benchmarks/plan/space.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <ranges>
#include <set>
#include <sstream>
#include <stdexcept>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/plan/case_check.hpp"
#include "benchmarks/plan/where.hpp"
#include "kernels/data/fnv.hpp"

namespace apod::plan {
namespace {

/// Steps of the walk through the product; so many take seconds.
constexpr Count most_steps = 400'000'000;
/// Answers that all rules keep.
constexpr Count most_kept = Count{1} << 26;

/// A condition that depends on some dimensions alone. Its answers are kept, so that it is evaluated
/// once for each combination of their values, however large the space is.
struct Rule {
  std::string name;  ///< for the note on what it leaves out
  std::vector<std::size_t> dimensions{};
  std::function<bool(const Params&)> keeps;
  std::vector<std::uint8_t> answers{};  ///< 0: not asked; 1: keeps; 2: leaves out
  Count left_out = 0;
};

std::size_t last_of(const Rule& rule) {
  return rule.dimensions.empty() ? 0 : rule.dimensions.back();
}

/// The walk through the product, which skips whatever one rule leaves out as soon as the dimensions
/// of that rule are known.
class Walk {
 public:
  Walk(const Experiment& experiment, const Params& defaults, std::vector<Rule>& rules)
      : groups_(experiment.groups), params_(defaults), rules_(groups_.size()) {
    Count left = most_kept;
    for (auto& rule : rules) {
      Count kept = 1;
      for (const auto d : rule.dimensions) kept = saturating_product(kept, groups_[d].size());
      // An answer for each point would never be asked for again.
      const bool is_of_all = rule.dimensions.size() == groups_.size();
      if (!is_of_all && kept <= left) {
        rule.answers.resize(static_cast<std::size_t>(kept));
        left -= kept;
      }
      rules_[last_of(rule)].push_back(&rule);
    }
    levels_.resize(groups_.size());
    below_.resize(groups_.size() + 1, 1);
    for (std::size_t d = groups_.size(); d-- > 0;)
      below_[d] = saturating_product(below_[d + 1], groups_[d].size());
  }

  /// False if there are too many.
  bool visit(std::vector<std::uint64_t>& points) { return descend(0, 0, points); }

 private:
  bool keeps(Rule& rule) {
    std::size_t at = 0;
    for (const auto d : rule.dimensions) at = at * groups_[d].size() + levels_[d];
    if (!rule.answers.empty() && rule.answers[at] != 0) return rule.answers[at] == 1;
    for (const auto d : rule.dimensions) {
      for (const auto& axis : groups_[d].axes) params_.set(axis.name, axis.values[levels_[d]]);
    }
    const bool kept = rule.keeps(params_);
    if (!rule.answers.empty()) rule.answers[at] = kept ? 1 : 2;
    return kept;
  }

  bool descend(std::size_t d, std::uint64_t point, std::vector<std::uint64_t>& points) {
    if (d == groups_.size()) {
      points.push_back(point);
      return points.size() <= most_points;
    }
    for (std::size_t level = 0; level < groups_[d].size(); ++level) {
      if (++steps_ > most_steps) return false;
      levels_[d] = level;
      bool kept = true;
      for (auto* rule : rules_[d]) {
        kept = keeps(*rule);
        if (kept) continue;
        rule->left_out = saturating_sum(rule->left_out, below_[d + 1]);
        break;
      }
      if (kept && !descend(d + 1, point * groups_[d].size() + level, points)) return false;
    }
    return true;
  }

  const std::vector<AxisGroup>& groups_;
  Params params_;
  std::vector<std::vector<Rule*>> rules_;  ///< by their last dimension
  std::vector<std::size_t> levels_;
  std::vector<Count> below_;  ///< points below a node of this depth
  Count steps_ = 0;
};

/// The dimensions that hold one of these axes.
std::vector<std::size_t> dimensions_of(const Experiment& experiment,
                                       const std::set<std::string>& axes) {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < experiment.groups.size(); ++d) {
    const auto& group = experiment.groups[d].axes;
    if (std::ranges::any_of(group, [&](const Axis& axis) { return axes.contains(axis.name); }))
      dimensions.push_back(d);
  }
  return dimensions;
}

std::set<std::string> axes_in(const Match& match) {
  std::set<std::string> names;
  for (const auto& [axis, condition] : match) {
    names.insert(axis);
    for (const auto& operand : condition.operands) {
      if (const auto* word = std::get_if<std::string>(&operand)) names.insert(*word);
    }
  }
  return names;
}

std::string rounded(Count count) {
  if (count == std::numeric_limits<Count>::max()) return "more than 2^64";
  constexpr Count longest = 1'000'000'000;
  if (count < longest) return std::to_string(count);
  std::ostringstream text;
  text.precision(3);
  text << static_cast<double>(count);
  return text.str();
}

}  // namespace

std::vector<std::string> problem_axes(const Experiment& experiment, const Registry& registry) {
  std::set<std::string> known;
  if (experiment.kernel) {
    const auto& family = experiment.kernel->family();
    known = family.shapes().problem_names();
    const auto& reference = family.spec().reference.workload;
    const auto* other = registry.family(reference.substr(0, reference.find('/')));
    if (other != nullptr) {
      for (const auto& axis : other->axes()) known.insert(axis.name);
    }
  } else if (const auto* family = family_of(registry, experiment)) {
    for (const auto& axis : family->axes()) known.insert(axis.name);
  }
  std::vector<std::string> axes;
  for (const auto& axis : all_axes(experiment)) {
    if (known.contains(axis.name) && axis.name != "variant") axes.push_back(axis.name);
  }
  return axes;
}

std::vector<Experiment> split_by(const Experiment& experiment,
                                 const std::vector<std::string>& axes) {
  for (const auto& name : axes) {
    if (dimensions_of(experiment, {name}).empty()) throw std::invalid_argument(name);
  }
  std::vector<Experiment> parts{experiment};
  for (const auto d : dimensions_of(experiment, {axes.begin(), axes.end()})) {
    std::vector<Experiment> finer;
    for (const auto& part : parts) {
      for (std::size_t level = 0; level < experiment.groups[d].size(); ++level) {
        auto& one = finer.emplace_back(part);
        for (auto& axis : one.groups[d].axes) {
          axis.values = {axis.values[level]};
          if (level < axis.places.size()) axis.places = {axis.places[level]};
        }
      }
    }
    parts = std::move(finer);
  }
  return parts;
}

Space::Space(const Experiment& experiment, const Registry& registry, const ExpandOptions& options,
             const std::string& file, Diagnostics& diagnostics)
    : experiment_(experiment), defaults_(usual_values(registry, experiment)) {
  for (const auto& axis : all_axes(experiment)) defaults_.set(axis.name, axis.values.front());
  product_ = product_of(open_groups(experiment, {}));
  if (!experiment.include.empty()) {
    diagnostics.push_back({file, experiment.place,
                           "a search covers only the combinations of the axes",
                           "leave out 'include', or add its values to the axes"});
    return;
  }

  std::vector<Rule> rules;
  std::deque<Experiment> alone;  // one expression each
  std::deque<ExpressionCheck> checks;
  const auto check_of = [&](std::vector<Where> where) {
    alone.push_back(experiment);
    alone.back().where = std::move(where);
    return &checks.emplace_back(alone.back());
  };
  const CaseCheck here(experiment, registry, options);
  const auto dimensions_with = [&](std::set<std::string> axes) {
    axes.insert("variant");  // which may lack them
    return dimensions_of(experiment, axes);
  };
  for (const auto& where : experiment.where) {
    auto* check = check_of({where});
    const auto& named = where.expression.names();
    rules.push_back(
        {.name = "where: " + where.expression.text(),
         .dimensions = dimensions_with({named.begin(), named.end()}),
         .keeps = [&, check](const Params& p) { return !check->leaves_out(here.own(p)); }});
  }
  for (const auto& exclusion : experiment.exclude) {
    rules.push_back(
        {.name = "an item of exclude",
         .dimensions = dimensions_with(axes_in(exclusion.match)),
         .keeps = [&](const Params& p) { return !matches(exclusion.match, here.own(p)); }});
  }
  const auto* variants = axis_called(experiment, "variant");
  for (std::size_t i = 0; variants != nullptr && i < variants->values.size(); ++i) {
    auto all = defaults_;
    all.set("variant", variants->values[i]);
    for (const auto& [name, value] : all.entries()) {
      if (!here.own(all).has(name)) lacking_.emplace(to_string(variants->values[i]), name);
    }
  }
  // A variant that has none of the axes of a dimension has one point there, the first.
  for (const auto& group : experiment.groups) {
    const auto may_lack = [&](const Axis& axis) { return here.is_of_variants(axis.name); };
    if (!std::ranges::all_of(group.axes, may_lack)) continue;
    const auto keeps = [&](const Params& p) {
      const auto has = [&](const Axis& axis) { return !lacks(p, axis.name); };
      const auto first = [&](const Axis& axis) {
        return *p.find(axis.name) == axis.values.front();
      };
      return std::ranges::any_of(group.axes, has) || std::ranges::all_of(group.axes, first);
    };
    rules.push_back({.name = "an axis that some variants do not have",
                     .dimensions = dimensions_with({group.axes.front().name}),
                     .keeps = keeps});
  }
  std::string why_not;
  if (!experiment.command) {
    std::set<std::string> named;
    if (experiment.kernel) named = experiment.kernel->family().shapes().all_names();
    for (const auto& spec : axes_of(registry, experiment)) {
      const bool is_of_file =
          experiment.kernel && find_axis(experiment.kernel->spec.axes, spec.name) != nullptr;
      if (!is_of_file) named.insert(spec.name);
    }
    auto* launch = check_of({});
    rules.push_back({.name = "a limit of this machine",
                     .dimensions = dimensions_of(experiment, named),
                     .keeps = [&, launch](const Params& p) {
                       auto reason = launch->refuses(p);
                       if (!reason) reason = here.rejects(p);
                       if (!reason) reason = here.missing(here.variant(p.text("variant")), p);
                       if (reason->empty()) return true;
                       if (why_not.empty()) why_not = *reason;
                       return false;
                     }});
  }

  // Points are numbered in the product.
  const bool fits = product_ < std::numeric_limits<Count>::max() &&
                    Walk(experiment_, defaults_, rules).visit(points_);
  for (std::size_t i = 0; i < experiment.where.size(); ++i) checks[i].report_on(file, diagnostics);
  if (!fits) {
    points_.clear();
    diagnostics.push_back(
        {file, experiment.place,
         "the space of experiment '" + experiment.name + "' is too large: its axes have " +
             rounded(product_) + " combinations. More than " + rounded(most_points) +
             " of these are valid, or counting the valid combinations takes too long",
         "use fewer values, tie axes together with 'zip', narrow it with 'where', or fix an axis "
         "with --set AXIS=VALUE"});
    return;
  }
  for (const auto& rule : rules) {
    if (rule.left_out == 0) continue;
    auto note = rule.name + " leaves out " + rounded(rule.left_out) + " of " + rounded(product_) +
                " combinations of experiment '" + experiment.name + "'";
    if (&rule == &rules.back() && !why_not.empty()) note += ": " + why_not;
    notes_.push_back(std::move(note));
  }
  if (points_.empty() && diagnostics.empty()) {
    const auto causes = text::joined(notes_, "; ");
    diagnostics.push_back({file, experiment.place,
                           "experiment '" + experiment.name + "' has no valid configuration" +
                               (causes.empty() ? "" : ": " + causes),
                           ""});
  }
}

Space::Space(const Experiment& experiment, const std::function<bool(const Params&)>& keeps)
    : experiment_(experiment), product_(product_of(open_groups(experiment, {}))) {
  std::vector<std::size_t> all;
  for (const auto& group : experiment.groups) {
    all.push_back(all.size());
    for (const auto& axis : group.axes) defaults_.set(axis.name, axis.values.front());
  }
  std::vector<Rule> rules;
  rules.push_back({.name = "", .dimensions = all, .keeps = keeps});
  if (!Walk(experiment_, defaults_, rules).visit(points_)) points_.clear();
}

std::string Space::name(std::size_t dimension) const {
  return text::joined(experiment_.groups[dimension].axes, ", ", &Axis::name);
}

std::string Space::level_text(std::size_t dimension, std::size_t level) const {
  return text::joined(experiment_.groups[dimension].axes, ", ",
                      [&](const Axis& axis) { return to_string(axis.values[level]); });
}

bool Space::is_ordered(std::size_t dimension) const {
  const auto& axis = experiment_.groups[dimension].axes.front();
  return std::ranges::all_of(axis.values, [](const AxisValue& value) {
    return std::holds_alternative<std::int64_t>(value);
  });
}

double Space::coordinate(std::size_t dimension, std::size_t level) const {
  const auto& values = experiment_.groups[dimension].axes.front().values;
  const auto number = [&](const AxisValue& v) {
    return static_cast<double>(std::get<std::int64_t>(v));
  };
  const auto [low, high] = std::ranges::minmax(values | std::views::transform(number));
  if (low == high) return 0;
  const double at = number(values[level]);
  return low > 0 ? std::log(at / low) / std::log(high / low) : (at - low) / (high - low);
}

std::vector<std::uint32_t> Space::at(RowIndex row) const {
  std::vector<std::uint32_t> at(dimensions());
  auto point = points_.at(row);
  for (std::size_t d = dimensions(); d-- > 0;) {
    at[d] = static_cast<std::uint32_t>(point % levels(d));
    point /= levels(d);
  }
  return at;
}

std::optional<RowIndex> Space::find(std::span<const std::uint32_t> at) const {
  std::uint64_t point = 0;
  for (std::size_t d = 0; d < dimensions(); ++d) point = point * levels(d) + at[d];
  const auto found = std::ranges::lower_bound(points_, point);
  if (found == points_.end() || *found != point) return std::nullopt;
  return static_cast<RowIndex>(found - points_.begin());
}

std::vector<RowIndex> Space::neighbours(RowIndex row) const {
  std::vector<RowIndex> found;
  auto there = at(row);
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const auto own = there[d];
    for (std::uint32_t level = 0; level < levels(d); ++level) {
      if (level == own) continue;
      there[d] = level;
      if (const auto other = find(there)) found.push_back(*other);
    }
    there[d] = own;
  }
  return found;
}

Params Space::params(RowIndex row) const {
  auto all = defaults_;
  Params own;
  const auto there = at(row);
  for (std::size_t d = 0; d < dimensions(); ++d) {
    for (const auto& axis : experiment_.groups[d].axes) all.set(axis.name, axis.values[there[d]]);
  }
  for (const auto& [name, value] : all.entries()) {
    if (!lacks(all, name)) own.set(name, value);
  }
  return own;
}

std::vector<std::uint32_t> Space::known(RowIndex row) const {
  auto there = at(row);
  const auto has = [own = params(row)](const Axis& axis) { return own.has(axis.name); };
  for (std::size_t d = 0; d < dimensions(); ++d) {
    if (std::ranges::any_of(experiment_.groups[d].axes, has)) continue;
    there[d] = static_cast<std::uint32_t>(levels(d));
  }
  return there;
}

bool Space::lacks(const Params& values, const std::string& axis) const {
  const auto* variant = values.find("variant");
  return variant != nullptr && lacking_.contains({to_string(*variant), axis});
}

std::string Space::label(RowIndex row) const {
  std::string label;
  const auto there = known(row);
  for (std::size_t d = 0; d < dimensions(); ++d) {
    if (levels(d) < 2 || there[d] == levels(d)) continue;
    label += (label.empty() ? "" : ", ") + name(d) + " " + level_text(d, there[d]);
  }
  return label.empty() ? "the only one" : label;
}

std::optional<RowIndex> Space::row_of(const Params& values) const {
  std::vector<std::uint32_t> there(dimensions());
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const auto is_there = [&](std::uint32_t level) {
      return std::ranges::all_of(experiment_.groups[d].axes, [&](const Axis& axis) {
        const auto* value = values.find(axis.name);
        return value != nullptr ? *value == axis.values[level] : lacks(values, axis.name);
      });
    };
    while (there[d] < levels(d) && !is_there(there[d])) ++there[d];
    if (there[d] == levels(d)) return std::nullopt;
  }
  return find(there);
}

RowIndex Space::keep_part(std::size_t index, std::size_t count, RowIndex always) {
  const auto kept = points_.at(always);
  std::erase_if(points_, [&](std::uint64_t point) {
    return point != kept &&
           Fnv1a().add(std::as_bytes(std::span(&point, 1))).value() % count != index;
  });
  return static_cast<RowIndex>(std::ranges::lower_bound(points_, kept) - points_.begin());
}

RowIndex Space::nearest(const Params& values) const {
  std::vector<std::pair<std::size_t, std::uint32_t>> wanted;  // dimension, level
  for (std::size_t d = 0; d < dimensions(); ++d) {
    for (std::uint32_t level = 0; level < levels(d); ++level) {
      const bool is_meant = std::ranges::any_of(experiment_.groups[d].axes, [&](const Axis& axis) {
        const auto* value = values.find(axis.name);
        return value != nullptr && *value == axis.values[level];
      });
      if (is_meant) wanted.emplace_back(d, level);
    }
  }
  RowIndex best = 0;
  std::ptrdiff_t most = 0;
  const auto all = static_cast<std::ptrdiff_t>(wanted.size());
  for (std::size_t row = 0; row < size() && most < all; ++row) {
    const auto there = at(static_cast<RowIndex>(row));
    const auto same = std::ranges::count_if(
        wanted, [&](const auto& one) { return there[one.first] == one.second; });
    if (same > most) best = static_cast<RowIndex>(row);
    most = std::max(most, same);
  }
  return best;
}

Experiment Space::experiment_of(std::span<const RowIndex> rows) const {
  auto made = experiment_;
  made.where.clear();
  made.exclude.clear();
  made.expectations.clear();
  made.baseline = {};
  made.axes_were_set = true;  // not all values of the file are there
  AxisGroup all;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    for (const auto& axis : experiment_.groups[d].axes) {
      Axis& chosen = all.axes.emplace_back(Axis{axis.name, {}, {}});
      for (const auto row : rows) chosen.values.push_back(axis.values[at(row)[d]]);
    }
  }
  if (!made.groups.empty()) made.groups = {std::move(all)};
  return made;
}

}  // namespace apod::plan
