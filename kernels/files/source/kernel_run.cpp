/// \file
/// Statements of a kernel, and what they leave in its names.

#include "kernels/files/source/kernel_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace apod::source {
namespace {

std::string opposite(const std::string& mark) {
  static const std::map<std::string, std::string> of{{"<", ">="}, {">=", "<"},  {">", "<="},
                                                     {"<=", ">"}, {"==", "!="}, {"!=", "=="}};
  const auto found = of.find(mark);
  return found == of.end() ? "" : found->second;
}
/// Of "a < b" as "b > a".
std::string mirrored(const std::string& mark) {
  return mark[0] == '<' ? ">" + mark.substr(1) : mark[0] == '>' ? "<" + mark.substr(1) : mark;
}

bool is_type_word(const Token& word) {
  return word.is_name() || word.kind == Token::Kind::number ||
         has_any({&word, 1}, {"::", "<", ">", "*", "&", ",", "(", ")", "[", "]"});
}

}  // namespace

Known hull(const Known& a, const Known& b) {
  auto made = a;
  if (a.array != b.array) return a.array.empty() ? b : a;
  made.low = std::min(a.low, b.low);
  made.high = std::max(a.high, b.high);
  made.from.insert(b.from.begin(), b.from.end());
  return made;
}

KernelRun::KernelRun(const Program& program, const ProgramFunction& kernel,
                     const KernelLaunch& launch)
    : program_(program), kernel_(kernel), launch_(launch) {}

void KernelRun::run() {
  frame_ = {.function = &kernel_};
  state_.assign(1, {});
  for (const auto& parameter : kernel_.parameters)
    state_[0][parameter.name].from = {parameter.name};
  for (const auto& [name, number] : launch_.scalars)
    state_[0][name] = {.low = number, .high = number, .from = {name}};
  for (const auto& [name, bytes] : launch_.element_bytes) {
    state_[0][name] = {.low = 0, .high = 0, .array = name};
    accesses[name];
  }
  block(kernel_.body);
  if (has_room()) return;
  for (auto& [name, access] : accesses) access.is_known = false;
}

const CExpression& KernelRun::parsed(Tokens words, std::size_t* end) {
  const auto [known, is_new] = parsed_.try_emplace({words.data(), words.size()});
  auto& [made, behind] = known->second;
  if (is_new) made = c_expression(words, program_.macros, &behind);
  if (end != nullptr) *end = behind;
  return made;
}

bool KernelRun::block(Tokens words) {
  state_.emplace_back();
  bool leaves = false;
  for (std::size_t at = 0; at < words.size() && !leaves;) leaves = statement(words, at);
  state_.pop_back();
  return leaves;
}

bool KernelRun::statement(Tokens words, std::size_t& at) {
  if (depth_ > deepest) at = words.size();
  if (at == words.size()) return false;
  ++depth_;
  ++work_;
  bool leaves = false;
  const auto begin = at;
  if (is_any(words, at, {";", "}", "else"})) {
    ++at;
  } else if (words[at].is("{")) {
    at = behind_bracket(words, at);
    leaves = block(words.subspan(begin + 1, at - begin - 2));
  } else if (words[at].is("if")) {
    leaves = decision(words, at);
  } else if (is_any(words, at, {"for", "while", "do"})) {
    loop(words, at);
  } else if (words[at].is("switch")) {
    choice(words, at);
  } else if (is_any(words, at, {"case", "default"})) {
    while (at < words.size() && !words[at++].is(":")) {
    }
  } else {
    while (at < words.size() && !words[at].is(";"))
      at = is_any(words, at, {"(", "[", "{"}) ? behind_bracket(words, at) : at + 1;
    const auto all = words.subspan(begin, at - begin);
    if (all[0].is("return")) {
      const auto made = all.size() > 1 ? value(parsed(all.subspan(1))) : Known{};
      frame_.returns = frame_.returns ? hull(*frame_.returns, made) : made;
      leaves = true;
    } else if (is_any(all, 0, {"break", "continue", "goto"})) {
      if (frame_.exits != nullptr && has_room()) frame_.exits->push_back(state_);
      leaves = true;
    } else if (is_any(all, 0, {"asm", "__asm__", "__asm"})) {
      assembly(all);
    } else if (!declare(all)) {
      plain(all);
    }
  }
  --depth_;
  return leaves;
}

/// An expression, and what could not be read of it.
void KernelRun::plain(Tokens words) {
  for (std::size_t at = 0; at < words.size();) {
    if (words[at].is("{")) {  // of a lambda
      const auto behind = behind_bracket(words, at);
      block(words.subspan(at + 1, behind - at - 2));
      at = behind;
      continue;
    }
    std::size_t end = 0;
    value(parsed(words.subspan(at), &end));
    at += std::max<std::size_t>(end, 1);
  }
}

