/// \file
/// What expressions of a kernel are worth, and what they do with its arrays.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/files/source/host_values.hpp"
#include "kernels/files/source/kernel_run.hpp"

namespace apod::source {
namespace {

Known between(double low, double high, std::set<std::string> from) {
  return {.low = std::isnan(low) ? -Known::infinite : low,
          .high = std::isnan(high) ? Known::infinite : high,
          .from = std::move(from)};
}

/// Infinitely often nothing is nothing.
double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

/// Of a pointer and a number, too.
Known sum(const Known& a, const Known& b, double sign) {
  if (a.array.empty() && !b.array.empty() && sign > 0) return sum(b, a, 1);
  auto made = a;
  const auto by = times(sign, a.array.empty() ? 1 : a.scale);
  const auto one = times(b.low, by), other = times(b.high, by);
  made.low += std::min(one, other);
  made.high += std::max(one, other);
  made.from.insert(b.from.begin(), b.from.end());
  made.group = 0;
  return made;
}

bool has(const std::string& name, const char* part) {
  return name.find(part) != std::string::npos;
}

/// Whether a function reaches one element behind a pointer: "__ldcg", "__stcs", "sincosf".
bool is_of_one(const std::string& name) {
  return name.starts_with("__ld") || name.starts_with("__st") || name.starts_with("sincos");
}

}  // namespace

Known KernelRun::quiet(const CExpression& e) {
  ++quiet_;
  auto made = value(e);
  --quiet_;
  return made;
}

Known KernelRun::value(const CExpression& e, Use use) {
  ++work_;
  if (depth_ >= 4 * deepest + 160) return {};
  ++depth_;
  Known made;
  switch (e.kind) {
    case Kind::number: {
      bool is_real = false;
      if (const auto found = literal(e.text, is_real)) made.low = made.high = *found;
      break;
    }
    case Kind::name:
      made = named(e.text, use);
      break;
    case Kind::cast: {
      made = value(e.parts[0], use);
      const auto to = made.array.empty() ? 0 : bytes_of(e.text);
      const auto own = launch_.element_bytes.find(made.array);
      if (to > 0 && own != launch_.element_bytes.end() && own->second > 0)
        made.scale = to / own->second;
      break;
    }
    case Kind::unary:
      if (e.text == "&") {
        made = value(e.parts[0], Use::address);
      } else if (e.text == "*") {
        const auto at = value(e.parts[0]);
        note(at, use, at.scale);
        made = use == Use::address ? at : loaded(at);
      } else if (e.text == "++" || e.text == "--") {
        made = sum(value(e.parts[0], Use::update), {.low = 1, .high = 1}, e.text == "++" ? 1 : -1);
        assign(e.parts[0], made, Use::address);
      } else {
        made = value(e.parts[0]);
        if (e.text == "-") std::swap(made.low = -made.low, made.high = -made.high);
        if (e.text == "~") made = between(-made.high - 1, -made.low - 1, made.from);
        if (e.text == "!") made = between(0, 1, made.from);
      }
      break;
    case Kind::binary:
      made = binary(e);
      break;
    case Kind::choice: {
      value(e.parts[0]);
      const auto before = state_;
      refine(e.parts[0], true);
      made = value(e.parts[1], use);
      state_ = before;
      refine(e.parts[0], false);
      made = hull(made, value(e.parts[2], use));
      state_ = before;
      break;
    }
    case Kind::subscript:
      made = subscript(e, use);
      break;
    case Kind::size: {
      const auto bytes = bytes_of(e.text);
      if (bytes > 0) made.low = made.high = bytes;
      break;
    }
    case Kind::call:
      made = call(e);
      break;
    default:  // what is too long has one part
      for (const auto& part : e.parts) value(part);
      break;
  }
  --depth_;
  return made;
}

Known KernelRun::named(const std::string& name, Use use) {
  if (const auto* known = find(name)) return *known;
  if (name == "true" || name == "false") return between(name == "true", name == "true", {});
  if (const auto side = builtin(name)) return *side;
  if (const auto point = name.rfind('.'); point != std::string::npos) {
    const auto of = named(name.substr(0, point), Use::address);
    if (!of.array.empty()) note(of, use, 1);
    return of.array.empty() ? of : loaded(of);
  }
  const auto* variable = program_.find_variable(name, frame_.function->scope_of_body());
  if (variable == nullptr || variable->value.empty() || !has_room()) return {};
  return value(parsed(variable->value));
}

Known KernelRun::binary(const CExpression& e) {
  const auto& mark = e.text;
  static const std::set<std::string> truths{"<", ">", "==", "<=", ">=", "!="};
  if (mark.back() == '=' && !truths.contains(mark)) return assigned(e);
  if (frame_.has_texts)
    if (const auto* limited = find(text_of(e.tokens))) return *limited;
  auto a = value(e.parts[0]);
  if (mark == "&&" || mark == "||") {
    const auto before = state_;
    refine(e.parts[0], mark == "&&");
    value(e.parts[1]);
    state_ = before;
    return between(0, 1, {});
  }
  const auto b = value(e.parts[1]);
  if (truths.contains(mark)) {
    const bool is_order = mark != "==" && mark != "!=";
    if (is_order) sizes.insert(a.from.begin(), a.from.end());
    if (is_order) sizes.insert(b.from.begin(), b.from.end());
    return between(0, 1, {});
  }
  if (mark == "+" || mark == "-") return sum(a, b, mark == "+" ? 1 : -1);
  a.from.insert(b.from.begin(), b.from.end());
  const auto& from = a.from;
  if (mark == "%") {
    const auto most = std::max(0.0, b.high - 1);
    return between(0, a.low >= 0 ? std::min(a.high, most) : most, from);
  }
  if (mark == "&") {
    // Of two that may be below 0 it may be, too.
    if (a.low < 0 && b.low < 0) return between(a.low + b.low, std::max(a.high, b.high), from);
    return between(0, std::min(a.low < 0 ? b.high : a.high, b.low < 0 ? a.high : b.high), from);
  }
  if (mark == "*") {
    const auto all = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                      times(a.high, b.high)};
    return between(std::min(all), std::max(all), from);
  }
  if (mark == "/" && b.low > 0) {
    return between(std::floor(a.low / (a.low < 0 ? b.low : b.high)),
                   std::floor(a.high / (a.high < 0 ? b.high : b.low)), from);
  }
  if (mark == "<<" && b.high < 62)
    return between(times(a.low, std::exp2(b.low)), times(a.high, std::exp2(b.high)), from);
  if (mark == ">>") {
    return between(std::floor(a.low / std::exp2(std::max(0.0, b.high))),
                   std::floor(a.high / std::exp2(std::max(0.0, b.low))), from);
  }
  if (mark == "|" || mark == "^") {
    const auto most = std::max({a.high, b.high, 0.0});
    const auto bits = std::exp2(std::ceil(std::log2(most + 1))) - 1;
    return between(0, std::min(bits, std::max(0.0, a.high) + std::max(0.0, b.high)), from);
  }
  return between(-Known::infinite, Known::infinite, from);
}

