/// \file
/// Where variables of host code are defined: in a function, in what it calls, or elsewhere.

#include <algorithm>
#include <utility>

#include "kernels/files/source/host_values.hpp"

namespace apod::source {
namespace {

bool is_of_command_line(Tokens value) {
  return has_any(value, {"argv", "atoi", "optarg"}) ||
         text_of(value).find("CmdLine") != std::string::npos;
}

/// Of a variable: "float" of "float x, y = 1"; nothing of "x = y = 1" and "if (x) y = 1", and of
/// what is in the brackets of a call, a launch or a list.
Tokens type_before(Tokens body, std::size_t begin, std::size_t at) {
  const auto all = body.subspan(begin, at - begin);
  const auto ahead = body.first(begin).last(std::min<std::size_t>(begin, 2));
  const bool is_bracket = ahead.size() > 1 && (ahead.back().is("(") || ahead.back().is("{"));
  const bool follows = is_bracket && (ahead[0].is_name() || has_any(ahead, {"=", ",", "]", ">"}));
  const bool may_declare =
      is_bracket && has_any(ahead, {"for", "if", "while", "switch", "else", "do", "try"});
  if ((follows && !may_declare) || has_any(all, {"<<<"})) return {};
  if (all.empty() || (!all.back().is_name() && !has_any(all.last(1), {">", "*", "&", ","})))
    return {};
  return all.back().is(",") ? declared(split_at_commas(all).front()).type : all;
}

}  // namespace

std::optional<HostValues::Definition> HostValues::definition(const std::string& name,
                                                             const Place& place) {
  const auto body = place.function < program_.functions.size()
                        ? program_.functions[place.function].body
                        : Tokens{};
  const auto point = name.find('.');
  const auto first = name.substr(0, point);
  const auto member = point == std::string::npos ? "" : name.substr(point + 1);
  std::optional<Definition> found;
  pay(std::min(place.at, body.size()));
  for (std::size_t i = 0; i < std::min(place.at, body.size()); ++i) {
    if (!body[i].is(first)) continue;
    std::size_t next = i + 1;
    if ((i > 0 && is_any(body, i - 1, {".", "->"})) || next >= body.size()) continue;
    if (member.empty()) {
      if (auto set = set_by_call(i, place)) {
        if (found) set->type = found->type;
        found = std::move(set);
        continue;
      }
    }
    if (!member.empty()) {
      if (body[next].is("[")) next = behind_bracket(body, next);
      if (next + 1 >= body.size() || !(is_any(body, next, {".", "->"})) ||
          !body[next + 1].is(member)) {
        continue;
      }
      next += 2;
      if (next >= body.size()) continue;
    }
    const bool has_type = member.empty() && i > 0 &&
                          (body[i - 1].is_name() || is_any(body, i - 1, {">", "*", "&", ","})) &&
                          !body[i - 1].is("return");
    Definition made{.place = place.to(i)};
    // Back to where its statement begins.
    const auto open = around(body, i);
    auto begin = open < body.size() ? open + 1 : i;
    while (open == body.size() && begin > 0 && !is_any(body, begin - 1, {";", "{", "}"})) --begin;
    made.type = type_before(body, begin, i);
    if (!pay(i - begin)) break;
    if (body[next].is("=")) {
      made.value = assigned_at(body, next);
      if (made.type.empty() && found) made.type = found->type;  // it is set anew
      if (!found || found->value.empty() || !is_of_command_line(made.value)) found = made;
    } else if (has_type && (is_any(body, next, {"(", "{"}))) {
      const bool is_next = begin == 0 || is_any(body, begin - 1, {";", "{", "}"});
      if ((body[i - 1].is(",") && !is_next) || is_any(body, i - 1, {"*", "&"})) continue;
      const auto end = behind_bracket(body, next);
      made.value = body.subspan(next + 1, end - next - 2);
      made.is_constructor = true;
      found = made;
    } else if (has_type && (is_any(body, next, {";", "[", ","})) && !found && !made.type.empty()) {
      found = made;  // declared, not yet defined
    }
  }
  if (!found && !member.empty()) found = item_of(first, member, place);
  // What the command line may say hides no value of the code.
  const bool is_local = !member.empty() || (found && !found->type.empty());
  if (found && (is_local || !is_of_command_line(found->value))) return found;
  // A parameter hides what has its name outside of the function.
  if (place.function < program_.functions.size()) {
    const auto& function = program_.functions[place.function];
    if (function.parameter(first) < function.parameters.size())
      return found || member.empty() ? found : set_elsewhere(first, member, place);
  }
  if (auto own = field(first, member, place)) return own;
  if (auto set = set_elsewhere(first, member, place)) return set;
  const auto* variable = program_.find_variable(first, scope_of(place));
  return variable != nullptr ? global(*variable, member, place) : found;
}

/// Of a field of what a pointer is to: the one place of the program where that field is set.
std::optional<HostValues::Definition> HostValues::set_elsewhere(const std::string& name,
                                                                const std::string& member,
                                                                const Place& place) {
  if (member.empty() || place.function >= program_.functions.size()) return std::nullopt;
  const auto made = struct_of(name, program_.functions[place.function]);
  std::optional<Definition> set;
  for (std::size_t f = 0; made != nullptr && f < program_.functions.size(); ++f) {
    const auto& body = program_.functions[f].body;
    if (f == place.function || !pay(body.size())) continue;
    for (std::size_t i = 1; i + 2 < body.size(); ++i) {
      const bool sets = body[i].is(member) && body[i + 1].is("=") && body[i - 1].is("->") &&
                        i > 1 && struct_of(body[i - 2].text, program_.functions[f]) == made;
      if (!sets) continue;
      if (set) return std::nullopt;
      set = Definition{.value = to_semicolon(body, i + 2), .place = {f, i}};
    }
  }
  const auto field = set ? std::ranges::find(made->fields, member, &Declared::name)
                         : std::vector<Declared>::const_iterator{};
  if (set && field != made->fields.end()) set->type = field->type;
  return set;
}

/// That a variable or parameter of a function is, or points to; null: it can't be told.
const ProgramStruct* HostValues::struct_of(const std::string& name,
                                           const ProgramFunction& function) const {
  const auto made = program_.class_of(function, name, function.body.size());
  return made ? program_.find_struct(*made) : nullptr;
}

std::string HostValues::scope_of(const Place& place) const {
  if (place.function < program_.functions.size())
    return program_.functions[place.function].scope_of_body();
  return place.at > 0 ? program_.variables[place.at - 1].scope : "";
}

std::optional<HostValues::Place> HostValues::caller(const Place& place,
                                                    std::vector<Tokens>& arguments) {
  if (place.by != nullptr) {
    arguments = place.by->arguments;
    return place.by->place;
  }
  const auto function = place.function;
  const auto& called = program_.functions[function];
  for (std::size_t f = program_.functions.size(); f-- > 0;) {
    const auto& body = program_.functions[f].body;
    // The host's are not called by the device's.
    const bool is_devices = program_.functions[f].is_kernel || program_.functions[f].is_device;
    if (f == function || (is_devices && !program_.functions[function].is_marked)) continue;
    if (!pay(body.size())) break;
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
      if (!program_.may_call(program_.functions[f], i, called)) continue;
      auto open = i + 1;
      if (body[open].is("<")) open = behind_angle(body, open);
      if (open >= body.size() || !body[open].is("(")) continue;
      arguments = in_bracket(body, open);
      if (arguments.size() > program_.functions[function].parameters.size()) continue;
      return Place{f, i};
    }
  }
  return std::nullopt;
}

