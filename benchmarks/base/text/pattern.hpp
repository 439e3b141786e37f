#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace apod::text {

/// The most characters that an expression may have.
inline constexpr std::size_t longest_expression = 256;

/// Asks whether long work may continue: throws if its time is over, or the user has ended it.
using Ask = std::function<void()>;

/// A regular expression (ECMAScript) that is searched for in names. Either may come from anywhere:
/// the time of a search is proportional to the length of the name times the parts of the
/// expression, and its stack does not grow with the name.
class Pattern {
 public:
  Pattern() = default;  ///< is in every name
  /// Throws std::invalid_argument, with a hint, if the text is not a regular expression, is longer
  /// than `longest_expression`, repeats a part more than 20 times, has a back reference, or looks
  /// ahead anywhere but at the start of a name.
  explicit Pattern(const std::string& expression);

  /// Throws std::runtime_error for a name of more than 4 MiB, and what `ask` throws, which is
  /// called now and then.
  bool is_in(const std::string& name, const Ask& ask = {}) const;
  /// A match in a name.
  struct Found {
    std::vector<std::string> groups;  ///< their texts; empty if a group matched nothing
    std::size_t after_first = 0;      ///< position in the name where the first group ends
    std::size_t end = 0;              ///< position in the name where the match ends
  };
  /// The first in the name. Throws as is_in().
  std::optional<Found> find(const std::string& name, const Ask& ask = {}) const;
  std::size_t groups() const;  ///< how many it has
  bool empty() const { return compiled_ == nullptr; }
  const std::string& expression() const { return expression_; }

 private:
  struct Compiled;
  std::string expression_;
  std::shared_ptr<const Compiled> compiled_;
};

/// The expression that matches exactly `text`.
std::string literal(std::string_view text);

/// The name, or part of a name between slashes, that looks most like the expression; "" if none
/// does.
std::string closest_part(const Pattern& pattern, const std::vector<std::string>& names);

}  // namespace apod::text
