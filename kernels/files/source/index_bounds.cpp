#include "kernels/files/source/index_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "kernels/files/source/host_values.hpp"
#include "kernels/files/source/kernel_values.hpp"

namespace apod::source {
namespace {

/// What a function does with the arrays that its pointers lead to.
class Accesses : public KernelValues {
 public:
  Accesses(const Program& program, const ProgramFunction& function, const KernelLaunch& launch,
           std::map<std::string, Access>& results, KernelValues* caller)
      : KernelValues(program, function, launch, caller), results_(results) {}

  void run() {
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (!body_[i].is_name()) continue;
      const bool is_member = i > 0 && is_any(body_, i - 1, {".", "->"});
      if (is_member) continue;
      if (is_any(body_, i + 1, {"(", "<"})) call(i);
      std::size_t end = i + 1;
      const auto name = chain(i, end);
      const auto pointer = pointer_named(name);
      if (!pointer || is_declared(i, end) || is_moved(i, name)) continue;
      if (end < body_.size() && body_[end].is("[")) {
        subscripted(i, end, *pointer);
      } else if (end + 1 < body_.size() && body_[end].is(")") && body_[end + 1].is("[")) {
        const auto begin = cast_around(end);
        if (const auto whole = begin < i ? pointer_at(begin, end + 1) : std::nullopt)
          subscripted(begin, end + 1, *whole);
      } else if (i > 0 && body_[i - 1].is("*") && (i < 2 || !ends_operand(body_[i - 2]))) {
        note(*pointer, Interval{}, end, i - 1, 1);
      } else if (i > 1 && body_[i - 1].is("(") && body_[i - 2].is("*") &&
                 (i < 3 || !ends_operand(body_[i - 3]))) {
        const auto behind = behind_bracket(body_, i - 1);
        if (const auto whole = pointer_at(i, behind - 1))
          note(*whole, Interval{}, behind, i - 2, 1);
      }
    }
  }

 private:
  /// "float x[16];"
  bool is_declared(std::size_t at, std::size_t end) const {
    return at > 0 && body_[at - 1].is_name() && end < body_.size() && body_[end].is("[") &&
           !body_[at - 1].is("return") && !body_[at - 1].is("else") && !body_[at - 1].is("do");
  }
  /// The address in "x = &x[i]", which is where x is from there on.
  bool is_moved(std::size_t at, const std::string& name) const {
    return at > 2 && body_[at - 1].is("&") && body_[at - 2].is("=") && body_[at - 3].is(name);
  }
  /// Where "reinterpret_cast<float4*>(x)" and "((float4*)x)" begin; `close` itself if it is a call.
  std::size_t cast_around(std::size_t close) const {
    const auto open = opening(body_, close);
    if (open == 0 || !is_any(body_, open - 1, {">"}))
      return open > 0 && ends_operand(body_[open - 1]) ? close : open;
    const auto begin = opening(body_, open - 1);
    return begin > 0 ? begin - 1 : close;
  }
  /// Whether a function that isn't here gets the address at `at`, and may write there.
  bool is_given_away(std::size_t at) const {
    auto open = around(body_, at);
    while (is_any(body_, open, {"["})) open = around(body_, open);
    if (open == 0 || open == body_.size()) return false;
    const auto& name = body_[open - 1];
    return name.is_name() && program_.find_body(name.text) == nullptr && !is_keyword(name.text) &&
           name.text.find("ld") == std::string::npos && name.text.find("oad") == std::string::npos;
  }

  void subscripted(std::size_t at, std::size_t open, const Pointer& base) {
    const auto behind = behind_bracket(body_, open);
    const auto index = c_expression(body_.subspan(open + 1, behind - open - 2), program_.macros);
    const auto of = product(value(index), Interval{base.scale, base.scale});
    // A cast of the address to a wider type reaches further.
    double width = base.scale;
    const auto own = launch_.element_bytes.find(base.array);
    const auto widen = [&](const Token& type) {
      const bool is_known = own != launch_.element_bytes.end() && own->second > 0;
      if (is_known && type.is_name()) width = std::max(width, bytes_of(type.text) / own->second);
    };
    for (std::size_t i = at; i-- > 0 && at - i < 14;) {
      if (is_any(body_, i, {";", "=", "{", ","})) break;
      if (i + 1 < body_.size() && body_[i + 1].is("*")) widen(body_[i]);
    }
    note(base, of, behind, at, std::max(1.0, width));
    auto& access = results_[base.array];
    note_loads(index, base.array, 0);
    if (index.kind == Kind::binary && index.text == "+" && index.parts[1].kind == Kind::number &&
        index.parts[1].text == "1") {
      next_of_[base.array].insert(text_of(index.parts[0].tokens));
    } else {
      plain_of_[base.array].insert(text_of(index.tokens));
    }
    for (const auto& one : next_of_[base.array])
      access.holds_offsets = access.holds_offsets || plain_of_[base.array].contains(one);
  }

