/// \file
/// What host code decides on the way to a place: conditions, and variables that change.

#include <algorithm>
#include <utility>

#include "kernels/files/source/host_values.hpp"

namespace apod::source {
namespace {

bool is_comparison(const std::string& mark) {
  return mark == "==" || mark == "!=" || mark == "<" || mark == ">" || mark == "<=" || mark == ">=";
}

/// A part of a longer condition.
std::string part(const std::string& condition) {
  return condition.find(" and ") == std::string::npos && condition.find(" or ") == std::string::npos
             ? condition
             : "(" + condition + ")";
}

/// Whether the last of some statements leads elsewhere than behind them.
bool leaves(Tokens statements, int deep = 0) {
  std::size_t last = 0;
  for (auto at = last; at < statements.size(); at = behind_statement(statements, at)) last = at;
  if (last >= statements.size()) return false;
  if (statements[last].is("{") && deep < 4)
    return leaves(statements.subspan(last + 1, statements.size() - last - 2), deep + 1);
  return is_any(statements, last,
                {"break", "return", "continue", "goto", "throw", "exit", "abort"});
}

}  // namespace

std::pair<std::string, CExpression> change_of(const CExpression& e, const std::string& name) {
  static const std::set<std::string> marks{
      "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="};
  const auto is_it = [&](const CExpression& one) {
    return one.kind == CExpression::Kind::name && one.text == name;
  };
  if (e.parts.empty() || !is_it(e.parts[0])) return {};
  if (e.kind == CExpression::Kind::unary && (e.text == "++" || e.text == "--"))
    return {e.text.substr(1), {.kind = CExpression::Kind::number, .text = "1"}};
  if (marks.contains(e.text)) return {e.text.substr(0, e.text.size() - 1), e.parts[1]};
  const bool is_anew = e.text == "=" && e.parts[1].kind == CExpression::Kind::binary;
  if (!is_anew || !is_it(e.parts[1].parts[0])) return {};
  return {e.parts[1].text, e.parts[1].parts[1]};
}

const HostValues::Shape& HostValues::shape_of(std::size_t function) {
  const auto [known, is_new] = shapes_.try_emplace(function);
  auto& shape = known->second;
  if (!is_new) return shape;
  const auto body = program_.functions[function].body;
  const auto size = body.size();
  // As behind_bracket() and behind_statement() tell of each word, in one walk each.
  auto& behind_bracket = shape.behind_bracket;
  behind_bracket.assign(size + 1, size);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < size; ++i) {
    if (is_any(body, i, {"(", "[", "{"})) {
      open.push_back(i);
    } else if (!open.empty() && (is_any(body, i, {")", "]", "}"}))) {
      behind_bracket[open.back()] = i + 1;
      open.pop_back();
    }
  }
  std::vector<std::size_t> behind_statement(size + 1, size);
  for (auto i = size; i-- > 0;) {
    const bool is_block = body[i].is("{");
    const auto next = is_block || body[i].is("(") ? behind_bracket[i] : i + 1;
    const bool ends = body[i].is(";") || (is_block && !(next < size && body[next].is("else")));
    behind_statement[i] = ends ? next : behind_statement[next];
  }
  std::vector<std::size_t> ends{size + 1};  // of the blocks around a place
  for (std::size_t i = 0; i + 1 < size; ++i) {
    if (body[i].is("{")) ends.push_back(behind_bracket[i]);
    while (ends.back() <= i) ends.pop_back();
    if (body[i].is("switch")) add_cases(function, i, shape);
    const bool is_all_of_branch = i > 0 && is_any(body, i - 1, {")", "else"});
    if (body[i].is("assert") && body[i + 1].is("(") && !is_all_of_branch) {
      const auto begin = behind_bracket[i + 1];
      const auto condition = body.subspan(i + 2, begin - std::min(begin, i + 3));
      shape.decisions.push_back({i, begin, ends.back(), 0, condition, 1});
    }
    const bool is_do = body[i].is("do") && body[i + 1].is("{");
    const bool is_loop = is_any(body, i, {"for", "while"});
    const bool is_if = body[i].is("if");
    if (!is_do && !((is_loop || is_if) && body[i + 1].is("("))) continue;
    Shape::Part part{.at = i, .begin = behind_bracket[i + 1]};
    const bool is_block = is_if && part.begin < size && body[part.begin].is("{");
    part.end = is_do      ? part.begin
               : is_block ? behind_bracket[part.begin]
                          : behind_statement[part.begin];
    if (is_if && part.end + 1 < size && body[part.end].is("else"))
      part.last = behind_statement[part.end + 1];
    if (is_if) part.condition = body.subspan(i + 2, part.begin - std::min(part.begin, i + 3));
    (is_if ? shape.decisions : shape.loops).push_back(part);
  }
  // Of "else if", its own else is a part of it.
  for (auto one = shape.decisions.rbegin(); one != shape.decisions.rend(); ++one) {
    const auto next = std::lower_bound(one.base(), shape.decisions.end(), one->end + 1,
                                       [](const auto& other, auto at) { return other.at < at; });
    const bool is_if = one->last > 0 && next != shape.decisions.end() && next->at == one->end + 1 &&
                       body[next->at].is("if");
    if (is_if) one->last = std::max({one->last, next->end, next->last});
  }
  return shape;
}

