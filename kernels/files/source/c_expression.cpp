#include "kernels/files/source/c_expression.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace apod::source {
namespace {

using Kind = CExpression::Kind;

constexpr int deepest_tree = 60;
constexpr int longest_chain = 200;  ///< operators one after another: each makes the tree deeper

/// How tightly an operator binds; 0: it is none.
int strength(std::string_view mark) {
  static constexpr std::array<std::pair<std::string_view, int>, 31> all{
      {{"=", 1},   {"+=", 1},  {"-=", 1},  {"*=", 1}, {"/=", 1}, {"%=", 1}, {"&=", 1},  {"|=", 1},
       {"^=", 1},  {"<<=", 1}, {">>=", 1}, {"?", 2},  {"||", 3}, {"&&", 4}, {"|", 5},   {"^", 6},
       {"&", 7},   {"==", 8},  {"!=", 8},  {"<", 9},  {">", 9},  {"<=", 9}, {">=", 9},  {"<<", 10},
       {">>", 10}, {"+", 11},  {"-", 11},  {"*", 12}, {"/", 12}, {"%", 12}, {"->*", 13}}};
  for (const auto& [name, value] : all) {
    if (name == mark) return value;
  }
  return 0;
}

CExpression joined(Kind kind, std::string text, CExpression&& left, CExpression&& right) {
  CExpression made{.kind = kind, .text = std::move(text)};
  made.parts.push_back(std::move(left));
  made.parts.push_back(std::move(right));
  return made;
}

class Parser {
 public:
  Parser(Tokens tokens, const Macros& macros, int depth)
      : tokens_(tokens), macros_(macros), depth_(depth) {}

  CExpression parse(int least = 1) {
    const auto begin = at_;
    if (++depth_ > deepest_tree) return {};
    auto left = operand();
    for (int chain = 0;; ++chain) {
      const auto [mark, words] = operation();
      const int binds = strength(mark);
      if (binds < least || binds == 0) break;
      if (chain == longest_chain) return {.parts = {std::move(left)}};
      at_ += words;
      if (mark == "?") {
        auto yes = parse(2);
        if (is(":")) ++at_;
        auto no = parse(2);
        left = joined(Kind::choice, "", std::move(left), std::move(yes));
        left.parts.push_back(std::move(no));
      } else {
        auto right = parse(binds == 1 ? 1 : binds + 1);
        left = joined(Kind::binary, mark, std::move(left), std::move(right));
      }
      left.tokens = tokens_.subspan(begin, at_ - begin);
    }
    --depth_;
    left.tokens = tokens_.subspan(begin, at_ - begin);
    return left;
  }

  std::size_t at_ = 0;

 private:
  bool is(std::string_view mark, std::size_t further = 0) const {
    return at_ + further < tokens_.size() && tokens_[at_ + further].is(mark);
  }
  bool touches(std::size_t further) const {
    const auto& before = tokens_[at_ + further - 1];
    return tokens_[at_ + further].at == before.at + before.text.size();
  }
  /// The operator here, and of how many tokens it is.
  std::pair<std::string, std::size_t> operation() const {
    if (at_ >= tokens_.size() || tokens_[at_].kind != Token::Kind::mark) return {"", 0};
    if (is("<<") && is("=", 1) && touches(1)) return {"<<=", 2};
    if (!is(">")) return {tokens_[at_].text, 1};
    if (is("=", 1) && touches(1)) return {">=", 2};
    if (!is(">", 1) || !touches(1)) return {">", 1};
    if (is("=", 2) && touches(2)) return {">>=", 3};
    return {">>", 2};
  }

  CExpression operand() {
    const auto begin = at_;
    auto made = bare_operand();
    made.tokens = tokens_.subspan(begin, at_ - begin);
    return made;
  }
  CExpression bare_operand() {
    if (at_ >= tokens_.size()) return {};
    static constexpr std::array<std::string_view, 8> prefixes{"-", "+", "!",  "~",
                                                              "*", "&", "++", "--"};
    for (const auto prefix : prefixes) {
      if (!is(prefix)) continue;
      ++at_;
      auto inner = depth_ < deepest_tree ? nested([&] { return operand(); }) : CExpression{};
      if (prefix == "+") return inner;
      return {.kind = Kind::unary, .text = std::string(prefix), .parts = {std::move(inner)}};
    }
    return postfix(primary());
  }

  template <class Read>
  CExpression nested(const Read& read) {
    ++depth_;
    auto made = read();
    --depth_;
    return made;
  }

