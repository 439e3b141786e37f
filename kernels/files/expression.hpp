#pragma once

/// \file
/// Arithmetic in an experiment file: "ceil(size * size / (block * TILE))". It computes and does
/// nothing else. Integers are exact, and a value beyond 63 bits is an error; so is a division by
/// zero, and, but of elements of an array, an infinity or what is not a number. Length and depth
/// are bounded.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/params.hpp"
#include "kernels/data/element.hpp"

namespace apod {

/// What is wrong with an expression or its value, and where.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t at, const std::string& what) : std::runtime_error(what), at_(at) {}
  std::size_t at() const { return at_; }         ///< bytes into the text
  std::int64_t place() const { return place_; }  ///< where it was evaluated; below 0: nowhere
  void set_place(std::int64_t place) { place_ = place; }

 private:
  std::size_t at_;
  std::int64_t place_ = -1;
};

/// An integer, a real number, a truth value or a word.
struct Value {
  enum class Kind : std::uint8_t { whole, real, truth, word };
  Kind kind = Kind::whole;
  union {
    std::int64_t whole = 0;  ///< also of a truth value, 0 or 1
    double real;
    const std::string* word;
  };

  static Value of(std::int64_t value) { return {.whole = value}; }
  static Value of_real(double value) { return {.kind = Kind::real, .real = value}; }
  static Value of_truth(bool value) { return {.kind = Kind::truth, .whole = value ? 1 : 0}; }
  static Value of_word(const std::string& text) { return {.kind = Kind::word, .word = &text}; }

  bool is_number() const { return kind == Kind::whole || kind == Kind::real; }
  double number() const { return kind == Kind::real ? real : static_cast<double>(whole); }
};
/// Of an axis; words keep their text.
Value value_of(const AxisValue& value);
/// "64", "0.5", "true", "'fp32'".
std::string to_string(const Value& value);

/// The value of a name: a value, or an array and its element.
struct Binding {
  Value value{};
  const std::byte* array = nullptr;  ///< null: the value
  std::int64_t count = 0;            ///< of the array's elements
  ElementType type = ElementType::f32;
};

/// Precedence, lowest first: or; and; not; == != < <= > >= (not in a row); + -; * / %; unary -; ^
/// (to the right). Functions: min max abs ceil floor log2 sqrt exp log, and if(condition, a, b).
/// - 7 / 2 is 3.5, and ceil(a / b) and floor(a / b) of integers are exact whatever their size;
/// - % takes integers and has the sign of its divisor;
/// - an integer to the power of a natural number is an integer;
/// - x[i] is an element of an array; x alone is the one at the computed place;
/// - 'fp32' is a word, which can only be compared by == and !=;
/// - 1e6 is an integer, 1.0 is not.
class Expression {
 public:
  static constexpr std::size_t longest = 1000;  ///< bytes
  static constexpr int deepest = 100;

  /// Throws ExpressionError.
  explicit Expression(std::string_view text);

  const std::string& text() const { return text_; }
  /// The names that it refers to, each once; evaluate() wants a binding for each.
  const std::vector<std::string>& names() const { return names_; }
  /// The first place of a name, in bytes into the text.
  std::size_t place_of_name(std::size_t name) const { return name_places_[name]; }

  /// `place` is the index into arrays without one in the text; below 0 there is none. Throws
  /// ExpressionError.
  Value evaluate(std::span<const Binding> bindings, std::int64_t place = -1) const;
  /// Its values at places `first` and on; name `place_name` (below 0: none) is the place itself.
  /// Throws ExpressionError, with a place.
  void evaluate(std::span<const Binding> bindings, std::ptrdiff_t place_name, std::int64_t first,
                std::span<Value> to) const;

 private:
  enum class Op : std::uint8_t {
    constant,
    word,
    name,
    element,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    power,
    negate,
    equal,
    unequal,
    less,
    at_most,
    more,
    at_least,
    and_,
    or_,
    not_,
    min,
    max,
    abs,
    ceil,
    floor,
    log2,
    sqrt,
    exp,
    log,
    if_
  };
  struct Node {
    Op op = Op::constant;
    std::size_t at = 0;        ///< bytes into the text
    Value value{};             ///< of a constant
    std::size_t name = 0;      ///< into names_, or of a word into words_
    std::vector<int> parts{};  ///< its operands, into nodes_
  };
  class Parser;
  class Evaluation;

  std::string text_;
  std::vector<Node> nodes_;
  std::vector<std::string> names_;
  std::vector<std::size_t> name_places_;
  std::vector<std::string> words_;
  int root_ = 0;
};

}  // namespace apod
