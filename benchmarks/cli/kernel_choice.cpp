/// \file
/// Which kernel of a file is meant, and which instance of it.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/kernel_guess.hpp"

namespace apod::cli {
namespace {

using source::Program;
using source::ProgramFunction;
using source::ProgramLaunch;

std::string plain_name(const std::string& kernel) {
  const auto whole = kernel.substr(0, kernel.find('<'));
  const auto colons = whole.rfind("::");
  return colons == std::string::npos ? whole : whole.substr(colons + 2);
}

/// Whether a variable of the body is made a pointer to the function: "kernel = &copy;".
bool is_assigned(const source::Tokens& body, const std::string& variable, const std::string& name) {
  for (std::size_t i = 0; i + 2 < body.size(); ++i) {
    if (!body[i].is(variable)) continue;
    // "kernels[2] = copy", "void (*kernel)(float*) = copy"
    auto next = i + 1;
    while (next < body.size() && (body[next].is("[") || body[next].is(")") || body[next].is("("))) {
      next = body[next].is(")") ? next + 1 : source::behind_bracket(body, next);
    }
    if (next >= body.size() || !body[next].is("=")) continue;
    if (next + 1 < body.size() && body[next + 1].is("&")) ++next;
    if (next + 1 < body.size() && body[next + 1].is(name)) return true;
  }
  return false;
}

/// Whether `launch` launches the kernel: by its name, or by a pointer that may be to it.
bool is_of(const Program& program, const ProgramLaunch& launch, const std::string& name) {
  if (launch.kernel == name) return true;
  const auto* other = program.find_function(launch.kernel);
  return (other == nullptr || !other->is_kernel) &&
         is_assigned(program.functions[launch.function].body, launch.kernel, name);
}

/// Whether a condition of the host's code such as "size == 16" is true.
class HostCondition {
 public:
  HostCondition(const Program& program, const source::HostValues::Place& place)
      : program_(program), place_(place) {}

  /// Nothing if the code does not say it.
  std::optional<bool> is_true(source::Tokens condition) {
    return is_true(source::c_expression(condition, program_.macros));
  }

 private:
  using Kind = source::CExpression::Kind;

  std::optional<bool> is_true(const source::CExpression& e) {
    if (e.kind == Kind::unary && e.text == "!") {
      const auto inner = is_true(e.parts.front());
      return inner ? std::optional(!*inner) : inner;
    }
    if (e.kind == Kind::binary && (e.text == "&&" || e.text == "||")) {
      const auto left = is_true(e.parts[0]);
      const auto right = is_true(e.parts[1]);
      const bool decides = e.text == "||";
      if ((left && *left == decides) || (right && *right == decides)) return decides;
      return left && right ? std::optional(!decides) : std::nullopt;
    }
    if (e.kind == Kind::call && e.text == "strcmp" && e.parts.size() == 2) {
      const auto same = are_same_text(e.parts[0], e.parts[1]);
      return same ? std::optional(!*same) : same;
    }
    if (e.kind != Kind::binary || e.parts.size() != 2) return std::nullopt;
    if (e.text == "==" || e.text == "!=") {
      auto same = are_same_text(e.parts[0], e.parts[1]);
      const auto& call = e.parts[0];
      if (call.text == "strcmp" && call.parts.size() == 2 && e.parts[1].text == "0") {
        same = are_same_text(call.parts[0], call.parts[1]);
      }
      if (same) return *same == (e.text == "==");
    }
    const auto left = number(e.parts[0]);
    const auto right = number(e.parts[1]);
    if (!left || !right) return std::nullopt;
    if (e.text == "==") return *left == *right;
    if (e.text == "!=") return *left != *right;
    if (e.text == "<") return *left < *right;
    if (e.text == ">") return *left > *right;
    if (e.text == "<=") return *left <= *right;
    if (e.text == ">=") return *left >= *right;
    return std::nullopt;
  }
  std::optional<bool> are_same_text(const source::CExpression& a, const source::CExpression& b) {
    const auto left = host_.quoted(a.tokens, place_);
    const auto right = host_.quoted(b.tokens, place_);
    if (left.empty() || right.empty()) return std::nullopt;
    return left == right;
  }
  std::optional<double> number(const source::CExpression& of) {
    const auto value = host_.trace(of, place_);
    std::map<std::string, double> values;
    for (const auto& [name, axis] : axes_) {
      if (axis.known && axis.values.empty()) values[name] = static_cast<double>(axis.value);
    }
    return value ? worth(value->text(), values) : std::nullopt;
  }