/// "const int i = 1, j(2);"; false if it is none.
bool KernelRun::declare(Tokens words) {
  if (!words[0].is_name() || is_keyword(words[0].text) || is_any(words, 0, {"using", "typedef"}))
    return is_any(words, 0, {"using", "typedef", "static_assert"});
  Tokens type;
  for (const auto part : split_at_commas(words)) {
    auto made = declared(part);
    const auto head = part.first(part.size() - made.value.size());
    if (type.empty()) {
      // "T name", and no "a.b = c" or "f(x)"
      const bool is_type = !made.name.empty() && !made.type.empty() &&
                           std::ranges::all_of(made.type, is_type_word) &&
                           (made.type.back().is_name() ||
                            is_any(made.type, made.type.size() - 1, {"*", "&", ">"})) &&
                           !has_any(made.type, {"(", "["});
      if (!is_type) return false;
      type = made.type;
    } else if (made.name.empty() && made.type.size() == 1) {
      made.name = made.type[0].text;
    }
    if (made.name.empty()) continue;
    for (const auto length : made.lengths) plain(length);
    auto value_words = made.value;
    const auto round = std::ranges::find_if(head, [](const Token& word) { return word.is("("); });
    if (value_words.empty() && round != head.end()) {  // "int i(2)"
      const auto open = static_cast<std::size_t>(round - head.begin());
      value_words = head.subspan(open + 1, behind_bracket(head, open) - open - 2);
    }
    Known known;
    if (!value_words.empty()) {
      const auto& e = parsed(value_words);
      const auto* only = &e;
      if (e.kind == Kind::list && e.text.empty() && e.parts.size() == 1) only = &e.parts[0];
      known = value(*only);
      // "make_int2(x, y)" and "{x, y}"
      const bool is_sides =
          e.parts.size() < 5 && (e.kind == Kind::list || e.text.starts_with("make_"));
      for (std::size_t i = 0; is_sides && i < e.parts.size(); ++i)
        state_.back()[made.name + "." + "xyzw"[i]] = quiet(e.parts[i]);
      std::size_t end = 0;
      parsed(value_words, &end);
      if (end < value_words.size()) plain(value_words.subspan(end));
    }
    const bool is_memory = !made.lengths.empty() || has_any(type, {"__shared__"});
    const auto* outer = is_memory ? find(made.name) : nullptr;  // the launch knows it
    if (outer != nullptr && outer->array == made.name) continue;
    if (is_memory) known = {};
    state_.back()[made.name] = std::move(known);
  }
  return true;
}

bool KernelRun::decision(Tokens words, std::size_t& at) {
  auto open = at + 1;
  if (is_any(words, open, {"constexpr"})) ++open;
  if (!is_any(words, open, {"("})) {
    at = open;
    return false;
  }
  at = behind_bracket(words, open);
  const auto said = words.subspan(open + 1, at - open - 2);
  const auto& condition = parsed(said);
  plain(said);
  const auto before = state_;
  refine(condition, true);
  state_.emplace_back();
  const bool yes_leaves = statement(words, at);
  state_.pop_back();
  auto behind = std::exchange(state_, before);
  refine(condition, false);
  state_.emplace_back();
  const bool no_leaves = is_any(words, at, {"else"}) && statement(words, ++at);
  state_.pop_back();
  if (yes_leaves && no_leaves) return true;
  if (no_leaves) state_ = std::move(behind);
  if (!no_leaves && !yes_leaves) join(behind);
  return false;
}

void KernelRun::loop(Tokens words, std::size_t& at) {
  static const CExpression none;
  const auto begin = at;
  const bool is_do = words[at].is("do");
  const bool is_for = words[at].is("for");
  const auto take_body = [&] {
    const auto first = at;
    at = behind_statement(words, at);
    return words.subspan(first, at - first);
  };
  state_.emplace_back();
  ++at;
  if (is_do) {
    const auto body =
        is_any(words, at, {"{"}) ? words.subspan(at, behind_bracket(words, at) - at) : take_body();
    at = begin + 1 + body.size();
    block(body);
    const bool has_condition = is_any(words, at, {"while"}) && is_any(words, at + 1, {"("});
    const auto behind = has_condition ? behind_bracket(words, at + 1) : at;
    const auto& condition = has_condition ? parsed(words.subspan(at + 2, behind - at - 3)) : none;
    // Without room, its rounds would multiply with those of the loops around it.
    has_room() ? repeat(condition, body, none, false) : static_cast<void>(value(condition));
    at = behind;
  } else if (is_any(words, at, {"("})) {
    const auto open = at;
    at = behind_bracket(words, open);
    const auto parts = in_bracket(words, open, ";");
    const auto body = take_body();
    if (is_for && parts.size() == 3) {
      if (!parts[0].empty() && !declare(parts[0])) plain(parts[0]);
      repeat(parsed(parts[1]), body, parsed(parts[2]), true);
    } else if (is_for) {  // "for (auto v : all)"
      const auto all = parts.empty() ? Tokens{} : parts[0];
      const auto colon = std::ranges::find_if(all, [](const Token& word) { return word.is(":"); });
      const auto made = declared(Tokens(all.begin(), colon));
      if (!made.name.empty()) state_.back()[made.name] = {};
      repeat(none, body, none, false);
    } else {
      repeat(parts.empty() ? none : parsed(parts[0]), body, none, false);
    }
  }
  state_.pop_back();
}

