/// \file
/// Which kernel of a file is meant, and which instance of it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <memory>
#include <set>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/guess_parts.hpp"

namespace apod::cli {
namespace {

using source::Program;
using source::ProgramFunction;
using source::ProgramLaunch;

std::string plain_name(const std::string& kernel) {
  return source::last_word(kernel.substr(0, kernel.find('<')));
}

/// What a variable of the body may be a pointer to: "kernel = &copy;".
std::set<std::string> assigned(const source::Tokens& body, const std::string& variable) {
  std::set<std::string> names;
  for (std::size_t i = 0; i + 2 < body.size(); ++i) {
    if (!body[i].is(variable)) continue;
    // "kernels[2] = copy", "void (*kernel)(float*) = copy"
    auto next = i + 1;
    while (next < body.size() && (body[next].is("[") || body[next].is(")") || body[next].is("(")))
      next = body[next].is(")") ? next + 1 : source::behind_bracket(body, next);
    if (next >= body.size() || !body[next].is("=")) continue;
    if (next + 1 < body.size() && body[next + 1].is("&")) ++next;
    if (next + 1 < body.size()) names.insert(body[next + 1].text);
  }
  return names;
}

/// The kernels that it may launch: of its name, or what a pointer of this name may be to.
std::set<std::string> kernels_of(const Program& program, const ProgramLaunch& launch) {
  const auto* other = program.find_function(launch.kernel);
  std::set<std::string> names;
  if (other == nullptr || !other->is_kernel)
    names = assigned(program.functions[launch.function].body, launch.kernel);
  names.insert(launch.kernel);
  return names;
}

/// The host's way through the program: main, and what is called or passed on from there.
class HostsWay {
 public:
  using Place = source::HostValues::Place;
  using Call = source::HostValues::Call;

  struct Launch {
    double times = 0;
    const ProgramLaunch* launch = nullptr;  ///< null: there is none
    const Call* by = nullptr;               ///< the call of the function that launches it
  };

  explicit HostsWay(const Program& program) : program_(program), steps_(program.functions.size()) {
    for (const auto& launch : program.launches) kernels_[&launch] = kernels_of(program, launch);
    for (std::size_t f = 0; f < steps_.size(); ++f) names_.emplace(program.functions[f].name, f);
    std::set<std::size_t> called;
    for (std::size_t f = 0; f < steps_.size(); ++f) {
      read_steps(f);
      for (const auto& step : steps_[f])
        if (step.launch == nullptr) called.insert(step.called);
    }
    walk([&](std::size_t f) { return program_.functions[f].name == "main"; });
    // Without a main all but templates may be called from elsewhere.
    walk([&](std::size_t f) { return !program_.functions[f].is_template && !called.contains(f); });
    walk([](std::size_t) { return true; });
  }

  /// The first on the way, which lives as long as this, with the times of all of them.
  Launch of(const std::string& kernel) const {
    Launch found;
    double all = 0;
    for (const auto& one : launches_) {
      if (!is_of(*one.launch, kernel)) continue;
      if (found.launch == nullptr) found = one;
      all += one.times;
    }
    for (const auto& launch : program_.launches)
      if (found.launch == nullptr && is_of(launch, kernel)) found.launch = &launch;
    found.times = all;
    return found;
  }
  /// The kernel that is launched most, or first of several; null: none is launched.
  const ProgramFunction* most_launched(const std::vector<const ProgramFunction*>& kernels) const {
    const ProgramFunction* found = nullptr;
    double most = 0;
    std::map<const ProgramLaunch*, double> times;
    for (const auto& one : launches_) times[one.launch] += one.times;
    std::map<std::string, double> sums;
    for (const auto& [launch, all] : times) {
      for (const auto& name : kernels_.at(launch)) sums[name] += all;
    }
    for (const auto& one : launches_) {
      if (times.erase(one.launch) == 0) continue;  // it was looked at
      for (const auto* kernel : kernels) {
        const auto all = is_of(*one.launch, kernel->name) ? sums.at(kernel->name) : 0;
        if (all <= most * (1 + 1e-9)) continue;  // parts of a whole may be a bit more
        found = kernel;
        most = all;
      }
    }
    return found;
  }

