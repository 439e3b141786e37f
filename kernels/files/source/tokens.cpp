#include "kernels/files/source/tokens.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "kernels/files/source/c_expression.hpp"

namespace apod::source {
namespace {

using Kind = CExpression::Kind;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// What compilers of today define; 0: not this.
std::int64_t built_in(const std::string& name) {
  static const std::map<std::string, std::int64_t> known{
      {"__CUDA_ARCH__", 900}, {"CUDA_VERSION", 13000},     {"CUDART_VERSION", 13000},
      {"__CUDACC__", 1},      {"__cplusplus", 201703},     {"__GNUC__", 13},
      {"__linux__", 1},       {"__CUDACC_VER_MAJOR__", 13}};
  const auto found = known.find(name);
  return found == known.end() ? 0 : found->second;
}

bool defines(const Macros& macros, const std::string& name) {
  return macros.contains(name) || name.starts_with("__CUDA") || built_in(name) > 0;
}

/// What an expression behind `#if` is worth, as the compiler takes it: an unknown name is 0.
std::int64_t worth(const CExpression& e, const Macros& macros) {
  const auto part = [&](std::size_t i) { return worth(e.parts.at(i), macros); };
  switch (e.kind) {
    case Kind::number:
      return std::strtoll(e.text.c_str(), nullptr, 0);
    case Kind::name:
      return built_in(e.text);
    case Kind::unary:
      return e.text == "!" ? calculated(part(0), "==", 0) : calculated(0, e.text, part(0));
    case Kind::binary:
      return calculated(part(0), e.text, part(1));
    case Kind::choice:
      return part(part(0) != 0 ? 1 : 2);
    default:
      return 0;
  }
}

/// Whether what follows `#if` holds.
bool holds(Tokens words, const Macros& macros) {
  std::vector<Token> all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all.push_back(words[i]);
    if (!words[i].is("defined")) continue;
    const bool in_brackets = is_any(words, ++i, {"("});
    if (in_brackets) ++i;
    const bool is_known = i < words.size() && defines(macros, words[i].text);
    all.back() = {Token::Kind::number, is_known ? "1" : "0", all.back().at};
    if (in_brackets) ++i;
  }
  all = without_macros(macros, all);
  return worth(c_expression(all, macros), macros) != 0;
}

class Reader {
 public:
  Reader(std::string_view source, Macros& macros, Branches branches = Branches::taken)
      : source_(source), macros_(macros), takes_all_(branches == Branches::all) {
    if (source_.starts_with("\xEF\xBB\xBF")) source_.remove_prefix(3);  // the mark of UTF-8
  }

  std::vector<Token> read() {
    while (skip_blanks()) {
      if (source_[at_] == '#') {
        directive();
      } else if (is_skipped()) {
        skip_line();
      } else {
        tokens_.push_back(next());
        // "this->n" is n.
        const bool is_own = tokens_.back().is("->") && has_any(Tokens(tokens_).last(2), {"this"});
        if (is_own) tokens_.resize(tokens_.size() - 2);
      }
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t further = 0) const {
    return at_ + further < source_.size() ? source_[at_ + further] : '\0';
  }
  bool skip_blanks() {
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\' || c == '\v' || c == '\f') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else if (c == '/' && peek(1) == '*') {
        const auto end = source_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? source_.size() : end + 2;
      } else {
        return true;
      }
    }
    return false;
  }
  /// To the end of the line, those that a backslash continues included.
  std::string_view skip_line() {
    const auto begin = at_;
    while (at_ < source_.size() && source_[at_] != '\n')
      at_ += source_[at_] == '\\' && peek(1) == '\n' ? 2 : 1;
    at_ = std::min(at_, source_.size());
    return source_.substr(begin, at_ - begin);
  }
  bool is_skipped() const {
    return std::ranges::any_of(branches_, [](const auto& b) { return !b.taken; });
  }

