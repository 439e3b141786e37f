/// \file
/// Loops, definitions, branches and limits in the code of a kernel.

#include <algorithm>
#include <ranges>

#include "kernels/files/source/kernel_values.hpp"

namespace apod::source {
namespace {

/// What a comparison decides on, by the brackets around it. It goes from word to word, and looks at
/// each bracket and statement once.
class Decisions {
 public:
  explicit Decisions(Tokens body) : body_(body) {}

  void pass(std::size_t at) {
    if (is_any(body_, at, {";", "{", "}"})) open_.clear();
    if (is_any(body_, at, {")", "]"}) && !open_.empty()) open_.pop_back();
    if (body_[at].is("(")) open_.push_back(decision(at));
    if (body_[at].is("[")) open_.push_back({.leaves = leaves()});
  }
  /// Whether what holds at the word that was passed last is where the code returns.
  bool leaves() const { return !open_.empty() && open_.back().leaves; }
  /// Where what a comparison at that word says ends.
  std::size_t end_of(std::size_t mark) {
    for (const auto& one : open_ | std::views::reverse)
      if (one.end > 0) return leaves() ? body_.size() : one.end;
    // "i < n ? x[i] : 0"
    if (mark >= semicolon_) {
      for (semicolon_ = mark; semicolon_ < body_.size() && !body_[semicolon_].is(";"); ++semicolon_)
        if (body_[semicolon_].is("?")) question_ = semicolon_;
      behind_ = behind_statement(body_, mark);
    }
    return question_ > mark ? behind_ : body_.size();
  }

 private:
  struct Bracket {
    bool leaves = false;
    std::size_t end = 0;  ///< of what its "if" or "while" decides on; 0: it is of none
  };
  Bracket decision(std::size_t open) const {
    const auto behind = behind_bracket(body_, open);
    Bracket made;
    for (auto i = behind; i < behind + 2; ++i)
      made.leaves = made.leaves || is_any(body_, i, {"return", "continue", "break"});
    if (open > 0 && is_any(body_, open - 1, {"if", "while"})) {
      const bool is_block = is_any(body_, behind, {"{"});
      made.end = is_block ? behind_bracket(body_, behind) : behind_statement(body_, behind);
    }
    return made;
  }

  Tokens body_;
  std::vector<Bracket> open_;  ///< of this statement, the innermost last
  std::size_t semicolon_ = 0, question_ = 0, behind_ = 0;
};

}  // namespace

bool KernelValues::ends_operand(const Token& token) {
  const bool is_word =
      (token.is_name() && !token.is("return")) || token.kind == Token::Kind::number;
  return is_word || token.is(")") || token.is("]");
}

std::string KernelValues::chain(std::size_t at, std::size_t& end) const {
  auto name = body_[at].text;
  end = at + 1;
  while (end + 1 < body_.size() && (is_any(body_, end, {".", "->"})) && body_[end + 1].is_name()) {
    name += "." + body_[end + 1].text;
    end += 2;
  }
  return name;
}

void KernelValues::find_loops() {
  for (std::size_t i = 0; i + 1 < body_.size(); ++i) {
    if (!body_[i].is("for") || !body_[i + 1].is("(")) continue;
    const auto behind = behind_bracket(body_, i + 1);
    const auto parts = in_bracket(body_, i + 1, ";");
    if (parts.size() != 3) continue;
    Loop loop{.header = i + 1, .begin = behind};
    loop.end = behind_statement(body_, behind);
    const auto first = declared(parts[0]);
    loop.declares = !first.name.empty();
    loop.variable = first.name.empty() ? text_of(first.type) : first.name;
    loop.first = c_expression(first.value, program_.macros);
    loop.condition = c_expression(parts[1], program_.macros);
    loop.step = c_expression(parts[2], program_.macros);
    loops_.push_back(std::move(loop));
  }
}

void KernelValues::find_definitions() {
  static const std::set<std::string, std::less<>> marks{"=", "+=", "-=", "*=", "/=", "%=", "&="};
  for (std::size_t i = 0; i < body_.size(); ++i) {
    if (!body_[i].is_name() || (i > 0 && (is_any(body_, i - 1, {".", "->"})))) continue;
    std::size_t end = i + 1;
    const auto name = chain(i, end);
    if (end + 1 >= body_.size()) continue;
    Definition made{.mark = body_[end].text, .at = i};
    if (marks.contains(made.mark) && body_[end].kind == Token::Kind::mark) {
      made.value = c_expression(assigned_at(body_, end), program_.macros);
    } else if (i > 0 && body_[end].is("(") && body_[i - 1].is_name() &&
               is_number_type(body_[i - 1].text)) {
      made.mark = "=";
      made.value = c_expression(body_.subspan(end + 1), program_.macros);
    } else if ((body_[end].is("++") || (i > 0 && body_[i - 1].is("++"))) && !is_in_header(i)) {
      made.mark = "+=";
      made.value = {.kind = Kind::number, .text = "1"};
    } else {
      continue;
    }
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      const auto& loop = loops_[l];
      const bool is_header = loop.header < i && i < loop.begin;
      if (is_header && loop.variable == name &&
          made.value.tokens.size() == loop.first.tokens.size()) {
        made.loop = l;
      }
    }
    definitions_[name].push_back(std::move(made));
  }
}