  void note(const Pointer& base, const Maybe& index, std::size_t behind, std::size_t before,
            double width) {
    auto& access = results_[base.array];
    const auto at = sum(base.offset, index);
    if (at) {
      access.highest = std::max(access.highest, at->high + width - 1);
    } else {
      access.is_known = false;
    }
    std::size_t next = behind;
    while (next < body_.size() &&
           (is_any(body_, next, {")", "["}) ||
            ((is_any(body_, next, {".", "->"})) && next + 1 < body_.size()))) {
      next =
          body_[next].is("[") ? behind_bracket(body_, next) : next + (body_[next].is(")") ? 1 : 2);
    }
    const auto mark = next < body_.size() ? body_[next].text : "";
    bool is_atomic = false;
    for (std::size_t i = before; i-- > 0 && before - i < 5;)
      is_atomic = is_atomic || body_[i].text.starts_with("atomic");
    auto first = before;  // "&(x[i])"
    while (first > 1 && body_[first - 1].is("(") && body_[first - 2].is("&")) --first;
    const bool is_address =
        first > 0 && body_[first - 1].is("&") && (first < 2 || !ends_operand(body_[first - 2]));
    if (is_atomic) {
      access.is_atomic = true;
    } else if (mark == "++" || mark == "--" || mark == "-=" || mark == "*=" || mark == "/=" ||
               mark == "+=" || mark == "|=" || mark == "&=" || mark == "^=") {
      access.is_updated = true;
    } else if (mark == "=") {
      access.is_written = true;
    } else {
      // An address that is passed on may be for either.
      access.is_read = true;
      access.is_written = access.is_written || (is_address && is_given_away(first - 1));
    }
  }

  /// Which arrays hold indices of this one: those that its index is made of.
  void note_loads(const CExpression& index, const std::string& array, int deep) {
    if (deep > 4) return;
    const auto add = [&](const CExpression& of) {
      const auto from = pointer(of);
      if (!from || from->array == array) return;
      auto& held = results_[from->array].indexes;
      if (std::find(held.begin(), held.end(), array) == held.end()) held.push_back(array);
    };
    if (index.kind == Kind::subscript) add(index.parts[0]);
    if (index.kind == Kind::call && index.text == "__ldg" && !index.parts.empty())
      add(index.parts[0]);
    if (index.kind == Kind::name) {
      const auto found = definitions_.find(index.text);
      if (found != definitions_.end()) {
        for (const auto& one : found->second) note_loads(one.value, array, deep + 1);
      }
      for (const auto& loop : loops_) {
        if (loop.variable != index.text || loop.condition.parts.size() != 2) continue;
        note_loads(loop.condition.parts[1], array, deep + 1);
      }
      return;
    }
    for (const auto& part : index.parts) note_loads(part, array, deep + 1);
  }

  /// What a function of the file does with the kernel's pointers; of others it is not known.
  void call(std::size_t at) {
    const auto found = call_at(at);
    if (!found) return;
    const auto& name = body_[at].text;
    const auto& given = found->given;
    if (found->function != nullptr) {
      Accesses inner(program_, *found->function, launch_, results_, this);
      bind(inner, *found);
      if (!inner.pointers.empty()) inner.run();
      return;
    }
    if (is_keyword(name)) return;
    for (const auto& one : given) {
      if (one.kind == Kind::unary && one.text == "&") continue;  // it is seen as a subscript
      if (one.kind != Kind::binary && one.kind != Kind::name && one.kind != Kind::cast) continue;
      const auto from = pointer(one);
      if (!from) continue;
      auto& access = results_[from->array];
      if (from->offset) {
        access.highest = std::max(access.highest, from->offset->high);
      } else {
        access.is_known = false;
      }
      const bool is_atomic = name.starts_with("atomic");
      access.is_atomic = access.is_atomic || is_atomic;
      // Of a function that is not here, only the name tells what it does.
      const bool loads =
          name.find("ld") != std::string::npos || name.find("load") != std::string::npos;
      const bool stores = name.find("st") != std::string::npos;
      access.is_read = access.is_read || (!is_atomic && (loads || !stores));
      access.is_written = access.is_written || (!is_atomic && (stores || !loads));
      // Tiles of matrices: 16 rows, as far apart as the last argument says.
      if (name.find("matrix_sync") != std::string::npos && given.size() > 2 && from->offset) {
        const auto apart = value(given[2]);
        if (apart)
          access.highest = std::max(access.highest, from->offset->high + 15 * apart->high + 15);
      }
    }
  }

