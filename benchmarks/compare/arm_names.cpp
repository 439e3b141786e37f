#include "benchmarks/compare/arm_names.hpp"

#include <algorithm>
#include <string_view>

namespace apod::compare {
std::string common_name(const std::string& id, const std::string& by, const std::string& value) {
  if (by.empty()) return id;
  const std::string part = by == "variant" ? value : by + ":";
  std::string name;
  bool removed = false;
  for (std::size_t begin = 0; begin <= id.size();) {
    const auto end = std::min(id.find('/', begin), id.size());
    const std::string_view word(id.data() + begin, end - begin);
    const bool is_it = by == "variant" ? word == part : word.substr(0, part.size()) == part;
    // The first word is the experiment's name, which may be called like a variant.
    if (is_it && begin > 0 && !removed) {
      removed = true;
    } else {
      if (begin > 0) name += '/';
      name += word;
    }
    begin = end + 1;
  }
  return name;
}

}  // namespace apod::compare