void KernelValues::find_limits() {
  Decisions decisions(body_);
  for (std::size_t i = 0; i + 1 < body_.size(); ++i) {
    decisions.pass(i);
    const bool less = is_any(body_, i, {"<", "<="});
    const bool more = body_[i].is(">");
    if ((!less && !more) || is_in_header(i)) continue;
    // "x < n", "x + 3 < n" and "(x + 3) < n"
    auto last = i - 1;
    const bool is_bracket = body_[last].is(")") && last > 3 && body_[last - 4].is("(");
    if (is_bracket) --last;
    const bool adds =
        last > 1 && body_[last].kind == Token::Kind::number && body_[last - 1].is("+") &&
        body_[last - 2].is_name() &&
        (is_bracket || last < 3 || is_any(body_, last - 3, {"(", "&&", "||", "?", "=", ";"}));
    const auto& name = body_[adds ? last - 2 : last];
    if (!name.is_name() || (is_bracket && !adds)) continue;
    auto right = i + 1;
    bool includes = body_[i].is("<=");
    if (more) {
      const bool or_equal = body_[right].is("=") && body_[right].at == body_[i].at + 1;
      if (!or_equal || !decisions.leaves()) continue;
      ++right;
      includes = false;
    }
    const bool is_negated = i > 2 && body_[i - 2].is("(") && body_[i - 3].is("!");
    if (less && decisions.leaves() && !is_negated) continue;  // the rest is not below it
    if (right >= body_.size() || body_[right].kind == Token::Kind::number) continue;
    auto limit = compared_with(body_.subspan(right), program_.macros);
    if (adds) {
      limit = {.kind = Kind::binary,
               .text = "-",
               .parts = {limit, {.kind = Kind::number, .text = body_[last].text}}};
    }
    limits_[name.text].push_back({std::move(limit), includes, i, decisions.end_of(i)});
  }
}

bool KernelValues::is_in_header(std::size_t at) const {
  return std::ranges::any_of(
      loops_, [&](const auto& loop) { return at >= loop.header && at < loop.begin; });
}

void KernelValues::find_branches() {
  for (std::size_t i = 0; i + 1 < body_.size(); ++i) {
    if (!body_[i].is("if") || !body_[i + 1].is("(")) continue;
    const auto begin = behind_bracket(body_, i + 1);
    const auto e = c_expression(body_.subspan(i + 1, begin - i - 1), program_.macros);
    if (e.kind != Kind::binary || e.text != "==" || e.parts[1].kind != Kind::number) continue;
    const auto changes = [&](const Token& token) {
      const auto found = definitions_.find(token.text);
      return found != definitions_.end() &&
             (found->second.size() > 1 || found->second.front().mark != "=");
    };
    if (std::ranges::any_of(e.parts[0].tokens, changes)) continue;
    branches_.push_back(
        {begin, behind_statement(body_, begin), text_of(e.parts[0].tokens), e.parts[1].text});
  }
}

std::pair<std::string, std::string> KernelValues::branch(std::size_t at) const {
  for (const auto& one : branches_ | std::views::reverse)
    if (one.begin <= at && at < one.end) return {one.decides, one.is};
  return {};
}

bool KernelValues::is_surely_passed(std::size_t definition, std::size_t at) {
  if (!pay(at - definition)) return false;
  auto begin = definition;
  while (begin > 0 && !body_[begin - 1].is(";") && !body_[begin - 1].is("{") &&
         !body_[begin - 1].is("}")) {
    --begin;
    if (is_any(body_, begin, {"if", "else", "for", "while", "case"})) return false;
  }
  int depth = 0;
  for (auto i = definition; i < at; ++i) {
    depth += body_[i].is("{") ? 1 : body_[i].is("}") ? -1 : 0;
    if (depth < 0) return false;
  }
  return true;
}

bool KernelValues::mentions(const CExpression& in, const std::string& name) {
  return (in.kind == Kind::name && in.text == name) ||
         std::ranges::any_of(in.parts, [&](const auto& part) { return mentions(part, name); });
}

}  // namespace apod::source