  void directive() {
    const auto begin = at_;
    const auto line = skip_line();
    Macros none;
    const auto words = Reader(line.substr(1), none).read();
    if (words.empty()) return;
    const auto& what = words[0].text;
    const Tokens rest = Tokens(words).subspan(1);
    const auto is_true = [&] { return holds(rest, macros_); };
    if (what == "if" || what == "ifdef" || what == "ifndef") {
      const bool is_known = !rest.empty() && defines(macros_, rest.front().text);
      const bool taken = what == "if" ? is_true() : (what == "ifdef") == is_known;
      const bool is_asked = !takes_all_ || (!rest.empty() && rest[0].kind == Token::Kind::number);
      branches_.push_back({taken || !is_asked, taken && is_asked});
    } else if ((what == "elif" || what == "else") && !branches_.empty()) {
      auto& branch = branches_.back();
      branch.taken = !branch.any_taken && (what == "else" || is_true());
      branch.any_taken = branch.any_taken || branch.taken;
    } else if (what == "endif" && !branches_.empty()) {
      branches_.pop_back();
    } else if (what == "define" && !is_skipped() && words.size() > 1) {
      define(words, begin + 1);
    }
  }

  void define(const std::vector<Token>& words, std::size_t base) {
    Macro macro;
    std::size_t body = 2;
    const auto name_end = words[1].at + words[1].text.size();
    // A bracket that touches the name opens parameters.
    if (words.size() > 2 && words[2].is("(") && words[2].at == name_end) {
      macro.has_parameters = true;
      body = behind_bracket(words, 2);
      for (std::size_t i = 3; i + 1 < body; ++i)
        if (words[i].is_name()) macro.parameters.push_back(words[i].text);
    }
    for (std::size_t i = body; i < words.size(); ++i) {
      macro.body.push_back(words[i]);
      macro.body.back().at += base;
    }
    macros_[words[1].text] = std::move(macro);
  }

  Token next() {
    Token token;
    token.at = at_;
    const auto begin = at_;
    const char c = source_[at_];
    if (is_letter(c)) {
      token.kind = Token::Kind::name;
      while (is_letter(peek()) || is_digit(peek())) ++at_;
      const auto word = source_.substr(begin, at_ - begin);
      if (peek() == '"' && (word == "R" || word == "u8R" || word == "LR")) return raw_text(begin);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      token.kind = Token::Kind::number;
      while (is_letter(peek()) || is_digit(peek()) || peek() == '.' || peek() == '\'' ||
             ((peek() == '+' || peek() == '-') && is_exponent())) {
        ++at_;
      }
    } else if (c == '"' || c == '\'') {
      token.kind = Token::Kind::text;
      ++at_;
      while (at_ < source_.size() && source_[at_] != c && source_[at_] != '\n')
        at_ += source_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_ + 1, source_.size());
    } else {
      static constexpr std::array<std::string_view, 22> marks{
          "<<<", "::", "->", "<<", "&&", "||", "==", "<=", "!=", "+=",  "-=",
          "*=",  "/=", "%=", "&=", "|=", "^=", "++", "--", "##", "...", ".*"};
      const auto found = std::ranges::find_if(
          marks, [&](std::string_view mark) { return source_.substr(at_, mark.size()) == mark; });
      at_ += found == marks.end() ? 1 : found->size();
    }
    token.text = source_.substr(begin, at_ - begin);
    return token;
  }
  bool is_exponent() const {
    const char before = at_ > 0 ? source_[at_ - 1] : '\0';
    return before == 'e' || before == 'E' || before == 'p' || before == 'P';
  }
  Token raw_text(std::size_t begin) {
    const auto open = std::min(source_.find('(', at_), source_.size());
    const auto close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const auto end = source_.find(close, open);
    at_ = end == std::string_view::npos ? source_.size() : end + close.size();
    return {Token::Kind::text, std::string(source_.substr(begin, at_ - begin)), begin};
  }

  struct Branch {
    bool taken;
    bool any_taken;
  };
  std::string_view source_;
  Macros& macros_;
  bool takes_all_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
  std::vector<Branch> branches_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source, Macros& macros, Branches branches) {
  return Reader(source, macros, branches).read();
}

