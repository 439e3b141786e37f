#include "kernels/files/source/index_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/files/source/host_values.hpp"
#include "kernels/files/source/kernel_run.hpp"

namespace apod::source {
std::vector<Declared> shared_arrays(const ProgramFunction& kernel) {
  std::vector<Declared> all;
  const auto& body = kernel.body;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (!body[i].is("__shared__")) continue;
    auto made = declared(to_semicolon(body, i + 1));
    if (!made.name.empty() && !made.lengths.empty()) all.push_back(std::move(made));
  }
  return all;
}

std::set<std::string> sizes_of(const Program& program, const ProgramFunction& kernel) {
  const KernelLaunch launch;
  KernelRun run(program, kernel, launch);
  run.run();
  return run.sizes;
}

std::set<std::string> idle_loops(const Program& program, const ProgramFunction& kernel,
                                 const KernelLaunch& launch) {
  auto other = launch;
  // One that several calls have is idle if it runs in none of them.
  const auto idle_now = [&] {
    KernelRun run(program, kernel, other);
    run.run();
    std::erase_if(run.idle, [&](const auto& loop) { return run.running.contains(loop); });
    return run.idle;
  };
  const auto idle = idle_now();
  std::set<std::string> all;
  for (const auto& [name, value] : launch.scalars) {
    if (all.size() == idle.size()) break;
    other.scalars[name] = 4096 * (std::abs(value) + 1);
    std::ranges::set_difference(idle, idle_now(), std::inserter(all, all.end()));
    other.scalars[name] = value;
  }
  return all;
}

std::map<std::string, Access> accesses_of(const Program& program, const ProgramFunction& kernel,
                                          const KernelLaunch& launch) {
  auto whole = launch;
  TracedAxes none;
  const HostValues host(program, none);
  for (const auto& one : shared_arrays(kernel)) {
    if (!one.lengths.front().empty()) continue;
    whole.element_bytes[one.name] = static_cast<double>(host.bytes_of(text_of(one.type)));
  }
  KernelRun run(program, kernel, whole);
  run.run();
  return std::move(run.accesses);
}

}  // namespace apod::source