void HostValues::add_cases(std::size_t function, std::size_t at, Shape& shape) {
  constexpr std::size_t most_labels = 64;  // more are not told
  const auto body = program_.functions[function].body;
  const auto open = shape.behind_bracket[at + 1];
  if (!body[at + 1].is("(") || open >= body.size() || !body[open].is("{")) return;
  const auto end = shape.behind_bracket[open] - 1;
  const auto decides = body.subspan(at + 2, open - at - 3);
  // What follows labels, and all labels that lead there.
  struct Section {
    std::size_t begin = 0, end = 0;
    std::vector<Tokens> labels{};
    bool is_default = false;
  };
  std::vector<Section> sections;
  std::vector<Tokens> all;
  for (auto i = open + 1; i < end && pay(1) && all.size() < most_labels;) {
    const bool is_case = body[i].is("case");
    if (!is_case && !body[i].is("default")) {
      i = is_any(body, i, {"{", "("}) ? shape.behind_bracket[i] : i + 1;
      continue;
    }
    auto colon = i + 1;
    while (colon < end && !body[colon].is(":")) ++colon;
    if (sections.empty() || i > sections.back().begin) {
      Section next;
      if (!sections.empty()) {
        auto& last = sections.back();
        last.end = i;
        if (!leaves(body.subspan(last.begin, i - last.begin))) next = last;
      }
      sections.push_back(std::move(next));
    }
    auto& section = sections.back();
    section.begin = colon + 1;
    section.end = end;
    section.is_default = section.is_default || !is_case;
    const auto label = body.subspan(i + 1, colon - i - 1);
    if (is_case) section.labels.push_back(label);
    if (is_case) all.push_back(label);
    i = colon + 1;
  }
  for (const auto& one : sections) {
    // Of the default, those that lead elsewhere.
    auto labels = one.is_default ? all : one.labels;
    if (one.is_default) {
      std::erase_if(labels, [&](Tokens label) {
        return std::ranges::find(one.labels, label.data(), &Tokens::data) != one.labels.end();
      });
    }
    std::vector<Token> condition;
    for (const auto label : labels) {
      if (!pay(100 * (decides.size() + label.size()))) return;  // it is kept
      if (!condition.empty()) condition.push_back({.text = "||"});
      condition.insert(condition.end(), decides.begin(), decides.end());
      condition.push_back({.text = "=="});
      condition.insert(condition.end(), label.begin(), label.end());
    }
    if (condition.empty()) continue;
    Shape::Part part{.at = at, .begin = one.begin, .end = one.end};
    part.condition = keep(std::move(condition));
    const bool throws = is_any(body, sections.back().begin, {"throw"});  // not a branch to follow
    part.ways = std::max<std::size_t>(sections.size() - (throws ? 1 : 0), 1);
    if (one.is_default) {
      part.begin = part.end = one.begin - 1;  // it is the else
      part.last = one.end;
    }
    shape.decisions.push_back(part);
  }
}

std::vector<HostValues::Guard> HostValues::guards(std::size_t at, const Place& outside) {
  std::vector<Guard> all;
  if (outside.function >= program_.functions.size()) return all;
  const auto holds = [](std::size_t begin, std::size_t end, std::size_t place) {
    return begin <= place && place < end;
  };
  const auto& decisions = shape_of(outside.function).decisions;
  pay(decisions.size());
  for (const auto& [i, begin, end, last, condition, ways] : decisions) {
    if (i >= at) break;
    if (holds(begin, end, at)) {
      if (!holds(begin, end, outside.at)) all.push_back({condition, false, i, ways});
    } else if (holds(end + 1, last, at) && !holds(end + 1, last, outside.at)) {
      all.push_back({condition, true, i, ways});
    }
  }
  return all;
}

