#include "kernels/backends/cuda/files/signature.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kernels/api/demangle.hpp"

namespace apod::cuda {
namespace {

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

/// Takes the word off the end, with the blank before it.
bool take_last(std::string& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  text.resize(text.size() - word.size());
  text = trimmed(text);
  return true;
}

std::optional<ElementType> element_type(const std::string& name) {
  using T = ElementType;
  static constexpr std::array<std::pair<std::string_view, T>, 24> names{
      {{"float", T::f32},
       {"double", T::f64},
       {"__half", T::f16},
       {"__nv_bfloat16", T::bf16},
       {"char", T::i8},
       {"signed char", T::i8},
       {"unsigned char", T::u8},
       {"short", T::i16},
       {"unsigned short", T::u16},
       {"int", T::i32},
       {"unsigned int", T::u32},
       {"unsigned", T::u32},
       {"long", T::i64},
       {"unsigned long", T::u64},
       {"long long", T::i64},
       {"unsigned long long", T::u64},
       {"bool", T::boolean},
       {"float2", T::c64},
       {"double2", T::c128},
       {"cuda::std::complex<float>", T::c64},
       {"cuda::std::complex<double>", T::c128},
       {"thrust::complex<float>", T::c64},
       {"thrust::complex<double>", T::c128},
       {"half", T::f16}}};
  std::string plain;
  // "cuda::std::__4::complex" has its version in its name.
  for (std::size_t i = 0; i < name.size();) {
    if (name.compare(i, 4, "::__") == 0 && i + 4 < name.size() && name[i + 4] >= '0' &&
        name[i + 4] <= '9') {
      i = std::min(name.find("::", i + 4), name.size());
    } else {
      plain += name[i++];
    }
  }
  for (const auto& [known, type] : names) {
    if (plain == known) return type;
  }
  return std::nullopt;
}

Parameter parameter(std::string text) {
  Parameter made;
  made.text = text;
  take_last(text, "__restrict__");
  take_last(text, "__restrict");
  take_last(text, "const");
  if (take_last(text, "*")) {
    made.is_pointer = true;
    made.is_const = take_last(text, "const");
  }
  made.type = element_type(text);
  return made;
}

std::string said(const file::Argument& arg) {
  const std::string type(to_string(arg.type));
  return "'" + arg.name + "', " + (arg.shape.empty() ? "a scalar of " : "an array of ") + type;
}

}  // namespace

std::optional<std::vector<Parameter>> parameters_of(const std::string& mangled) {
  const auto name = demangled(mangled);
  if (name == mangled || name.empty() || name.back() != ')') return std::nullopt;
  // Back from the last bracket to the one that it closes.
  int depth = 0;
  std::size_t open = name.size();
  do {
    --open;
    depth += name[open] == ')' ? 1 : name[open] == '(' ? -1 : 0;
  } while (open > 0 && depth > 0);
  std::vector<Parameter> all;
  std::size_t begin = open + 1;
  for (std::size_t i = begin; i < name.size(); ++i) {
    const char c = name[i];
    const bool ends = depth == 0 && (c == ',' || i + 1 == name.size());
    if (ends) {
      const auto text = trimmed(std::string_view(name).substr(begin, i - begin));
      if (!text.empty() && text != "void") all.push_back(parameter(text));
      begin = i + 1;
    } else {
      depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    }
  }
  return all;
}

std::optional<std::size_t> parameter_count(const std::string& ptx, const std::string& mangled) {
  for (auto at = ptx.find(".entry"); at != std::string::npos; at = ptx.find(".entry", at + 1)) {
    const auto begin = ptx.find_first_not_of(" \t", at + 6);
    const auto end = ptx.find_first_of("( \t\n", begin);
    if (end == std::string::npos || ptx.compare(begin, end - begin, mangled) != 0) continue;
    const auto close = ptx.find_first_of("){", end);
    std::size_t count = 0;
    for (auto p = ptx.find(".param", end); p < close; p = ptx.find(".param", p + 1)) ++count;
    return count;
  }
  return std::nullopt;
}

std::string misfit(const file::KernelSpec& spec, const std::vector<std::size_t>& args,
                   const std::string& kernel, const std::string& mangled, const std::string& ptx) {
  const auto parameters = parameters_of(mangled);
  const auto count = parameters ? std::optional(parameters->size()) : parameter_count(ptx, mangled);
  if (count && *count != args.size()) {
    std::string taken;
    for (const auto& one : parameters.value_or(std::vector<Parameter>{})) {
      taken += (taken.empty() ? ": " : ", ") + one.text;
    }
    return kernel + " takes " + std::to_string(*count) + " argument" + (*count == 1 ? "" : "s") +
           taken + "; 'args' has " + std::to_string(args.size());
  }
  if (!parameters) return "";
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto& arg = spec.args[args[i]];
    const auto& takes = (*parameters)[i];
    const bool is_array = !arg.shape.empty();
    const bool other_type = takes.type && *takes.type != arg.type;
    // A pointer to what has no name here, or to void, may be anything.
    if (is_array == takes.is_pointer && !other_type) continue;
    if (!is_array && !takes.is_pointer && !takes.type) continue;
    return "argument " + std::to_string(i + 1) + " of " + kernel + " is " + takes.text +
           ", and it is given " + said(arg);
  }
  return "";
}

}  // namespace apod::cuda