  const Program& program_;
  source::HostValues::Place place_;
  source::TracedAxes axes_;
  source::HostValues host_{program_, axes_};
};

/// The functions that a main calls, or passes on. If there is no main, all but templates may be
/// called from elsewhere.
std::set<std::string> reached_functions(const Program& program) {
  std::set<std::string> reached{"main"};
  const auto* main = program.find_function("main");
  if (main == nullptr || main->body.empty()) {
    for (const auto& one : program.functions) {
      if (!one.is_template && !one.is_kernel) reached.insert(one.name);
    }
    const bool launches =
        std::any_of(program.launches.begin(), program.launches.end(), [&](const auto& launch) {
          return reached.contains(program.functions[launch.function].name);
        });
    for (const auto& one : program.functions) {
      if (!launches) reached.insert(one.name);
    }
  }
  for (bool grows = true; grows;) {
    const auto before = reached.size();
    for (const auto& one : program.functions) {
      if (!reached.contains(one.name)) continue;
      for (const auto& word : one.body) {
        if (word.is_name() && program.find_function(word.text) != nullptr) {
          reached.insert(word.text);
        }
      }
    }
    grows = reached.size() > before;
  }
  return reached;
}

/// One in a loop counts for several, and one that is never reached for nothing.
int weight_of(const Program& program, const ProgramLaunch& launch) {
  const auto& body = program.functions[launch.function].body;
  int weight = 1;
  for (std::size_t i = 0; i + 1 < launch.at; ++i) {
    const bool is_loop = body[i].is("for") || body[i].is("while");
    if ((!is_loop && !body[i].is("if")) || !body[i + 1].is("(")) continue;
    const auto begin = source::behind_bracket(body, i + 1);
    const bool is_block = begin < body.size() && body[begin].is("{");
    // Of a condition, what follows it; an else is another statement.
    const auto end =
        is_block ? source::behind_bracket(body, begin) : source::behind_statement(body, begin);
    if (is_loop) {
      if (end > launch.at) weight *= 10;
      continue;
    }
    const bool is_inside = begin <= launch.at && launch.at < end;
    const bool is_else = end < body.size() && body[end].is("else") && launch.at > end &&
                         launch.at < source::behind_statement(body, end + 1);
    if (!is_inside && !is_else) continue;
    const auto holds =
        HostCondition(program, {launch.function, i}).is_true(body.subspan(i + 2, begin - i - 3));
    if (holds && *holds == is_else) return 0;
  }
  return weight;
}

int launches_of(const Program& program, const std::string& name,
                const std::set<std::string>& reached) {
  int all = 0;
  for (const auto& launch : program.launches) {
    const bool counts = reached.contains(program.functions[launch.function].name);
    if (counts && is_of(program, launch, name)) all += weight_of(program, launch);
  }
  return all;
}

const ProgramLaunch* launch_of(const Program& program, const std::string& name) {
  const ProgramLaunch* found = nullptr;
  int most = -1;
  for (const auto& launch : program.launches) {
    if (!is_of(program, launch, name)) continue;
    const int weight = weight_of(program, launch);
    if (weight <= most) continue;
    found = &launch;
    most = weight;
  }
  return found;
}

std::string signature(const ProgramFunction& kernel) {
  std::string all;
  for (const auto& one : kernel.parameters) {
    const auto type = source::text_of(one.type);
    all += (all.empty() ? "" : ", ") + type + (type.ends_with('*') ? "" : " ") + one.name;
  }
  return kernel.name + (kernel.templates.empty() ? "" : "<...>") + "(" + all + ")";
}

/// What "Op()" or "std::plus<float>{}" names; empty: another expression. If it is a function, the
/// compiler refuses it as a type.
std::string type_of_temporary(const source::Tokens& expression) {
  const auto open = std::find_if(expression.begin(), expression.end(),
                                 [](const auto& word) { return word.is("(") || word.is("{"); });
  const auto named = expression.first(static_cast<std::size_t>(open - expression.begin()));
  const bool is_name =
      open != expression.end() && std::all_of(named.begin(), named.end(), [](const auto& word) {
        return word.kind != source::Token::Kind::mark || word.is("::") || word.is("<") ||
               word.is(">") || word.is(",");
      });
  return is_name ? source::text_of(named) : "";
}

/// The type that a parameter of the template has in "T* x" when `x` is passed.
std::string deduced(const Program& program, const ProgramFunction& kernel,
                    const ProgramLaunch& launch, const std::string& name) {
  for (std::size_t i = 0; i < kernel.parameters.size() && i < launch.arguments.size(); ++i) {
    const auto& type = kernel.parameters[i].type;
    const bool is_of_it =
        std::any_of(type.begin(), type.end(), [&](const auto& token) { return token.is(name); });
    if (!is_of_it || launch.arguments[i].empty()) continue;
    const auto& variable = launch.arguments[i].back();
    if (!variable.is_name()) {
      auto made = type_of_temporary(launch.arguments[i]);
      if (!made.empty()) return made;
      continue;
    }
    const auto& function = program.functions[launch.function];
    // "Matrix<T>*" for "Matrix<float>*": T is float.
    const auto part_of = [&](const source::Tokens& words) -> std::string {
      const auto open_of = [](const source::Tokens& in) {
        return static_cast<std::size_t>(
            std::find_if(in.begin(), in.end(), [](const auto& t) { return t.is("<"); }) -
            in.begin());
      };
      const auto wanted = open_of(type);
      const auto given = open_of(words);
      if (wanted >= type.size()) return "";
      if (given >= words.size() || given == 0 || wanted == 0 ||
          !words[given - 1].is(type[wanted - 1].text)) {
        return "?";
      }
      const auto names = source::split_at_commas(
          type.subspan(wanted + 1, source::behind_angle(type, wanted) - wanted - 2));
      const auto types = source::split_at_commas(
          words.subspan(given + 1, source::behind_angle(words, given) - given - 2));
      for (std::size_t k = 0; k < std::min(names.size(), types.size()); ++k) {
        if (names[k].size() == 1 && names[k][0].is(name)) return source::text_of(types[k]);
      }
      return "?";
    };
    const auto base_type = [](const source::Tokens& words) {
      std::string text;
      for (const auto& word : words) {
        const bool is_base = word.is_name() && !word.is("const") && !word.is("__restrict__");
        if (is_base) text += (text.empty() ? "" : " ") + word.text;
      }
      return text;
    };
    for (const auto& parameter : function.parameters) {
      if (parameter.name != variable.text) continue;
      const auto part = part_of(parameter.type);
      return part == "?" ? "" : part.empty() ? base_type(parameter.type) : part;
    }
    for (std::size_t k = 1; k < function.body.size(); ++k) {
      if (!function.body[k].is(variable.text)) continue;
      // "float *a, *b"
      std::size_t begin = k;
      while (begin > 0 && !function.body[begin - 1].is(";") && !function.body[begin - 1].is("{") &&
             !function.body[begin - 1].is("}") && !function.body[begin - 1].is("(")) {
        --begin;
      }
      source::Tokens words = function.body.subspan(begin, k - begin);
      if (const auto part = part_of(words); !part.empty()) {
        if (part != "?") return part;
        break;
      }
      const auto comma = std::find_if(words.begin(), words.end(), [](const auto& t) {
        return t.is(",") || t.is("*") || t.is("=");
      });
      auto base = base_type(words.first(static_cast<std::size_t>(comma - words.begin())));
      if (!base.empty()) return base;
      break;
    }
  }
  return "";
}

/// What a call gives between angle brackets for a parameter of the template, such as double in
/// "launch<double>(x)"; a value is a number.
std::string given_by_call(const Program& program, const ProgramFunction& called,
                          const std::string& name, const source::Tokens& list,
                          const source::HostValues::Place& place) {
  const auto given = source::split_at_commas(list);
  for (std::size_t p = 0; p < called.templates.size() && p < given.size(); ++p) {
    const auto& parameter = called.templates[p];
    if (parameter.name != name) continue;
    const auto type = source::text_of(parameter.type);
    if (type.starts_with("typename") || type.starts_with("class")) return source::text_of(given[p]);
    source::TracedAxes axes;
    source::HostValues host(program, axes);
    host.inline_names(given[p], place);
    const auto value = host.trace(given[p], place);
    return value && value->is_number() ? value->text() : source::text_of(given[p]);
  }
  return "";
}

/// What "Runner<double> r" gives for a parameter of a member's class; empty: there is none.
std::string of_object(const Program& program, const ProgramFunction& member,
                      const std::string& name) {
  if (member.of_class.empty()) return "";
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const auto& body = program.functions[f].body;
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
      if (!body[i].is(member.of_class) || !body[i + 1].is("<")) continue;
      const auto behind = source::behind_angle(body, i + 1);
      if (behind <= i + 2) continue;
      return given_by_call(program, member, name, body.subspan(i + 2, behind - i - 3), {f, i});
    }
  }
  return "";
}