 private:
  bool is_of(const ProgramLaunch& launch, const std::string& kernel) const {
    return kernels_.at(&launch).contains(kernel);
  }
  /// A launch, or a call.
  struct Step {
    std::size_t at = 0;
    const ProgramLaunch* launch = nullptr;
    std::size_t called = 0;
    std::optional<std::vector<source::Tokens>> arguments{};  ///< nothing: it is passed on
  };

  void read_steps(std::size_t f) {
    const auto& function = program_.functions[f];
    if (function.is_kernel) return;
    auto& steps = steps_[f];
    for (const auto& launch : program_.launches)
      if (launch.function == f) steps.push_back({launch.at, &launch, f});
    for (std::size_t i = 0; i < function.body.size(); ++i) {
      const auto [first, last] = names_.equal_range(function.body[i].text);
      if (first == last || !function.body[i].is_name()) continue;
      Step step{.at = i, .called = f};
      auto open = i + 1;
      if (open < function.body.size() && function.body[open].is("<"))
        open = source::behind_angle(function.body, open);
      if (open < function.body.size() && function.body[open].is("("))
        step.arguments = source::in_bracket(function.body, open);
      for (auto one = first; one != last; ++one) {
        const auto& called = program_.functions[one->second];
        // Of several of a name, the one that takes as many.
        const bool is_it = step.called == f ||
                           (step.arguments && called.parameters.size() == step.arguments->size());
        if (called.is_defined && !called.is_kernel && is_it &&
            program_.may_call(function, i, called)) {
          step.called = one->second;
        }
      }
      if (step.called != f) steps.push_back(std::move(step));
    }
    std::ranges::sort(steps, [](const auto& a, const auto& b) { return a.at < b.at; });
  }
  template <class Begins>
  void walk(const Begins& begins) {
    if (!launches_.empty()) return;
    for (std::size_t f = 0; f < steps_.size(); ++f)
      if (begins(f)) visit({f, program_.functions[f].body.size()}, 1);
  }
  /// What is in a loop counts for several, what is under a false condition for nothing, and what
  /// is one of several ways for a part.
  double times(const Place& place, const Place& end) {
    auto all = std::pow(10, host_.count_loops(place));
    for (const auto& guard : host_.guards(place.at, end)) {
      host_.inline_names(guard.condition, place.to(guard.at));
      const auto holds = host_.condition({guard}, place);
      const auto value = holds ? worth("if(" + *holds + ", 1, 0)", {}) : std::nullopt;
      if (value && *value == 0) return 0;
      if (!value) all /= static_cast<double>(guard.ways);
    }
    return all;
  }
  void visit(const Place& end, double before) {
    constexpr std::size_t deepest = 20;
    constexpr std::size_t most = 2000;  // calls, and launches
    const bool is_open = std::ranges::find(open_, end.function) != open_.end();
    if (is_open || open_.size() > deepest) return;
    open_.push_back(end.function);
    for (const auto& step : steps_[end.function]) {
      if (calls_.size() > most || launches_.size() > most) break;
      const auto place = end.to(step.at);
      const auto all = before * times(place, end);
      if (all == 0) continue;
      if (step.launch != nullptr) {
        launches_.push_back({all, step.launch, end.by});
        continue;
      }
      calls_.push_back({place, step.arguments.value_or(std::vector<source::Tokens>{}), true});
      visit({step.called, program_.functions[step.called].body.size(),
             step.arguments ? &calls_.back() : nullptr},
            all);
    }
    open_.pop_back();
  }

