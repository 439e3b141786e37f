/// \file
/// Launches and memory of the device in host code.

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "kernels/files/source/host_values.hpp"

namespace apod::source {
namespace {

using Kind = CExpression::Kind;

std::string name_of_pointer(const CExpression& expression) {
  switch (expression.kind) {
    case Kind::name:
      return expression.text;
    case Kind::cast:
    case Kind::unary:
    case Kind::subscript:
      return expression.parts.empty() ? "" : name_of_pointer(expression.parts.front());
    case Kind::binary:
      return expression.text == "+" ? name_of_pointer(expression.parts.front()) : "";
    case Kind::call: {
      // "v.data()", "p.get()", "thrust::raw_pointer_cast(v.data())"
      for (const auto* end : {".data.get", ".data", ".get", ".begin"}) {
        if (expression.text.ends_with(end))
          return expression.text.substr(0, expression.text.size() - std::string(end).size());
      }
      return expression.parts.empty() ? "" : name_of_pointer(expression.parts.front());
    }
    default:
      return "";
  }
}

}  // namespace

std::vector<Traced> HostValues::sides(Tokens tokens, const Place& place) {
  const Step step(*this);
  if (tokens.empty() || !step) return {};
  const auto each = [&](const std::vector<Tokens>& parts, const Place& at) {
    std::vector<Traced> all;
    for (const auto& part : parts) {
      const auto value = trace(part, at);
      if (!value) return std::vector<Traced>{};
      all.push_back(value->whole());
    }
    return all;
  };
  const auto short_of = [](std::vector<Traced> all) {
    while (all.size() > 1 && all.back().is_number() && all.back().constant == 1) all.pop_back();
    return all.size() <= 3 ? all : std::vector<Traced>{};
  };
  const auto expression = c_expression(tokens, program_.macros);
  if ((expression.kind == Kind::call || expression.kind == Kind::list) &&
      (last_word(expression.text) == "dim3" || expression.text.empty())) {
    std::vector<Tokens> parts;
    for (const auto& part : expression.parts) parts.push_back(part.tokens);
    return short_of(each(parts, place));
  }
  const auto returns = returned(expression, place);
  if (returns.size() == 1) return sides(returns[0].first, returns[0].second);
  const auto& name = expression.text;
  const auto found =
      expression.kind == Kind::name ? definition(name, place) : std::optional<Definition>();
  if (found && has_any(found->type, {"dim3"})) {
    bool is_lost = false;
    last_change(name, *found, place, is_lost);
    if (is_lost) return {};            // a function sets it
    const auto& value = found->value;  // "(n, 4)" or another dim3
    const bool is_list =
        !value.empty() && value.front().is("(") && behind_bracket(value, 0) == value.size();
    const auto inner = is_list ? value.subspan(1, value.size() - 2) : value;
    auto all = is_list || found->is_constructor ? each(split_at_commas(inner), found->place)
                                                : sides(value, found->place);
    // "grid.x = ..." after it
    const auto set = found->set.value_or(found->place);
    for (std::size_t side = 0; side < 3; ++side) {
      const auto own = definition(name + "." + "xyz"[side], place);
      const bool is_later = own && (own->place.at > set.at || set.function == nowhere);
      const auto now = is_later ? trace(own->value, own->place) : std::nullopt;
      if (!now) continue;
      while (all.size() <= side) all.push_back(number(1));
      all[side] = *now;
    }
    return short_of(std::move(all));
  }
  if (!found && expression.kind == Kind::name && place.function < program_.functions.size()) {
    // A parameter of the function: what its caller passes.
    const auto& function = program_.functions[place.function];
    const auto index = function.parameter(name);
    const bool is_own = index < function.parameters.size();
    const auto type = is_own ? function.parameters[index].type : Tokens{};
    const bool is_number = !type.empty() && is_number_type(type.back().text);
    const auto passed = is_number ? std::nullopt : passed_for(name, place);
    auto all = passed ? sides(passed->argument, passed->place) : std::vector<Traced>{};
    if (!all.empty() || has_any(type, {"dim3"})) return all;
  }
  return each({tokens}, place);
}

std::vector<Traced> HostValues::texture_sides(std::size_t count, std::int64_t bytes) {
  // What the program says behind a word: arguments, or a value. The same words are one.
  std::map<std::string, std::vector<Traced>> all;
  const auto find = [&](const char* word, std::size_t first, std::int64_t unit) {
    for (std::size_t f = 0; f < program_.functions.size(); ++f) {
      const auto& body = program_.functions[f].body;
      if (!pay(body.size())) break;
      for (std::size_t i = 0; i + 1 < body.size(); ++i) {
        if (!body[i].is(word) || !is_any(body, i + 1, {"(", "="})) continue;
        const auto said = body[i + 1].is("=") ? std::vector<Tokens>{to_semicolon(body, i + 2)}
                                              : in_bracket(body, i + 1);
        auto& sides = all[text_of(to_semicolon(body, i))];
        sides.clear();
        for (auto k = first; sides.size() < count && k < said.size(); ++k) {
          auto side = trace(said[k], {f, i});
          if (!side || side->is_real || unit < 1 || side->constant % unit != 0) break;
          side->constant /= unit;
          sides.push_back(*side);
        }
      }
    }
  };
  find("cudaMallocArray", 2, 1);  // "&array, &format, width, height"
  find("make_cudaExtent", 0, 1);
  find("sizeInBytes", 0, bytes);
  const bool is_known = all.size() == 1 && all.begin()->second.size() == count;
  return is_known ? all.begin()->second : std::vector<Traced>{};
}

namespace {

/// "float4", "make_uint2" or "make_cuComplex".
bool is_vector(std::string_view name) {
  if (name.starts_with("make_")) name.remove_prefix(5);
  if (name.ends_with("Complex")) return name.starts_with("cu");
  if (name.empty() || name.back() < '1' || name.back() > '4') return false;
  name.remove_suffix(1);
  if (name == "float" || name == "double") return true;
  if (name.starts_with("u")) name.remove_prefix(1);
  return name == "char" || name == "short" || name == "int" || name == "long" || name == "longlong";
}

}  // namespace

bool HostValues::takes(const ProgramFunction& constructor, std::size_t given) {
  const auto& all = constructor.parameters;
  return given == all.size() || (given < all.size() && !all[given].value.empty());
}

std::optional<std::vector<Tokens>> HostValues::made_with(const Definition& whole,
                                                         const ProgramStruct* made) {
  const auto value = whole.value;
  if (whole.is_constructor || value.empty()) return split_at_commas(value);
  std::size_t open = 0;
  while (open < value.size() &&
         !(is_any(value, open, {"(", "{"}) && behind_bracket(value, open) == value.size())) {
    ++open;
  }
  if (open == value.size()) return std::nullopt;
  // "Grid(n)", "Grid grid(n)", "std::make_unique<Grid<4>>(n)", "make_int2(w, h)"
  const auto before = value.first(open);
  const auto last = before.last(std::min<std::size_t>(open, 2));
  const bool is_it = made == nullptr ? before.empty() || is_vector(before.back().text)
                                     : has_any(last, {made->name}) ||
                                           has_any(before, {"make_unique", "make_shared"});
  if (has_any(before, {"?"}) || (open > 0 && !is_it)) return std::nullopt;
  auto parts = in_bracket(value, open);
  // "{.h = 50}" names its fields in any order.
  const bool names = std::ranges::any_of(
      parts, [](const Tokens& part) { return !part.empty() && part.front().is("."); });
  return names ? std::nullopt : std::optional(std::move(parts));
}

std::optional<HostValues::Definition> HostValues::item_of(const std::string& structure,
                                                          const std::string& field,
                                                          const Place& place) {
  const auto whole = definition(structure, place);
  return whole && !whole->type.empty() ? item_in(*whole, field) : std::nullopt;
}

std::optional<HostValues::Definition> HostValues::item_in(Definition whole,
                                                          const std::string& field) {
  auto& value = whole.value;
  const auto returns = whole.is_constructor
                           ? std::vector<std::pair<Tokens, Place>>{}
                           : returned(c_expression(value, program_.macros), whole.place);
  if (returns.size() == 1) std::tie(value, whole.place) = returns.front();
  while (has_any(value.first(std::min<std::size_t>(value.size(), 1)), {"&", "*"}))
    value = value.subspan(1);
  const bool is_other = !whole.is_constructor && (value.size() == 1 || value.size() == 3) &&
                        value.front().is_name() && value.back().is_name();
  if (is_other) {  // "auto& grid = solver.grid"
    auto words = std::vector<Token>(value.begin(), value.end());
    words.push_back({Token::Kind::mark, ".", value.back().at});
    words.push_back({Token::Kind::name, field, value.back().at});
    return Definition{.value = keep(std::move(words)), .place = whole.place};
  }
  // "Grid grid{n, x}", "Grid grid(n, x)", "auto grid = Grid(n, x)"
  const ProgramStruct* made = nullptr;
  bool is_sides = false;
  for (const auto words : {whole.type, value}) {
    for (const auto& word : words) {
      made = made ? made : program_.find_struct(word.text);
      is_sides = is_sides || is_vector(word.text);
      if (has_any({&word, 1}, {"(", "{"})) break;
    }
  }
  const auto items = made_with(whole, made);
  if (!items || (made == nullptr && !is_sides)) return std::nullopt;
  if (made == nullptr) {
    const auto side = std::string_view("xyzw").find(field);
    if (field.size() != 1 || side >= items->size()) return std::nullopt;
    return Definition{.value = (*items)[side], .place = whole.place};
  }
  const auto at = std::ranges::find(made->fields, field, &Declared::name);
  if (at == made->fields.end()) return std::nullopt;
  bool is_made = false;
  for (const auto& one : program_.functions) {
    if (one.name != made->name + "::" + made->name || !takes(one, items->size())) continue;
    is_made = true;
    const auto end = end_of(one, *items, whole.place);
    auto set = definition(field, end);
    if (!set || set->place.function != end.function || set->value.empty()) break;
    set->type = at->type;
    set->set = whole.place;
    return set;
  }
  const auto i = static_cast<std::size_t>(at - made->fields.begin());
  if (i < items->size() && !is_made)
    return Definition{.value = (*items)[i], .type = at->type, .place = whole.place};
  if (at->value.empty()) return std::nullopt;
  return Definition{.value = at->value, .type = at->type, .place = whole.place};
}

/// The program's own function that a call is of; null if it is another's.
const ProgramFunction* HostValues::made_by(const CExpression& call, const Place& place) const {
  if (call.kind != Kind::call || call.text.find('.') != std::string::npos) return nullptr;
  const auto name = last_word(call.text);
  const auto scope = call.text.substr(0, call.text.size() - name.size());
  auto of_class = last_word(scope.substr(0, scope.size() - std::min<std::size_t>(scope.size(), 2)));
  if (scope.empty() && place.function < program_.functions.size())
    of_class = program_.functions[place.function].of_class;
  return program_.find_body(name, of_class);
}

/// Of a std::vector or thrust::device_vector: what it was made with.
std::optional<Traced> HostValues::element_count(const std::string& container, const Place& place) {
  const Step step(*this);
  if (!step) return std::nullopt;
  const auto found = definition(container, place);
  if (!found || found->value.empty()) {
    if (place.function >= program_.functions.size()) return std::nullopt;
    const auto passed = found ? std::nullopt : passed_for(container, place);
    if (passed) return element_count(passed->argument, passed->place);
    // Declared empty: "v.resize(n)", "v.reserve(n)".
    const auto& body = program_.functions[place.function].body;
    pay(std::min(place.at, body.size()));
    for (std::size_t i = 0; i + 4 < std::min(place.at, body.size()); ++i) {
      const bool grows = body[i].is(container) && is_any(body, i + 2, {"resize", "reserve"});
      const auto parts = grows ? in_bracket(body, i + 3) : std::vector<Tokens>{};
      if (!parts.empty()) return trace(parts[0], place.to(i));
    }
    return std::nullopt;
  }
  const auto parts = split_at_commas(found->value);
  if (found->is_constructor && !parts.empty()) {
    // Of another one: it has as many.
    if (parts[0].size() == 1 && parts[0][0].is_name()) {
      if (auto inner = element_count(parts[0][0].text, found->place)) return inner;
    }
    return trace(parts[0], found->place);
  }
  return element_count(found->value, found->place);
}

std::optional<Traced> HostValues::element_count(Tokens made, const Place& place) {
  const Step step(*this);
  if (!step) return std::nullopt;
  const auto expression = c_expression(made, program_.macros);
  if (expression.kind == Kind::name) return element_count(expression.text, place);
  const auto returns = returned(expression, place);
  if (returns.size() == 1) return element_count(returns[0].first, returns[0].second);
  // What a function that isn't here makes of its arguments is not known.
  const bool constructs = returns.empty() && expression.kind == Kind::call &&
                          expression.text.find("vector") != std::string::npos &&
                          !expression.parts.empty();
  return constructs ? trace(expression.parts[0], place) : std::nullopt;
}

std::optional<Traced> HostValues::each_element(const std::string& array, const Place& place) {
  const auto& body = program_.functions[place.function].body;
  std::optional<Traced> all;
  pay(place.at);
  for (std::size_t i = 1; i + 1 < place.at; ++i) {
    if (!body[i].is(array)) continue;
    // Where it is defined or allocated. Any other use might change its elements.
    const bool is_part = body[i + 1].is("[");
    if (!is_part && (body[i + 1].is("=") || is_any(body, i - 1, {"*", "&"}))) continue;
    const auto behind = is_part ? behind_bracket(body, i + 1) : place.at;
    if (behind >= place.at || body[i - 1].is("&") || !body[behind].is("=")) return std::nullopt;
    const auto said = assigned_at(body, behind);
    const bool may_change = std::ranges::any_of(said, [&](const Token& word) {
      const auto own = word.is_name() ? definition(word.text, place.to(i)) : std::nullopt;
      return own && own->place.function == place.function;
    });
    const auto value = may_change ? std::nullopt : trace(said, place.to(i));
    const bool is_same = value && value->is_number() && (!all || all->constant == value->constant);
    // Not each element, if a condition chooses them.
    if (!is_same || !guards(i, place).empty() || !is_in_other_loop(i, place)) return std::nullopt;
    all = value;
  }
  return all;
}

void HostValues::look_at_calls(const std::string& name, const Place& place, Buffer& buffer) {
  const auto& body = program_.functions[place.function].body;
  const auto& shape = shape_of(place.function);
  const auto word = last_word(name);
  const auto holds = [&](Tokens part) { return has_any(part, {word}); };
  pay(body.size());
  for (std::size_t i = 0; i + 1 < body.size(); ++i) {
    // An element of what the host may write to.
    if (body[i].is(word) && body[i + 1].is("[") && i < place.at && buffer.is_managed) {
      const auto behind = shape.behind_bracket[i + 1];
      buffer.is_copied_in = buffer.is_copied_in || (behind < body.size() && body[behind].is("="));
    }
    if (!body[i].is_name() || !body[i + 1].is("(")) continue;
    const auto& call = body[i].text;
    const bool allocates = call.find("Malloc") != std::string::npos || call == "cudaHostAlloc";
    const bool is_hosts = call == "memcpy" || call == "memset";
    const bool copies = call.find("Memcpy") != std::string::npos || call == "memcpy";
    const bool sets = call.find("Memset") != std::string::npos || call == "memset";
    if (!allocates && !copies && !sets) continue;
    const auto behind = shape.behind_bracket[i + 1];
    if (!pay(behind - i)) break;
    const auto parts = split_at_commas(body.subspan(i + 2, behind - i - 3));
    if (parts.size() < 2) continue;
    if (allocates && holds(parts[0])) {
      if (auto bytes = trace(parts[1], place.to(i))) buffer.bytes = std::move(bytes);
      buffer.is_managed = call.find("Managed") != std::string::npos;
    }
    // Of copies and fillings ahead of the launch, the last one counts.
    if (is_hosts && !buffer.is_managed) continue;
    if (copies && parts.size() >= (is_hosts ? 3 : 4)) {
      const auto kind = parts.size() > 3 ? text_of(parts[3]) : "";
      if (holds(parts[0]) && i < place.at) {
        const auto from = parts[1];
        const bool is_of_one = from.size() == 2 && from[0].is("&") && from[1].is_name();
        BufferStart start{.is_copied_in = true};
        if (is_of_one) start.value = trace(from.subspan(1), place.to(i));
        const auto array = name_of_pointer(c_expression(from, program_.macros));
        if (!is_of_one) start.each = each_element(array, place.to(i));
        if (kind.find("DeviceToHost") == std::string::npos) buffer.start() = start;
      }
      if (holds(parts[1]) && i > place.at)
        buffer.is_copied_out = buffer.is_copied_out || kind.find("ToHost") != std::string::npos;
    }
    if (sets && holds(parts[0]) && i < place.at) {
      const auto value = trace(parts[1], place.to(i));
      const auto fill = value && value->is_number() ? value->constant & 0xff : 0;
      buffer.start() = {.is_zeroed = fill == 0, .fill = fill};
    }
  }
}

Buffer HostValues::buffer(Tokens pointer, const Place& place) {
  Buffer made;
  const Step step(*this);
  if (!step || place.function >= program_.functions.size()) return made;
  const auto expression = c_expression(pointer, program_.macros);
  if (expression.kind == Kind::choice) {
    // "k % 2 ? a : b": they are of one size.
    made = buffer(expression.parts[1].tokens, place);
    return made.bytes ? made : buffer(expression.parts[2].tokens, place);
  }
  const auto name = name_of_pointer(expression);
  const bool is_moved =
      expression.kind == Kind::binary ||
      (expression.kind == Kind::unary && expression.parts[0].kind == Kind::subscript);
  if (!name.empty()) {
    look_at_calls(name, place, made);
    const auto found = definition(name, place);
    if (!made.bytes && found) {
      const auto type = text_of(found->type);
      if (type.find("vector") != std::string::npos) {
        const auto open = type.find('<');
        const auto of = open == std::string::npos ? "" : type.substr(open + 1);
        const auto bytes = bytes_of(of.substr(0, of.find_first_of(",>")));
        auto count = element_count(name, place);
        if (count && bytes > 0) {
          count->constant *= static_cast<std::int64_t>(bytes);
          made.bytes = std::move(count);
        }
        made.is_copied_in = true;
      } else if (!found->value.empty() && found->place.function != nowhere) {
        // Another name of it, or the function that allocates.
        const auto other = c_expression(found->value, program_.macros);
        const auto of = name_of_pointer(other);
        if (made_by(other, found->place) != nullptr) {
          for (const auto& [what, at] : returned(other, found->place))
            if (!made.bytes && what.size() == 1) made = buffer(what, at);
        } else if (!of.empty() && of != name && of != "nullptr" && of != "NULL" &&
                   other.kind != Kind::call) {
          auto under = buffer(found->value, found->place);
          if (other.kind == Kind::binary) under.bytes.reset();
          made = std::move(under);
        }
      }
    }
    if (!made.bytes) {
      if (const auto passed = passed_for(name, place)) {
        // What is nearer to the launch is later.
        auto outer = buffer(passed->argument, passed->place);
        if (made.is_copied_in || made.is_zeroed || made.fill != 0) outer.start() = made.start();
        outer.is_copied_out = outer.is_copied_out || made.is_copied_out;
        made = std::move(outer);
      }
    }
    // One outside of functions may have its memory from any, a field from those of its class.
    const bool is_field = found && found->is_field;
    auto others = is_field ? members(place) : std::vector<Place>{};
    if (!found || (!is_field && found->place.function == nowhere)) {
      for (std::size_t f = 0; f < program_.functions.size(); ++f)
        others.push_back({f, program_.functions[f].body.size()});
    }
    const auto& here = program_.functions[place.function];
    const bool is_parameter = here.parameter(name) < here.parameters.size();
    const bool is_set = made.is_copied_in || made.is_zeroed || made.fill != 0;
    const auto near = made.start();
    for (const auto& one : others) {
      if (one.function != place.function && !is_parameter && (!made.bytes || is_field))
        look_at_calls(name, one, made);
    }
    if (is_set) made.start() = near;
  }
  if (is_moved) made.bytes.reset();
  return made;
}

namespace {

/// "*2" of "k *= 2" and "k <<= 1"; empty if it is none of these.
std::string step_of(const CExpression& step, const std::string& variable, HostValues& host,
                    const HostValues::Place& place) {
  const auto [mark, by] = change_of(step, variable);
  const auto value = mark.empty() ? std::nullopt : host.trace(by, place);
  if (!value || value->is_real) return "";
  if (mark != "<<" && mark != ">>")
    return std::string("+-*/").find(mark) == std::string::npos ? "" : mark + value->text();
  if (!value->is_number() || value->constant < 1 || value->constant > 30) return "";
  return (mark == "<<" ? "*" : "/") + std::to_string(std::int64_t{1} << value->constant);
}

}  // namespace

std::vector<HostValues::HostLoop> HostValues::loops_around(const Place& place) {
  std::vector<HostLoop> all;
  if (place.function >= program_.functions.size()) return all;
  const auto body = program_.functions[place.function].body;
  for (const auto& [i, begin, end, last, none, ways] : shape_of(place.function).loops) {
    if (i >= place.at || !body[i].is("for") || place.at < begin || place.at >= end) continue;
    if (!pay(begin - i)) break;
    const auto parts = in_bracket(body, i + 1, ";");
    if (parts.size() != 3) continue;
    const auto first = declared(parts[0]);
    const auto condition = c_expression(parts[1], program_.macros);
    const auto step = c_expression(parts[2], program_.macros);
    HostLoop loop{.variable = first.name.empty() ? text_of(first.type) : first.name,
                  .first = {},
                  .last = {},
                  .step = {},
                  .function = place.function};
    auto value = trace(first.value, place.to(i));
    const bool is_known = condition.kind == Kind::binary && condition.parts.size() == 2 &&
                          condition.parts[0].kind == Kind::name &&
                          condition.parts[0].text == loop.variable;
    auto limit = is_known ? trace(condition.parts[1], place.to(i)) : std::nullopt;
    loop.step = step_of(step, loop.variable, *this, place.to(i));
    if (!value || !limit || loop.step.empty()) continue;
    loop.first = *value = value->whole();
    loop.last = *limit = limit->whole();
    const bool is_open = condition.text == "<" || condition.text == ">" || condition.text == "!=";
    const bool is_up = loop.step.front() == '+' || loop.step.front() == '*';
    if (is_open && limit->is_number()) {
      loop.last = number(limit->constant - (is_up ? 1 : -1));
    } else if (is_open) {
      loop.last = factor("(" + limit->text() + (is_up ? " - 1)" : " + 1)"));
    }
    // What is within it may begin with it.
    replace(loop.variable, factor(loop.variable), place.function);
    all.push_back(std::move(loop));
  }
  return all;
}

}  // namespace apod::source
