#include "benchmarks/judge/sessions.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/quantities.hpp"

namespace apod::judge {
namespace {

constexpr double gap_between_days_s = 6 * 3600;
constexpr double longest_day_s = 12 * 3600;

}  // namespace

std::string property(const SideSession& session, const std::string& key) {
  const auto found = session.environment.find(key);
  return found == session.environment.end() ? "" : found->second;
}

std::set<std::string> values_of(const Side& side, const std::string& key) {
  std::set<std::string> values;
  for (const auto& session : side.sessions) {
    auto value = property(session, key);
    if (!value.empty()) values.insert(std::move(value));
  }
  return values;
}

Properties properties_of(const std::vector<SideSession>& sessions) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& session : sessions) {
    for (const auto& [key, value] : session.environment) {
      const auto* known = find_property(key);
      const bool describes = known == nullptr || known->describes;
      if (!value.empty() && describes) values[key].insert(value);
    }
  }
  Properties properties;
  for (auto& [key, all] : values) properties[key] = {all.begin(), all.end()};
  const auto dates = properties.find("date");
  if (dates != properties.end() && dates->second.size() > 1) {
    const auto [first, last] = std::minmax_element(
        dates->second.begin(), dates->second.end(), [](const std::string& a, const std::string& b) {
          return text::instant_of(a) < text::instant_of(b);
        });
    dates->second = {*first, *last};
  }
  return properties;
}

std::optional<double> instant_of(const SideSession& session) {
  return text::instant_of(property(session, "date"));
}

std::set<std::string> boards_of(const Side& side) {
  auto boards = values_of(side, "gpu_uuid");
  return boards.empty() ? values_of(side, "host") : boards;
}

Days days_of(const Side& side) {
  Days days;
  std::vector<std::optional<double>> instants;
  for (const auto& session : side.sessions) instants.push_back(instant_of(session));
  days.undated = static_cast<std::size_t>(std::ranges::count(instants, std::optional<double>()));
  std::vector<std::size_t> order(instants.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return instants[a] < instants[b]; });
  days.of_session.resize(instants.size());
  // Those without a date come first.
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(days.undated));
  double first = 0;
  double before = 0;
  for (const auto i : order) {
    const double now = *instants[i];
    if (days.count == 0 || now - before >= gap_between_days_s || now - first >= longest_day_s) {
      ++days.count;
      first = now;
    }
    days.of_session[i] = static_cast<std::uint32_t>(days.count - 1);
    before = now;
  }
  if (!order.empty()) {
    days.first = instants[order.front()];
    days.last = instants[order.back()];
  }
  for (std::size_t i = 0; i < instants.size(); ++i) {
    if (!instants[i]) days.of_session[i] = static_cast<std::uint32_t>(days.count);
  }
  return days;
}

std::vector<std::vector<bool>> copies_in(const std::vector<const Side*>& sides) {
  std::vector<std::vector<bool>> copies;
  std::set<std::pair<double, std::size_t>> known;  // date and contents
  for (const auto* side : sides) {
    std::vector<std::size_t> contents(side->sessions.size());
    for (const auto& c : side->cases) {
      const auto name = std::hash<std::string>()(c.name);
      for (const auto& time : c.times)
        contents[time.session] += (name | 1) * std::hash<double>()(time.seconds);
    }
    auto& out = copies.emplace_back();
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const auto instant = instant_of(side->sessions[i]);
      out.push_back(instant && contents[i] != 0 && !known.emplace(*instant, contents[i]).second);
    }
  }
  return copies;
}

}  // namespace apod::judge
