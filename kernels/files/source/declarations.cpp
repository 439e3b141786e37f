/// \file
/// Reads what a source declares at namespace scope and in its classes.

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "kernels/files/source/program.hpp"

namespace apod::source {
namespace {

/// Reads what is declared at namespace scope.
class DeclarationReader {
 public:
  DeclarationReader(Program& program, std::size_t file)
      : program_(program), tokens_(program.files[file]) {}

  void read() {
    while (at_ < tokens_.size()) one();
  }

 private:
  bool is(std::string_view text, std::size_t further = 0) const {
    return at_ + further < tokens_.size() && tokens_[at_ + further].is(text);
  }
  Tokens range(std::size_t begin, std::size_t end) const {
    return begin < end ? tokens_.subspan(begin, end - begin) : Tokens{};
  }

  std::string scope() const {
    std::string all;
    for (const auto& one : scopes_) all += one;
    return all;
  }

  void one() {
    if (is("namespace")) return open_namespace();
    if (is("}") || is(";")) {
      if (is("}") && !scopes_.empty()) scopes_.pop_back();
      ++at_;
      return;
    }
    if (is("extern") && at_ + 2 < tokens_.size() && tokens_[at_ + 1].kind == Token::Kind::text &&
        is("{", 2)) {
      scopes_.emplace_back();
      at_ += 3;
      return;
    }
    if (is("using") || is("typedef")) return read_type();
    declaration();
  }

  void open_namespace() {
    std::string name;
    for (++at_; at_ < tokens_.size() && !is("{") && !is(";"); ++at_) {
      if (is("=")) break;
      name += tokens_[at_].text;
    }
    if (is("{")) {
      scopes_.push_back(name.empty() ? "" : name + "::");
      ++at_;
    } else {
      skip_to_semicolon();
    }
  }
  void skip_to_semicolon() {
    while (at_ < tokens_.size() && !is(";"))
      at_ = is("{") || is("(") ? behind_bracket(tokens_, at_) : at_ + 1;
    ++at_;
  }

  void read_type() {
    const auto begin = at_;
    const bool is_using = is("using");
    std::size_t equals = 0;
    while (at_ < tokens_.size() && !is(";")) {
      if (is("=")) equals = at_;
      if (is("{")) {
        if (has_any(range(begin + 1, begin + 2), {"enum"})) {
          enumerators(begin + 1, at_, scope());
        } else if (!is_using) {
          read_struct_at(begin, at_);
        }
        at_ = behind_bracket(tokens_, at_);
      } else {
        ++at_;
      }
    }
    if (is_using && equals > begin + 1) {
      program_.types.emplace_back(tokens_[begin + 1].text, range(equals + 1, at_));
    } else if (!is_using && at_ > begin + 2 && tokens_[at_ - 1].is_name()) {
      // Of a struct, what is ahead of its fields.
      auto end = begin + 1;
      while (end + 1 < at_ && !tokens_[end].is("{")) ++end;
      program_.types.emplace_back(tokens_[at_ - 1].text, range(begin + 1, end));
    }
    ++at_;
  }

  void read_struct_at(std::size_t begin, std::size_t open) {
    ProgramStruct made;
    for (std::size_t i = begin; i < open; ++i) {
      if (is_any(tokens_, i, {"__align__", "alignas"})) {
        if (i + 2 < open && tokens_[i + 2].kind == Token::Kind::number)
          made.alignment = std::min(std::strtoul(tokens_[i + 2].text.c_str(), nullptr, 0), 4096UL);
        i = behind_bracket(tokens_, i + 1) - 1;
      } else if (tokens_[i].is_name() && !tokens_[i].is("struct") && !tokens_[i].is("class") &&
                 !tokens_[i].is("typedef") && made.name.empty()) {
        made.name = tokens_[i].text;
      } else if (tokens_[i].is(":")) {
        for (const auto base : split_at_commas(range(i + 1, open))) take_base(base, made);
        break;
      }
    }
    const auto close = behind_bracket(tokens_, open);
    // "typedef struct {...} Name;"
    if (made.name.empty() && close < tokens_.size() && tokens_[close].is_name())
      made.name = tokens_[close].text;
    std::size_t first = open + 1;
    for (std::size_t i = open + 1; i + 1 < close;) {
      const bool is_own = tokens_[i].is(made.name) && !tokens_[i - 1].is("~");
      if (is_own && tokens_[i + 1].is("(")) constructor(made.name, i + 1);
      if (tokens_[i].is("enum") && i == first) {
        auto list = i;
        while (list < close && !is_any(tokens_, list, {"{", ";"})) ++list;
        if (list < close && tokens_[list].is("{")) enumerators(i, list, scope() + made.name + "::");
      }
      if (is_any(tokens_, i, {"(", "{"})) {
        const bool is_body = tokens_[i].is("{");
        i = behind_bracket(tokens_, i);
        if (is_body && !(i < close && tokens_[i].is(";"))) first = i;
      } else if (tokens_[i].is(":") && i == first + 1) {  // public:
        first = ++i;
      } else if (tokens_[i].is(";")) {
        add_fields(range(first, i), made);
        first = ++i;
      } else {
        ++i;
      }
    }
    if (!made.name.empty()) program_.structs.push_back(std::move(made));
  }

