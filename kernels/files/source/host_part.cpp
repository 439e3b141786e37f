#include <algorithm>
#include <set>

#include "kernels/files/source/program.hpp"

namespace apod::source {
namespace {

constexpr const char* any_kernel = "*";

/// A declaration at namespace scope, or a function of a class that the host runs.
struct Part {
  std::size_t file = 0;
  std::size_t begin = 0;  ///< bytes into the file
  std::size_t end = 0;
  std::vector<Tokens> words{};  ///< without such functions of a class
  std::vector<std::string> names{};
  bool is_needed = false;
};

Part part_of(Tokens words, std::size_t file) {
  const auto& last = words.back();
  return {.file = file, .begin = words[0].at, .end = last.at + last.text.size(), .words = {words}};
}

/// Behind the declaration that begins at a place: a function, a class, a variable. Of a namespace
/// it is its bracket, so that what is in it is looked at alone.
std::size_t behind_declaration(Tokens tokens, std::size_t first) {
  bool goes_on = is_any(tokens, first, {"typedef"});  // to a semicolon
  for (auto at = first; at < tokens.size();) {
    if (is_any(tokens, at, {";", "}"})) return at + 1;
    goes_on = goes_on || (tokens[at].is("=") && !is_any(tokens, at - 1, {"operator"}));
    const auto head = tokens.subspan(first, at - first);
    const bool is_block = tokens[at].is("{");
    const bool is_scope =
        has_any(head, {"namespace"}) || (head.size() == 2 && head.front().is("extern"));
    if (is_block && is_scope) return at + 1;
    at = is_block || tokens[at].is("(") ? behind_bracket(tokens, at) : at + 1;
    if (is_block && !goes_on && !is_any(tokens, at, {";"})) return at;
  }
  return tokens.size();
}

/// Those of a text or of a class, without the brackets of namespaces.
std::vector<Tokens> declarations_of(Tokens tokens) {
  std::vector<Tokens> all;
  for (std::size_t first = 0; first < tokens.size();) {
    auto words = tokens.subspan(first, behind_declaration(tokens, first) - first);
    first += words.size();
    if (words.size() > 2 && words[1].is(":")) words = words.subspan(2);  // "public:"
    if (!words.back().is("{") && !is_any(words, 0, {"}", ";"})) all.push_back(words);
  }
  return all;
}

/// Keeps directives, and the lines where they are.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  bool in_directive = false;
  for (auto i = begin; i < std::min(end, text.size()); ++i) {
    if (i > 0 && text[i - 1] == '\n') {
      const auto first = text.find_first_not_of(" \t", i);
      const bool goes_on = in_directive && i > 1 && text[i - 2] == '\\';
      in_directive = goes_on || (first != std::string::npos && text[first] == '#');
    }
    if (text[i] != '\n' && !in_directive) text[i] = ' ';
  }
}

/// What the device needs of some sources, by names alone: rather too much than too little.
class DeviceSlice {
 public:
  explicit DeviceSlice(const std::vector<std::string>& sources) {
    for (const auto& text : sources) files_.push_back(tokens_of(text, macros_, Branches::all));
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (const auto words : declarations_of(files_[i])) take(part_of(words, i));
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (const auto& name : parts_[p].names) declared_.emplace(name, p);
    for (const auto& part : std::vector<Part>(parts_))
      for (const auto words : part.words)
        if (part.is_needed) need(words);
  }

  /// What these words name, directly or not.
  void need(Tokens words) {
    std::vector<Tokens> unread{words};
    while (!unread.empty()) {
      const auto next = unread.back();
      unread.pop_back();
      for (const auto& token : next) {
        if (!token.is_name() || !wanted_.insert(token.text).second) continue;
        const auto macro = macros_.find(token.text);
        if (macro != macros_.end()) unread.emplace_back(macro->second.body);
        const auto [first, last] = declared_.equal_range(token.text);
        for (auto one = first; one != last; ++one) {
          auto& part = parts_[one->second];
          if (!part.is_needed) unread.insert(unread.end(), part.words.begin(), part.words.end());
          part.is_needed = true;
        }
      }
    }
  }
  void blank_rest(std::vector<std::string>& texts) const {
    for (const auto& part : parts_)
      if (!part.is_needed) blank(texts[part.file], part.begin, part.end);
  }

