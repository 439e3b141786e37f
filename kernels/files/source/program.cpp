#include "kernels/files/source/program.hpp"

#include <algorithm>
#include <set>

namespace apod::source {

bool Declared::is_pointer() const {
  return !lengths.empty() || has_any(type, {"*"});
}

std::size_t ProgramFunction::parameter(std::string_view wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &Declared::name);
  return static_cast<std::size_t>(found - parameters.begin());
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
      !has_any(words.subspan(last, 1),
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

const ProgramStruct* Program::find_struct(std::string_view name) const {
  const auto found = std::ranges::find(structs, name, &ProgramStruct::name);
  return found == structs.end() ? nullptr : &*found;
}

const ProgramFunction* Program::find_function(std::string_view name) const {
  const ProgramFunction* found = nullptr;
  for (const auto& one : functions) {
    const bool is_better = found == nullptr || found->body.empty() ||
                           (!found->of_class.empty() && one.of_class.empty() && !one.body.empty());
    if (one.name == name && is_better) found = &one;
  }
  return found;
}

std::vector<const ProgramFunction*> Program::kernels() const {
  std::vector<const ProgramFunction*> all;
  for (const auto& one : functions) {
    if (!one.is_kernel) continue;
    const auto found = std::ranges::find(all, one.name, &ProgramFunction::name);
    if (found == all.end()) {
      all.push_back(&one);
    } else if ((*found)->body.empty()) {
      *found = &one;
    }
  }
  // Those of a header are another file's.
  const auto is_there = [](const auto* one) { return !one->body.empty(); };
  if (std::any_of(all.begin(), all.end(), is_there))
    std::erase_if(all, [&](const auto* one) { return !is_there(one); });
  return all;
}

std::vector<std::string> device_sources(const std::vector<std::string>& sources) {
  std::vector<std::pair<std::string, std::string>> named;
  for (const auto& source : sources) named.emplace_back("", source);
  const auto program = read_program(named);
  // Unmarked functions are the device's if something of the device names them.
  std::set<std::string, std::less<>> wanted;
  const auto want_names_of = [&](Tokens body) {
    for (const auto& token : body)
      if (token.is_name()) wanted.insert(token.text);
  };
  for (const auto& one : program.functions)
    if (one.is_marked) want_names_of(one.body);
  for (bool grows = true; grows;) {
    const auto before = wanted.size();
    for (const auto& one : program.functions)
      if (wanted.contains(one.name)) want_names_of(one.body);
    grows = wanted.size() > before;
  }
  auto texts = sources;
  for (const auto& one : program.functions) {
    if (one.is_marked || one.body_begin == 0 || wanted.contains(one.name)) continue;
    auto& text = texts.at(one.file);
    for (auto i = one.begin; i < one.end && i < text.size(); ++i)
      if (text[i] != '\n') text[i] = ' ';
  }
  return texts;
}

}  // namespace apod::source