  /// Of a class, from the bracket of its parameters on: a function that sets the fields. One that
  /// launches is a function of its own.
  void constructor(const std::string& name, std::size_t open) {
    ProgramFunction made{.name = name + "::" + name, .scope = {}, .of_class = name, .body = {}};
    take_parameters(in_bracket(tokens_, open), made);
    auto at = behind_bracket(tokens_, open);
    const auto to = [&](std::initializer_list<std::string_view> marks) {
      while (at < tokens_.size() && !is_any(tokens_, at, marks)) ++at;
      return at < tokens_.size();
    };
    std::string initialised;  // ": n(size), x{nullptr} {"
    while (to({":", ",", "{", ";", "}"}) && is_any(tokens_, at, {":", ","}) &&
           to({"(", "{", ";"})) {
      const auto behind = behind_bracket(tokens_, at);
      initialised += tokens_[at - 1].text + "=" + text_of(range(at + 1, behind - 1)) + ";";
      at = behind;
    }
    if (at >= tokens_.size() || !tokens_[at].is("{")) return;
    Macros none;
    auto& words = program_.expanded.emplace_back(tokens_of(initialised, none));
    const auto body = range(at + 1, behind_bracket(tokens_, at) - 1);
    words.insert(words.end(), body.begin(), body.end());
    made.body = words;
    made.is_defined = true;
    if (!has_any(made.body, {"<<<"})) program_.functions.push_back(std::move(made));
  }
  /// "y" of "float x, y" is a name, and of the first one's type.
  static void take_type(Declared& of, Tokens& first) {
    if (first.empty()) {
      first = of.type;
      return;
    }
    const bool is_name = of.name.empty() && of.type.size() == 1 && of.type.front().is_name();
    if (is_name) of.name = of.type.front().text;
    of.type = first;
  }
  /// "public ns::Base<4>": its fields are the first.
  void take_base(Tokens words, ProgramStruct& to) const {
    const ProgramStruct* base = nullptr;
    for (const auto& word : words) {
      if (word.is("<")) break;
      base = word.is_name() ? program_.find_struct(word.text) : base;
    }
    to.has_size = to.has_size && base != nullptr && base->has_size;
    if (base != nullptr)
      to.fields.insert(to.fields.end(), base->fields.begin(), base->fields.end());
  }
  void add_fields(Tokens tokens, ProgramStruct& to) {
    if (tokens.empty() || tokens.front().is("using") || tokens.front().is("template") ||
        tokens.front().is("friend")) {
      return;
    }
    const auto equals = std::find_if(tokens.begin(), tokens.end(),
                                     [](const Token& t) { return t.is("=") || t.is("{"); });
    const Tokens head(tokens.begin(), equals);
    if (has_any(head, {"("})) return;
    const bool is_unnamed = head.size() == 1 && is_any(head, 0, {"union", "struct"});
    if (is_unnamed || has_any(head, {":"})) to.has_size = false;
    const bool is_static = has_any(head, {"static"});
    // "float x, y;" is a field each.
    Tokens type;
    for (const auto part : split_at_commas(tokens)) {
      auto field = declared(part);
      take_type(field, type);
      if (field.name.empty()) continue;
      auto& value = field.value;  // "int n{4}"
      if (value.size() > 2 && value.front().is("{")) value = value.subspan(1, value.size() - 2);
      if (is_static) field.scope = scope() + to.name + "::";
      (is_static ? program_.variables : to.fields).push_back(std::move(field));
    }
  }