std::optional<HostValues::Passed> HostValues::passed_for(const std::string& name,
                                                         const Place& place) {
  if (place.function >= program_.functions.size()) return std::nullopt;
  const auto& function = program_.functions[place.function];
  const auto index = function.parameter(name);
  std::vector<Tokens> arguments;
  const auto from = index < function.parameters.size() ? caller(place, arguments) : std::nullopt;
  if (!from || index >= arguments.size()) return std::nullopt;
  return Passed{arguments[index], *from};
}

HostValues::Place HostValues::end_of(const ProgramFunction& called, std::vector<Tokens> arguments,
                                     const Place& place) {
  calls_.push_back({place, std::move(arguments)});
  const auto function = static_cast<std::size_t>(&called - program_.functions.data());
  return {function, called.body.size(), &calls_.back()};
}

std::vector<std::pair<Tokens, HostValues::Place>> HostValues::returned(const CExpression& call,
                                                                       const Place& place) {
  std::vector<std::pair<Tokens, Place>> all;
  const auto* called = made_by(call, place);
  if (called == nullptr || !pay(called->body.size())) return all;
  std::vector<Tokens> arguments;
  for (const auto& part : call.parts) arguments.push_back(part.tokens);
  const auto end = end_of(*called, std::move(arguments), place);
  const auto& body = called->body;
  for (std::size_t i = 0; i + 1 < body.size(); ++i) {
    if (!body[i].is("return") || body[i + 1].is(";")) continue;
    all.emplace_back(to_semicolon(body, i + 1), end.to(i));
  }
  return all;
}