  const Program& program_;
  source::TracedAxes axes_;
  source::HostValues host_{program_, axes_};
  std::multimap<std::string, std::size_t> names_;                  ///< of functions
  std::map<const ProgramLaunch*, std::set<std::string>> kernels_;  ///< that it may be of
  std::vector<std::vector<Step>> steps_;  ///< of each function, in their order
  std::list<Call> calls_;
  std::vector<Launch> launches_;
  std::vector<std::size_t> open_;  ///< functions on the way to here
};

std::string signature(const ProgramFunction& kernel) {
  const auto all = text::joined(kernel.parameters, ", ", [](const auto& one) {
    const auto type = source::text_of(one.type);
    return type + (type.ends_with('*') ? "" : " ") + one.name;
  });
  return kernel.name + (kernel.templates.empty() ? "" : "<...>") + "(" + all + ")";
}

/// What "Op()" or "std::plus<float>{}" names; empty: another expression. If it is a function, the
/// compiler refuses it as a type.
std::string type_of_temporary(const source::Tokens& expression) {
  const auto open = std::ranges::find_if(
      expression, [](const auto& word) { return word.is("(") || word.is("{"); });
  const auto named = expression.first(static_cast<std::size_t>(open - expression.begin()));
  const bool is_name = open != expression.end() && std::ranges::all_of(named, [](const auto& word) {
                         return word.kind != source::Token::Kind::mark || word.is("::") ||
                                word.is("<") || word.is(">") || word.is(",");
                       });
  return is_name ? source::text_of(named) : "";
}

/// The type that a parameter of the template has in "T* x" when `x` is passed.
std::string deduced(const Program& program, const ProgramFunction& kernel,
                    const ProgramLaunch& launch, const std::string& name) {
  for (std::size_t i = 0; i < kernel.parameters.size() && i < launch.arguments.size(); ++i) {
    const auto& type = kernel.parameters[i].type;
    if (!source::has_any(type, {name}) || launch.arguments[i].empty()) continue;
    const auto& variable = launch.arguments[i].back();
    if (!variable.is_name()) {
      const auto made = program.find_function(launch.arguments[i][0].text) == nullptr
                            ? type_of_temporary(launch.arguments[i])
                            : std::string();
      if (!made.empty()) return made;
      continue;
    }
    const auto& function = program.functions[launch.function];
    // "Matrix<T>*" for "Matrix<float>*": T is float.
    const auto part_of = [&](const source::Tokens& words) -> std::string {
      const auto open_of = [](const source::Tokens& in) {
        return static_cast<std::size_t>(
            std::ranges::find_if(in, [](const auto& t) { return t.is("<"); }) - in.begin());
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
      for (std::size_t k = 0; k < std::min(names.size(), types.size()); ++k)
        if (names[k].size() == 1 && names[k][0].is(name)) return source::text_of(types[k]);
      return "?";
    };
    for (const auto& parameter : function.parameters) {
      if (parameter.name != variable.text) continue;
      const auto part = part_of(parameter.type);
      return part == "?" ? "" : part.empty() ? base_name(parameter.type) : part;
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
      const auto comma = std::ranges::find_if(
          words, [](const auto& t) { return t.is(",") || t.is("*") || t.is("="); });
      auto base = base_name(words.first(static_cast<std::size_t>(comma - words.begin())));
      if (!base.empty()) return base;
      break;
    }
  }
  return "";
}

/// Whether it is a type, and not a number, that a parameter of a template takes.
bool is_type(const source::Declared& parameter) {
  return text::begins_with_any(source::text_of(parameter.type), {"typename", "class"});
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
    if (is_type(parameter)) return source::text_of(given[p]);
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
  const bool names_type = std::ranges::any_of(
      called.templates, [&](const auto& one) { return one.name == name && is_type(one); });
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
      ProgramLaunch call{.function = f, .at = i};
      call.arguments = source::in_bracket(body, open);
      if (type.empty() && names_type) type = deduced(program, called, call, name);
      for (const auto& of : program.functions[f].templates) {
        if (of.name == type)
          type = deep < 4 ? of_caller(program, program.functions[f], type, deep + 1) : "";
      }
      if (!type.empty()) return type;
    }
  }
  for (const auto& one : program.functions) {  // "template void run<double>(double*);"
    if (one.name != called.name || one.instance.empty()) continue;
    return given_by_call(program, called, name, one.instance, {});
  }
  return of_object(program, called, name);
}

/// The argument of a template parameter that the host does not give: its default, or a usual one.
std::string usual_argument(const source::Declared& parameter) {
  if (!parameter.value.empty()) return source::text_of(parameter.value);
  if (is_type(parameter)) return "float";
  if (source::text_of(parameter.type) == "bool") return "true";
  const auto name = text::lower(parameter.name);
  if (text::holds_any(name, {"tile"})) return "16";
  if (text::holds_any(name, {"block", "thread"})) return "256";
  if (text::holds_any(name, {"vec"})) return "4";
  return "8";
}

std::string instance(const Program& program, const ProgramFunction& kernel,
                     const ProgramLaunch* launch, ChosenKernel& chosen) {
  if (launch != nullptr) {
    for (const auto& of : program.functions[launch->function].templates) {
      const auto called = of_caller(program, program.functions[launch->function], of.name);
      if (!called.empty()) chosen.of_host[of.name] = called;
    }
  }
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
      const auto known = chosen.of_host.find(name);
      if (known != chosen.of_host.end() || text == name)
        text = known == chosen.of_host.end() ? "" : known->second;
      if (text.empty()) {
        text = usual_argument(of);
        chosen.guessed_templates.push_back(of.name + " = " + text);
      }
      chosen.of_host[name] = text;
    }
  };
  for (std::size_t i = 0; i < kernel.templates.size(); ++i) {
    const auto& parameter = kernel.templates[i];
    const bool names_type = is_type(parameter) || parameter.name.empty();
    std::string text;
    if (i < given.size()) {
      bool is_usual = false;
      text = source::text_of(given[i]);
      if (!names_type && launch != nullptr) {
        host.inline_names(given[i], {launch->function, launch->at});
        const auto value = host.trace(given[i], {launch->function, launch->at});
        if (value && value->is_number()) {
          text = value->text();
        } else if (value && axes.contains(value->text())) {
          text = usual_argument(parameter);
          is_usual = true;
        }
      }
      const auto said = source::text_of(given[i]);
      if (launch != nullptr) take_hosts(said, text);
      // The launch and the scalars that are made of it have this value, too.
      if (is_usual && chosen.of_host.try_emplace(said, text).second)
        chosen.guessed_templates.push_back(parameter.name + " = " + text);
    } else if (launch != nullptr && names_type) {
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
  for (std::size_t i = 0; i < kernel.templates.size(); ++i) {
    bool is_real = false;
    const auto text = i < all.size() ? all[i] : source::text_of(kernel.templates[i].value);
    const auto value = source::literal(text, is_real);
    if (value && !is_real) chosen.templates[kernel.templates[i].name] = *value;
    if (text == "true" || text == "false")
      chosen.templates[kernel.templates[i].name] = text == "true" ? 1 : 0;
  }
  return "<" + text::joined(all, ", ") + ">";
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
  const auto way = std::make_shared<HostsWay>(program);
  chosen.way = way;
  if (wanted.empty()) {
    chosen.code = way->most_launched(kernels);
    if (chosen.code == nullptr) chosen.code = kernels.front();
  }
  for (const auto* one : kernels)
    if (one->name == wanted) chosen.code = one;
  if (chosen.code == nullptr) {
    std::vector<std::string> names;
    for (const auto* one : kernels) names.push_back(one->name);
    throw std::runtime_error("there is no kernel '" + wish.kernel + "' in " + wish.file + "; " +
                             text::did_you_mean(text::closest(wanted, names),
                                                "its kernels are " + text::joined(names, ", ")));
  }
  const auto launch = way->of(chosen.code->name);
  chosen.launch = launch.launch;
  chosen.by = launch.by;
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
    if (chosen.launch != nullptr && !given.empty() && "<" + source::text_of(words) + ">" != made)
      chosen.launched_as = chosen.code->name + made;
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