  void declaration() {
    const auto begin = at_;
    std::vector<Declared> templates;
    bool is_template = false;
    ProgramFunction made;
    std::size_t first = at_;
    for (; at_ < tokens_.size();) {
      if (is("template") && is("<", 1)) {
        is_template = !is(">", 2);
        first = at_ = take_templates(at_, templates);
      } else if (is("[") && is("[", 1)) {  // "[[nodiscard]]"
        at_ = behind_bracket(tokens_, at_);
        if (tokens_[first].is("[")) first = at_;
      } else if (is("__launch_bounds__") || is("__cluster_dims__") || is("__maxnreg__") ||
                 is("__align__") || is("alignas") || is("__attribute__")) {
        const auto behind = behind_bracket(tokens_, at_ + 1);
        const auto parts = in_bracket(tokens_, at_ + 1);
        if (is("__launch_bounds__") && !parts.empty()) made.most_threads = parts.front();
        if (is("__cluster_dims__")) made.cluster = parts;
        at_ = behind;
      } else if ((is("struct") || is("class") || is("union") || is("enum")) && !is_in_list(first)) {
        std::size_t i = at_;
        while (i < tokens_.size() && !is_any(tokens_, i, {"{", ";", "(", "="})) {
          const bool aligns = is_any(tokens_, i, {"alignas", "__align__", "__attribute__"});
          i = aligns ? behind_bracket(tokens_, i + 1) : i + 1;
        }
        if (i < tokens_.size() && tokens_[i].is("{")) {
          if (is("enum")) enumerators(at_, i, scope());
          if (is("struct") || is("class")) {
            const auto known = program_.structs.size();
            read_struct_at(at_ + 1, i);
            const bool is_named = program_.structs.size() > known;
            members(i, templates, is_named ? program_.structs.back().name : "");
          }
          at_ = i;
          return skip_to_semicolon();
        }
        at_ = i;
      } else if (is("<") && at_ > begin && tokens_[at_ - 1].is_name()) {
        at_ = std::max(behind_angle(tokens_, at_), at_ + 1);
      } else if (is("(")) {
        if (name_before(first) < at_)
          return function(first, std::move(templates), is_template, std::move(made));
        at_ = behind_bracket(tokens_, at_);
      } else if (is("=") || is("[") || is(";") || is("{")) {
        return variable(first);
      } else if (is("}")) {
        return;
      } else {
        ++at_;
      }
    }
  }
  /// "enum class Way : int {down, across = 4}" at `begin`: each is a constant, its type an integer.
  void enumerators(std::size_t begin, std::size_t open, const std::string& outer) {
    static const std::vector<Token> type{{Token::Kind::name, "const", 0},
                                         {Token::Kind::name, "int", 0}};
    const bool is_scoped = has_any(range(begin + 1, begin + 2), {"class", "struct"});
    const auto name = begin + (is_scoped ? 2 : 1);
    program_.types.emplace_back(name == open ? "enum" : tokens_[name].text, Tokens(type).last(1));
    std::string base = "0";
    int more = -1;
    Macros none;
    for (const auto part : in_bracket(tokens_, open)) {
      if (part.empty()) continue;
      if (part.size() > 2) base = text_of(part.subspan(2));
      more = part.size() > 2 ? 0 : more + 1;
      auto& words = program_.expanded.emplace_back(tokens_of("(" + base + ")", none));
      words.push_back({Token::Kind::mark, "+", 0});
      words.push_back({Token::Kind::number, std::to_string(more), 1});
      Declared made{.type = type, .name = part[0].text, .value = words, .scope = outer};
      if (!is_scoped) program_.variables.push_back(made);
      if (name == open) continue;
      made.scope += tokens_[name].text + "::";
      program_.variables.push_back(std::move(made));
    }
  }
  /// Of a class whose body begins here: its functions that the host runs.
  void members(std::size_t open, const std::vector<Declared>& of_class, const std::string& name) {
    const auto end = behind_bracket(tokens_, open) - 1;
    for (auto first = open + 1; first < end;) {
      auto templates = of_class;
      if (tokens_[first].is("template")) first = std::min(take_templates(first, templates), end);
      auto i = first;
      auto list = end;
      for (; i < end && !tokens_[i].is(";") && !tokens_[i].is("{");) {
        if (tokens_[i].is(":") && list == end) first = i + 1;  // "public:"
        if (tokens_[i].is("(")) {
          list = std::min(list, i);
          i = behind_bracket(tokens_, i);
        } else {
          ++i;
        }
      }
      if (i < end && tokens_[i].is("{")) {
        const auto behind = behind_bracket(tokens_, i);
        const auto body = range(i, behind);
        const bool launches = has_any(body, {"<<<"});
        const bool is_call = list > first && list < i && tokens_[list - 1].is("operator");
        if (is_call) list = behind_bracket(tokens_, list);  // of "operator()(int n)"
        at_ = std::min(list, i);
        const auto named = name_before(first);
        const bool is_other = named < list && !tokens_[named].is(name) &&
                              !has_any(range(first, list), {"__device__", "__global__"});
        if (list < i && (launches || is_other)) {
          function(first, std::move(templates), !of_class.empty(), {});
          program_.functions.back().of_class = name;
        }
        i = behind;
      } else {
        ++i;
      }
      first = i;
    }
  }
  /// Behind "<int N = 4, class = enable<(N > 2)>>": other than an expression it may hold any mark.
  std::size_t behind_template(std::size_t open) const {
    int depth = 0;
    for (auto i = open; i < tokens_.size();) {
      if (is_any(tokens_, i, {"(", "[", "{"})) {
        i = behind_bracket(tokens_, i);
        continue;
      }
      depth += tokens_[i].is("<") ? 1 : tokens_[i].is(">") ? -1 : 0;
      ++i;
      if (depth == 0) return i;
    }
    return tokens_.size();
  }
  /// Adds those of the "template" at a place; the place behind them.
  std::size_t take_templates(std::size_t at, std::vector<Declared>& to) const {
    const auto behind = behind_template(at + 1);
    for (const auto part : split_at_commas(range(at + 2, behind - 1))) to.push_back(declared(part));
    return behind;
  }
  /// Of a function whose parameters begin here: the place of its name, which the arguments of a
  /// specialisation may follow; this place if there is none.
  std::size_t name_before(std::size_t first) const {
    auto last = at_;
    if (last > first && tokens_[last - 1].is(">")) last = opening(tokens_, last - 1);
    const bool is_name =
        last > first && tokens_[last - 1].is_name() && !is_keyword(tokens_[last - 1].text);
    return is_name ? last - 1 : at_;
  }
  bool is_in_list(std::size_t first) const { return at_ > first && tokens_[at_ - 1].is("("); }

