#include "benchmarks/plan/values_text.hpp"

#include <algorithm>

namespace apod::plan {

std::string values_text(const std::string& axis, std::vector<AxisValue> values) {
  std::sort(values.begin(), values.end());
  std::string text = axis + " is ";
  for (std::size_t i = 0; i < std::min(values.size(), most_values_shown); ++i) {
    const bool last = i + 1 == values.size();
    text += (i == 0 ? "" : last ? " or " : ", ") + to_string(values[i]);
  }
  return text + (values.size() > most_values_shown ? ", ..." : "");
}

}  // namespace apod::plan
