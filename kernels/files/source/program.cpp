#include "kernels/files/source/program.hpp"

#include <algorithm>

namespace apod::source {

bool Declared::is_pointer() const {
  return !lengths.empty() || has_any(type, {"*"});
}

std::size_t ProgramFunction::parameter(std::string_view wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &Declared::name);
  return static_cast<std::size_t>(found - parameters.begin());
}

std::string ProgramFunction::scope_of_body() const {
  return of_class.empty() ? scope : scope + of_class + "::";
}

bool is_keyword(const std::string& word) {
  static const std::string words =
      " if for while switch return sizeof catch do else new delete throw case goto"
      " static_assert alignas decltype __launch_bounds__ __cluster_dims__ __maxnreg__"
      " __align__ __attribute__ operator asm static_cast const_cast reinterpret_cast ";
  return words.find(" " + word + " ") != std::string::npos;
}

Declared declared(Tokens tokens) {
  Declared made;
  const auto end = std::find_if(tokens.begin(), tokens.end(),
                                [](const Token& t) { return t.is("=") || t.is("{"); });
  const auto equals = static_cast<std::size_t>(end - tokens.begin());
  if (equals < tokens.size())
    made.value = tokens.subspan(tokens[equals].is("=") ? equals + 1 : equals);
  auto words = tokens.first(equals);
  // Lengths behind the name.
  std::size_t last = 0;
  for (std::size_t i = 0; i < words.size();) {
    if (words[i].is("<")) {
      i = std::max(behind_angle(words, i), i + 1);
    } else if (words[i].is("[")) {
      const auto behind = behind_bracket(words, i);
      made.lengths.push_back(words.subspan(i + 1, behind - i - 2));
      i = behind;
    } else if (words[i].is("(")) {
      // "void (*f)(int)"
      const bool is_pointer = i + 3 < words.size() && words[i + 1].is("*") && words[i + 3].is(")");
      if (is_pointer) made.name = words[i + 2].text;
      i = behind_bracket(words, i);
    } else {
      last = made.lengths.empty() ? i : last;
      ++i;
    }
  }
  const bool is_named =
      last > 0 && words[last].is_name() && !words[last - 1].is("::") &&
      !is_any(words, last,
              {"__restrict__", "__restrict", "const", "int", "unsigned", "long", "char", "short"});
  const bool has_only_qualifiers =
      last > 0 && std::ranges::all_of(words.first(last), [](const Token& t) {
        return has_any({&t, 1}, {"const", "__grid_constant__", "volatile", "static"});
      });
  if (is_named && !has_only_qualifiers) {
    made.name = words[last].text;
    made.type = words.first(last);
  } else {
    made.type = words.first(std::min(words.size(), last + 1));
  }
  return made;
}

/// "Tile" of "ns::Tile::".
static std::string_view last_of(std::string_view scope) {
  const auto inner = scope.substr(0, scope.empty() ? 0 : scope.size() - 2);
  return inner.substr(inner.rfind(':') + 1);
}

const ProgramStruct* Program::find_struct(std::string_view name) const {
  const auto found = std::ranges::find(structs, name, &ProgramStruct::name);
  return found == structs.end() ? nullptr : &*found;
}

const Declared* Program::find_variable(std::string_view name, const std::string& scope) const {
  const Declared* found = nullptr;
  std::size_t best = 0;
  const auto plain = name.substr(name.rfind(':') + 1);  // all of it if it has none
  const auto ends = [](std::string_view whole, std::string_view end) {
    return whole == end || (whole.ends_with(end) && whole[whole.size() - end.size() - 1] == ':');
  };
  for (const auto& one : variables) {
    if (one.name != plain) continue;
    const auto whole = one.scope + one.name;
    // The innermost scope counts; else another namespace, which "using" may open or leave out.
    const bool is_seen = ends(whole, name) && !find_struct(last_of(one.scope));
    const bool is_of_all =
        ends(name, whole) && !find_struct(last_of(name.substr(0, name.size() - plain.size())));
    std::size_t fits = whole == name ? 2 : is_seen || is_of_all ? 1 : 0;
    for (auto end = scope.size(); end > 0; end = end < 3 ? 0 : scope.rfind(':', end - 3) + 1)
      if (ends(whole, scope.substr(0, end) + std::string(name))) fits = std::max(fits, end + 2);
    if (fits > best) found = &one;
    best = std::max(best, fits);
  }
  return found;
}