void KernelRun::repeat(const CExpression& condition, Tokens body, const CExpression& step,
                       bool is_for) {
  std::vector<State> exits;
  auto* const outer = std::exchange(frame_.exits, &exits);
  if (condition.kind != Kind::unknown) value(condition);
  if (is_for && quiet_ == 0) {
    const auto text = text_of(condition.tokens);
    (is_never(condition) ? idle : running).insert(text);
  }
  const auto first = state_;
  const auto pass = [&] {
    block(body);
    if (step.kind != Kind::unknown) value(step);
  };
  if (has_room()) {
    // What a round changes, and what the next one does.
    ++quiet_;
    refine(condition, true, true);
    const auto begun = state_;
    pass();
    const auto once = state_;
    refine(condition, true, true);
    pass();
    const auto twice = std::exchange(state_, first);
    --quiet_;
    exits.clear();
    const auto each = [&](const auto& look) {
      for (std::size_t i = 0; i < first.size(); ++i) {
        for (auto& [name, now] : state_[i]) {
          const auto a = begun[i].find(name), b = once[i].find(name), c = twice[i].find(name);
          if (b == once[i].end() || c == twice[i].end() || b->second.array != now.array) continue;
          const auto& was = a == begun[i].end() ? now : a->second;
          if (was == b->second && was == c->second) continue;
          look(now, Known(was), b->second, c->second);
        }
      }
    };
    // All that grows, grows on; then the condition ends it.
    each([](Known& now, const Known& was, const Known& b, const Known& c) {
      const bool is_steady = b == c;
      now = hull(was, b);
      if (is_steady) return;
      if (c.high > b.high) now.high = Known::infinite;
      if (c.low < b.low) now.low = -Known::infinite;
    });
    refine(condition, true, true);
    double rounds = Known::infinite;
    each([&](const Known& now, const Known& was, const Known& b, const Known& c) {
      const auto span = now.high - now.low;
      const bool ends = std::isfinite(span) && (c.high > b.high || c.low < b.low);
      if (!ends) return;
      const auto by = std::min(std::abs(b.low - was.low), std::abs(b.high - was.high));
      const auto next = std::min(std::abs(c.low - b.low), std::abs(c.high - b.high));
      // "k *= 2" doubles it, at least.
      const bool is_even = by == next || by == 0 || next == 0;
      const auto steps = is_even ? span / std::max(by, 1.0) : std::log2(span + 1);
      rounds = std::min(rounds, std::floor(steps) + 1);
    });
    each([&](Known& now, const Known& was, const Known& b, const Known& c) {
      const bool is_open =
          (c.high > b.high && std::isinf(now.high)) || (c.low < b.low && std::isinf(now.low));
      if (!is_open || std::isinf(rounds) || std::isinf(b.high - b.low)) return;
      const auto more = c.high - b.high, less = c.low - b.low;
      const bool is_even = more == b.high - was.high && less == b.low - was.low;
      now = hull(was, b);
      if (!is_even) return;
      now = was;
      now.high = std::max(was.high, was.high + more * (rounds - 1));
      now.low = std::min(was.low, was.low + less * (rounds - 1));
    });
  } else {
    refine(condition, true, true);
  }
  pass();
  join(first);
  for (const auto& one : exits) join(one);
  frame_.exits = outer;
}

void KernelRun::choice(Tokens words, std::size_t& at) {
  std::vector<State> exits;
  auto* const outer = std::exchange(frame_.exits, &exits);
  const auto open = ++at;
  if (is_any(words, at, {"("})) at = behind_bracket(words, at);
  plain(words.subspan(open, at - open));
  const auto begin = at;
  if (is_any(words, at, {"{"})) at = behind_bracket(words, at);
  const auto body = words.subspan(begin, at - begin);
  const auto first = state_;
  state_.emplace_back();
  for (std::size_t i = 1; i + 1 < body.size();) {
    if (is_any(body, i, {"case", "default"})) join(first);
    statement(body.first(body.size() - 1), i);
  }
  state_.pop_back();
  for (const auto& one : exits) join(one);
  frame_.exits = outer;
}