/// The type that a parameter of a host's template has where the host calls it; empty: not known.
std::string of_caller(const Program& program, const ProgramFunction& called,
                      const std::string& name, int deep = 0) {
  const bool is_type =
      std::any_of(called.templates.begin(), called.templates.end(), [&](const auto& one) {
        const auto type = source::text_of(one.type);
        return one.name == name && (type.starts_with("typename") || type.starts_with("class"));
      });
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const auto& body = program.functions[f].body;
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
      if (!body[i].is(called.name)) continue;
      auto open = i + 1;
      std::string type;
      if (body[open].is("<")) {
        open = source::behind_angle(body, i + 1);
        if (open <= i + 2) continue;
        type = given_by_call(program, called, name, body.subspan(i + 2, open - i - 3), {f, i});
      }
      if (open >= body.size() || !body[open].is("(")) continue;
      const auto behind = source::behind_bracket(body, open);
      ProgramLaunch call{.function = f, .at = i};
      call.arguments = source::split_at_commas(body.subspan(open + 1, behind - open - 2));
      if (type.empty() && is_type) type = deduced(program, called, call, name);
      for (const auto& of : program.functions[f].templates) {
        if (of.name == type) {
          type = deep < 4 ? of_caller(program, program.functions[f], type, deep + 1) : "";
        }
      }
      if (!type.empty()) return type;
    }
  }
  return of_object(program, called, name);
}