  std::map<std::string, Access>& results_;
  std::map<std::string, std::set<std::string>> next_of_, plain_of_;
};

}  // namespace

std::vector<Declared> shared_arrays(const ProgramFunction& kernel) {
  std::vector<Declared> all;
  const auto& body = kernel.body;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (!body[i].is("__shared__")) continue;
    auto made = declared(to_semicolon(body, i + 1));
    if (!made.name.empty() && !made.lengths.empty()) all.push_back(std::move(made));
  }
  return all;
}

bool is_of_index(const Program& program, const ProgramFunction& function,
                 const std::string& variable, int deep) {
  constexpr int deepest = 4;
  const auto& body = function.body;
  const auto word = variable.substr(0, variable.find('.'));
  std::set<std::string, std::less<>> wanted{word};
  // What is made of it, and of that.
  for (bool grows = true; grows;) {
    const auto before = wanted.size();
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
      if (!body[i].is_name() || !(is_any(body, i + 1, {"=", "+="}))) continue;
      for (const auto& by : to_semicolon(body, i + 2))
        if (by.is_name() && wanted.contains(by.text)) wanted.insert(body[i].text);
    }
    grows = wanted.size() > before;
  }
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (is_any(body, i, {"(", "["})) open.push_back(i);
    if ((is_any(body, i, {")", "]"})) && !open.empty()) open.pop_back();
    if (!body[i].is_name() || !wanted.contains(body[i].text)) continue;
    const auto is_limit = [&](std::size_t at) { return is_any(body, at, {"<", ">", "<=", ">="}); };
    const auto is_within = [&](std::size_t at) {
      if (body[at].is("[")) return true;
      const bool is_call = at > 0 && body[at].is("(") && body[at - 1].is_name() &&
                           !body[at - 1].is("if") && !body[at - 1].is("return");
      const auto* called = is_call ? program.find_body(body[at - 1].text) : nullptr;
      if (called == nullptr || deep == deepest) return is_call;
      // What the program's own function makes of it.
      const auto before = split_at_commas(body.subspan(at + 1, i - at)).size();
      return before > 0 && before <= called->parameters.size() &&
             is_of_index(program, *called, called->parameters[before - 1].name, deep + 1);
    };
    // "x < n", "x < 4 * n": up to where the comparison ends.
    bool compares = is_limit(i + 1);
    int depth = 0;
    for (auto k = i; k-- > 0 && !compares;) {
      depth += body[k].is(")") ? 1 : body[k].is("(") ? -1 : 0;
      if (depth > 0) continue;  // in brackets of its own
      if (is_any(body, k, {"if", "while", "=", ";", "{", "&&", "||"})) break;
      compares = is_limit(k);
    }
    if (compares || std::any_of(open.begin(), open.end(), is_within)) return true;
  }
  return false;
}

std::set<std::string> idle_loops(const Program& program, const ProgramFunction& kernel,
                                 const KernelLaunch& launch) {
  KernelValues values(program, kernel, launch, nullptr);
  for (const auto& [name, value] : launch.scalars) values.scalars[name] = {value, value};
  // One that several calls have is idle if it runs in none of them.
  const auto idle_now = [&] {
    std::set<std::string> run;
    auto idle = values.idle_loops(run);
    std::erase_if(idle, [&](const auto& loop) { return run.contains(loop); });
    return idle;
  };
  const auto idle = idle_now();
  std::set<std::string> all;
  for (const auto& [name, value] : launch.scalars) {
    if (all.size() == idle.size()) break;
    const auto larger = 4096 * (std::abs(value) + 1);
    values.scalars[name] = {larger, larger};
    std::ranges::set_difference(idle, idle_now(), std::inserter(all, all.end()));
    values.scalars[name] = {value, value};
  }
  return all;
}

std::map<std::string, Access> accesses_of(const Program& program, const ProgramFunction& kernel,
                                          const KernelLaunch& launch) {
  std::map<std::string, Access> results;
  auto whole = launch;
  TracedAxes none;
  const HostValues host(program, none);
  for (const auto& one : shared_arrays(kernel)) {
    if (!one.lengths.front().empty()) continue;
    whole.element_bytes[one.name] = static_cast<double>(host.bytes_of(text_of(one.type)));
  }
  Accesses analysis(program, kernel, whole, results, nullptr);
  for (const auto& [name, bytes] : whole.element_bytes) {
    analysis.pointers[name] = {.array = name};
    results[name];
  }
  for (const auto& [name, value] : launch.scalars) analysis.scalars[name] = {value, value};
  analysis.run();
  return results;
}

}  // namespace apod::source
