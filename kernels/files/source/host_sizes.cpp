/// \file
/// The bytes of types and variables in host code.

#include <algorithm>
#include <map>
#include <set>

#include "kernels/files/source/host_values.hpp"

namespace apod::source {

std::size_t HostValues::size_of(const std::string& operand, const Place& place) {
  // "*p" and "p[0]" are what p points to.
  const auto bracket = operand.find('[');
  const bool is_pointed = operand.starts_with('*') || bracket != std::string::npos;
  if (!is_pointed) {
    const auto of_type = bytes_of(operand);
    if (of_type > 0) return of_type;
  }
  auto name = operand.substr(0, bracket);
  name.erase(0, name.find_first_not_of("* ("));
  name.erase(name.find_last_not_of(" )") + 1);
  const auto found = definition(name, place);
  if (!found) return 0;
  auto type = text_of(found->type);
  const bool is_of_pointers = type.find("**") != std::string::npos ||  // sizeof *p of int** p
                              type.find("* *") != std::string::npos;
  // Before it there may be other names: "int *x, *".
  if (is_pointed && !is_of_pointers) type = type.substr(0, type.find('*'));
  return bytes_of(type);
}

HostValues::TypeSize HostValues::type_size(const std::string& type) const {
  TypeSizes met;
  return type_size(type, met);
}

/// `met`: the types on the way here. One that is made of itself has no size that can be told.
HostValues::TypeSize HostValues::type_size(const std::string& type, TypeSizes& met) const {
  using Names = std::set<std::string_view>;
  static const std::map<std::size_t, Names> known{
      {1, {"__nv_fp8_e4m3", "__nv_fp8_e5m2", "bool", "char", "int8_t", "uchar", "uint8_t"}},
      {2,
       {"__half", "__nv_bfloat16", "half", "int16_t", "nv_bfloat16", "short", "uint16_t",
        "ushort"}},
      {4, {"float", "int", "int32_t", "uint", "uint32_t", "unsigned"}},
      {8,
       {"cuComplex", "cuFloatComplex", "cufftComplex", "double", "int64_t", "long", "longlong",
        "size_t", "uint64_t", "ulong", "ulonglong"}},
      {12, {"dim3"}},
      {16, {"cuDoubleComplex", "cufftDoubleComplex"}},
      {48, {"curandState", "curandStateXORWOW_t", "curandState_t"}},
      {64, {"curandStatePhilox4_32_10_t"}},
      {72, {"curandStateMRG32k3a"}}};
  std::string plain;
  Macros none;
  const auto words = tokens_of(type, none);
  for (const auto& word : words) {
    if (word.is("*")) return {8, 8};
    const bool is_qualifier = has_any({&word, 1}, {"const", "static", "volatile", "struct",
                                                   "signed", "std", "__restrict__", "constexpr"});
    if (is_qualifier || !word.is_name()) continue;
    // "unsigned char" is the last word's; "long int" the first's.
    const bool is_longer = plain == "long" || (plain == "short" && word.is("int"));
    if (!is_longer) plain = word.text;
  }
  const auto base = plain.substr(0, plain.size() - (plain.empty() ? 0 : 1));
  const bool is_vector = !base.empty() && plain.back() >= '1' && plain.back() <= '4';
  for (const auto& [bytes, names] : known) {
    const auto count = static_cast<std::size_t>(is_vector ? plain.back() - '0' : 1);
    // The largest power of two that divides them, which float3 and dim3 are aligned to as well.
    const auto aligned = [](std::size_t of) {
      return TypeSize{of, of == 48 ? 8 : std::min<std::size_t>(of & (~of + 1), 16)};
    };
    if (names.contains(plain)) return aligned(bytes);
    if (is_vector && names.contains(base)) return aligned(bytes * count);
  }
  const auto [way, is_new] = met.try_emplace(plain);
  if (is_new) way->second = size_of_made(plain, met);
  return way->second;
}

/// Of a type that the program defines.
HostValues::TypeSize HostValues::size_of_made(const std::string& plain, TypeSizes& met) const {
  if (const auto found = types_.find(plain); found != types_.end() && found->second != plain)
    return type_size(found->second, met);
  for (const auto& [name, what] : program_.types) {
    // "typedef struct pixel pixel;" says nothing that the struct does not say.
    const auto size = name == plain ? type_size(text_of(what), met) : TypeSize{};
    if (size.bytes > 0) return size;
  }
  const auto* made = program_.find_struct(plain);
  if (made == nullptr || !made->has_size) return {};
  // Where lengths are looked up: a constant of the class comes first.
  const auto constant = std::ranges::find_if(program_.variables, [&](const Declared& one) {
    return one.scope.ends_with("::" + made->name + "::") || one.scope == made->name + "::";
  });
  const bool has_own = constant != program_.variables.end();
  const auto inside = has_own ? constant - program_.variables.begin() + 1 : 0;
  TypeSize whole{0, std::max<std::size_t>(made->alignment, 1)};
  for (const auto& field : made->fields) {
    auto own = type_size(text_of(field.type), met);
    if (own.bytes == 0) return {};
    for (const auto length : field.lengths) {
      TracedAxes none;
      const auto count =
          HostValues(program_, none).trace(length, {nowhere, static_cast<std::size_t>(inside)});
      if (!count || !count->is_number() || count->constant < 1) return {};
      own.bytes *= static_cast<std::size_t>(count->constant);
    }
    whole.alignment = std::max(whole.alignment, own.alignment);
    whole.bytes = (whole.bytes + own.alignment - 1) / own.alignment * own.alignment + own.bytes;
  }
  whole.bytes = (whole.bytes + whole.alignment - 1) / whole.alignment * whole.alignment;
  return whole;
}

}  // namespace apod::source
