#include "kernels/files/source/host_values.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace apod::source {
namespace {

/// A sum as a factor has brackets.
std::string bracketed(const std::string& text) {
  return "(" + text + ")";
}

/// What is longer says nothing to a reader.
bool is_short(const Traced& value) {
  constexpr std::size_t longest = 240;
  return value.text().size() <= longest;
}

}  // namespace

std::optional<Traced> HostValues::trace(Tokens tokens, const Place& place) {
  if (tokens.empty() || !pay(tokens.size())) return std::nullopt;
  return trace(c_expression(tokens, program_.macros), place);
}

std::optional<Traced> HostValues::trace(const CExpression& expression, const Place& place) {
  const Step step(*this);
  if (!step) return std::nullopt;
  switch (expression.kind) {
    case Kind::number: {
      bool is_real = false;
      const auto value = literal(expression.text, is_real);
      if (!value) return std::nullopt;
      if (!is_real) return number(static_cast<std::int64_t>(*value));
      // "1e6" is often a count.
      const bool is_count = *value >= 1 && *value < 1e15 && std::floor(*value) == *value &&
                            expression.text.find('.') == std::string::npos;
      if (is_count) return Traced{.constant = static_cast<std::int64_t>(*value), .is_real = true};
      const auto said = real_text(*value);
      return factor(*value < 0 ? bracketed(said) : said, true);
    }
    case Kind::name:
      return name_value(expression.text, place);
    case Kind::unary: {
      auto inner = trace(expression.parts.front(), place);
      if (expression.text == "-" && inner) {
        if (inner->is_number() || !inner->factors.empty()) inner->constant = -inner->constant;
        return inner;
      }
      return expression.text == "&" || expression.text == "*" ? std::nullopt : inner;
    }
    case Kind::binary:
      return binary_value(expression, place);
    case Kind::choice: {
      if (const auto decides = trace(expression.parts[0], place); decides && decides->is_number())
        return trace(expression.parts[decides->constant != 0 ? 1 : 2], place);
      // "argc > 1 ? atoi(argv[1]) : 1024": the one that is known.
      auto yes = trace(expression.parts[1], place);
      auto no = trace(expression.parts[2], place);
      if (yes && no) {
        if (const auto where = condition(expression.parts[0], place))
          return either(*where, *yes, *no);
      }
      const bool takes_no = !yes || (no && no->is_number() && !yes->is_number());
      return takes_no ? no : yes;
    }
    case Kind::cast: {
      auto inner = trace(expression.parts.front(), place);
      if (!inner) return inner;
      const auto& type = expression.text;
      const bool to_real = type.find("float") != std::string::npos ||
                           type.find("double") != std::string::npos ||
                           type.find("half") != std::string::npos;
      if (!to_real) return inner->whole();
      inner->is_real = inner->is_real || to_real;
      return inner;
    }
    case Kind::size: {
      const auto bytes = size_of(expression.text, place);
      return bytes > 0 ? std::optional(number(static_cast<std::int64_t>(bytes))) : std::nullopt;
    }
    case Kind::call:
    case Kind::list:
    case Kind::subscript: {
      const auto& all = expression.tokens;
      const bool is_field = all.size() > 2 && all[all.size() - 2].is(".");
      const auto field = is_field ? all.back().text : "";
      if (expression.kind == Kind::subscript)
        return is_field ? std::nullopt : item_value(expression, place);
      if (!is_field)
        return expression.kind == Kind::call ? call_value(expression, place) : std::nullopt;
      // "make_int2(w, h).x"
      const auto item = item_in({.value = all.first(all.size() - 2), .place = place}, field);
      return item ? trace(item->value, item->place) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<Traced> HostValues::binary_value(const CExpression& expression, const Place& place) {
  const auto& mark = expression.text;
  if (mark == "/") return quotient(expression, place);
  if (mark == "=") return trace(expression.parts[1], place);
  const auto left = trace(expression.parts[0], place);
  const auto right = trace(expression.parts[1], place);
  if (!left || !right) return std::nullopt;
  const bool is_real = left->is_real || right->is_real;
  if (mark == "*") {
    auto product = *left;
    product.constant *= right->constant;
    product.factors.insert(product.factors.end(), right->factors.begin(), right->factors.end());
    product.is_real = is_real;
    return product;
  }
  if (mark == "+" || mark == "-") {
    // "n / b + (n % b ? 1 : 0)" is one of two sums.
    const auto& more = expression.parts[1];
    if (more.kind == Kind::choice && !left->is_number()) {
      auto sums = more;
      for (std::size_t i = 1; i < 3; ++i) {
        sums.parts[i] = {
            .kind = Kind::binary, .text = mark, .parts = {expression.parts[0], more.parts[i]}};
      }
      return trace(sums, place);
    }
    if (left->is_number() && right->is_number()) {
      return number(mark == "+" ? left->constant + right->constant
                                : left->constant - right->constant);
    }
    if (right->is_number() && right->constant == 0) return left;
    if (left->is_number() && left->constant == 0 && mark == "+") return right;
    const auto minus = right->constant < 0 || mark == "-";
    return factor(
        bracketed(left->text() + " " + mark + " " +
                  (minus && !right->is_number() && right->constant != 1 ? bracketed(right->text())
                                                                        : right->operand())),
        is_real);
  }
  const bool is_numbers = left->is_number() && right->is_number();
  if (mark == "<<" || mark == ">>") {
    if (!right->is_number() || right->constant < 0 || right->constant > 62) {
      if (mark == "<<")
        return factor(bracketed(left->operand() + " * 2^" + bracketed(right->text())));
      return std::nullopt;
    }
    const auto by = std::int64_t{1} << right->constant;
    auto made = *left;
    if (mark == "<<") {
      made.constant *= by;
      return made;
    }
    if (is_numbers || made.constant % by == 0) {
      made.constant /= by;
      return made;
    }
    return factor("floor(" + left->operand() + " / " + std::to_string(by) + ")");
  }
  if (mark == "%") {
    if (is_numbers && right->constant != 0) return number(left->constant % right->constant);
    return factor(bracketed(left->operand() + " % " + right->divisor()));
  }
  if (is_numbers && (mark == "&" || mark == "|"))
    return number(calculated(left->constant, mark, right->constant));
  // "(n + 31) & ~31" and other arithmetic with bits has no name here.
  return std::nullopt;
}

/// Integers are divided as C does it; (n + b - 1) / b is ceil(n / b).
std::optional<Traced> HostValues::quotient(const CExpression& expression, const Place& place) {
  const auto& above = expression.parts[0];
  const auto below = trace(expression.parts[1], place);
  if (!below) return std::nullopt;
  const auto ceiling = [&](const CExpression& of) -> std::optional<Traced> {
    const auto inner = trace(of, place);
    if (!inner || inner->is_real || below->is_real) return std::nullopt;
    if (inner->is_number() && below->is_number() && below->constant > 0)
      return number((inner->constant + below->constant - 1) / below->constant);
    return factor("ceil(" + inner->operand() + " / " + below->divisor() + ")");
  };
  if (above.kind == Kind::binary && (above.text == "-" || above.text == "+")) {
    const auto& left = above.parts[0];
    const auto& right = above.parts[1];
    const auto same = [&](const std::optional<Traced>& value, std::int64_t less) {
      if (!value) return false;
      if (value->is_number() && below->is_number())
        return value->constant == below->constant - less;
      return less == 0 ? value->text() == below->text()
                       : value->text() == below->text() + " - " + std::to_string(less);
    };
    // (n + b) - 1, n + (b - 1) or n + 255, (b - 1) + n, b + n - 1
    if (above.text == "-" && left.kind == Kind::binary && left.text == "+" &&
        right.kind == Kind::number && right.text == "1") {
      if (same(trace(left.parts[1], place), 0)) return ceiling(left.parts[0]);
      if (same(trace(left.parts[0], place), 0)) return ceiling(left.parts[1]);
    }
    if (above.text == "+" && same(trace(right, place), 1)) return ceiling(left);
    if (above.text == "+" && same(trace(left, place), 1)) return ceiling(right);
  }
  auto value = trace(above, place);
  if (!value) return std::nullopt;
  if (value->is_real || below->is_real)
    return factor(bracketed(value->operand() + " / " + below->divisor()), true);
  if (below->is_number() && below->constant == 0) return std::nullopt;
  // What both have is left out.
  auto rest = *below;
  for (auto one = rest.factors.begin(); one != rest.factors.end();) {
    const auto found = std::find(value->factors.begin(), value->factors.end(), *one);
    if (found == value->factors.end()) {
      ++one;
    } else {
      value->factors.erase(found);
      one = rest.factors.erase(one);
    }
  }
  if (rest.constant != 0 &&
      (value->factors.empty() ? rest.factors.empty() : value->constant % rest.constant == 0)) {
    value->constant /= rest.constant;
    rest.constant = 1;
  }
  if (rest.is_number() && rest.constant == 1) return value;
  return factor("floor(" + value->operand() + " / " + rest.divisor() + ")");
}

std::optional<Traced> HostValues::call_value(const CExpression& call, const Place& place) {
  const auto name = last_word(call.text);
  if (name == "size" || name == "length") {
    const auto container = call.text.substr(0, call.text.size() - name.size() - 1);
    if (call.parts.empty()) return element_count(container, place);
  }
  if (call.parts.empty() && call.text.find("numeric_limits") != std::string::npos)
    return type_limit(text_of(call.tokens), name);
  if ((name == "ceil" || name == "ceilf" || name == "floor" || name == "floorf") &&
      call.parts.size() == 1) {
    const auto inner = trace(call.parts[0], place);
    if (!inner || !inner->is_real) return inner;
    auto text = inner->text();
    return factor((name[0] == 'c' ? "ceil(" : "floor(") + text + ")");
  }
  if ((name == "min" || name == "max" || name == "fmin" || name == "fmax") &&
      call.parts.size() == 2) {
    const auto a = trace(call.parts[0], place);
    const auto b = trace(call.parts[1], place);
    const bool is_min = name.find("min") != std::string::npos;
    // What the device allows is more.
    const bool is_devices =
        has_any(call.tokens, {"maxGridSize", "maxThreadsDim", "maxThreadsPerBlock"});
    if (is_min && is_devices && (!a || !b)) return a ? a : b;
    if (!a || !b) return std::nullopt;
    if (a->is_number() && b->is_number()) {
      return number(is_min ? std::min(a->constant, b->constant)
                           : std::max(a->constant, b->constant));
    }
    return factor(std::string(is_min ? "min(" : "max(") + a->text() + ", " + b->text() + ")",
                  a->is_real || b->is_real);
  }
  if ((name == "sqrt" || name == "sqrtf" || name == "rsqrtf" || name == "log2" || name == "log2f" ||
       name == "exp" || name == "expf" || name == "log" || name == "logf") &&
      call.parts.size() == 1) {
    const auto inner = trace(call.parts[0], place);
    if (!inner) return std::nullopt;
    if (name == "rsqrtf") return factor("(1 / sqrt(" + inner->text() + "))", true);
    const auto plain = name.substr(0, name.size() - (name.back() == 'f' ? 1 : 0));
    return factor(plain + "(" + inner->text() + ")", true);
  }
  if (name.find("float2half") != std::string::npos ||
      name.find("float2bfloat16") != std::string::npos || name == "__nv_fp8_e4m3") {
    return call.parts.empty() ? std::nullopt : trace(call.parts[0], place);
  }
  const auto returns = returned(call, place);
  return returns.size() == 1 ? trace(returns[0].first, returns[0].second) : std::nullopt;
}

std::optional<Traced> HostValues::axis_of(const std::string& name, Tokens type) {
  if (has_any(type, {"float", "double"})) return std::nullopt;
  return axis(name, std::nullopt);
}

/// "x" of a dim3, and not of a structure that has fields of these names.
bool HostValues::is_launch_side(const std::string& name, const Place& place) {
  const auto whole = name.substr(0, name.size() - 2);
  if (const auto found = definition(whole, place)) return has_any(found->type, {"dim3", "auto"});
  if (place.function >= program_.functions.size()) return false;
  const auto& function = program_.functions[place.function];
  const auto index = function.parameter(whole);
  return index < function.parameters.size() && has_any(function.parameters[index].type, {"dim3"});
}

std::optional<Traced> HostValues::name_value(const std::string& name, const Place& place) {
  if (name == "true" || name == "false") return number(name == "true" ? 1 : 0);
  if (name == "nullptr" || name == "NULL") return std::nullopt;
  for (const auto function : {place.function, nowhere}) {
    const auto known = replaced_.find({function, name});
    if (known != replaced_.end()) return known->second;
  }
  auto word = last_word(name);
  if (auto limit = limit_of_type(word)) return limit;
  const bool is_side = name.size() > 2 && name[name.size() - 2] == '.' &&
                       std::string_view("xyz").find(name.back()) != std::string_view::npos;
  if (is_side) word = last_word(name.substr(0, name.size() - 2)) + "_" + word;
  const auto found = definition(name, place);
  if (found && !found->value.empty()) {
    bool is_lost = false;
    if (const auto change = last_change(name, *found, place, is_lost)) {
      const auto value = is_lost ? std::nullopt : changed(name, *change, place);
      if (value && is_short(*value)) return value;
      const auto made = axis_of(name, found->type);
      // It may be about what it was.
      const auto first = is_lost && made ? trace(found->value, found->place) : std::nullopt;
      if (!first) return made;
      auto& said = axes_[made->text()];
      if (first->is_number() && first->constant > 1 && said.value == 0)
        said.value = first->constant;
      return made;
    }
    const bool is_code = inlined_.contains(name) || found->place.function == nowhere || is_side;
    // What is counted in a loop is known behind it alone.
    const bool is_own = found->place.function == place.function && !found->is_constructor &&
                        has_any(found->value, {name});
    if (is_own) {
      const auto before = definition(name, found->place);
      const bool is_counted = is_in_other_loop(found->place.at, place) ||
                              (before && before->place.function == place.function &&
                               is_in_other_loop(found->place.at, before->place));
      if (is_counted) return axis_of(name, found->type);
    }
    auto value = trace(found->value, found->place);
    if (value && found->place.function == place.function && !found->is_constructor &&
        !guards(found->place.at, place).empty()) {
      auto made = unless_skipped(name, found->place.at, place, *value);
      if (!is_short(made)) return axis_of(name, found->type);
      // One that is always the same is named as it is elsewhere.
      if (made.text() != value->text()) return made;
    }
    // A number that a variable of the host begins with may be another.
    const auto type = text_of(found->type);
    const bool is_integer =
        type.find("float") == std::string::npos && type.find("double") == std::string::npos;
    const bool is_constant = type.find("constexpr") != std::string::npos;
    const bool is_counted =
        is_integer && !found->type.empty() && is_number_type(found->type.back().text);
    if (value && is_counted) value = value->whole();
    // One that begins with 0 is set by what gets its address.
    if (value && value->is_number() && value->constant == 0 && !is_code && is_integer &&
        (found->set || is_passed_by_address(name, found->place.at, place))) {
      return axis(name, std::nullopt);
    }
    if (value && value->is_number() && !is_code && !is_constant && is_integer &&
        value->constant > 0 && !is_calculated(*found)) {
      return axis(name, value->constant);
    }
    if (value) {
      if (!is_integer) value->is_real = true;
      return value;
    }
    if (!found->is_constructor) return axis_of(name, found->type);
  }
  if (is_side && is_launch_side(name, place)) {
    const auto side = static_cast<std::size_t>(name.back() - 'x');
    const Token whole{Token::Kind::name, name.substr(0, name.size() - 2), 0};
    const auto all = sides(Tokens(&whole, 1), place);
    if (!all.empty()) return side < all.size() ? all[side] : number(1);
  }
  if (place.function < program_.functions.size()) {
    const auto& function = program_.functions[place.function];
    for (std::size_t p = 0; p < function.parameters.size(); ++p) {
      const auto& parameter = function.parameters[p];
      if (parameter.name != name.substr(0, name.find('.'))) continue;
      std::vector<Tokens> arguments;
      const auto from = caller(place, arguments);
      if (from && p < arguments.size() && name == parameter.name) {
        const auto passed = c_expression(arguments[p], program_.macros);
        auto value = trace(passed, *from);
        const bool is_named =
            value && value->is_number() && value->constant > 1 && arguments[p].size() == 1 &&
            !arguments[p].front().is_name() && (place.by == nullptr || place.by->is_on_way) &&
            passed.kind == Kind::number && !inlined_.contains(name) && !parameter.is_pointer();
        if (is_named) compare_calls(place.function, p, passed.text);
        if (is_named) return axis(name, value->constant);
        if (value) return value;
      }
      // "m[0]" is passed as "a": "a.n" is "m.n".
      auto given = p < arguments.size() ? arguments[p] : Tokens{};
      if (given.size() > 1 && has_any(given.first(1), {"&", "*"})) given = given.subspan(1);
      if (from && !given.empty() && name != parameter.name && given.front().is_name()) {
        const auto passed = c_expression(given, program_.macros);
        const auto field = name.substr(parameter.name.size() + 1);
        if (passed.kind == Kind::call || passed.kind == Kind::list) {
          const auto item = item_in({.value = given, .place = *from}, field);
          if (item) return trace(item->value, item->place);
        }
        const auto of = given.front().text + name.substr(parameter.name.size());
        const auto set = definition(of, *from);
        if (set && !set->value.empty()) {
          if (auto value = name_value(of, *from)) return value;
        }
      }
      if (!parameter.value.empty() && name == parameter.name) {
        if (auto value = trace(parameter.value, place.to(0))) return value;
      }
      if (name == parameter.name) return axis_of(word, parameter.type);
      break;
    }
    for (const auto& parameter : function.templates) {
      if (parameter.name == name && !parameter.value.empty())
        return trace(parameter.value, place.to(0));
    }
  }
  auto made = axis_of(word, found && name == word ? found->type : Tokens{});
  if (made && name != word) fields_[made->text()].insert(name);
  return made;
}

Traced HostValues::axis(const std::string& name, std::optional<std::int64_t> value) {
  static const std::string taken =
      " i variant programs host_memory chunk_launch streams threads order stream_pool min max"
      " abs ceil floor log2 sqrt exp log if and or not true false precision warmup samples"
      " processes timeout cache launch clocks ";
  if (const auto known = axis_names_.find(name); known != axis_names_.end()) {
    // It may have been left out since.
    if (value) axes_.try_emplace(known->second, TracedAxis{*value, true});
    axes_.try_emplace(known->second);
    return factor(known->second);
  }
  std::string made;
  for (const char c : last_word(name))
    made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  while (made.starts_with('_')) made.erase(0, 1);
  if (made.empty()) made = "n";
  if (taken.find(" " + made + " ") != std::string::npos) made += "_";
  const auto same = axes_.find(made);
  const bool differs =
      same != axes_.end() && value && same->second.known && same->second.value != *value;
  for (int i = 2; differs && axes_.contains(made); ++i)
    made = made.substr(0, made.find_last_not_of("0123456789") + 1) + std::to_string(i);
  axis_names_[name] = made;
  auto& axis = axes_[made];
  if (value) axis = {*value, true};
  return factor(made);
}

void HostValues::inline_names(Tokens tokens, const Place& place) {
  for (const auto& token : tokens) {
    if (!token.is_name() || !inlined_.insert(token.text).second) continue;
    if (const auto found = definition(token.text, place)) {
      inline_names(found->value, found->place);
    } else if (const auto passed = passed_for(token.text, place)) {
      inline_names(passed->argument, passed->place);
    }
  }
}

}  // namespace apod::source