  void function(std::size_t first, std::vector<Declared> templates, bool is_template,
                ProgramFunction made) {
    const auto name = name_before(first);
    made.name = name < at_ ? tokens_[name].text : "operator()";
    if (name > first + 1 && tokens_[name - 1].is("::")) {  // "Grid<T>::run"
      auto of = name - 2;
      while (of > first && !tokens_[of].is_name()) --of;
      while (of > first + 1 && is_any(tokens_, of - 1, {"<", ","})) of -= 2;
      made.of_class = tokens_[of].text;
      if (made.of_class == made.name) constructor(made.name, at_);
    }
    if (tokens_[first].is("template") && name + 2 < at_) made.instance = range(name + 2, at_ - 1);
    made.templates = std::move(templates);
    made.is_template = is_template;
    made.scope = scope();
    const auto head = range(first, at_);
    made.is_kernel = has_any(head, {"__global__"});
    made.is_device = has_any(head, {"__device__"});
    made.is_marked = made.is_kernel || made.is_device || has_any(head, {"constexpr"});
    if (made.is_kernel && !made.of_class.empty())  // it is in a namespace
      made.scope += std::exchange(made.of_class, {}) + "::";
    const auto open = at_;
    const auto list = in_bracket(tokens_, open);
    at_ = behind_bracket(tokens_, open);
    while (at_ < tokens_.size() && !is("{") && !is(";")) {
      // "dim3 block(16, 16);", and what a constructor begins with
      at_ = is("(") ? behind_bracket(tokens_, at_) : at_ + 1;
    }
    if (is(";") && !made.is_kernel && first + 2 == open && !looks_like_parameters(list)) {
      program_.variables.push_back(
          {.type = range(first, open - 1),
           .name = made.name,
           .value = range(first, open).empty() ? Tokens{} : range(open - 2, at_),
           .scope = scope()});
      ++at_;
      return;
    }
    take_parameters(list, made);
    if (is("{")) {
      const auto behind = behind_bracket(tokens_, at_);
      made.body = range(at_ + 1, behind - 1);
      made.is_defined = true;
      at_ = behind;
    } else {
      ++at_;
    }
    program_.functions.push_back(std::move(made));
  }
  static void take_parameters(const std::vector<Tokens>& list, ProgramFunction& made) {
    for (const auto part : list) {
      auto parameter = declared(part);
      if (parameter.type.empty() && parameter.name.empty()) continue;
      if (parameter.name.empty() && text_of(parameter.type) == "void") continue;
      made.parameters.push_back(std::move(parameter));
    }
  }
  static bool looks_like_parameters(const std::vector<Tokens>& list) {
    return std::any_of(list.begin(), list.end(), [](Tokens part) {
      return part.size() > 1 && part[0].is_name() &&
             (part[1].is_name() || is_any(part, 1, {"*", "&"}));
    });
  }