/// The argument of a template parameter that the host code does not give: its default, or a usual
/// one.
std::string usual_argument(const source::Declared& parameter) {
  const auto type = source::text_of(parameter.type);
  if (!parameter.value.empty()) return source::text_of(parameter.value);
  if (type.starts_with("typename") || type.starts_with("class")) return "float";
  if (type == "bool") return "true";
  const auto name = parameter.name;
  const auto has = [&](const char* part) {
    return std::search(name.begin(), name.end(), part, part + std::string(part).size(),
                       [](char a, char b) { return std::toupper(a) == std::toupper(b); }) !=
           name.end();
  };
  if (has("tile")) return "16";
  if (has("block") || has("thread")) return "256";
  if (has("vec")) return "4";
  return "8";
}

std::string instance(const Program& program, const ProgramFunction& kernel,
                     const ProgramLaunch* launch, ChosenKernel& chosen) {
  if (kernel.templates.empty()) return "";
  source::TracedAxes axes;
  source::HostValues host(program, axes);
  std::vector<std::string> all;
  // Of a launch, or of an instance that the file asks for.
  auto given = launch != nullptr ? source::split_at_commas(launch->templates)
                                 : std::vector<source::Tokens>{};
  for (const auto& one : program.functions) {
    if (launch != nullptr || one.name != kernel.name || one.instance.empty()) continue;
    given = source::split_at_commas(one.instance);
    break;
  }
  // A parameter of the host's own template.
  const auto take_hosts = [&](const std::string& name, std::string& text) {
    for (const auto& of : program.functions[launch->function].templates) {
      if (of.name != name) continue;
      const auto called = of_caller(program, program.functions[launch->function], name);
      if (text == name || !called.empty()) text = called;
      if (text.empty()) {
        text = usual_argument(of);
        chosen.guessed_templates.push_back(of.name + " = " + text);
      }
      chosen.of_host[name] = text;
    }
  };
  for (std::size_t i = 0; i < kernel.templates.size(); ++i) {
    const auto& parameter = kernel.templates[i];
    const auto type = source::text_of(parameter.type);
    const bool is_type =
        type.starts_with("typename") || type.starts_with("class") || parameter.name.empty();
    std::string text;
    if (i < given.size()) {
      text = source::text_of(given[i]);
      if (!is_type && launch != nullptr) {
        host.inline_names(given[i], {launch->function, launch->at});
        const auto value = host.trace(given[i], {launch->function, launch->at});
        if (value && value->is_number()) {
          text = value->text();
        } else if (value && axes.contains(value->text())) {
          text = usual_argument(parameter);
        }
      }
      if (launch != nullptr) take_hosts(source::text_of(given[i]), text);
    } else if (launch != nullptr && is_type) {
      text = deduced(program, kernel, *launch, parameter.name);
      take_hosts(text, text);
    }
    if (text.empty() && !parameter.value.empty() && i >= given.size()) break;  // by default
    if (text.empty()) {
      text = usual_argument(parameter);
      chosen.guessed_templates.push_back(parameter.name + " = " + text);
    }
    all.push_back(std::move(text));
  }
  std::string joined;
  for (std::size_t i = 0; i < kernel.templates.size(); ++i) {
    bool is_real = false;
    const auto text = i < all.size() ? all[i] : source::text_of(kernel.templates[i].value);
    if (i < all.size()) joined += (i == 0 ? "" : ", ") + text;
    const auto value = source::literal(text, is_real);
    if (value && !is_real) chosen.templates[kernel.templates[i].name] = *value;
    if (text == "true" || text == "false")
      chosen.templates[kernel.templates[i].name] = text == "true" ? 1 : 0;
  }
  return "<" + joined + ">";
}

}  // namespace

