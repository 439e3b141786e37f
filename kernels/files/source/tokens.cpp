#include "kernels/files/source/tokens.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace apod::source {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// What follows `#if`, as the compiler takes it: an unknown name is 0.
class Condition {
 public:
  Condition(Tokens words, const Macros& macros) : words_(words), macros_(macros) {}

  static bool defines(const Macros& macros, const std::string& name) {
    return macros.contains(name) || name.starts_with("__CUDA") || built_in(name) > 0;
  }
  bool holds() { return value(0) != 0; }

 private:
  /// What compilers of today define.
  static long long built_in(const std::string& name) {
    static const std::map<std::string, long long> known{
        {"__CUDA_ARCH__", 900}, {"CUDA_VERSION", 13000},     {"CUDART_VERSION", 13000},
        {"__CUDACC__", 1},      {"__cplusplus", 201703},     {"__GNUC__", 13},
        {"__linux__", 1},       {"__CUDACC_VER_MAJOR__", 13}};
    const auto found = known.find(name);
    return found == known.end() ? 0 : found->second;
  }
  bool takes(std::string_view mark) {
    if (at_ >= words_.size() || !words_[at_].is(mark)) return false;
    ++at_;
    return true;
  }
  /// How strongly a mark binds; 0: it is none.
  static int strength(const Token& mark) {
    static const std::map<std::string, int> known{{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3},
                                                  {"<", 4},  {">", 4},  {"<=", 4}, {">=", 4},
                                                  {"+", 5},  {"-", 5},  {"*", 6}};
    const auto found = mark.kind == Token::Kind::mark ? known.find(mark.text) : known.end();
    return found == known.end() ? 0 : found->second;
  }
  long long value(int least) {
    auto left = single();
    while (at_ < words_.size()) {
      auto mark = words_[at_].text;
      // > is always alone.
      const bool is_at_least = mark == ">" && at_ + 1 < words_.size() && words_[at_ + 1].is("=");
      const int strong = strength(words_[at_]);
      if (strong <= least) break;
      at_ += is_at_least ? 2 : 1;
      if (is_at_least) mark = ">=";
      const auto right = value(strong);
      left = joined(mark, left, right);
    }
    return left;
  }
  static long long joined(const std::string& mark, long long a, long long b) {
    if (mark == "||") return a != 0 || b != 0 ? 1 : 0;
    if (mark == "&&") return a != 0 && b != 0 ? 1 : 0;
    if (mark == "==") return a == b ? 1 : 0;
    if (mark == "!=") return a != b ? 1 : 0;
    if (mark == "<") return a < b ? 1 : 0;
    if (mark == ">") return a > b ? 1 : 0;
    if (mark == "<=") return a <= b ? 1 : 0;
    if (mark == ">=") return a >= b ? 1 : 0;
    return mark == "+" ? a + b : mark == "-" ? a - b : a * b;
  }
  long long single() {
    constexpr int deepest = 100;
    if (++nested_ > deepest) {
      at_ = words_.size();
      return 0;
    }
    const auto made = bare_single();
    --nested_;
    return made;
  }
  long long bare_single() {
    if (takes("!")) return single() == 0 ? 1 : 0;
    if (takes("-")) return -single();
    if (takes("(")) {
      const auto inner = value(0);
      takes(")");
      return inner;
    }
    if (at_ >= words_.size()) return 0;
    const auto& word = words_[at_++];
    if (word.kind == Token::Kind::number) return std::strtoll(word.text.c_str(), nullptr, 0);
    if (word.is("defined")) {
      const bool has_bracket = takes("(");
      const bool is_known = at_ < words_.size() && defines(macros_, words_[at_++].text);
      if (has_bracket) takes(")");
      return is_known ? 1 : 0;
    }
    const auto macro = macros_.find(word.text);
    if (macro == macros_.end()) {
      // What asks for a feature of the compiler, such as __has_include(<x>).
      if (at_ < words_.size() && words_[at_].is("(")) at_ = behind_bracket(words_, at_);
      return built_in(word.text);
    }
    if (macro->second.has_parameters || deep_ >= 8) return 0;
    Condition inner(macro->second.body, macros_);
    inner.deep_ = deep_ + 1;
    return inner.value(0);
  }

