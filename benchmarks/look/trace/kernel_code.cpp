#include "benchmarks/look/trace/kernel_code.hpp"

#include <cstdint>
#include <set>

#include "kernels/data/fnv.hpp"

namespace apod::trace {

std::map<std::string, std::string> kernel_code_of(const Trace& trace) {
  std::map<std::string, std::set<std::uint64_t>> hashes;
  bool any_seen = false;
  for (const auto& activity : trace.activities) {
    if (activity.kind != Activity::Kind::kernel) continue;
    hashes[activity.name].insert(activity.code);
    any_seen = any_seen || activity.code != 0;
  }
  std::map<std::string, std::string> code;
  if (!any_seen) return code;
  for (const auto& [name, all] : hashes) code[name] = all.count(0) != 0 ? "" : hex(combined(all));
  return code;
}

}  // namespace apod::trace