Known* KernelRun::find(const std::string& name) {
  for (auto scope = state_.rbegin(); scope != state_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  return nullptr;
}

void KernelRun::set(const std::string& name, Known value) {
  if (frame_.has_texts) {
    // What limits an expression may be of this name.
    for (auto& scope : state_)
      std::erase_if(scope, [](const auto& one) {
        return one.first.find_first_of("+-*/%()[]<>&|") != std::string::npos;
      });
    frame_.has_texts = false;
  }
  auto* const known = find(name);
  (known != nullptr ? *known : state_.back()[name]) = std::move(value);
}

void KernelRun::join(const State& other) {
  for (std::size_t i = 0; i < std::min(state_.size(), other.size()); ++i) {
    for (auto one = state_[i].begin(); one != state_[i].end();) {
      const auto found = other[i].find(one->first);
      const bool is_name = found != other[i].end();
      if (is_name) one->second = hull(one->second, found->second);
      // A limit of one way alone is none.
      one = is_name ? std::next(one) : state_[i].erase(one);
    }
  }
}

bool KernelRun::is_never(const CExpression& e) {
  if (e.kind != Kind::binary || e.parts.size() != 2) return false;
  if (e.text == "&&") return is_never(e.parts[0]) || is_never(e.parts[1]);
  const auto a = quiet(e.parts[0]), b = quiet(e.parts[1]);
  if (e.text == "<" || e.text == "!=") return a.low >= b.high && (e.text == "<" || a.high <= b.low);
  if (e.text == ">") return a.high <= b.low;
  if (e.text == "<=") return a.low > b.high;
  return e.text == ">=" && a.high < b.low;
}

void KernelRun::refine(const CExpression& e, bool holds, bool is_loops) {
  if (e.kind == Kind::unary && e.text == "!") return refine(e.parts[0], !holds, is_loops);
  if (e.kind == Kind::choice && holds && quiet(e.parts[2]).high == 0) {  // "a ? b : false"
    refine(e.parts[0], true, is_loops);
    return refine(e.parts[1], true, is_loops);
  }
  if (e.kind != Kind::binary || e.parts.size() != 2) return;
  if (e.text == "&&" || e.text == "||") {
    if ((e.text == "&&") != holds) return;
    for (const auto& part : e.parts) refine(part, holds, is_loops);
    return;
  }
  const auto mark = holds ? e.text : opposite(e.text);
  if (opposite(mark).empty()) return;
  // "(i < n) == true"
  const bool is_truth = e.parts[0].kind == Kind::binary && !opposite(e.parts[0].text).empty();
  if (is_truth) return refine(e.parts[0], holds, is_loops);
  limit(e.parts[0], mark, quiet(e.parts[1]), is_loops);
  limit(e.parts[1], mirrored(mark), quiet(e.parts[0]), is_loops);
}

void KernelRun::limit(const CExpression& e, const std::string& mark, const Known& by,
                      bool is_loops) {
  if (e.kind == Kind::number || e.kind == Kind::call || e.kind == Kind::unknown ||
      !by.array.empty())
    return;
  if (e.kind == Kind::cast) return limit(e.parts[0], mark, by, is_loops);
  const bool adds =
      e.kind == Kind::binary && (e.text == "+" || e.text == "-") && e.parts[1].kind == Kind::number;
  if (adds) {  // "x + 3 < n"
    auto less = by;
    const auto more = quiet(e.parts[1]).low * (e.text == "+" ? 1 : -1);
    less.low -= more;
    less.high -= more;
    return limit(e.parts[0], mark, less, is_loops);
  }
  auto now = quiet(e);
  if (!now.array.empty()) return;
  const auto before = now;
  const bool is_below = mark == "<" || (mark == "!=" && is_loops);
  if (is_below || mark == "<=" || mark == "==")
    now.high = std::min(now.high, by.high - (is_below ? 1 : 0));
  if (mark == ">" || mark == ">=" || mark == "==")
    now.low = std::max(now.low, by.low + (mark == ">" ? 1 : 0));
  if (now.low == -Known::infinite && now.high >= 0 && std::isfinite(now.high)) now.low = 0;
  if (now.low > now.high) return;  // never, with these values: as if it were not there
  if (is_loops) now.from.insert(by.from.begin(), by.from.end());
  if (now == before) return;
  if (e.kind == Kind::name) {
    auto* const known = find(e.text);
    (known != nullptr ? *known : state_.back()[e.text]) = std::move(now);
    return;
  }
  state_.back()[text_of(e.tokens)] = std::move(now);
  frame_.has_texts = true;
}

}  // namespace apod::source
