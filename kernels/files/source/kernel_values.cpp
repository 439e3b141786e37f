#include "kernels/files/source/kernel_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ranges>

#include "kernels/files/source/host_values.hpp"

namespace apod::source {

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Maybe sum(const Maybe& a, const Maybe& b) {
  if (!a || !b) return std::nullopt;
  return Interval{a->low + b->low, a->high + b->high};
}

Maybe product(const Maybe& a, const Maybe& b) {
  if (!a || !b) return std::nullopt;
  const auto all = {a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high};
  return Interval{std::min(all), std::max(all)};
}

KernelValues::KernelValues(const Program& program, const ProgramFunction& function,
                           const KernelLaunch& launch, KernelValues* caller)
    : program_(program),
      function_(function),
      body_(function.body),
      launch_(launch),
      calls_(caller == nullptr ? 0 : caller->calls_ + 1),
      work_(caller == nullptr ? own_work_ : caller->work_) {
  pay(body_.size());
  find_loops();
  find_definitions();
  find_branches();
  find_limits();
}

std::optional<double> KernelValues::trips(std::size_t at) {
  double count = 1;
  for (const auto& loop : loops_) {
    if (at < loop.begin || at >= loop.end) continue;
    const auto range = loop_range(loop);
    const auto step = loop_step(loop);
    const auto& until = loop.condition;
    const bool ends =
        until.kind == Kind::binary && until.parts.size() == 2 && value(until.parts[1]);
    if (!range || !ends) return std::nullopt;
    count *= std::max(1.0, std::floor((range->high - range->low) / step) + 1);
  }
  return count;
}

double KernelValues::loop_step(const Loop& loop) {
  if (loop.step.kind == Kind::binary && (loop.step.text == "+=" || loop.step.text == "-=")) {
    const auto by = value(loop.step.parts[1]);
    if (by && by->low >= 1) return by->low;
  }
  return 1;
}

Maybe KernelValues::loop_limits(const Loop& loop) {
  auto limits = value(loop.first);
  // Of one that goes down, the begin is enough.
  static const std::set<std::string> down{"--", "-=", "/=", ">>="};
  bool is_known = down.contains(loop.step.text);
  const auto look = [&](const auto& self, const CExpression& condition) -> void {
    if (condition.kind != Kind::binary || condition.parts.size() != 2) return;
    if (condition.text == "&&") {
      self(self, condition.parts[0]);
      self(self, condition.parts[1]);
      return;
    }
    if (condition.parts[0].kind != Kind::name || condition.parts[0].text != loop.variable) return;
    const auto of = value(condition.parts[1]);
    if (!of) return;
    is_known = true;
    if (condition.text == "<" || condition.text == "!=") limits->high = of->high - 1;
    if (condition.text == "<=") limits->high = of->high;
    if (condition.text == ">") limits->low = of->low + 1;
    if (condition.text == ">=") limits->low = of->low;
  };
  if (limits) look(look, loop.condition);
  return is_known ? limits : std::nullopt;
}

Maybe KernelValues::loop_range(const Loop& loop) {
  const auto limits = loop_limits(loop);
  if (!limits) return limits;
  return Interval{std::min(limits->low, limits->high), std::max(limits->low, limits->high)};
}

std::set<std::string> KernelValues::idle_loops(std::set<std::string>& run) {
  std::set<std::string> all;
  for (const auto& loop : loops_) {
    const auto limits = loop_limits(loop);
    const bool is_idle = limits && limits->low > limits->high;
    (is_idle ? all : run).insert(text_of(loop.condition.tokens));
  }
  for (std::size_t i = 0; i < body_.size(); ++i) {
    const auto call = body_[i].is_name() ? call_at(i) : std::nullopt;
    if (!call || !call->function || !has_any(call->function->body, {"for", "while"})) continue;
    KernelValues inner(program_, *call->function, launch_, this);
    bind(inner, *call);
    all.merge(inner.idle_loops(run));
  }
  return all;
}

Maybe KernelValues::range(const std::string& name, std::size_t at) {
  // "x = x % n" is not above x.
  static const std::set<std::string> shrinking{"%", "/", ">>", "&", "-"};
  const auto given = scalars.find(name);
  const bool is_changed = definitions_.contains(name);
  if (given != scalars.end() && !is_changed) return given->second;
  if (busy_.contains(name) || depth_ >= deepest_value) return std::nullopt;
  busy_.insert(name);
  ++depth_;
  Maybe all;
  bool is_unknown = false;
  const auto add = [&](const Maybe& one) {
    if (!one) {
      is_unknown = true;
    } else {
      all = all ? hull(*all, *one) : *one;
    }
  };
  if (given != scalars.end()) add(given->second);
  if (const auto found = definitions_.find(name); found != definitions_.end()) {
    for (const auto& one : found->second) {
      if (one.mark != "=") continue;
      if (one.loop) {
        add(loop_range(loops_[*one.loop]));
      } else if (!mentions(one.value, name)) {
        add(value(one.value));
      } else if (one.value.kind != Kind::binary || !shrinking.contains(one.value.text)) {
        is_unknown = true;  // "x = next(x)"
      }
    }
    // Of branches that exclude each other, the one that adds most.
    std::map<std::string, std::map<std::string, double>> more;
    for (const auto& one : found->second) {
      const bool grows = one.mark == "+=" && all && !limits_.contains(name);
      const bool is_of_loop =
          std::ranges::any_of(loops_, [&](const auto& l) { return l.variable == name; });
      if (!grows || is_of_loop) continue;
      const auto by = value(one.value);
      const auto [decides, is] = branch(one.at);
      const auto times = trips(one.at);
      is_unknown = is_unknown || !times;
      if (by && times) more[decides][is] += std::max(0.0, by->high) * *times;
    }
    for (const auto& [decides, ways] : more)
      all->high += std::ranges::max(ways | std::views::values);
  } else if (const auto constant = constant_value(name)) {
    all = constant;
  } else {
    is_unknown = true;
  }
  if (const auto found = limits_.find(name); found != limits_.end()) {
    for (const auto& [limit, includes, begin, end] : found->second) {
      if (at < begin || at >= end || mentions(limit, name)) continue;
      const auto of = value(limit);
      if (!of) continue;
      const double most = of->high - (includes ? 0 : 1);
      if (is_unknown || !all) {
        all = Interval{0, most};
        is_unknown = false;
      } else if (most >= all->low) {
        all->high = std::min(all->high, most);
      }
    }
  }
  --depth_;
  busy_.erase(name);
  if (is_unknown) all.reset();
  return all;
}

Maybe KernelValues::range_at(const CExpression& name) {
  const auto found = definitions_.find(name.text);
  const auto* word = name.tokens.data();
  const bool is_here = word >= body_.data() && word < body_.data() + body_.size();
  // Words of a macro have no place; no limit holds for them.
  const auto at = is_here ? static_cast<std::size_t>(word - body_.data()) : body_.size();
  if (found == definitions_.end() || found->second.size() < 2 || !is_here)
    return range(name.text, at);
  const auto& all = found->second;
  // Of the loop that is around it, if it changes there alone.
  const Loop* around = nullptr;
  for (const auto& loop : loops_)
    if (loop.variable == name.text && loop.begin <= at && at < loop.end) around = &loop;
  const bool is_loops = around != nullptr && (around->declares || !limits_.contains(name.text)) &&
                        std::ranges::none_of(all, [&](const auto& one) {
                          return around->begin <= one.at && one.at < around->end;
                        });
  if (is_loops && busy_.insert(name.text).second) {
    const auto of_loop = loop_range(*around);
    busy_.erase(name.text);
    if (of_loop) return of_loop;
  }
  auto last = all.size();
  for (std::size_t i = 0; i < all.size() && all[i].at < at; ++i)
    if (all[i].mark == "=" && !all[i].loop && is_surely_passed(all[i].at, at)) last = i;
  if (last == all.size()) return range(name.text, at);
  Maybe made;
  for (auto i = last; i < all.size(); ++i) {
    // One behind it counts in the next round of a loop.
    const bool comes_back = all[i].at > at && std::ranges::any_of(loops_, [&](const auto& loop) {
                              return loop.begin <= at && at < loop.end && loop.begin <= all[i].at &&
                                     all[i].at < loop.end && all[last].at < loop.begin;
                            });
    // Behind a loop, its own variable is another.
    const auto* of_loop = all[i].loop ? &loops_[*all[i].loop] : nullptr;
    const bool is_hidden = of_loop != nullptr && of_loop->declares && at >= of_loop->end;
    if (is_hidden || (all[i].at > at && !comes_back)) continue;
    const auto key = name.text + "@" + std::to_string(all[i].at);
    const bool is_plain = all[i].mark == "=" && !all[i].loop && !comes_back;
    if (!is_plain || !busy_.insert(key).second) return range(name.text, at);
    const auto one = value(all[i].value);
    busy_.erase(key);
    if (!one) return range(name.text, at);
    made = made ? hull(*made, *one) : *one;
  }
  // What limits it, limits it here.
  const auto whole = limits_.contains(name.text) ? range(name.text, at) : std::nullopt;
  if (made && whole && whole->high >= made->low) made->high = std::min(made->high, whole->high);
  return made;
}

Maybe KernelValues::constant_value(const std::string& name) {
  const auto* variable = program_.find_variable(name, function_.scope_of_body());
  if (variable == nullptr || variable->value.empty()) return std::nullopt;
  return value(c_expression(variable->value, program_.macros));
}

Maybe KernelValues::builtin(const std::string& name) const {
  if (name == "warpSize") return Interval{32, 32};
  const auto point = name.find('.');
  if (point == std::string::npos || name.size() != point + 2) return std::nullopt;
  const auto side = std::string("xyz").find(name.back());
  if (side == std::string::npos) return std::nullopt;
  const auto of = name.substr(0, point);
  if (of == "threadIdx") return Interval{0, launch_.block[side] - 1};
  if (of == "blockIdx") return Interval{0, launch_.grid[side] - 1};
  if (of == "blockDim") return Interval{launch_.block[side], launch_.block[side]};
  if (of == "gridDim") return Interval{launch_.grid[side], launch_.grid[side]};
  return std::nullopt;
}

Maybe KernelValues::value(const CExpression& e) {
  if (depth_ >= deepest_value || !pay(10)) return std::nullopt;
  ++depth_;
  auto made = value_of(e);
  --depth_;
  return made;
}

Maybe KernelValues::value_of(const CExpression& e) {
  switch (e.kind) {
    case Kind::number: {
      bool is_real = false;
      const auto found = literal(e.text, is_real);
      if (!found) return std::nullopt;
      return Interval{*found, *found};
    }
    case Kind::name:
      if (auto found = builtin(e.text)) return found;
      return range_at(e);
    case Kind::cast:
      return value(e.parts.front());
    case Kind::unary: {
      if (e.text == "*") {
        if (const auto at = pointer(e.parts.front())) return loaded(*at);
        return std::nullopt;
      }
      auto inner = value(e.parts.front());
      if (e.text == "-" && inner) return Interval{-inner->high, -inner->low};
      if (e.text == "!") return Interval{0, 1};
      return inner;
    }
    case Kind::binary:
      return binary(e);
    case Kind::choice: {
      const auto yes = value(e.parts[1]);
      const auto no = value(e.parts[2]);
      if (!yes || !no) return std::nullopt;
      return hull(*yes, *no);
    }
    case Kind::subscript:
      if (const auto at = pointer(e.parts[0])) return loaded(*at);
      return std::nullopt;
    case Kind::size: {
      TracedAxes none;
      const auto bytes = static_cast<double>(HostValues(program_, none).bytes_of(e.text));
      return bytes == 0 ? Maybe() : Interval{bytes, bytes};
    }
    case Kind::call:
      return call_value(e);
    default:
      return std::nullopt;
  }
}

Maybe KernelValues::loaded(const Pointer& from) {
  const auto known = launch_.highest_values.find(from.array);
  return Interval{0,
                  known == launch_.highest_values.end() ? launch_.default_highest : known->second};
}

Maybe KernelValues::binary(const CExpression& e) {
  const auto& mark = e.text;
  if (mark == "=" || mark == "+=") return value(e.parts[1]);
  const auto a = value(e.parts[0]);
  const auto b = value(e.parts[1]);
  if (mark == "%" && b) {
    const double most = b->high - 1;
    return Interval{0, a && a->high < most && a->low >= 0 ? a->high : std::max(0.0, most)};
  }
  if (mark == "&" && (a || b))
    return Interval{0, a && b ? std::min(a->high, b->high) : a ? a->high : b->high};
  static const std::set<std::string> truths{"<", ">", "==", "&&", "||", "<=", ">=", "!="};
  if (truths.contains(mark)) return Interval{0, 1};
  if (!a || !b) return std::nullopt;
  if (mark == "+") return sum(a, b);
  if (mark == "-") return Interval{a->low - b->high, a->high - b->low};
  if (mark == "*") return product(a, b);
  if (mark == "/") {
    if (b->low <= 0) return std::nullopt;
    return Interval{std::floor(a->low / (a->low < 0 ? b->low : b->high)),
                    std::floor(a->high / (a->high < 0 ? b->high : b->low))};
  }
  if (mark == "<<" && b->high < 62)
    return Interval{a->low * std::exp2(b->low), a->high * std::exp2(b->high)};
  if (mark == ">>") {
    return Interval{std::floor(a->low / std::exp2(b->high)),
                    std::floor(a->high / std::exp2(b->low))};
  }
  if (mark == "|" || mark == "^") {
    const double most = std::max({a->high, b->high, 0.0});
    const double bits = std::exp2(std::ceil(std::log2(most + 1))) - 1;
    return Interval{0, std::min(bits, std::max(0.0, a->high) + std::max(0.0, b->high))};
  }
  return std::nullopt;
}

Maybe KernelValues::call_value(const CExpression& e) {
  const auto colons = e.text.rfind("::");
  const auto name = colons == std::string::npos ? e.text : e.text.substr(colons + 2);
  const auto point = name.rfind('.');
  const auto method = last_word(name);
  if ((name == "min" || name == "max" || name == "fminf" || name == "fmaxf") &&
      e.parts.size() == 2) {
    const auto a = value(e.parts[0]);
    const auto b = value(e.parts[1]);
    const bool is_min = name.find("min") != std::string::npos;
    if (is_min && (a || b)) {
      if (!a || !b) return a ? a : b;
      return Interval{std::min(a->low, b->low), std::min(a->high, b->high)};
    }
    if (!a || !b) return std::nullopt;
    return Interval{std::max(a->low, b->low), std::max(a->high, b->high)};
  }
  if (name == "__ldg" && e.parts.size() == 1) {
    if (const auto at = pointer(e.parts[0])) return loaded(*at);
  }
  auto of_group = group_value(point == std::string::npos ? "" : name.substr(0, point), method);
  if (of_group) return of_group;
  // A function that returns one expression.
  const auto* function = program_.find_function(name);
  if (function != nullptr && function->body.size() > 2 && function->body.front().is("return") &&
      calls_ < most_calls && pay(0)) {
    KernelValues inner(program_, *function, launch_, this);
    bind(inner, {function, {}, e.parts});
    return inner.value(c_expression(function->body.subspan(1), program_.macros));
  }
  return std::nullopt;
}

Maybe KernelValues::group_value(const std::string& group, const std::string& method) {
  const double threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
  const double blocks = launch_.grid[0] * launch_.grid[1] * launch_.grid[2];
  std::string made;
  for (std::size_t i = 0; !group.empty() && i + 2 < body_.size(); ++i) {
    if (!body_[i].is(group)) continue;
    const auto end = behind_statement(body_, i);
    made = text_of(body_.subspan(i, end - i));
    break;
  }
  double size = threads;
  if (made.find("this_grid") != std::string::npos || group.empty()) size = threads * blocks;
  if (const auto at = made.find("tiled_partition"); at != std::string::npos) {
    size = std::atoi(made.substr(std::min(made.find('<', at), made.size() - 1) + 1).c_str());
    if (size < 1) size = 32;
  }
  if (method == "thread_rank") return Interval{0, size - 1};
  if (method == "meta_group_rank") return Interval{0, std::max(0.0, std::ceil(threads / size) - 1)};
  if (method == "meta_group_size") return Interval{1, std::ceil(threads / size)};
  if (method == "block_rank") return Interval{0, 15};
  if (method == "num_blocks") return Interval{1, 16};
  if (method == "size" || method == "num_threads") return Interval{size, size};
  return std::nullopt;
}

double KernelValues::bytes_of(const std::string& type) const {
  TracedAxes none;
  auto plain = type;
  while (!plain.empty() && (plain.back() == '*' || plain.back() == ' ')) plain.pop_back();
  return static_cast<double>(HostValues(program_, none).bytes_of(plain));
}

}  // namespace apod::source