Known KernelRun::assigned(const CExpression& e) {
  auto mark = e.text;
  mark.pop_back();
  auto made = value(e.parts[1]);
  if (!mark.empty()) made = quiet({.kind = Kind::binary, .text = mark, .parts = e.parts});
  assign(e.parts[0], made, mark.empty() ? Use::write : Use::update);
  return made;
}

void KernelRun::assign(const CExpression& to, const Known& known, Use use) {
  if (to.kind != Kind::name) {
    if (use != Use::address) value(to, use);
    return;
  }
  const auto point = to.text.rfind('.');
  const auto* of = point == std::string::npos ? nullptr : find(to.text.substr(0, point));
  if (of != nullptr && !of->array.empty()) return note(*of, use, 1);
  set(to.text, known);
}

Known KernelRun::subscript(const CExpression& e, Use use) {
  const auto& of = e.parts[0];
  const auto index = value(e.parts[1]);
  sizes.insert(index.from.begin(), index.from.end());
  const auto base = value(of, of.kind == Kind::subscript ? use : Use::address);
  if (base.array.empty()) return {};
  auto at = sum(base, index, 1);
  at.from = index.from;
  note_index(base, e.parts[1], at);
  note(at, use, base.scale);
  return use == Use::address ? at : loaded(at);
}

Known KernelRun::loaded(const Known& from) const {
  if (from.array.empty()) return {};
  const auto known = launch_.highest_values.find(from.array);
  const auto most = known == launch_.highest_values.end() ? launch_.default_highest : known->second;
  return between(0, most, {from.array});
}

void KernelRun::note(const Known& at, Use use, double width) {
  if (at.array.empty() || quiet_ > 0 || use == Use::address) return;
  auto& access = accesses[at.array];
  if (std::isfinite(at.high + width)) {
    access.highest = std::max(access.highest, at.high + std::max(1.0, width) - 1);
  } else {
    access.is_known = false;
  }
  access.is_read |= use == Use::read;
  access.is_written |= use == Use::write;
  access.is_updated |= use == Use::update;
  access.is_atomic |= use == Use::atomic;
}

/// Whatever is done anywhere in the array that it points into.
void KernelRun::note_unknown(const Known& pointer) {
  for (const auto use : {Use::read, Use::write}) note({.array = pointer.array}, use, 1);
}

