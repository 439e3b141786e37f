#include "benchmarks/judge/search/looks.hpp"

#include <algorithm>

namespace apod::search {

void Looks::add(const Answer& answer) {
  const auto [at, is_new] = index_.emplace(answer.row, rows_.size());
  if (is_new) rows_.push_back({.row = answer.row});
  auto& row = rows_[at->second];
  ++row.looks;
  const double before = row.mean;
  row.mean += (answer.value - row.mean) / static_cast<double>(row.looks);
  row.squares += (answer.value - before) * (answer.value - row.mean);
}

const Looks::Row* Looks::find(RowIndex row) const {
  const auto at = index_.find(row);
  return at == index_.end() ? nullptr : &rows_[at->second];
}

std::vector<Looks::Row> Looks::ranked(double doubts) const {
  auto rows = rows_;
  std::erase_if(rows, [](const Row& row) { return row.failed(); });
  const double error = doubts > 0 ? doubts * deviation() : 0;
  std::ranges::stable_sort(rows, {}, [&](const Row& row) {
    return row.mean + error / std::sqrt(static_cast<double>(row.looks));
  });
  return rows;
}

double Looks::deviation() const {
  constexpr double usual = 0.03;
  double squares = 0;
  std::size_t degrees = 0;
  for (const auto& row : rows_) {
    if (row.failed()) continue;
    squares += row.squares;
    degrees += row.looks - 1;
  }
  return degrees < 3 ? usual : std::sqrt(squares / static_cast<double>(degrees));
}

}  // namespace apod::search
