#include "kernels/files/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace apod {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

Value value_of(const AxisValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return Value::of(*number);
  return Value::of_word(std::get<std::string>(value));
}

std::string to_string(const Value& value) {
  switch (value.kind) {
    case Value::Kind::whole:
      return std::to_string(value.whole);
    case Value::Kind::truth:
      return value.whole != 0 ? "true" : "false";
    case Value::Kind::word:
      return "'" + *value.word + "'";
    case Value::Kind::real:
      break;
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value.real);
  return text.data();
}

/// Descends by precedence; each level returns the index of the node it made.
class Expression::Parser {
 public:
  explicit Parser(Expression& made) : made_(made), text_(made.text_) {}

  int whole() {
    const int root = any();
    skip_blanks();
    if (at_ < text_.size()) fail("'" + std::string(1, text_[at_]) + "' is not allowed here");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ExpressionError(at_, what); }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }
  char next() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!std::string_view(text_).substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  /// A word of the language, which no name continues.
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!std::string_view(text_).substr(at_).starts_with(word)) return false;
    const auto end = at_ + word.size();
    if (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) return false;
    at_ = end;
    return true;
  }
  void expect(std::string_view sign) {
    if (take(sign)) return;
    fail(next() == '\0' ? "the expression ends, but '" + std::string(sign) + "' is missing"
                        : "'" + std::string(sign) + "' is missing here");
  }

  int make(Op op, std::size_t at, std::vector<int> parts) {
    made_.nodes_.push_back({.op = op, .at = at, .parts = std::move(parts)});
    return static_cast<int>(made_.nodes_.size()) - 1;
  }

  /// Counts how deep the text nests.
  struct Level {
    explicit Level(Parser& parser) : depth(parser.depth_) {
      if (++depth > deepest) parser.fail("the expression is nested too deeply");
    }
    ~Level() { --depth; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    int& depth;
  };

  struct Operator {
    std::string_view sign;
    int binds;  ///< how tightly
    Op op;
  };
  static constexpr int of_not = 3, of_comparison = 4;
  /// Takes an operator that binds at least so tightly; null: another text follows.
  const Operator* take_operator(int least) {
    static constexpr std::array<Operator, 13> all{{{"or", 1, Op::or_},
                                                   {"and", 2, Op::and_},
                                                   {"==", of_comparison, Op::equal},
                                                   {"!=", of_comparison, Op::unequal},
                                                   {"<=", of_comparison, Op::at_most},
                                                   {">=", of_comparison, Op::at_least},
                                                   {"<", of_comparison, Op::less},
                                                   {">", of_comparison, Op::more},
                                                   {"+", 5, Op::add},
                                                   {"-", 5, Op::subtract},
                                                   {"*", 6, Op::multiply},
                                                   {"/", 6, Op::divide},
                                                   {"%", 6, Op::remainder}}};
    if (next() == '*' && text_.compare(at_, 2, "**") == 0) fail("for a power, write a ^ b");
    for (const auto& one : all) {
      const bool is_word = is_letter(one.sign.front());
      if (one.binds >= least && (is_word ? take_word(one.sign) : take(one.sign))) return &one;
    }
    if (least <= of_comparison && next() == '=')
      fail("'=' is not an operator; to compare, write '=='");
    return nullptr;
  }
  int any(int least = 1) {
    const Level level(*this);
    skip_blanks();
    auto at = at_;
    const bool negates = least <= of_not && take_word("not");
    int left = negates ? make(Op::not_, at, {any(of_not)}) : signed_();
    for (bool compares = false;;) {
      skip_blanks();
      at = at_;
      const auto* found = take_operator(least);
      if (found == nullptr) return left;
      if (found->binds == of_comparison && compares)
        fail("comparisons can't be chained: write a < b and b < c");
      compares = compares || found->binds == of_comparison;
      left = make(found->op, at, {left, any(found->binds + 1)});
    }
  }
  int signed_() {
    const Level level(*this);
    skip_blanks();
    const auto at = at_;
    if (take("-")) return make(Op::negate, at, {signed_()});
    const int base = operand();
    skip_blanks();
    const auto sign = at_;
    if (take("^")) return make(Op::power, sign, {base, signed_()});
    return base;
  }
  int operand() {
    const char c = next();
    if (c == '(') {
      take("(");
      const int inner = any();
      expect(")");
      return inner;
    }
    if (is_digit(c) || c == '.') return number();
    if (c == '\'') return word();
    if (is_letter(c)) return name();
    if (c == '\0') fail("the expression ends, but a value is missing");
    fail("'" + std::string(1, c) + "' is not allowed here");
  }
  int number() {
    const auto begin = at_;
    bool is_real = false;
    const auto digits = [&] {
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') {
      is_real = true;
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) {
        is_real = is_real || text_[at_] == '-';
        ++at_;
      }
      digits();
    }
    if (at_ < text_.size() && is_letter(text_[at_]))
      fail("a letter follows a number: write 4 * n, or 2^20 for 1Mi");
    const std::string_view said = std::string_view(text_).substr(begin, at_ - begin);
    Value value;
    const auto* end = said.data() + said.size();
    if (!is_real && said.find_first_of("eE") == std::string_view::npos) {
      const auto [stop, error] = std::from_chars(said.data(), end, value.whole);
      if (error != std::errc{} || stop != end)
        throw ExpressionError(begin, "'" + std::string(said) + "' is larger than 2^63 - 1");
    } else {
      double real = 0;
      const auto [stop, error] = std::from_chars(said.data(), end, real);
      if (error != std::errc{} || stop != end)
        throw ExpressionError(begin, "'" + std::string(said) + "' is not a number");
      // Up to 2^53 every integer is a double.
      if (!is_real && real > 0x1p53) {
        throw ExpressionError(
            begin, "'" + std::string(said) +
                       "' is not exact; write a power such as 10^18, or 1.0e18 for a real number");
      }
      value = is_real ? Value::of_real(real) : Value::of(static_cast<std::int64_t>(real));
    }
    const int node = make(Op::constant, begin, {});
    made_.nodes_.back().value = value;
    return node;
  }
  int word() {
    const auto begin = at_++;
    const auto end = text_.find('\'', at_);
    if (end == std::string::npos)
      throw ExpressionError(begin, "the string that begins here has no closing '");
    const int node = make(Op::word, begin, {});
    made_.nodes_.back().name = made_.words_.size();
    made_.words_.push_back(text_.substr(at_, end - at_));
    at_ = end + 1;
    return node;
  }
  int name() {
    const auto begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string said = text_.substr(begin, at_ - begin);
    if (said == "true" || said == "false") {
      const int node = make(Op::constant, begin, {});
      made_.nodes_.back().value = Value::of_truth(said == "true");
      return node;
    }
    if (next() == '(') return call(said, begin);
    auto& names = made_.names_;
    auto known = std::find(names.begin(), names.end(), said);
    const auto index = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) {
      names.push_back(said);
      made_.name_places_.push_back(begin);
    }
    int node = 0;
    if (take("[")) {
      const int place = any();
      expect("]");
      node = make(Op::element, begin, {place});
    } else {
      node = make(Op::name, begin, {});
    }
    made_.nodes_[static_cast<std::size_t>(node)].name = index;
    return node;
  }
  int call(const std::string& said, std::size_t begin) {
    struct Function {
      std::string_view name;
      Op op;
      std::size_t least, most;
    };
    static constexpr std::array<Function, 10> functions{{{"min", Op::min, 1, 16},
                                                         {"max", Op::max, 1, 16},
                                                         {"abs", Op::abs, 1, 1},
                                                         {"ceil", Op::ceil, 1, 1},
                                                         {"floor", Op::floor, 1, 1},
                                                         {"log2", Op::log2, 1, 1},
                                                         {"sqrt", Op::sqrt, 1, 1},
                                                         {"exp", Op::exp, 1, 1},
                                                         {"log", Op::log, 1, 1},
                                                         {"if", Op::if_, 3, 3}}};
    const auto* known = std::find_if(functions.begin(), functions.end(),
                                     [&](const Function& f) { return f.name == said; });
    if (known == functions.end()) {
      throw ExpressionError(begin, "there is no function '" + said +
                                       "'; the functions are min, max, abs, ceil, floor, log2, "
                                       "sqrt, exp, log and if(condition, a, b)");
    }
    take("(");
    std::vector<int> parts;
    do {
      parts.push_back(any());
    } while (take(","));
    expect(")");
    if (parts.size() < known->least || parts.size() > known->most) {
      throw ExpressionError(begin, said + " takes " + std::to_string(known->least) +
                                       (known->most > known->least ? " or more values" : "") +
                                       (known->least == 3 ? " values" : "") + ", not " +
                                       std::to_string(parts.size()));
    }
    return make(known->op, begin, std::move(parts));
  }

  Expression& made_;
  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression::Expression(std::string_view text) : text_(text) {
  if (text_.size() > longest) {
    throw ExpressionError(0, "the expression has " + std::to_string(text_.size()) +
                                 " bytes; the limit is " + std::to_string(longest));
  }
  root_ = Parser(*this).whole();
}

}  // namespace apod