void HostValues::compare_calls(std::size_t function, std::size_t parameter,
                               const std::string& passed) {
  const auto& called = program_.functions[function];
  for (const auto& one : program_.functions) {
    if (!pay(one.body.size())) return;
    for (std::size_t i = 0; i + 1 < one.body.size(); ++i) {
      if (!one.body[i + 1].is("(") || !program_.may_call(one, i, called)) continue;
      const auto arguments = in_bracket(one.body, i + 1);
      if (parameter >= arguments.size() ||
          c_expression(arguments[parameter], program_.macros).text == passed) {
        continue;
      }
      several_calls_.insert(called.parameters[parameter].name + " is " + passed +
                            ", as in one call of " + called.name +
                            "; other calls pass other values");
    }
  }
}

HostValues::Definition HostValues::global(const Declared& variable, const std::string& member,
                                          const Place& place) {
  const auto number = static_cast<std::size_t>(&variable - program_.variables.data());
  Definition first{.value = variable.value, .type = variable.type, .place = {nowhere, number + 1}};
  if (!member.empty()) first.value = first.type = {};
  const bool is_fixed =
      has_any(variable.type, {"const", "constexpr", "__constant__", "__device__"});
  if (is_fixed || variable.is_pointer()) return first;
  std::vector<Place> all;
  for (std::size_t f = 0; f < program_.functions.size(); ++f) {
    const auto& function = program_.functions[f];
    const bool is_own = function.parameter(variable.name) < function.parameters.size();
    const bool is_constructor = function.name.find("::") != std::string::npos;
    if (f != place.function && !function.is_device && !function.is_kernel && !is_own &&
        !is_constructor) {
      all.push_back({f, function.body.size()});
    }
  }
  return set_in(all, first, variable.name, member);
}

std::optional<std::string> HostValues::way_to(const std::string& name, std::size_t at,
                                              const Place& end) {
  if (!deciding_.insert(name).second) return std::nullopt;
  auto where = condition(guards(at, end), end);
  deciding_.erase(name);
  return where;
}

