#include <iostream>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/text/closest.hpp"

namespace apod::cli {

void warn_of_strays(const Registry& registry) {
  std::vector<std::string> names;
  for (const auto* family : registry.families()) names.emplace_back(family->name());
  for (const auto* variant : registry.strays()) {
    const auto near = text::closest(variant->family, names);
    std::cerr << "bench: variant " << variant->name << " names the family '" << variant->family
              << "', which is not there" << (near.empty() ? "" : " (did you mean " + near + "?)")
              << '\n';
  }
}

}  // namespace apod::cli
