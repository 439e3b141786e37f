#include <algorithm>

#include "kernels/files/source/program.hpp"

namespace apod::source {
namespace {

/// Behind the declaration that begins at a place: a function, a class, a variable. Of a namespace
/// it is its bracket, so that what is in it is looked at alone.
std::size_t behind_declaration(Tokens tokens, std::size_t first) {
  for (auto at = first; at < tokens.size();) {
    if (is_any(tokens, at, {";", "}"})) return at + 1;
    const auto head = tokens.subspan(first, at - first);
    const bool is_block = tokens[at].is("{");
    const bool is_scope =
        has_any(head, {"namespace"}) || (head.size() == 2 && head.front().is("extern"));
    if (is_block && is_scope) return at + 1;
    at = is_block || tokens[at].is("(") ? behind_bracket(tokens, at) : at + 1;
    // A class, or a variable with its values: a semicolon follows.
    const bool goes_on = has_any(head, {"=", "typedef"}) || is_any(tokens, at, {";"});
    if (is_block && !goes_on) return at;
  }
  return tokens.size();
}

}  // namespace

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (auto i = begin; i < std::min(end, text.size()); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

bool blank_host_part(std::string& text, std::size_t line) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < line && begin < text.size(); ++i)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  const auto end = std::min(text.find('\n', begin), text.size());
  bool changed = false;
  Macros none;
  const auto words = tokens_of(text, none);
  const Tokens tokens(words);
  for (std::size_t first = 0; first < tokens.size();) {
    const auto part = tokens.subspan(first, behind_declaration(tokens, first) - first);
    first += part.size();
    const auto part_end = part.back().at + part.back().text.size();
    const bool is_scope = part.back().is("{") || part.front().is("}");
    const bool is_devices =
        has_any(part, {"__global__", "__device__", "__constant__", "__shared__", "__managed__"});
    if (part_end <= begin || part.front().at >= end || is_scope || is_devices) continue;
    blank(text, part.front().at, part_end);
    changed = true;
  }
  return changed;
}

}  // namespace apod::source
