#include "benchmarks/base/command.hpp"

#include <stdexcept>

#include "benchmarks/base/text/quantities.hpp"

namespace apod {
namespace {

/// Calls plain(character) and name(text) for what `text` is made of. False where a brace is left
/// open or alone.
template <class Plain, class Name>
bool each_part(std::string_view text, Plain plain, Name name) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto rest = text.substr(i);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      plain(rest[0]);
      ++i;
    } else if (rest[0] == '{') {
      const auto end = rest.find('}');
      if (end == std::string_view::npos || end == 1) return false;
      name(std::string(rest.substr(1, end - 1)));
      i += end;
    } else if (rest[0] == '}') {
      return false;
    } else {
      plain(rest[0]);
    }
  }
  return true;
}

}  // namespace

std::optional<Unit> unit_of_figure(const std::optional<CommandSpec>& command,
                                   std::string_view name) {
  if (!command) return std::nullopt;
  for (const auto& figure : command->figures) {
    if (figure.name != name) continue;
    const auto unit = text::unit_called(figure.unit);
    return unit ? unit->unit : Unit::count;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> names_in(std::string_view text) {
  std::vector<std::string> names;
  if (!each_part(
          text, [](char) {}, [&](std::string name) { names.push_back(std::move(name)); })) {
    return std::nullopt;
  }
  return names;
}

std::string filled_in(std::string_view text, const Params& params, const std::string& scratch) {
  std::string filled;
  const auto add_value = [&](const std::string& name) {
    const auto* value = params.find(name);
    if (value == nullptr && name != scratch_name)
      throw std::runtime_error("{" + name + "} is not an axis of the case");
    filled += value == nullptr ? scratch : to_string(*value);
  };
  if (!each_part(
          text, [&](char c) { filled += c; }, add_value)) {
    throw std::runtime_error("unmatched brace: write {{ or }} for a brace itself");
  }
  return filled;
}

}  // namespace apod