const ProgramFunction* Program::find_function(std::string_view name,
                                              std::string_view of_class) const {
  const ProgramFunction* found = nullptr;
  const auto rank = [&](const ProgramFunction& one) {
    const bool is_own = !of_class.empty() && one.of_class == of_class;
    return !one.is_defined ? 0 : is_own ? 3 : one.of_class.empty() ? 2 : 1;
  };
  for (const auto& one : functions) {
    const bool is_better = found == nullptr || !found->is_defined || rank(one) > rank(*found);
    if (one.name == name && is_better) found = &one;
  }
  return found;
}

const ProgramFunction* Program::find_body(std::string_view name, std::string_view of_class) const {
  const auto* found = find_function(name, of_class);
  return found == nullptr || !found->is_defined ? nullptr : found;
}

/// The first of the program's classes that some words name; empty: none.
std::string Program::class_in(Tokens words) const {
  const auto is_class = [&](const std::string& name) {
    return std::ranges::find(functions, name, &ProgramFunction::of_class) != functions.end();
  };
  for (const auto& word : words)
    if (word.is_name() && (find_struct(word.text) || is_class(word.text))) return word.text;
  return "";
}

std::optional<std::string> Program::class_of(const ProgramFunction& from, const std::string& object,
                                             std::size_t at) const {
  const auto& body = from.body;
  const auto known = [](std::string name) {
    return name.empty() ? std::nullopt : std::optional(std::move(name));
  };
  for (std::size_t i = 1; i + 1 < at; ++i) {
    if (!body[i].is(object) || !(body[i - 1].is_name() || is_any(body, i - 1, {">", "*", "&"})))
      continue;
    auto begin = i;
    while (begin > 0 && !is_any(body, begin - 1, {";", "{", "}", "("})) --begin;
    auto made = class_in(body.subspan(begin, i - begin));
    return known(made.empty() ? class_in(to_semicolon(body, i)) : made);
  }
  for (const auto& one : from.parameters)
    if (one.name == object) return known(class_in(one.type));
  const auto* own = find_struct(from.of_class);
  for (const auto& field : own != nullptr ? own->fields : std::vector<Declared>{})
    if (field.name == object) return known(class_in(field.type));
  const auto* variable = find_variable(object, from.scope_of_body());
  return variable != nullptr ? known(class_in(variable->type)) : std::nullopt;
}

/// Whose member is called at `at`; empty: a function's of no class; nothing: it can't be told.
std::optional<std::string> Program::class_called(const ProgramFunction& from,
                                                 std::size_t at) const {
  const auto& body = from.body;
  if (at < 2 || !is_any(body, at - 1, {".", "->", "::"})) {
    const auto* own = find_function(body[at].text, from.of_class);
    return own != nullptr && own->of_class == from.of_class ? from.of_class : "";
  }
  if (body[at - 1].is("::")) return class_in(body.subspan(at - 2, 1));
  return class_of(from, body[at - 2].text, at);
}

bool Program::may_call(const ProgramFunction& from, std::size_t at,
                       const ProgramFunction& called) const {
  if (!from.body[at].is(called.name)) return false;
  const auto of = class_called(from, at);
  return !of || *of == called.of_class ||
         std::ranges::none_of(functions, [&](const ProgramFunction& one) {
           return one.name == called.name && one.of_class == *of && one.is_defined;
         });
}

std::vector<const ProgramFunction*> Program::kernels() const {
  std::vector<const ProgramFunction*> all;
  for (const auto& one : functions) {
    if (!one.is_kernel) continue;
    const auto found = std::ranges::find(all, one.name, &ProgramFunction::name);
    if (found == all.end()) {
      all.push_back(&one);
    } else if (!(*found)->is_defined) {
      *found = &one;
    }
  }
  // Those of a header are another file's.
  const auto is_there = [](const auto* one) { return one->is_defined; };
  if (std::any_of(all.begin(), all.end(), is_there))
    std::erase_if(all, [&](const auto* one) { return !is_there(one); });
  return all;
}

}  // namespace apod::source