  Tokens words_;
  const Macros& macros_;
  std::size_t at_ = 0;
  int deep_ = 0;    ///< within macros
  int nested_ = 0;  ///< within brackets
};

class Reader {
 public:
  Reader(std::string_view source, Macros& macros) : source_(source), macros_(macros) {
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
    while (at_ < source_.size() && source_[at_] != '\n') {
      at_ += source_[at_] == '\\' && peek(1) == '\n' ? 2 : 1;
    }
    at_ = std::min(at_, source_.size());
    return source_.substr(begin, at_ - begin);
  }
  bool is_skipped() const {
    return std::any_of(branches_.begin(), branches_.end(), [](const auto& b) { return !b.taken; });
  }

  void directive() {
    const auto begin = at_;
    const auto line = skip_line();
    Macros none;
    const auto words = Reader(line.substr(1), none).read();
    if (words.empty()) return;
    const auto& what = words[0].text;
    const Tokens rest = Tokens(words).subspan(1);
    const auto is_true = [&] { return Condition(rest, macros_).holds(); };
    if (what == "if" || what == "ifdef" || what == "ifndef") {
      const bool is_known = !rest.empty() && Condition::defines(macros_, rest.front().text);
      const bool taken = what == "if" ? is_true() : (what == "ifdef") == is_known;
      branches_.push_back({taken, taken});
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
      for (std::size_t i = 3; i + 1 < body; ++i) {
        if (words[i].is_name()) macro.parameters.push_back(words[i].text);
      }
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
      while (at_ < source_.size() && source_[at_] != c && source_[at_] != '\n') {
        at_ += source_[at_] == '\\' ? 2 : 1;
      }
      at_ = std::min(at_ + 1, source_.size());
    } else {
      static constexpr std::array<std::string_view, 22> marks{
          "<<<", "::", "->", "<<", "&&", "||", "==", "<=", "!=", "+=",  "-=",
          "*=",  "/=", "%=", "&=", "|=", "^=", "++", "--", "##", "...", ".*"};
      const auto found = std::find_if(marks.begin(), marks.end(), [&](std::string_view mark) {
        return source_.substr(at_, mark.size()) == mark;
      });
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
    const auto open = source_.find('(', at_);
    if (open == std::string_view::npos) return finish_text(begin, source_.size());
    const auto close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const auto end = source_.find(close, open);
    return finish_text(begin, end == std::string_view::npos ? source_.size() : end + close.size());
  }
  Token finish_text(std::size_t begin, std::size_t end) {
    at_ = end;
    return {Token::Kind::text, std::string(source_.substr(begin, end - begin)), begin};
  }

  struct Branch {
    bool taken;
    bool any_taken;
  };
  std::string_view source_;
  Macros& macros_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
  std::vector<Branch> branches_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source, Macros& macros) {
  return Reader(source, macros).read();
}

std::size_t behind_bracket(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) ++depth;
    if (tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) --depth;
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

std::size_t behind_angle(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.is("(") || token.is("[")) {
      i = behind_bracket(tokens, i) - 1;
    } else if (token.is(";") || token.is("{") || token.is("}") || token.is("&&") ||
               token.is("||") || token.is("=") || token.is("<<<")) {
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

std::vector<Tokens> split_at_commas(Tokens tokens) {
  std::vector<Tokens> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size();) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = behind_bracket(tokens, i);
    } else if (tokens[i].is("<") && i > 0 && tokens[i - 1].is_name()) {
      i = std::max(behind_angle(tokens, i), i + 1);
    } else if (tokens[i].is(",")) {
      parts.push_back(tokens.subspan(begin, i - begin));
      begin = ++i;
    } else {
      ++i;
    }
  }
  if (!tokens.empty()) parts.push_back(tokens.subspan(begin));
  return parts;
}

std::string text_of(Tokens tokens) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_word = tokens[i].kind != Token::Kind::mark;
    const bool after_word = i > 0 && tokens[i - 1].kind != Token::Kind::mark;
    const bool after_star = i > 0 && (tokens[i - 1].is("*") || tokens[i - 1].is("&") ||
                                      tokens[i - 1].is(",") || tokens[i - 1].is(">"));
    if (is_word && (after_word || after_star)) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

}  // namespace apod::source
