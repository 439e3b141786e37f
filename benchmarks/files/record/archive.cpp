#include "benchmarks/files/record/archive.hpp"

namespace apod::record {

void check_shape(std::string_view text, std::size_t deepest) {
  constexpr std::size_t most_members = 20'000;
  std::vector<std::size_t> members;  // of each container that is open
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (members.size() == deepest) throw std::runtime_error("is nested too deeply");
      members.push_back(0);
    } else if ((c == '}' || c == ']') && !members.empty()) {
      members.pop_back();
    } else if (c == ':' && !members.empty() && ++members.back() > most_members) {
      throw std::runtime_error("has an object with more than " + std::to_string(most_members) +
                               " members");
    }
  }
}

}  // namespace apod::record
