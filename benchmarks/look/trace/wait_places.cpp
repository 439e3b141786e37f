#include "benchmarks/look/trace/wait_places.hpp"

#include <cstddef>

#include "benchmarks/base/library_kernels.hpp"

namespace apod::trace {

const std::string& WaitPlaces::name_of(const Activity& operation) {
  auto& name = names_[operation.name];
  if (name.empty()) {
    const bool kernel = operation.kind == Activity::Kind::kernel;
    name = kernel ? short_kernel_name(operation.name) : operation.name;
  }
  return name;
}

void WaitPlaces::add(const Activity& last, const Activity& next, const std::string& where,
                     double seconds) {
  places_[{name_of(last), name_of(next), where}].add(seconds);
}

WaitPlace WaitPlaces::most() const {
  Tally all;
  for (const auto& [place, time] : places_) all.add(time);
  constexpr std::size_t with_after = 1, with_before = 2, with_where = 4;
  for (const std::size_t told : {7, 3, 6, 5, 4, 2, 1}) {  // the most specific first
    std::map<Place, Tally> sums;
    for (const auto& [place, time] : places_) {
      const auto& [after, before, where] = place;
      const auto kept = [&](std::size_t what, const std::string& text) {
        return (told & what) != 0 ? text : std::string();
      };
      sums[{kept(with_after, after), kept(with_before, before), kept(with_where, where)}].add(time);
    }
    for (const auto& [place, time] : sums) {
      const auto& [after, before, where] = place;
      const double share = time.total_s / all.total_s;
      const double of_waits = static_cast<double>(time.count) / static_cast<double>(all.count);
      // What holds for most waits of any length says nothing.
      const bool says_more = (told & 3U) == 3 || of_waits < 0.5 * share;
      const bool is_known = !(after.empty() && before.empty() && where.empty());
      if (share > 0.5 && says_more && is_known) return {after, before, where, time, all.total_s};
    }
  }
  return {};
}

}  // namespace apod::trace
