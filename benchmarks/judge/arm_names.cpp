#include "benchmarks/judge/arm_names.hpp"

#include <algorithm>
#include <cstddef>

namespace apod::judge {
namespace {

/// Where `part` stands between two '/' of `id`, or behind the last; npos where it does not.
std::size_t place_of(const std::string& id, const std::string& part) {
  auto at = id.find(part);
  while (at != std::string::npos && at + part.size() < id.size() && id[at + part.size()] != '/')
    at = id.find(part, at + 1);
  return at;
}

}  // namespace

std::string common_name(const std::string& id, const std::string& by, const std::string& value) {
  if (by.empty()) return id;
  // The first word is the experiment's name, which may be called like a variant.
  const std::string name = by == "variant" ? "/" : "/" + by + ":";
  // A value may hold a '/', as a path does.
  const auto whole = place_of(id, name + value);
  if (whole != std::string::npos) return std::string(id).erase(whole, name.size() + value.size());
  // Or be written another way in the id: 4k as 4096.
  const auto begin = by == "variant" ? std::string::npos : id.find(name);
  if (begin == std::string::npos) return id;
  return id.substr(0, begin) + id.substr(std::min(id.find('/', begin + 1), id.size()));
}

}  // namespace apod::judge
