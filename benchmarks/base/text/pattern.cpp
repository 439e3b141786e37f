#include "benchmarks/base/text/pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <regex>
#include <set>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"

namespace apod::text {
namespace {

constexpr std::size_t longest_name = std::size_t{4} << 20;
constexpr std::size_t most_parts = 1000;
constexpr double most_repeats = 20;

/// What makes an expression costly.
struct Costs {
  /// How often its counts, such as {2,10}, repeat a part at most. They multiply where one is inside
  /// another; that they always do is assumed.
  double repeats = 1;
  /// \1 to \9...: the library would read any number of digits.
  bool refers_back = false;
  /// A look-ahead reads the rest of the name. It may begin at the start of the name, but not at
  /// each of its characters or within another.
  bool looks_ahead_often = false;
};

/// The greatest number in the count that opens at `at`.
double greatest_count(std::string_view expression, std::size_t at) {
  double greatest = 1;
  double number = 0;
  for (++at; at < expression.size() && expression[at] != '}'; ++at) {
    const bool digit = expression[at] >= '0' && expression[at] <= '9';
    number = digit ? 10 * number + (expression[at] - '0') : 0;
    greatest = std::max(greatest, number);
  }
  return greatest;
}

Costs costs_of(std::string_view expression) {
  Costs costs;
  bool in_class = false;  // between [ and ], where most characters stand for themselves
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const std::string_view rest = expression.substr(i);
    if (rest[0] == '\\') {
      costs.refers_back |= rest.size() > 1 && rest[1] >= '1' && rest[1] <= '9';
      ++i;
    } else if (in_class) {
      in_class = rest[0] != ']';
    } else if (rest[0] == '[') {
      in_class = true;
    } else if (rest[0] == '{') {
      costs.repeats *= greatest_count(expression, i);
    } else if (rest.starts_with("(?=") || rest.starts_with("(?!")) {
      costs.looks_ahead_often |= i != 1 || expression[0] != '^';
    }
  }
  return costs;
}

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw std::invalid_argument(what + " (" + hint + ")");
}

std::regex compile(const std::string& expression) {
  if (expression.size() > longest_expression) {
    refuse("the expression has " + std::to_string(expression.size()) + " characters",
           "the limit is " + std::to_string(longest_expression));
  }
  const auto quoted = "'" + expression + "'";
  const auto costs = costs_of(expression);
  if (costs.repeats > most_repeats)
    refuse(quoted + " repeats a part more than 20 times", "write * or +");
  const std::string hint =
      "to match a character such as ( [ { * + ? \\ itself, write a \\ before it";
  if (costs.refers_back) refuse(quoted + " has an unsupported back reference", hint);
  if (costs.looks_ahead_often)
    refuse(quoted + " has an unsupported lookahead", "use one, at the start: ^(?!...) or ^(?=...)");
  // Backtracking would take exponential time for expressions such as (a*)*b, and overflow the stack
  // on long names. The library's other way to match does neither.
  constexpr auto way = std::regex::ECMAScript | std::regex_constants::__polynomial;
  try {
    std::regex(expression, way);  // "a)(b" is none, though what is compiled below would be
    // One match from the start of a name: a search would start again at each character.
    return std::regex("[^]*?(?:" + expression + ")", way);
  } catch (const std::regex_error&) {
    // The library's reasons are not to be trusted: it calls "*" a mismatched parenthesis.
    refuse(quoted + " is not a valid regular expression", hint);
  }
}

void refuse_long(const std::string& name) {
  if (name.size() <= longest_name) return;
  throw std::runtime_error("a name has " + std::to_string(name.size()) +
                           " bytes, but the limit for a search with an expression is " +
                           std::to_string(longest_name));
}

/// A place in a name. Who reads there asks now and then whether the search may go on: the library
/// has no other way to end one.
class Place {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Place() = default;
  Place(const char* at, const Ask* ask) : at_(at), ask_(ask) {}
  reference operator*() const {
    if (ask_ != nullptr && (reinterpret_cast<std::uintptr_t>(at_) & 0x3fff) == 0) (*ask_)();
    return *at_;
  }
  Place& operator++() {
    ++at_;
    return *this;
  }
  Place operator++(int) { return Place(at_++, ask_); }
  Place& operator--() {
    --at_;
    return *this;
  }
  Place operator--(int) { return Place(at_--, ask_); }
  bool operator==(const Place& other) const { return at_ == other.at_; }

 private:
  const char* at_ = nullptr;
  const Ask* ask_ = nullptr;
};

bool search(const std::string& name, std::match_results<Place>& found, const std::regex& expression,
            const Ask& ask) {
  refuse_long(name);
  const Ask* const asked = ask ? &ask : nullptr;
  if (asked != nullptr) ask();
  return std::regex_search(Place(name.data(), asked), Place(name.data() + name.size(), asked),
                           found, expression, std::regex_constants::match_continuous);
}

}  // namespace

struct Pattern::Compiled {
  std::regex expression;
};

Pattern::Pattern(const std::string& expression) : expression_(expression) {
  if (!expression.empty()) compiled_ = std::make_shared<Compiled>(Compiled{compile(expression)});
}

bool Pattern::is_in(const std::string& name, const Ask& ask) const {
  std::match_results<Place> found;
  return empty() || search(name, found, compiled_->expression, ask);
}

std::optional<Pattern::Found> Pattern::find(const std::string& name, const Ask& ask) const {
  if (empty()) return Found{};
  std::match_results<Place> matched;
  if (!search(name, matched, compiled_->expression, ask)) return std::nullopt;
  Found found;
  for (std::size_t i = 1; i < matched.size(); ++i) found.groups.push_back(matched[i].str());
  found.end = static_cast<std::size_t>(matched.position(0) + matched.length(0));
  if (matched.size() > 1 && matched[1].matched)
    found.after_first = static_cast<std::size_t>(matched.position(1) + matched.length(1));
  return found;
}

std::size_t Pattern::groups() const {
  return empty() ? 0 : compiled_->expression.mark_count();
}

std::string literal(std::string_view text) {
  constexpr std::string_view special = "\\^$.|?*+()[]{}";
  std::string expression;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) expression += '\\';
    expression += c;
  }
  return expression;
}

std::string closest_part(const Pattern& pattern, const std::vector<std::string>& names) {
  std::set<std::string> parts;
  for (const auto& name : names) {
    for (std::size_t begin = 0; begin <= name.size() && parts.size() < most_parts;) {
      const auto end = std::min(name.find('/', begin), name.size());
      parts.insert(name.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return closest(pattern.expression(), {parts.begin(), parts.end()});
}

}  // namespace apod::text
