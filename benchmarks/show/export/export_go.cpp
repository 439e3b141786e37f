#include <fmt/format.h>

#include <array>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/export/export_side.hpp"

namespace apod::exports {
namespace {

/// Go's reader refuses a line of 64 KiB.
constexpr std::size_t longest_go_name = 1000;
constexpr std::size_t longest_value = 1000;

/// Those of Unicode's spaces that are left in printable text: each would end a field.
constexpr std::array<std::string_view, 18> spaces{
    " ",      "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005",
    "\u2006", "\u2007", "\u2008", "\u2009", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F"};
constexpr std::string_view ideographic_space = "\u3000";

void replace_all(std::string& text, std::string_view old, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += with.size())
    text.replace(at, old.size(), with);
}

/// What follows "Benchmark": no space in it, and no lower-case letter at its start, or Go would
/// take it for another word.
std::string go_name(const std::string& name) {
  std::string text = text::shorten(text::printable(name), longest_go_name);
  for (const auto space : spaces) replace_all(text, space, "_");
  replace_all(text, ideographic_space, "_");
  if (text.empty()) return "_";
  const char first = text.front();
  if (first >= 'a' && first <= 'z') {
    text.front() = static_cast<char>(first - 'a' + 'A');
  } else if (static_cast<unsigned char>(first) >= 0x80) {
    text.insert(0, "_");
  }
  return text;
}

/// benchstat shows a table for each set of configuration lines, so only what makes times
/// incomparable is one; what differs between any two runs is a comment. `said`: the keys that have
/// a value from an earlier session.
void write_configuration(std::ostream& out, const SideSession& session,
                         std::set<std::string_view>& said) {
  out << "# file: " << text::shorten(text::printable(session.file), longest_value) << '\n';
  for (const auto& [key, value] : session.environment) {
    if (is_decisive(key)) continue;
    out << "# " << text::shorten(text::printable(key), longest_value) << ": "
        << text::shorten(text::printable(value), longest_value) << '\n';
  }
  for (const auto& property : run_properties()) {
    if (property.differs != Differs::decisive) continue;
    const auto found = session.environment.find(std::string(property.name));
    const std::string value = found == session.environment.end()
                                  ? ""
                                  : text::shorten(text::printable(found->second), longest_value);
    // A key without a value takes back what was said.
    if (value.empty() && said.erase(property.name) == 0) continue;
    if (!value.empty()) said.insert(property.name);
    std::string name(property.name);
    replace_all(name, "_", "-");
    out << name << ':' << (value.empty() ? "" : " ") << value << '\n';
  }
}

}  // namespace

void export_go(std::ostream& out, const Side& side) {
  UniqueNames unique;
  std::vector<std::string> names;
  names.reserve(side.cases.size());
  for (const auto& c : side.cases) names.push_back(unique.add(go_name(c.name)));

  std::vector<std::vector<std::pair<std::size_t, double>>> times(side.sessions.size());
  for (std::size_t i = 0; i < side.cases.size(); ++i) {
    for (const auto& time : side.cases[i].times) times[time.session].emplace_back(i, time.seconds);
  }
  std::set<std::string_view> said;
  for (std::size_t session = 0; session < side.sessions.size(); ++session) {
    write_configuration(out, side.sessions[session], said);
    for (const auto& [i, seconds] : times[session]) {
      // The last part is Go's number of processors, without which benchstat would look for one in
      // the name.
      out << fmt::format("Benchmark{}-1 1 {:.9g} ns/op\n", names[i], seconds * 1e9);
    }
    out << '\n';
  }
  for (const auto& c : side.cases) {
    if (!c.times.empty()) continue;
    out << "# failed: " << text::shorten(text::printable(c.name), longest_go_name) << ": "
        << text::shorten(text::printable(c.failed), longest_value) << '\n';
  }
}

}  // namespace apod::exports