/// Which arrays hold indices of this one, and whether it holds ends of ranges.
void KernelRun::note_index(const Known& base, const CExpression& index, const Known& at) {
  if (quiet_ > 0) return;
  for (const auto& name : at.from) {
    if (name == base.array || !launch_.element_bytes.contains(name)) continue;
    auto& held = accesses[name].indexes;
    if (std::ranges::find(held, base.array) == held.end()) held.push_back(base.array);
  }
  auto& next = next_of_[base.array];
  auto& plain = plain_of_[base.array];
  const bool is_next = index.kind == Kind::binary && index.text == "+" &&
                       index.parts[1].kind == Kind::number && index.parts[1].text == "1";
  const auto text = text_of(is_next ? index.parts[0].tokens : index.tokens);
  (is_next ? next : plain).insert(text);
  auto& access = accesses[base.array];
  access.holds_offsets = access.holds_offsets || (next.contains(text) && plain.contains(text));
}

const ProgramFunction* KernelRun::function_called(const std::string& name, std::size_t given) {
  const auto [known, is_new] = functions_.try_emplace({name, given}, nullptr);
  auto& found = known->second;
  if (!is_new) return found;
  found = program_.find_body(name);
  if (found == nullptr || found->parameters.size() == given) return found;
  for (const auto& one : program_.functions)
    if (one.name == name && one.is_defined && one.parameters.size() == given) found = &one;
  return found;
}

Known KernelRun::call(const CExpression& e) {
  const auto colons = e.text.rfind("::");
  const auto plain = colons == std::string::npos ? e.text : e.text.substr(colons + 2);
  const auto name = last_word(plain);
  const bool is_method = plain.find('.') != std::string::npos;
  std::vector<Known> given;
  for (const auto& part : e.parts) {
    const bool is_first = given.empty() && name.starts_with("atomic");
    given.push_back(value(part));
    if (is_first) note(given[0], Use::atomic, 1);
  }
  if (given.size() == 2 && (name == "min" || name == "max" || name == "fminf" || name == "fmaxf")) {
    const auto &a = given[0], &b = given[1];
    auto from = a.from;
    from.insert(b.from.begin(), b.from.end());
    return has(name, "min") ? between(std::min(a.low, b.low), std::min(a.high, b.high), from)
                            : between(std::max(a.low, b.low), std::max(a.high, b.high), from);
  }
  if (is_of_one(name) && name.starts_with("__ld") && given.size() == 1) {
    note(given[0], Use::read, given[0].scale);
    return loaded(given[0]);
  }
  if (auto of_group = group_call(e, plain); of_group.group > 0 || std::isfinite(of_group.high))
    return of_group;
  const auto* function = is_method ? nullptr : function_called(name, given.size());
  if (function != nullptr && !function->is_kernel && calls_ < most_calls && has_room())
    return called(*function, e, given);
  if (function == nullptr) unknown_call(e, name, given);
  for (const auto& one : given)
    if (function != nullptr) note_unknown(one);
  return {};
}

Known KernelRun::called(const ProgramFunction& function, const CExpression& e,
                        const std::vector<Known>& given) {
  Names names;
  for (const auto& scope : state_) {
    for (const auto& [name, known] : scope) {  // limits of a thread's place, too
      const bool is_template =
          std::ranges::find(function.templates, name, &Declared::name) != function.templates.end();
      if (is_template || builtin(name)) names[name] = known;
    }
  }
  const auto open = std::ranges::find_if(
      e.tokens, [](const Token& word) { return word.is("<") || word.is("("); });
  if (open != e.tokens.end() && open->is("<")) {
    const auto begin = static_cast<std::size_t>(open - e.tokens.begin());
    const auto behind = behind_angle(e.tokens, begin);
    const auto parts = behind > begin + 2
                           ? split_at_commas(e.tokens.subspan(begin + 1, behind - begin - 2))
                           : std::vector<Tokens>{};
    for (std::size_t i = 0; i < std::min(parts.size(), function.templates.size()); ++i)
      names[function.templates[i].name] = value(parsed(parts[i]));
  }
  const auto& parameters = function.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i < given.size()) names[parameters[i].name] = given[i];
    if (i >= given.size() && !parameters[i].value.empty())
      names[parameters[i].name] = value(parsed(parameters[i].value));
  }
  auto outer = std::exchange(state_, State{std::move(names)});
  auto frame = std::exchange(frame_, Frame{.function = &function});
  ++calls_;
  block(function.body);
  --calls_;
  std::swap(state_, outer);
  std::swap(frame_, frame);
  for (std::size_t i = 0; i < std::min(given.size(), parameters.size()); ++i) {
    const auto& to = e.parts[i];
    const bool is_reference =
        has_any(parameters[i].type, {"&"}) && !has_any(parameters[i].type, {"const"});
    const auto left = outer[0].find(parameters[i].name);
    if (is_reference && to.kind == Kind::name && left != outer[0].end()) set(to.text, left->second);
    if (to.kind == Kind::unary && to.text == "&" && to.parts[0].kind == Kind::name)
      set(to.parts[0].text, {});
  }
  return frame.returns.value_or(Known{});
}