  CExpression primary() {
    const auto& token = tokens_[at_];
    if (token.kind == Token::Kind::number) {
      ++at_;
      return {.kind = Kind::number, .text = token.text};
    }
    if (token.is("(")) {
      if (auto made = cast()) return std::move(*made);
      const auto behind = behind_bracket(tokens_, at_);
      auto inner = inside(at_ + 1, behind - 1);
      at_ = behind;
      return inner;
    }
    if (token.is("{")) return braces("");
    if (!token.is_name()) {
      if (token.kind == Token::Kind::text) ++at_;
      return {};
    }
    if (token.is("sizeof")) return size();
    return named();
  }

  CExpression inside(std::size_t begin, std::size_t end) {
    if (begin >= end || depth_ >= deepest_tree) return {};
    Parser inner(tokens_.subspan(begin, end - begin), macros_, depth_);
    return inner.parse();
  }
  std::vector<CExpression> list(std::size_t begin, std::size_t end) {
    std::vector<CExpression> all;
    if (begin >= end || depth_ >= deepest_tree) return all;
    for (const auto part : split_at_commas(tokens_.subspan(begin, end - begin))) {
      all.push_back(Parser(part, macros_, depth_).parse());
      all.back().tokens = part;
    }
    return all;
  }

  CExpression braces(std::string type) {
    const auto behind = behind_bracket(tokens_, at_);
    CExpression made{
        .kind = Kind::list, .text = std::move(type), .parts = list(at_ + 1, behind - 1)};
    at_ = behind;
    return made;
  }

  CExpression size() {
    const auto begin = ++at_;
    if (!is("(")) {
      auto inner = nested([&] { return operand(); });
      return {.kind = Kind::size, .text = text_of(tokens_.subspan(begin, at_ - begin))};
    }
    const auto behind = behind_bracket(tokens_, at_);
    CExpression made{.kind = Kind::size,
                     .text = text_of(tokens_.subspan(begin + 1, behind - begin - 2))};
    at_ = behind;
    return made;
  }

  /// "(float*)p" and "(T)x", if it is one.
  std::optional<CExpression> cast() {
    const auto behind = behind_bracket(tokens_, at_);
    const auto words = tokens_.subspan(at_ + 1, behind - at_ - 2);
    if (words.empty() || behind >= tokens_.size()) return std::nullopt;
    const bool is_type = std::all_of(words.begin(), words.end(), [](const Token& t) {
      return t.is_name() || t.is("*") || t.is("&") || t.is("::") || t.is("<") || t.is(">");
    });
    const auto& next = tokens_[behind];
    const bool has_operand = next.is_name() || next.kind == Token::Kind::number || next.is("(") ||
                             next.is("&") || next.is("*") || next.is("-") || next.is("~");
    const bool is_pointer = words.back().is("*");
    const bool is_number = words.front().is_name() && is_number_type(words.front().text);
    const bool is_plain = words.size() == 1 && (next.is_name() || next.kind == Token::Kind::number);
    if (!is_type || !words.front().is_name() || !has_operand) return std::nullopt;
    if (!is_pointer && !is_number && !is_plain) return std::nullopt;
    at_ = behind;
    auto inner = nested([&] { return operand(); });
    return CExpression{.kind = Kind::cast, .text = text_of(words), .parts = {std::move(inner)}};
  }

