#include "benchmarks/plan/match_table.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/base/condition.hpp"
#include "benchmarks/plan/values_text.hpp"

namespace apod::plan {
namespace {

bool is_relative(const Condition& condition, const Params& params) {
  return std::any_of(condition.operands.begin(), condition.operands.end(), [&](const auto& o) {
    const auto* word = std::get_if<std::string>(&o);
    return word != nullptr && params.has(*word);
  });
}

bool is_numbers(const Condition& condition) {
  return (condition.comparator == Comparator::eq ||
          condition.comparator == Comparator::is_one_of) &&
         std::all_of(condition.operands.begin(), condition.operands.end(),
                     [](const auto& o) { return std::holds_alternative<double>(o); });
}

}  // namespace

bool MatchSet::empty() const {
  return std::all_of(words_.begin(), words_.end(), [](auto word) { return word == 0; });
}

MatchSet& MatchSet::operator&=(const MatchSet& other) {
  for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  return *this;
}

MatchSet& MatchSet::operator|=(const MatchSet& other) {
  for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  return *this;
}

MatchTable::MatchTable(std::vector<const Match*> matches, const Params& params)
    : matches_(std::move(matches)),
      all_(matches_.size()),
      current_(matches_.size()),
      met_(matches_.size()) {
  for (std::size_t i = 0; i < matches_.size(); ++i) all_.add(i);
  for (std::size_t i = 0; i < matches_.size(); ++i) {
    for (const auto& [axis, condition] : *matches_[i]) {
      auto& column = column_of(axis);
      if (is_relative(condition, params)) {
        column.relative.emplace_back(i, &condition);
        continue;
      }
      column.open.drop(i);
      if (!is_numbers(condition)) {
        column.others.emplace_back(i, &condition);
        continue;
      }
      for (const auto& operand : condition.operands) {
        column.numbers.emplace_back(std::get<double>(operand), i);
      }
    }
  }
  for (auto& column : columns_) std::sort(column.numbers.begin(), column.numbers.end());
}

MatchTable::Column& MatchTable::column_of(const std::string& axis) {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& column) { return column.axis == axis; });
  if (found != columns_.end()) return *found;
  columns_.push_back({axis, {}, {}, {}, all_, MatchSet(matches_.size()), {}, {}});
  return columns_.back();
}

const MatchSet& MatchTable::row(Column& column, const AxisValue& value) {
  const auto [entry, is_new] = column.rows.try_emplace(value, matches_.size());
  auto& set = entry->second;
  if (!is_new) return set;
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    const auto number = static_cast<double>(*count);
    // Twice what nearly_equal() allows, so that rounding excludes none.
    const double slack = 2 * tolerance * std::abs(number);
    for (auto near = std::lower_bound(column.numbers.begin(), column.numbers.end(),
                                      std::pair(number - slack, std::size_t{0}));
         near != column.numbers.end() && near->first <= number + slack; ++near) {
      if (nearly_equal(number, near->first)) set.add(near->second);
    }
  }
  for (const auto& [match, condition] : column.others) {
    if (holds(*condition, value, {})) set.add(match);
  }
  column.seen |= set;
  set |= column.open;
  return set;
}

const MatchSet& MatchTable::of(const Params& params) {
  current_ = all_;
  for (auto& column : columns_) current_ &= row(column, *params.find(column.axis));
  for (auto& column : columns_) {
    for (const auto& [match, condition] : column.relative) {
      if (column.seen.has(match) && !current_.has(match)) continue;
      if (holds(*condition, *params.find(column.axis), params)) {
        column.seen.add(match);
      } else {
        current_.drop(match);
      }
    }
  }
  met_ |= current_;
  return current_;
}

MatchTable::Reason MatchTable::why_not(std::size_t match) {
  for (const auto& [axis, condition] : *matches_[match]) {
    auto& column = column_of(axis);
    if (column.seen.has(match)) continue;
    if (column.values_seen.empty()) {
      std::vector<AxisValue> values;
      for (const auto& [value, row] : column.rows) values.push_back(value);
      column.values_seen = values_text(axis, std::move(values));
    }
    return {"none has " + to_string(axis, condition), column.values_seen};
  }
  return {"none meets all of it at once", "--dry-run shows the cases when nothing is wrong"};
}

}  // namespace apod::plan