ChosenKernel choose_kernel(const Program& program, const KernelWish& wish) {
  const auto kernels = program.kernels();
  if (kernels.empty()) {
    throw std::runtime_error(
        "there is no __global__ function in " + wish.file +
        " or in the files that it includes from its folder (--flag=-IFOLDER adds a folder)");
  }
  ChosenKernel chosen;
  const auto wanted = plain_name(wish.kernel);
  const auto reached = reached_functions(program);
  int most = -1;
  for (const auto* one : kernels) {
    const int launches = wanted.empty() ? launches_of(program, one->name, reached) : 0;
    const bool is_it = wanted.empty() ? launches > most : one->name == wanted;
    if (!is_it) continue;
    chosen.code = one;
    most = launches;
  }
  if (chosen.code == nullptr) {
    std::vector<std::string> names;
    std::string known;
    for (const auto* one : kernels) {
      names.push_back(one->name);
      known += (known.empty() ? "" : ", ") + one->name;
    }
    throw std::runtime_error(
        "there is no kernel '" + wish.kernel + "' in " + wish.file + "; " +
        text::did_you_mean(text::closest(wanted, names), "there are: " + known));
  }
  chosen.launch = launch_of(program, chosen.code->name);
  const auto made = instance(program, *chosen.code, chosen.launch, chosen);
  chosen.name = chosen.code->scope + chosen.code->name + made;
  if (wish.kernel.find('<') != std::string::npos || wish.kernel.find("::") != std::string::npos) {
    chosen.name = wish.kernel;
    const auto open = wish.kernel.find('<');
    source::Macros none;
    const auto words = source::tokens_of(
        open == std::string::npos ? ""
                                  : wish.kernel.substr(open + 1, wish.kernel.size() - open - 2),
        none);
    const auto given = source::split_at_commas(words);
    chosen.guessed_templates.clear();
    if (chosen.launch != nullptr && !given.empty() && "<" + source::text_of(words) + ">" != made) {
      chosen.launched_as = chosen.code->name + made;
    }
    for (std::size_t i = 0; i < given.size() && i < chosen.code->templates.size(); ++i) {
      bool is_real = false;
      const auto value = source::literal(source::text_of(given[i]), is_real);
      if (value) chosen.templates[chosen.code->templates[i].name] = *value;
    }
  }
  for (const auto* one : kernels) {
    if (one == chosen.code) continue;
    chosen.others.push_back(
        fmt::format("{}: bench try {} --kernel {}", signature(*one), wish.file, one->name));
  }
  return chosen;
}

}  // namespace apod::cli