  /// Each of "const int a = 1, b[3];".
  void variable(std::size_t first) {
    const auto begin = first;
    auto end = at_;
    while (end < tokens_.size() && !tokens_[end].is(";")) {
      const bool is_block = tokens_[end].is("{");
      end = is_block || tokens_[end].is("(") ? behind_bracket(tokens_, end) : end + 1;
      // It was a function's.
      if (is_block && end < tokens_.size() && !tokens_[end].is(";") && !tokens_[end].is(",")) {
        at_ = end;
        return;
      }
    }
    end = std::min(end, tokens_.size());
    Tokens type;
    for (const auto part : split_at_commas(range(begin, end))) {
      auto made = declared(part);
      take_type(made, type);
      // One that is elsewhere says nothing.
      const bool is_here = !made.value.empty() || !tokens_[begin].is("extern");
      made.scope = scope();
      if (!made.name.empty() && !type.empty() && is_here)
        program_.variables.push_back(std::move(made));
    }
    at_ = end + 1;
  }

  Program& program_;
  Tokens tokens_;
  std::size_t at_ = 0;
  std::vector<std::string> scopes_;
};

void add_words(Program& program, const std::string& text) {
  const auto words = tokens_of(text, program.macros);
  program.files.push_back(without_macros(program.macros, words));
}

}  // namespace

Program read_program(const std::vector<std::pair<std::string, std::string>>& sources,
                     const Macros& defined) {
  Program program;
  program.files.reserve(sources.size());
  // What the last one defines ahead of its headers holds in them, too.
  auto early = defined;
  if (sources.size() > 1) {
    const auto& text = sources.back().second;
    tokens_of(text.substr(0, text.rfind("#include")), early);
  }
  program.macros = early;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (i + 1 == sources.size()) {
      for (const auto& [name, macro] : early)
        if (!defined.contains(name)) program.macros.erase(name);
    }
    add_words(program, sources[i].second);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) DeclarationReader(program, i).read();
  for (std::size_t i = 0; i < program.functions.size(); ++i)
    if (!program.functions[i].is_kernel) read_launches(program, i);
  return program;
}

void add_host_code(Program& program, const std::pair<std::string, std::string>& source) {
  const auto own = program.macros;
  const auto first = program.functions.size();
  add_words(program, source.second);
  for (const auto& [name, macro] : own) program.macros[name] = macro;
  DeclarationReader(program, program.files.size() - 1).read();
  for (auto i = first; i < program.functions.size(); ++i) {
    if (!program.functions[i].is_kernel) read_launches(program, i);
    program.functions[i].is_kernel = false;
  }
}

}  // namespace apod::source
