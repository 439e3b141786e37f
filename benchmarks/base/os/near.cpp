#include "benchmarks/base/os/near.hpp"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <vector>

namespace apod::os {
namespace {

constexpr std::size_t most_processors = 1 << 14;
constexpr int most_nodes = 1024;

/// One flag a processor.
using Processors = std::vector<bool>;

/// "0-3,8" as the kernel writes it; nothing where it is not of that form, or names no processor.
std::optional<Processors> parse_processors(const std::string& text) {
  Processors all(most_processors);
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    std::size_t first = 0;
    auto [next, bad] = std::from_chars(at, end, first);
    if (bad != std::errc{}) return std::nullopt;
    std::size_t last = first;
    if (next != end && *next == '-') {
      const auto [rest, also] = std::from_chars(next + 1, end, last);
      if (also != std::errc{}) return std::nullopt;
      next = rest;
    }
    if (last < first || last >= most_processors) return std::nullopt;
    std::fill(all.begin() + static_cast<std::ptrdiff_t>(first),
              all.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
    if (next == end) return all;
    if (*next != ',') return std::nullopt;
    at = next + 1;
  }
}

std::string text_of(const Processors& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) continue;
    const std::size_t first = i;
    while (i + 1 < all.size() && all[i + 1]) ++i;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (i > first) text += "-" + std::to_string(i);
  }
  return text;
}

/// A kernel's set of processors, of any size.
class ProcessorSet {
 public:
  ProcessorSet() : set_(CPU_ALLOC(most_processors)), bytes_(CPU_ALLOC_SIZE(most_processors)) {
    CPU_ZERO_S(bytes_, set_);
  }
  ~ProcessorSet() { CPU_FREE(set_); }
  ProcessorSet(const ProcessorSet&) = delete;
  ProcessorSet& operator=(const ProcessorSet&) = delete;

  bool read() { return ::sched_getaffinity(0, bytes_, set_) == 0; }
  bool apply() const { return ::sched_setaffinity(0, bytes_, set_) == 0; }
  bool has(std::size_t i) const { return CPU_ISSET_S(i, bytes_, set_) != 0; }
  void add(std::size_t i) { CPU_SET_S(i, bytes_, set_); }

 private:
  cpu_set_t* set_;
  std::size_t bytes_;
};

/// Memory of `node` first, and of others once it has none. False where the system refuses.
bool prefer_memory_of(int node) {
  int mode = MPOL_DEFAULT;
  if (::syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0) != 0) return false;
  if (mode != MPOL_DEFAULT) return false;
  constexpr std::size_t bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> nodes(most_nodes / bits);
  const auto at = static_cast<std::size_t>(node);
  nodes[at / bits] = 1UL << (at % bits);
  // The kernel uses one bit less than the given number.
  return ::syscall(SYS_set_mempolicy, MPOL_PREFERRED, nodes.data(), most_nodes + 1UL) == 0;
}

}  // namespace

std::string Place::text() const {
  return "processors " + processors + (node < 0 ? "" : ", node " + std::to_string(node));
}

std::optional<Place> place_near(const std::string& pci, const std::string& tables) {
  // It becomes the name of a folder.
  if (pci.empty() || pci.find_first_not_of("0123456789abcdef:.") != std::string::npos)
    return std::nullopt;
  const auto folder = tables + "/" + pci + "/";
  Place place;
  std::ifstream(folder + "local_cpulist") >> place.processors;
  if (!parse_processors(place.processors)) return std::nullopt;
  std::ifstream file(folder + "numa_node");
  if (int node = -1; file >> node && node >= 0 && node < most_nodes) place.node = node;
  return place;
}

std::optional<Place> pin_to(const Place& place) {
  const auto near = parse_processors(place.processors);
  ProcessorSet allowed;
  if (!near || !allowed.read()) return std::nullopt;
  Processors kept(most_processors);
  ProcessorSet chosen;
  for (std::size_t i = 0; i < most_processors; ++i) {
    kept[i] = (*near)[i] && allowed.has(i);
    if (kept[i]) chosen.add(i);
  }
  Place pinned{text_of(kept), place.node};
  if (pinned.processors.empty() || !chosen.apply()) return std::nullopt;
  if (place.node >= 0 && !prefer_memory_of(place.node)) pinned.node = -1;
  return pinned;
}

}  // namespace apod::os
