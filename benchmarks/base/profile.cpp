#include "benchmarks/base/profile.hpp"

namespace apod {

void add_time(std::vector<NamedTime>& times, std::string_view name, const Tally& time) {
  const auto known = std::ranges::find(times, name, &NamedTime::name);
  auto& sum = known != times.end() ? *known : times.emplace_back(NamedTime{std::string(name), {}});
  sum.time.add(time);
}

double Profile::work_s() const {
  double all = 0;
  for (const auto& kernel : kernels) all += kernel.time.total_s;
  for (const auto& copy : copies) all += copy.time.total_s;
  return all;
}

Lane Lane::joined(double gap_ns) const {
  constexpr double longest_joined = 20;  // gaps
  Lane all{name, what, {}, {}, {}, {}, {}};
  std::map<std::size_t, std::size_t> places;
  const auto near = [&](std::int64_t ns, double gaps) {
    return static_cast<double>(ns) < gaps * gap_ns;
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const std::int64_t start = start_ns[i];
    const std::int64_t end = start + length_ns[i];
    if (all.size() > 0) {
      const std::int64_t first = all.start_ns.back();
      std::int64_t& length = all.length_ns.back();
      const bool is_cut = before(i) + after(i) > 0 || all.before(all.size() - 1) > 0;
      if (!is_cut && near(start - first - length, 1) && near(length_ns[i], 1) &&
          near(length, longest_joined)) {
        const auto overlap = std::clamp<std::int64_t>(first + length - start, 0, length_ns[i]);
        all.busy_ns.back() += std::max<std::int64_t>(0, busy(i) - overlap);
        length = std::max(length, end - first);
        all.count.back() += count[i];
        continue;
      }
    }
    const auto [place, is_new] = places.try_emplace(of[i], all.names.size());
    if (is_new) all.names.push_back(names[of[i]]);
    all.of.push_back(place->second);
    all.start_ns.push_back(start);
    all.length_ns.push_back(length_ns[i]);
    all.count.push_back(count[i]);
    all.busy_ns.push_back(busy(i));
    if (!before_ns.empty()) all.before_ns.push_back(before(i));
    if (!after_ns.empty()) all.after_ns.push_back(after(i));
  }
  if (all.busy_ns == all.length_ns) all.busy_ns.clear();
  return all;
}

}  // namespace apod
