#pragma once

/// \file
/// Products as the language of experiments writes them.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apod::source {

/// A product of an integer and of factors that need no brackets: "4 * n * ceil(m / 16)".
struct Traced {
  std::int64_t constant = 1;
  std::vector<std::string> factors{};
  bool is_real = false;

  std::string text() const;
  /// As a part of a product or a quotient: a sum is in brackets.
  std::string operand() const;
  /// As what is divided by: a product is in brackets, too.
  std::string divisor() const;
  bool is_number() const { return factors.empty() && !is_real; }
  /// As an integer: rounded down.
  Traced whole() const;
};

inline Traced number(std::int64_t value) {
  return {.constant = value};
}
/// Of a text that needs no brackets in a product.
inline Traced factor(std::string text, bool is_real = false) {
  Traced made;
  made.factors.push_back(std::move(text));
  made.is_real = is_real;
  return made;
}

/// `yes` where a condition holds, else `no`.
Traced either(const std::string& condition, const Traced& yes, const Traced& no);

/// The integer or real number that a literal is; nothing for another text.
std::optional<double> literal(const std::string& text, bool& is_real);

/// A real number as expressions write it: with a point, and exact.
std::string real_text(double value);

/// The limits of types in <climits> and <cfloat> that an expression can say: "INT_MAX".
std::optional<Traced> limit_of_type(const std::string& name);
/// "max" of std::numeric_limits of a type.
std::optional<Traced> type_limit(const std::string& type, const std::string& which);

/// "n" of "config.n" and of "std::n".
std::string last_word(const std::string& name);

}  // namespace apod::source