std::optional<std::string> HostValues::condition_text(const CExpression& expression,
                                                      const Place& place) {
  if (expression.kind == Kind::binary && (expression.text == "&&" || expression.text == "||")) {
    const auto left = condition_text(expression.parts[0], place);
    const auto right = condition_text(expression.parts[1], place);
    if (!left || !right) return std::nullopt;
    const bool is_and = expression.text == "&&";
    const std::string decides = is_and ? "false" : "true";
    const std::string idle = is_and ? "true" : "false";
    if (*left == decides || *right == idle) return left;
    if (*right == decides || *left == idle) return right;
    return part(*left) + (is_and ? " and " : " or ") + part(*right);
  }
  if (expression.kind == Kind::unary && expression.text == "!") {
    const auto inner = condition_text(expression.parts.front(), place);
    if (!inner) return inner;
    if (*inner == "true" || *inner == "false") return *inner == "true" ? "false" : "true";
    return "not (" + *inner + ")";
  }
  const bool compares = expression.kind == Kind::binary && is_comparison(expression.text);
  // "strcmp(way, "wide") == 0" and "way == "wide""
  const auto* texts = compares && expression.parts[1].text != "0" ? &expression
                      : compares                                  ? expression.parts.data()
                                                                  : &expression;
  const bool is_order = compares && expression.text != "==" && expression.text != "!=";
  if (!is_order && texts->parts.size() == 2 &&
      (texts->kind == Kind::binary || texts->text == "strcmp")) {
    const auto left = quoted(texts->parts[0].tokens, place);
    const auto right = quoted(texts->parts[1].tokens, place);
    const bool is_equal = compares ? expression.text == "==" : texts->kind == Kind::binary;
    if (!left.empty() && !right.empty()) return (left == right) == is_equal ? "true" : "false";
  }
  const auto left = trace(compares ? expression.parts[0] : expression, place);
  const auto right = compares ? trace(expression.parts[1], place) : number(0);
  if (!left || !right) return std::nullopt;
  const auto mark = compares ? expression.text : std::string("!=");
  if (left->is_number() && right->is_number())
    return calculated(left->constant, mark, right->constant) != 0 ? "true" : "false";
  return left->text() + " " + mark + " " + right->text();
}

std::optional<std::string> HostValues::condition(const CExpression& expression,
                                                 const Place& place) {
  const auto axes = axes_;
  const auto names = axis_names_;
  auto made = condition_text(expression, place);
  const bool is_known = made && std::ranges::all_of(axes_, [&](const auto& one) {
                          return one.second.known || axes.contains(one.first);
                        });
  if (is_known) return made;
  axes_ = axes;
  axis_names_ = names;
  return std::nullopt;
}

std::optional<std::string> HostValues::condition(const std::vector<Guard>& all,
                                                 const Place& place) {
  std::string text;
  bool is_known = true;
  for (const auto& guard : all) {
    auto one = condition(c_expression(guard.condition, program_.macros), place.to(guard.at));
    is_known = is_known && (one || guard.ways == 1);
    if (!one) continue;
    if (guard.is_else)
      one = *one == "true" ? "false" : *one == "false" ? "true" : "not (" + *one + ")";
    if (*one == "false") return one;
    if (*one != "true") text = text.empty() ? *one : part(text) + " and " + part(*one);
  }
  return is_known ? std::optional(text.empty() ? "true" : text) : std::nullopt;
}

std::size_t HostValues::count_loops(const Place& place) {
  const auto& loops = shape_of(place.function).loops;
  pay(loops.size());
  return static_cast<std::size_t>(std::ranges::count_if(
      loops, [&](const Shape::Part& loop) { return loop.at < place.at && place.at < loop.end; }));
}

bool HostValues::is_in_other_loop(std::size_t at, const Place& place) {
  if (place.function >= program_.functions.size()) return false;
  const auto& loops = shape_of(place.function).loops;
  pay(loops.size());
  return std::ranges::any_of(loops, [&](const Shape::Part& loop) {
    return loop.at < at && at < loop.end && (place.at < loop.at || place.at >= loop.end);
  });
}

std::optional<HostValues::Setter> HostValues::setter(std::size_t at, std::size_t function) {
  const auto& body = program_.functions[function].body;
  if (at == 0) return std::nullopt;
  auto first = at;
  while (first > 2 && body[first - 1].is("::")) first -= 2;
  const bool is_address = body[first - 1].is("&");
  if (is_address) --first;
  const bool begins = first > 1 && is_any(body, first - 1, {"(", ","});
  const bool ends = is_any(body, at + 1, {")", ","});
  if (!begins || !ends) return std::nullopt;
  const auto open = around(body, first);
  if (!is_any(body, open, {"("}) || open == 0 || !pay(2 * (first - open))) return std::nullopt;
  const auto number = split_at_commas(body.subspan(open + 1, first - open)).size() - 1;
  const auto* called = program_.find_function(body[open - 1].text);
  if (called == nullptr || number >= called->parameters.size()) return std::nullopt;
  const auto& type = called->parameters[number].type;
  const bool sets = has_any(type, {is_address ? "*" : "&"}) && !has_any(type, {"const"});
  return Setter{called, number, open, sets};
}

