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
  static constexpr std::array<std::pair<std::string_view, T>, 26> names{
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
       {"__nv_fp8_e4m3", T::e4m3},
       {"__nv_fp8_e5m2", T::e5m2},
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
  for (const auto& [word, type] : names) {
    if (plain == word) return type;
  }
  return std::nullopt;
}

/// Of "ulonglong4": its values and their type.
std::optional<std::pair<ElementType, int>> vector_type(const std::string& name) {
  if (name.empty() || name.back() < '2' || name.back() > '4') return std::nullopt;
  auto base = name.substr(0, name.size() - 1);
  if (base.starts_with('u')) base = "unsigned " + base.substr(1);
  if (base.ends_with("longlong")) base.insert(base.size() - 4, " ");
  const auto type = element_type(base);
  if (!type) return std::nullopt;
  return std::pair{*type, name.back() - '0'};
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
  const auto vector = made.type ? std::nullopt : vector_type(text);
  if (vector) {
    made.type = vector->first;
    made.count = vector->second;
  }
  return made;
}

std::string said(const file::Argument& arg) {
  const std::string type(to_string(arg.type));
  return "'" + arg.name + "', " + (arg.shape.empty() ? "a scalar of " : "an array of ") + type;
}

/// Where the bracket that the last one closes was opened.
std::size_t last_opened(std::string_view text) {
  int depth = 0;
  std::size_t open = text.size();
  do {
    --open;
    depth += text[open] == ')' ? 1 : text[open] == '(' ? -1 : 0;
  } while (open > 0 && depth > 0);
  return open;
}

/// Of "float*, int const*, int".
std::vector<Parameter> parameters_in(std::string_view list) {
  std::vector<Parameter> all;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (depth == 0 && list[i] == ',')) {
      const auto text = trimmed(list.substr(begin, i - begin));
      if (!text.empty() && text != "void") all.push_back(parameter(text));
      begin = i + 1;
    } else {
      const char c = list[i];
      depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    }
  }
  return all;
}

/// "ns::conv<4>" and "float*, int" of "void ns::conv<4>(float*, int)"; no list of what has none.
struct Demangled {
  std::string name;
  std::optional<std::string> list;
};
Demangled split(std::string_view text) {
  Demangled made;
  if (text.starts_with("void ")) text.remove_prefix(5);
  if (text.ends_with(')')) {
    const auto open = last_opened(text);
    made.list = text.substr(open + 1, text.size() - open - 2);
    text = text.substr(0, open);
  }
  made.name = text;
  return made;
}

constexpr std::string_view naming_kernel = "apod_bench_names";

}  // namespace

std::string naming_lines(const std::vector<std::string>& kernels) {
  const std::string name(naming_kernel);
  std::string lines =
      "template <int place, class F, F* kernel> __global__ void " + name + "() {}\n";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    lines += "template __global__ void " + name + "<" + std::to_string(i) + ", decltype(" +
             kernels[i] + "), &" + kernels[i] + " >();\n";
  }
  return lines;
}

std::map<std::size_t, CompiledKernel> named_kernels(const CubinContent& code) {
  struct Wanted {
    Demangled kernel;
    std::vector<Parameter> parameters;
  };
  std::map<std::size_t, Wanted> wanted;
  const auto begin = "void " + std::string(naming_kernel) + "<";
  constexpr std::string_view end = ">()";
  constexpr std::string_view of_type = ", void (";
  for (const auto& [mangled, of] : code.kernels) {
    // "void apod_bench_names<0, void (float*, int), &(void conv<4>(float*, int))>()"
    const auto text = demangled(mangled);
    if (!text.starts_with(begin) || !text.ends_with(end)) continue;
    const auto rest =
        std::string_view(text).substr(begin.size(), text.size() - begin.size() - end.size());
    const auto type = rest.find(of_type);
    if (type == std::string_view::npos) continue;
    auto i = type + of_type.size();
    for (int depth = 1; i < rest.size() && depth > 0; ++i)
      depth += rest[i] == '(' ? 1 : rest[i] == ')' ? -1 : 0;
    const auto list = rest.substr(type + of_type.size(), i - 1 - type - of_type.size());
    auto name = rest.substr(std::min(rest.find('&', i) + 1, rest.size()));
    if (name.starts_with('(') && name.ends_with(')') && last_opened(name) == 0)
      name = name.substr(1, name.size() - 2);
    auto made = split(name);
    made.list = list;
    wanted[std::stoul(std::string(rest))] = {std::move(made), parameters_in(list)};
  }
  std::map<std::size_t, CompiledKernel> found;
  // Of several with a name, the one whose types are spelled the same: "vec<float>::Type" may be
  // another spelling of what the type is.
  for (const bool whole : {false, true}) {
    for (const auto& [mangled, kernel] : code.kernels) {
      const auto own = split(demangled(mangled));
      for (const auto& [place, one] : wanted) {
        if (own.name != one.kernel.name || (whole && own.list != one.kernel.list)) continue;
        found[place] = {.mangled = mangled,
                        .registers = kernel.registers,
                        .most_threads = kernel.most_threads,
                        .block = kernel.block,
                        .parameters = one.parameters,
                        .sizes = kernel.parameters};
      }
    }
  }
  return found;
}

std::optional<std::vector<Parameter>> parameters_of(const std::string& mangled) {
  const auto name = demangled(mangled);
  const auto parts = split(name);
  if (name == mangled || !parts.list) return std::nullopt;
  return parameters_in(*parts.list);
}

std::string misfit(const file::KernelSpec& spec, const std::vector<std::size_t>& args,
                   const std::string& name, const CompiledKernel& kernel) {
  const auto given = file::parameters_of(spec, args);
  const auto& parameters = kernel.parameters;
  const auto sizes = kernel.sizes.value_or(std::vector<std::size_t>(given.size(), 0));
  const auto count = parameters ? parameters->size() : sizes.size();
  if (count != given.size()) {
    std::string taken;
    for (const auto& one : parameters.value_or(std::vector<Parameter>{}))
      taken += (taken.empty() ? ": " : ", ") + one.text;
    return name + " takes " + std::to_string(count) + " argument" + (count == 1 ? "" : "s") +
           taken + "; 'args' has " + std::to_string(given.size());
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& arg = spec.args[args[given[i].begin]];
    const bool is_structure = !arg.structure.empty();
    const bool is_array = !arg.shape.empty() && !is_structure;
    const auto number = "argument " + std::to_string(i + 1) + " of " + name;
    const auto what = is_structure ? "'" + arg.structure + "', a structure" : said(arg);
    if (parameters) {
      const auto& takes = (*parameters)[i];
      const bool is_texture = arg.texture && !takes.is_pointer && takes.type == ElementType::u64;
      const bool other_type = takes.type && *takes.type != arg.type;
      // A pointer to what has no name here, or to void, may be anything.
      const bool fits = is_array == takes.is_pointer && !other_type;
      const bool is_unnamed = !is_array && !takes.is_pointer && !takes.type;
      const bool is_by_fields = is_structure && !takes.is_pointer;
      if (!fits && !is_unnamed && !is_texture && !is_by_fields)
        return number + " is " + takes.text + ", but 'args' gives " + what;
    }
    if (sizes[i] != 0 && sizes[i] != given[i].bytes) {
      return number + " has " + std::to_string(sizes[i]) + " bytes, but 'args' gives " + what +
             ", which has " + std::to_string(given[i].bytes);
    }
  }
  return "";
}

}  // namespace apod::cuda
