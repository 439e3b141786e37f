#include "benchmarks/plan/where.hpp"

#include <algorithm>

namespace apod::plan {
namespace {

std::string axes_text(const Experiment& experiment, const Params& params) {
  std::string text;
  for (const auto& group : experiment.groups) {
    for (const auto& axis : group.axes) {
      const auto* value = params.find(axis.name);
      if (value == nullptr) continue;
      text += (text.empty() ? "" : ", ") + axis.name + " " + to_string(*value);
    }
  }
  return text;
}

}  // namespace

void ExpressionCheck::keep(const std::string& key, SourcePlace place, const std::string& message,
                           const Params& params) {
  auto& wrong = wrong_[key];
  if (wrong.count++ > 0) return;
  wrong.place = place;
  wrong.message = message;
  wrong.example = axes_text(experiment_, params);
}

bool ExpressionCheck::leaves_out(const Params& params) {
  ++asked_;
  for (std::size_t i = 0; i < experiment_.where.size(); ++i) {
    const auto& [expression, place] = experiment_.where[i];
    std::vector<Binding> bindings;
    for (const auto& name : expression.names()) {
      const auto* value = params.find(name);
      bindings.push_back({.value = value != nullptr ? value_of(*value) : Value{}});
    }
    try {
      const auto value = expression.evaluate(bindings);
      if (value.kind != Value::Kind::truth) {
        throw ExpressionError(0,
                              "a condition was expected, such as n > 0; it is " + to_string(value));
      }
      if (value.whole != 0) continue;
      ++left_out_;
      return true;
    } catch (const ExpressionError& error) {
      keep("where/" + std::to_string(i), {place.line, place.column + static_cast<int>(error.at())},
           std::string("where: ") + error.what(), params);
    }
  }
  return false;
}

std::optional<std::string> ExpressionCheck::refuses(const Params& params) {
  if (!experiment_.kernel) return std::nullopt;
  try {
    experiment_.kernel->family().check(params);
  } catch (const file::SpecError& error) {
    const auto known = experiment_.kernel_places.find(error.key());
    auto place = known != experiment_.kernel_places.end() ? known->second : experiment_.place;
    place.column += static_cast<int>(error.at());
    keep(error.key(), place, error.what(), params);
    return error.what();
  }
  return std::nullopt;
}

/// Of a kernel file whose expressions can be read. Variants from outside the file may name fewer
/// axes than its own.
std::vector<std::string> ExpressionCheck::idle_axes() const {
  if (!experiment_.kernel || experiment_.axes_were_set) return {};
  std::vector<std::string> variants;
  const auto add = [&](const AxisValue& value) { variants.push_back(to_string(value)); };
  for (const auto& group : experiment_.groups) {
    for (const auto& axis : group.axes) {
      if (axis.name == "variant") std::for_each(axis.values.begin(), axis.values.end(), add);
    }
  }
  for (const auto& point : experiment_.include) {
    if (const auto* variant = point.find("variant")) add(*variant);
  }
  std::vector<std::string> idle;
  try {
    idle = experiment_.kernel->family().idle_axes(variants);
  } catch (const file::SpecError&) {
    return {};  // kept when its cases were met
  }
  const auto is_idle = [&](const Axis& axis) {
    return std::find(idle.begin(), idle.end(), axis.name) != idle.end();
  };
  // One of a zip may be a name for what the others change.
  for (const auto& group : experiment_.groups) {
    if (std::all_of(group.axes.begin(), group.axes.end(), is_idle)) continue;
    for (const auto& axis : group.axes) std::erase(idle, axis.name);
  }
  return idle;
}

bool ExpressionCheck::report_on(const std::string& file, Diagnostics& diagnostics) const {
  for (const auto& [key, wrong] : wrong_) {
    const auto others = wrong.count - 1;
    const bool is_of_launch = experiment_.kernel && !key.starts_with("where/");
    diagnostics.push_back(
        {file, wrong.place,
         wrong.message + (wrong.example.empty() ? "" : ", for " + wrong.example) +
             (others == 0 ? "" : " and " + std::to_string(others) + " more"),
         is_of_launch ? "'where' can leave cases out: where: [\"block <= 1024\"]" : ""});
  }
  const auto idle = idle_axes();
  for (const auto& axis : idle) {
    const auto place = experiment_.kernel_places.find("axes/" + axis);
    diagnostics.push_back(
        {file, place != experiment_.kernel_places.end() ? place->second : experiment_.place,
         "axis '" + axis + "' changes nothing of the kernel",
         "its cases would all be the same: name it in grid, block, args or the kernel's <>"});
  }
  return !wrong_.empty() || !idle.empty();
}

std::string ExpressionCheck::note() const {
  if (left_out_ == 0) return "";
  return "where leaves out " + std::to_string(left_out_) + " of " + std::to_string(asked_) +
         " cases of experiment '" + experiment_.name + "'";
}

}  // namespace apod::plan