/// Of a function that is not here, only the name tells what it does.
void KernelRun::unknown_call(const CExpression& e, const std::string& name,
                             const std::vector<Known>& given) {
  if (name.starts_with("atomic")) return;
  const bool loads = has(name, "ld") || has(name, "oad");
  const bool stores = has(name, "st");
  // "memcpy(to, from, bytes)", which a group may be ahead of
  const std::size_t first = !given.empty() && given[0].group > 0 ? 1 : 0;
  const bool copies =
      (has(name, "memcpy") || name == "memmove" || name == "memset") && given.size() > first + 2;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& part = e.parts[i];
    const bool is_address = part.kind == Kind::unary && part.text == "&";
    sizes.insert(given[i].from.begin(), given[i].from.end());
    if (is_address && part.parts[0].kind == Kind::name && given[i].array.empty())
      set(part.parts[0].text, {});
    if (given[i].array.empty()) continue;
    auto width = Known::infinite;
    if (is_of_one(name)) width = given[i].scale;
    // Tiles of matrices: 16 rows, as far apart as the third argument says.
    if (has(name, "matrix_sync") && given.size() > 2) width = 15 * given[2].high + 16;
    const auto bytes = launch_.element_bytes.find(given[i].array);
    if (copies && bytes != launch_.element_bytes.end() && bytes->second > 0)
      width = std::ceil(given[first + 2].high / bytes->second);
    const bool reads = copies ? i == first + 1 : is_address || loads || !stores;
    const bool writes = copies ? i == first : is_address ? !loads : stores || !loads;
    if (reads) note(given[i], Use::read, width);
    if (writes) note(given[i], Use::write, width);
  }
}

/// The operands of assembly: "=f"(v) is set, "l"(x + i) is given.
void KernelRun::assembly(Tokens words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].is("(") || words[i - 1].kind != Token::Kind::text) continue;
    const auto& operand = parsed(words.subspan(i + 1, behind_bracket(words, i) - i - 2));
    const bool is_set = words[i - 1].text.find_first_of("=+") != std::string::npos;
    is_set ? assign(operand, {}, Use::write) : note_unknown(value(operand));
  }
}

/// Cooperative groups, and what they are asked for.
Known KernelRun::group_call(const CExpression& e, const std::string& name) {
  const double threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
  const double blocks = launch_.grid[0] * launch_.grid[1] * launch_.grid[2];
  if (name == "this_grid") return {.group = threads * blocks};
  if (name == "this_thread_block") return {.group = threads};
  if (name == "tiled_partition") {
    const auto said = text_of(e.tokens);
    const auto size = std::atoi(said.substr(std::min(said.find('<'), said.size() - 1) + 1).c_str());
    return {.group = size < 1 ? 32.0 : size};
  }
  const auto method = last_word(name);
  if (method == "block_rank") return between(0, 15, {});
  if (method == "num_blocks") return between(1, 16, {});
  const auto point = name.rfind('.');
  const auto* of = find(name.substr(0, std::min(point, name.size())));
  const double size = of != nullptr && of->group > 0 ? of->group : threads;
  if (point == std::string::npos) return {};
  if (method == "thread_rank") return between(0, size - 1, {});
  if (method == "meta_group_rank")
    return between(0, std::max(0.0, std::ceil(threads / size) - 1), {});
  if (method == "meta_group_size") return between(1, std::ceil(threads / size), {});
  if (method == "size" || method == "num_threads") return between(size, size, {});
  return {};
}

std::optional<Known> KernelRun::builtin(const std::string& name) const {
  if (name == "warpSize") return between(32, 32, {});
  const auto point = name.find('.');
  if (point == std::string::npos || name.size() != point + 2) return std::nullopt;
  const auto side = std::string("xyz").find(name.back());
  if (side == std::string::npos) return std::nullopt;
  const auto of = name.substr(0, point);
  const auto last = [](double count) { return between(0, std::max(0.0, count - 1), {}); };
  if (of == "threadIdx") return last(launch_.block[side]);
  if (of == "blockIdx") return last(launch_.grid[side]);
  if (of == "blockDim") return between(launch_.block[side], launch_.block[side], {});
  if (of == "gridDim") return between(launch_.grid[side], launch_.grid[side], {});
  return std::nullopt;
}

double KernelRun::bytes_of(const std::string& type) const {
  TracedAxes none;
  auto plain = type;
  while (!plain.empty() && (plain.back() == '*' || plain.back() == ' ')) plain.pop_back();
  return static_cast<double>(HostValues(program_, none).bytes_of(plain));
}

}  // namespace apod::source
