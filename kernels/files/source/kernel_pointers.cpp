/// \file
/// Where the pointers of a kernel's code lead.

#include <algorithm>

#include "kernels/files/source/kernel_values.hpp"

namespace apod::source {

std::optional<Pointer> KernelValues::pointer_named(const std::string& name) {
  if (const auto found = pointers.find(name); found != pointers.end())
    return moved(name, found->second);
  if (busy_.contains("*" + name) || depth_ >= deepest_value) return std::nullopt;
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) return std::nullopt;
  busy_.insert("*" + name);
  ++depth_;
  std::optional<Pointer> made;
  for (const auto& one : found->second) {
    // "v = x[i]" is a number.
    if (one.mark != "=" || one.loop || one.value.kind == Kind::subscript) continue;
    const auto other = pointer(one.value);
    if (!other) continue;
    if (!made) {
      made = other;
    } else if (made->array == other->array && made->offset && other->offset) {
      made->offset = hull(*made->offset, *other->offset);
    }
  }
  if (made) made = moved(name, *made);
  --depth_;
  busy_.erase("*" + name);
  return made;
}

Pointer KernelValues::moved(const std::string& name, Pointer made) {
  const auto found = definitions_.find(name);
  if (found == definitions_.end() || busy_.contains("+" + name)) return made;
  busy_.insert("+" + name);
  const auto own = made;
  for (const auto& one : found->second) {
    // "A = &A[row * n]"
    if (one.mark == "=" && !one.loop && mentions(one.value, name) && made.offset) {
      const auto to = pointer(one.value);
      if (!to || to->array != made.array) continue;
      if (to->offset) {
        made.offset->high +=
            std::max(0.0, to->offset->high - own.offset->high) * trips(one.at).value_or(1);
      } else {
        made.offset.reset();
      }
    }
    if (one.mark != "+=" || !made.offset) continue;
    const auto by = value(one.value);
    if (!by) {
      made.offset.reset();
    } else {
      // The last move is behind the last access.
      const double times = trips(one.at).value_or(1);
      const double moves = times > 1 ? times - 1 : 1;
      made.offset->high += std::max(0.0, by->high) * moves * made.scale;
    }
  }
  busy_.erase("+" + name);
  return made;
}

std::optional<Pointer> KernelValues::pointer(const CExpression& e) {
  if (depth_ >= deepest_value) return std::nullopt;
  switch (e.kind) {
    case Kind::name:
      return pointer_named(e.text);
    case Kind::cast: {
      auto made = pointer(e.parts.front());
      if (!made) return made;
      const auto to = bytes_of(e.text);
      const auto own = launch_.element_bytes.find(made->array);
      if (to > 0 && own != launch_.element_bytes.end() && own->second > 0)
        made->scale = to / own->second;
      return made;
    }
    case Kind::unary:
      return e.text == "&" ? pointer(e.parts.front()) : std::nullopt;
    case Kind::subscript: {
      // A macro such as FETCH_FLOAT4(x[i]) takes the address.
      auto made = pointer(e.parts[0]);
      if (made)
        made->offset =
            sum(made->offset, product(value(e.parts[1]), Interval{made->scale, made->scale}));
      return made;
    }
    case Kind::binary: {
      const bool is_of_element =
          std::ranges::any_of(e.parts, [](const auto& one) { return one.kind == Kind::subscript; });
      if ((e.text != "+" && e.text != "-") || is_of_element) return std::nullopt;
      auto made = pointer(e.parts[0]);
      const auto& other = e.parts[made ? 1 : 0];
      if (!made && e.text == "+") made = pointer(e.parts[1]);
      if (!made) return made;
      auto by = value(other);
      if (by && e.text == "-") by = Interval{-by->high, -by->low};
      made->offset = sum(made->offset, product(by, Interval{made->scale, made->scale}));
      return made;
    }
    case Kind::choice:
      if (auto made = pointer(e.parts[1])) return made;
      return pointer(e.parts[2]);
    default:
      return std::nullopt;
  }
}

std::optional<Pointer> KernelValues::pointer_at(std::size_t begin, std::size_t end) {
  return pointer(c_expression(body_.subspan(begin, end - begin), program_.macros));
}

std::optional<KernelValues::Call> KernelValues::call_at(std::size_t at) {
  const auto open =
      at + 1 < body_.size() && body_[at + 1].is("<") ? behind_angle(body_, at + 1) : at + 1;
  if (open >= body_.size() || !body_[open].is("(") || calls_ >= most_calls) return std::nullopt;
  Call call;
  call.function = program_.find_body(body_[at].text);
  if (call.function == &function_ || !pay(0)) call.function = nullptr;
  if (open > at + 1) {
    for (const auto part : split_at_commas(body_.subspan(at + 2, open - at - 3)))
      call.templates.push_back(c_expression(part, program_.macros));
  }
  for (const auto part : in_bracket(body_, open))
    call.given.push_back(c_expression(part, program_.macros));
  return call;
}

void KernelValues::bind(KernelValues& inner, const Call& call) {
  const auto& function = *call.function;
  for (std::size_t i = 0; i < call.given.size() && i < function.parameters.size(); ++i) {
    const auto& name = function.parameters[i].name;
    if (const auto at = pointer(call.given[i])) {
      inner.pointers[name] = *at;
    } else if (const auto of = value(call.given[i])) {
      inner.scalars[name] = *of;
    }
  }
  for (const auto& one : function.templates) {
    if (const auto known = scalars.find(one.name); known != scalars.end())
      inner.scalars[one.name] = known->second;
  }
  for (std::size_t i = 0; i < call.templates.size() && i < function.templates.size(); ++i)
    if (const auto of = value(call.templates[i])) inner.scalars[function.templates[i].name] = *of;
}

}  // namespace apod::source