HostValues::Definition HostValues::set_in(const std::vector<Place>& all, const Definition& first,
                                          const std::string& name, const std::string& member) {
  std::optional<Definition> set;
  std::size_t sets = 0;
  const bool is_zero = first.value.size() == 1 && first.value.front().is("0");
  for (const auto& place : all) {
    const auto& body = program_.functions[place.function].body;
    if (!pay(body.size())) break;
    for (std::size_t i = 0; i + 3 < body.size(); ++i) {
      if (!body[i].is(name)) continue;
      const bool is_first = i == 0 || is_any(body, i - 1, {";", "{", "}", ")"});
      // It is the function's own from here on.
      if (i > 0 && (body[i - 1].is_name() || body[i - 1].is(">")) && !body[i - 1].is("return"))
        break;
      if (i > 0 && body[i - 1].is("&") && (i < 2 || is_any(body, i - 2, {"(", ","}))) sets += 2;
      if (!member.empty() && !body[i + 2].is(member)) continue;
      const auto at = member.empty() ? i + 1 : i + 3;
      const auto& mark = body[at];
      if (has_any({&mark, 1}, {"+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "++", "--"})) sets += 2;
      if (!is_first || !mark.is("=")) continue;
      const auto value = to_semicolon(body, at + 1);
      const bool is_none = first.is_field && has_any(value.first(1), {"0", "nullptr", "NULL"});
      if (is_of_command_line(value) || is_none) continue;
      // A condition may leave the value that it has already; one that can't be told does.
      const bool has_value = !first.value.empty() && !is_zero;
      const auto where = has_value ? way_to(name, i, place) : std::optional<std::string>("true");
      if (!where || where == "false") continue;
      sets += where == "true" ? 1U : 2U;
      set = Definition{.value = value, .type = first.type, .place = place.to(i)};
      set->is_field = first.is_field;
    }
  }
  if (sets == 1 && set) return *set;
  const bool is_open = sets > 0 && (is_zero || first.is_field);
  return is_open ? Definition{.type = first.type, .place = {nowhere, 0}} : first;
}

std::optional<HostValues::Definition> HostValues::field(const std::string& name,
                                                        const std::string& member,
                                                        const Place& place) {
  if (place.function >= program_.functions.size()) return std::nullopt;
  const auto& function = program_.functions[place.function];
  const auto* made = function.of_class.empty() ? nullptr : program_.find_struct(function.of_class);
  const Step step(*this);
  if (made == nullptr || !step || function.parameter(name) < function.parameters.size())
    return std::nullopt;
  const auto own = std::ranges::find(made->fields, name, &Declared::name);
  if (own == made->fields.end()) return std::nullopt;
  Definition first{.value = own->value, .type = own->type, .place = {nowhere, 0}};
  first.is_field = true;
  if (!member.empty()) first.value = first.type = {};
  auto others = members(place);
  std::erase_if(others, [&](const Place& one) { return one.function == place.function; });
  auto found = set_in(others, first, name, member);
  return found.value.empty() && !member.empty() ? item_of(name, member, place) : found;
}

std::vector<HostValues::Place> HostValues::members(const Place& place) {
  const auto& of_class = program_.functions[place.function].of_class;
  const auto [known, is_new] = members_.try_emplace({place.function, place.by});
  if (!is_new || of_class.empty()) return known->second;
  auto& all = known->second;
  // "solver.step()", perhaps by another function of the class.
  std::vector<Tokens> given;
  auto from = caller(place, given);
  for (int i = 0; from && i < 8 && program_.functions[from->function].of_class == of_class; ++i)
    from = caller(*from, given);
  std::optional<Definition> object;
  if (from && from->at > 1) {
    const auto& body = program_.functions[from->function].body;
    if (is_any(body, from->at - 1, {".", "->"}))
      object = definition(body[from->at - 2].text, *from);
  }
  const auto* made = program_.find_struct(of_class);
  const auto items = object && made != nullptr ? made_with(*object, made) : std::nullopt;
  bool is_made = false;
  for (std::size_t f = 0; f < program_.functions.size(); ++f) {
    const auto& one = program_.functions[f];
    if (one.of_class != of_class) continue;
    const bool is_constructor = one.name.find("::") != std::string::npos;
    if (items && is_constructor && (is_made || !takes(one, items->size()))) continue;
    all.push_back({f, one.body.size()});
    if (!items || !is_constructor) continue;
    all.back() = end_of(one, *items, object->place);
    calls_.back().is_on_way = is_made = true;
  }
  return all;
}

std::string HostValues::quoted(Tokens of, const Place& place) {
  const Step step(*this);
  if (!step || of.size() != 1) return "";
  if (of.front().kind == Token::Kind::text) return of.front().text;
  const auto& name = of.front().text;
  if (const auto found = definition(name, place); found && !found->value.empty()) {
    const bool is_sure =
        found->place.function != place.function || guards(found->place.at, place).empty();
    return is_sure ? quoted(found->value, found->place) : "";
  }
  const auto passed = passed_for(name, place);
  return passed ? quoted(passed->argument, passed->place) : "";
}

std::string HostValues::memory_of(Tokens pointer, const Place& place) {
  const Step step(*this);
  if (!step || pointer.size() != 1 || !pointer.front().is_name()) return "";
  if (place.function >= program_.functions.size()) return "";
  const auto& name = pointer.front().text;
  const auto passed = passed_for(name, place);
  return passed ? memory_of(passed->argument, passed->place)
                : std::to_string(place.function) + " " + name;
}

/// An element of a list of numbers: of one that can't be told, each of them is a case.
std::optional<Traced> HostValues::item_value(const CExpression& item, const Place& place) {
  constexpr std::size_t most_cases = 16;
  if (item.parts.size() != 2 || item.parts[0].kind != Kind::name) return std::nullopt;
  const auto& name = item.parts[0].text;
  const auto list = definition(name, place);
  if (!list) return std::nullopt;
  auto items = list->value;
  if (items.empty() && list->place.function < program_.functions.size()) {
    // "int sizes[] = {64, 128}"
    const auto& body = program_.functions[list->place.function].body;
    const auto open = list->place.at + 1;
    const auto equals =
        open < body.size() && body[open].is("[") ? behind_bracket(body, open) : open;
    if (equals + 1 >= body.size() || !body[equals].is("=") || !body[equals + 1].is("{"))
      return std::nullopt;
    items = body.subspan(equals + 1, behind_bracket(body, equals + 1) - equals - 1);
  }
  if (items.size() < 3 || !items.front().is("{")) return std::nullopt;
  const auto parts = split_at_commas(items.subspan(1, items.size() - 2));
  const auto at = trace(item.parts[1], place);
  const auto index = at && at->is_number() ? static_cast<std::size_t>(at->constant) : parts.size();
  std::vector<std::int64_t> values;
  for (const auto part : parts) {
    const auto value = trace(part, list->place);
    if (!value || !value->is_number() || value->constant < 1) return std::nullopt;
    values.push_back(value->constant);
  }
  if (at && at->is_number())
    return index < values.size() ? std::optional(number(values[index])) : std::nullopt;
  if (values.empty() || values.size() > most_cases) return std::nullopt;
  auto made = axis(name, values.back());
  axes_[made.text()].values = std::move(values);
  return made;
}

/// "block.x * sizeof(float)" and "ROWS * COLUMNS", but "N" only if other code has this N, too.
bool HostValues::is_calculated(const Definition& of) {
  if (of.value.size() == 1 && of.value.front().is_name()) {
    const auto& name = of.value.front();
    const bool is_macro = program_.macros.contains(name.text);
    const auto* constant = program_.find_variable(name.text, scope_of(of.place));
    const bool is_constant = constant && has_any(constant->type, {"const", "constexpr"});
    std::ptrdiff_t uses = is_macro ? -1 : -2;  // besides its definition and this one
    const auto add = [&](Tokens words) {
      uses += std::ranges::count_if(words, [&](const Token& word) { return word.is(name.text); });
    };
    std::ranges::for_each(program_.files, add);
    for (const auto& [other, macro] : program_.macros) add(macro.body);
    return (is_macro || is_constant) && uses > 0;
  }
  auto whole = c_expression(of.value, program_.macros);
  while (whole.kind == Kind::cast) whole = CExpression(whole.parts.front());
  if (whole.kind == Kind::number || whole.kind == Kind::name || is_of_command_line(of.value))
    return false;
  return std::ranges::any_of(of.value, [&](const Token& word) {
    if (!word.is_name()) return false;
    if (word.is("sizeof") || program_.macros.contains(word.text) ||
        replaced_.contains({nowhere, word.text})) {
      return true;
    }
    const auto named = definition(word.text, of.place);
    return named && !named->value.empty();
  });
}

bool HostValues::is_passed_by_address(const std::string& name, std::size_t from,
                                      const Place& place) {
  if (place.function >= program_.functions.size()) return false;
  const auto& body = program_.functions[place.function].body;
  pay(std::min(place.at, body.size()));
  for (std::size_t i = from + 1; i + 1 < std::min(place.at, body.size()); ++i) {
    // By a reference it looks like a value.
    const bool decides = i > 1 && is_any(body, i - 2, {"if", "while", "for", "switch"});
    const bool begins = (body[i - 1].is("(") && !decides) || body[i - 1].is(",");
    const auto at = body[i].is("&") ? i + 1 : i;
    const bool ends = is_any(body, at + 1, {",", ")"});
    if (begins && ends && body[at].is(name)) return true;
  }
  return false;
}

}  // namespace apod::source