std::optional<HostValues::Definition> HostValues::set_by_call(std::size_t at, const Place& place) {
  const auto by = setter(at, place.function);
  const Step step(*this);
  if (!by || !by->sets || by->called->body.empty() || !step) return std::nullopt;
  const auto& body = program_.functions[place.function].body;
  const auto end = end_of(*by->called, in_bracket(body, by->open), place.to(by->open));
  auto made = definition(by->called->parameters[by->parameter].name, end);
  const bool is_there = made && made->place.function == end.function && !made->value.empty() &&
                        guards(made->place.at, end).empty() &&
                        !is_in_other_loop(made->place.at, end);
  if (!is_there) return std::nullopt;
  made->set = place.to(at);
  return made;
}

std::optional<std::size_t> HostValues::last_change(const std::string& name, const Definition& from,
                                                   const Place& place, bool& is_lost) {
  const auto set = from.set.value_or(from.place);
  if (set.function != place.function || place.function >= program_.functions.size())
    return std::nullopt;
  const auto& loops = shape_of(place.function).loops;
  const auto& body = program_.functions[place.function].body;
  std::optional<std::size_t> found;
  pay(std::min(place.at, body.size()));
  for (std::size_t i = set.at + 1; i + 1 < std::min(place.at, body.size()); ++i) {
    if (!body[i].is(name) || is_any(body, i - 1, {".", "->"})) continue;
    if (const auto by = setter(i, place.function); by && by->sets) {
      found = i;
      is_lost = true;
      continue;
    }
    const auto mark = change_at(name, i, place.function).first;
    if (mark.empty()) continue;
    // In the header of a loop around the place it is for the next round.
    const bool is_for_next = std::ranges::any_of(loops, [&](const auto& loop) {
      return body[loop.at].is("for") && loop.at < i && i < loop.begin && place.at < loop.end;
    });
    if (is_for_next) continue;
    found = i;
    is_lost = is_lost || mark == "|" || mark == "&" || mark == "^" || is_in_other_loop(i, place) ||
              !pay(loops.size());
    // In a loop around the place it is that of the first pass.
    if (!is_lost && is_in_other_loop(i, set)) first_passes_.insert(name);
    if (!has_room()) break;
  }
  return found;
}

std::pair<std::string, CExpression> HostValues::change_at(const std::string& name, std::size_t at,
                                                          std::size_t function) const {
  const auto& body = program_.functions[function].body;
  const bool is_step = is_any(body, at - 1, {"++", "--"});
  return change_of(c_expression(body.subspan(at - (is_step ? 1 : 0)), program_.macros), name);
}

std::optional<Traced> HostValues::changed(const std::string& name, std::size_t at,
                                          const Place& place) {
  const auto [mark, by] = change_at(name, at, place.function);
  const CExpression sum{
      .kind = Kind::binary, .text = mark, .parts = {{.kind = Kind::name, .text = name}, by}};
  const auto now = trace(sum, place.to(at));
  if (!now) return now;
  return unless_skipped(name, at, place, *now);
}

Traced HostValues::unless_skipped(const std::string& name, std::size_t at, const Place& place,
                                  Traced now) {
  const auto under = guards(at, place);
  if (under.empty()) return now;
  const auto ahead = place.to(under.front().at);
  const auto before = definition(name, ahead);
  if (!before || before->value.empty()) return now;
  const auto otherwise = trace(CExpression{.kind = Kind::name, .text = name}, ahead);
  // What begins with 0 is set later.
  if (!otherwise || (otherwise->is_number() && otherwise->constant < 1)) return now;
  const auto where = condition(under, place);
  return where ? either(*where, now, *otherwise) : *otherwise;
}

void HostValues::take_cases(const Place& place) {
  if (place.function >= program_.functions.size()) return;
  if (place.by != nullptr) take_cases(place.by->place);
  const auto end = program_.functions[place.function].body.size();
  for (const auto& guard : guards(place.at, place.to(end))) {
    auto e = c_expression(guard.condition, program_.macros);
    while (e.text == "||") e = CExpression(e.parts.back());
    const bool is_one =
        !guard.is_else && e.kind == Kind::binary && e.text == "==" && e.parts[0].kind == Kind::name;
    const auto value = is_one ? trace(e.parts[1], place) : std::nullopt;
    if (!value || !value->is_number()) continue;
    const auto axes = axes_;
    const auto names = axis_names_;
    const auto known = trace(e.parts[0], place.to(guard.at));
    const auto axis = known ? axes_.find(known->text()) : axes_.end();
    const bool is_free = (axis != axes_.end() && !axis->second.known) ||
                         (known && known->is_number() && known->constant == 0);
    axes_ = axes;
    axis_names_ = names;
    if (is_free) replace(e.parts[0].text, *value, place.function);
  }
}

}  // namespace apod::source