  CExpression named() {
    auto name = tokens_[at_++].text;
    if (name == "static_cast" || name == "reinterpret_cast" || name == "const_cast") {
      const auto behind = is("<") ? behind_angle(tokens_, at_) : at_;
      if (behind == at_ || behind >= tokens_.size() || !tokens_[behind].is("(")) return {};
      const auto type = text_of(tokens_.subspan(at_ + 1, behind - at_ - 2));
      const auto end = behind_bracket(tokens_, behind);
      auto inner = inside(behind + 1, end - 1);
      at_ = end;
      return {.kind = Kind::cast, .text = type, .parts = {std::move(inner)}};
    }
    // "unsigned long(x)", and namespaces.
    while (is_number_type(name) && at_ < tokens_.size() && tokens_[at_].is_name() &&
           is_number_type(tokens_[at_].text)) {
      name += " " + tokens_[at_++].text;
    }
    for (;;) {
      if (is("<")) {
        const auto behind = behind_angle(tokens_, at_);
        const bool fits = behind > at_ && is_any(tokens_, behind, {"(", "::", "{"});
        if (fits) at_ = behind;
      }
      if (!is("::") || at_ + 1 >= tokens_.size() || !tokens_[at_ + 1].is_name()) break;
      name += "::" + tokens_[at_ + 1].text;
      at_ += 2;
    }
    while ((is(".") || is("->")) && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is_name()) {
      name += "." + tokens_[at_ + 1].text;
      at_ += 2;
      if (is("<")) {
        const auto behind = behind_angle(tokens_, at_);
        if (behind > at_ && behind < tokens_.size() && tokens_[behind].is("(")) at_ = behind;
      }
    }
    if (is("(")) {
      const auto behind = behind_bracket(tokens_, at_);
      auto parts = list(at_ + 1, behind - 1);
      at_ = behind;
      if (is_number_type(name) && parts.size() == 1)
        return {.kind = Kind::cast, .text = name, .parts = std::move(parts)};
      return {.kind = Kind::call, .text = name, .parts = std::move(parts)};
    }
    if (is("{") && name != "else" && name != "do") return braces(name);
    const auto macro = macros_.find(name);
    if (macro != macros_.end() && !macro->second.has_parameters && !macro->second.body.empty())
      return depth_ + 10 > deepest_tree ? CExpression{}
                                        : Parser(macro->second.body, macros_, depth_ + 10).parse();
    return {.kind = Kind::name, .text = name};
  }

  CExpression postfix(CExpression left) {
    for (;;) {
      if (is("[")) {
        const auto behind = behind_bracket(tokens_, at_);
        auto index = inside(at_ + 1, behind - 1);
        at_ = behind;
        left = joined(Kind::subscript, "", std::move(left), std::move(index));
      } else if ((is(".") || is("->")) && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is_name()) {
        const auto name = "." + tokens_[at_ + 1].text;
        at_ += 2;  // a member of what has no name here is a part of it
        if (!is("(")) continue;
        const auto behind = behind_bracket(tokens_, at_);
        auto parts = list(at_ + 1, behind - 1);
        parts.insert(parts.begin(), std::move(left));
        at_ = behind;
        left = {.kind = Kind::call, .text = name, .parts = std::move(parts)};
      } else if (is("++") || is("--")) {
        left = {.kind = Kind::unary, .text = tokens_[at_].text, .parts = {std::move(left)}};
        ++at_;
      } else {
        return left;
      }
    }
  }

  Tokens tokens_;
  const Macros& macros_;
  int depth_;
};

}  // namespace

bool is_number_type(std::string_view name) {
  static constexpr std::array<std::string_view, 29> all{
      "int",     "unsigned", "long",        "short",        "char",         "signed",
      "float",   "double",   "size_t",      "bool",         "int8_t",       "int16_t",
      "int32_t", "int64_t",  "uint8_t",     "uint16_t",     "uint32_t",     "uint64_t",
      "uint",    "ulong",    "ushort",      "uchar",        "ssize_t",      "ptrdiff_t",
      "half",    "__half",   "std::size_t", "std::int64_t", "std::uint32_t"};
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::int64_t calculated(std::int64_t a, std::string_view mark, std::int64_t b) {
  // Without a sign, so that what is too large wraps.
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  const bool is_whole = b != 0 && b != -1;
  if (mark == "||") return a != 0 || b != 0;
  if (mark == "&&") return a != 0 && b != 0;
  if (mark == "==") return a == b;
  if (mark == "!=") return a != b;
  if (mark == "<") return a < b;
  if (mark == ">") return a > b;
  if (mark == "<=") return a <= b;
  if (mark == ">=") return a >= b;
  if (mark == "&") return a & b;
  if (mark == "|") return a | b;
  if (mark == "^") return a ^ b;
  if (mark == "~") return ~b;
  if (mark == "/")
    return static_cast<std::int64_t>(is_whole ? static_cast<std::uint64_t>(a / b)
                                     : b == 0 ? 0
                                              : 0 - x);
  if (mark == "%") return is_whole ? a % b : 0;
  if (mark == "<<" || mark == ">>") return b < 0 || b > 62 ? 0 : mark == "<<" ? a << b : a >> b;
  return static_cast<std::int64_t>(mark == "+"   ? x + y
                                   : mark == "-" ? x - y
                                   : mark == "*" ? x * y
                                                 : 0);
}

CExpression c_expression(Tokens tokens, const Macros& macros, std::size_t* end) {
  Parser parser(tokens, macros, 0);
  auto made = parser.parse();
  if (end != nullptr) *end = parser.at_;
  return made;
}

}  // namespace apod::source