 private:
  bool is_devices(Tokens head) const {
    return has_any(without_macros(macros_, head),
                   {"__device__", "__global__", "__constant__", "__managed__", "constexpr"});
  }
  void take(Part part) {
    const auto words = part.words.front();
    std::size_t open = 0;  // of a function's parameters, of a body or of values
    while (open < words.size() && !is_any(words, open, {"(", "{", "=", ";"})) {
      const bool has_list = is_keyword(words[open].text) && is_any(words, open + 1, {"("});
      const auto behind = words[open].is("<") ? behind_angle(words, open) : open;
      open = has_list              ? behind_bracket(words, open + 1)
             : words[open].is("[") ? behind_bracket(words, open)
                                   : std::max(behind, open + 1);
    }
    const auto head = words.first(std::min(open, words.size()));
    const bool is_function = is_any(words, open, {"("}) && !words[0].is("typedef");
    auto& names = part.names;
    if (is_function && has_any(head, {"operator"})) {
      for (const auto& token : words.subspan(open, behind_bracket(words, open) - open))
        if (token.is_name() && is_devices(head)) names.push_back(token.text);
    } else if (is_function) {
      const auto last = open > 0 && words[open - 1].is(">") ? opening(words, open - 1) : open;
      if (last > 0) names.push_back(words[last - 1].text);
      part.is_needed = last > 0 && macros_.contains(names.back()) && is_devices(words);
    } else {
      add_names(words, names);
      const bool has_body = is_any(words, open, {"{"});
      if (has_body && has_any(head, {"enum"}))
        add_names(words.subspan(open + 1, behind_bracket(words, open) - open - 1), names);
      if (has_body && has_any(head, {"struct", "class"})) take_members(part, open);
    }
    if (has_any(head, {"__global__"})) names.emplace_back(any_kernel);
    if (words[0].is("using") && is_any(words, 1, {"namespace"})) part.is_needed = true;
    parts_.push_back(std::move(part));
  }
  /// "a" and "b" of "int a = 1, b[2];", "T" of "class T : B {", "struct T<4> {" and "using T = B".
  static void add_names(Tokens words, std::vector<std::string>& to) {
    for (std::size_t i = 0; i < words.size();) {
      const bool ends =
          i + 1 == words.size() ||
          is_any(words, i + 1, {"=", "[", ";", "{", "}", ",", ":", "<", "(", ")", "final"});
      if (words[i].is_name() && ends) to.push_back(words[i].text);
      const bool is_list =
          is_any(words, i, {"{", "["}) || (words[i].is("(") && !words[0].is("typedef"));
      i = is_list ? behind_bracket(words, i) : i + 1;
    }
  }
  /// Functions that are not marked are parts of their own.
  void take_members(Part& of, std::size_t open) {
    const auto words = of.words.front();
    const auto close = behind_bracket(words, open);
    auto kept = open;
    for (const auto member : declarations_of(words.subspan(open + 1, close - open - 1))) {
      std::size_t list = 0;
      while (list < member.size() && !is_any(member, list, {"(", "=", "{"})) ++list;
      const bool is_plain = is_any(member, list, {"("}) && list > 1 && member[list - 1].is_name() &&
                            !has_any(member.first(list), {"operator", "virtual", "~"}) &&
                            !is_devices(member.first(list)) && !has_any(member, {"override"});
      if (!is_plain) continue;
      auto part = part_of(member, of.file);
      part.names.push_back(member[list - 1].text);
      parts_.push_back(std::move(part));
      const auto at = static_cast<std::size_t>(member.data() - words.data());
      of.words.push_back(words.subspan(kept, at - kept));
      kept = at + member.size();
    }
    of.words.push_back(words.subspan(kept));
    of.words.front() = words.first(open);
  }

  Macros macros_;
  std::vector<std::vector<Token>> files_;
  std::vector<Part> parts_;
  std::multimap<std::string, std::size_t, std::less<>> declared_;
  std::set<std::string, std::less<>> wanted_;
};

}  // namespace

std::vector<std::string> device_sources(const std::vector<std::string>& sources,
                                        const std::string& naming) {
  DeviceSlice slice(sources);
  Macros none;
  auto roots = tokens_of(naming, none);
  if (naming.empty()) roots.push_back({Token::Kind::name, any_kernel});
  slice.need(roots);
  auto texts = sources;
  slice.blank_rest(texts);
  return texts;
}

bool blank_host_part(std::string& text, std::size_t line) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < line && begin < text.size(); ++i)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  const auto end = std::min(text.find('\n', begin), text.size());
  bool changed = false;
  Macros none;
  const auto words = tokens_of(text, none);
  for (const auto declaration : declarations_of(words)) {
    const auto part = part_of(declaration, 0);
    const bool is_devices = has_any(
        declaration, {"__global__", "__device__", "__constant__", "__shared__", "__managed__"});
    if (part.end <= begin || part.begin >= end || is_devices) continue;
    blank(text, part.begin, part.end);
    changed = true;
  }
  return changed;
}

}  // namespace apod::source