std::size_t behind_bracket(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (is_any(tokens, i, {"(", "[", "{"})) ++depth;
    if (is_any(tokens, i, {")", "]", "}"})) --depth;
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

std::size_t behind_angle(Tokens tokens, std::size_t open) {
  constexpr std::size_t longest =
      256;  // so that an expression with many "<" is read in linear time
  const auto end = std::min(tokens.size(), open + longest);
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    const auto& token = tokens[i];
    if (token.is("(") || token.is("[")) {
      i = behind_bracket(tokens, i) - 1;
    } else if (token.is(";") || token.is("{") || token.is("}") || token.is("&&") ||
               token.is("||") || token.is("=") || token.is("<<<") || token.is(")") ||
               token.is("]")) {
      return open;
    } else {
      depth += token.is("<") ? 1 : token.is(">") ? -1 : 0;
    }
    if (depth == 0) return i + 1;
  }
  return open;
}

std::size_t behind_statement(Tokens tokens, std::size_t at) {
  while (at < tokens.size()) {
    if (tokens[at].is(";")) return at + 1;
    const bool is_block = tokens[at].is("{");
    at = is_block || tokens[at].is("(") ? behind_bracket(tokens, at) : at + 1;
    if (is_block && !(at < tokens.size() && tokens[at].is("else"))) return at;
  }
  return tokens.size();
}

std::vector<Tokens> split_at_commas(Tokens tokens, std::string_view mark) {
  std::vector<Tokens> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size();) {
    if (is_any(tokens, i, {"(", "[", "{"})) {
      i = behind_bracket(tokens, i);
    } else if (tokens[i].is("<") && i > 0 && tokens[i - 1].is_name()) {
      i = std::max(behind_angle(tokens, i), i + 1);
    } else if (tokens[i].is(mark)) {
      parts.push_back(tokens.subspan(begin, i - begin));
      begin = ++i;
    } else {
      ++i;
    }
  }
  if (!tokens.empty()) parts.push_back(tokens.subspan(begin));
  return parts;
}

std::vector<Tokens> in_bracket(Tokens tokens, std::size_t open, std::string_view mark) {
  const auto behind = behind_bracket(tokens, open);
  return split_at_commas(tokens.subspan(open + 1, std::max(behind, open + 2) - open - 2), mark);
}

Tokens to_semicolon(Tokens tokens, std::size_t begin) {
  auto end = begin;
  while (end < tokens.size() && !tokens[end].is(";")) ++end;
  return tokens.subspan(begin, end - begin);
}

Tokens assigned_at(Tokens tokens, std::size_t equals) {
  auto end = equals + 1;
  while (end < tokens.size() && !is_any(tokens, end, {";", ",", ")"})) {
    const bool opens = is_any(tokens, end, {"(", "{", "["});
    end = opens ? behind_bracket(tokens, end) : end + 1;
  }
  return tokens.subspan(equals + 1, end - equals - 1);
}

bool has_any(Tokens tokens, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    return std::ranges::any_of(words, [&](auto word) { return token.is(word); });
  });
}

bool is_any(Tokens tokens, std::size_t at, std::initializer_list<std::string_view> words) {
  return at < tokens.size() && has_any(tokens.subspan(at, 1), words);
}

std::size_t opening(Tokens tokens, std::size_t close) {
  const bool is_angle = tokens[close].is(">");
  int depth = 0;
  for (auto i = close + 1; i-- > 0;) {
    depth += is_any(tokens, i, {is_angle ? ">" : ")", "]", "}"}) ? 1 : 0;
    depth -= is_any(tokens, i, {is_angle ? "<" : "(", "[", "{"}) ? 1 : 0;
    if (depth == 0) return i;
  }
  return close;
}

std::size_t around(Tokens tokens, std::size_t at) {
  int depth = 0;
  for (auto i = at; i-- > 0 && !is_any(tokens, i, {";", "{", "}"});) {
    depth += is_any(tokens, i, {")", "]"}) ? 1 : is_any(tokens, i, {"(", "["}) ? -1 : 0;
    if (depth < 0) return i;
  }
  return tokens.size();
}

std::string text_of(Tokens tokens) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_word = tokens[i].kind != Token::Kind::mark;
    const bool after_word = i > 0 && tokens[i - 1].kind != Token::Kind::mark;
    const bool after_star = i > 0 && is_any(tokens, i - 1, {"*", "&", ",", ">"});
    if (is_word && (after_word || after_star)) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

}  // namespace apod::source
