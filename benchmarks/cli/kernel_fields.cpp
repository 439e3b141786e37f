#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/guess_parts.hpp"

namespace apod::cli {
namespace {

using Takes = file::KernelSketch::Parameter;
using source::Declared;
using source::Tokens;

/// "float" of "const float*"; as C++ spells the types that have a name in experiments.
std::optional<ElementType> element_named(const std::string& type) {
  using T = ElementType;
  static const std::map<T, std::set<std::string_view>> names{
      {T::f32, {"float"}},
      {T::f64, {"double"}},
      {T::f16, {"half", "__half"}},
      {T::bf16, {"__nv_bfloat16", "nv_bfloat16"}},
      {T::i8, {"char", "int8_t"}},
      {T::u8, {"uint8_t", "unsigned char", "uchar"}},
      {T::i16, {"short"}},
      {T::u16, {"unsigned short"}},
      {T::i32, {"int", "int32_t"}},
      {T::u32, {"unsigned", "unsigned int", "uint", "uint32_t"}},
      {T::i64, {"long", "long long", "int64_t"}},
      {T::u64, {"size_t", "uint64_t", "unsigned long", "unsigned long long"}},
      {T::boolean, {"bool"}},
      {T::e4m3, {"__nv_fp8_e4m3"}},
      {T::e5m2, {"__nv_fp8_e5m2"}}};
  for (const auto& [element, all] : names)
    if (all.contains(type)) return element;
  return std::nullopt;
}

/// "float4" is four of "float".
void take_type(std::string name, Takes& to) {
  to.type = element_named(name);
  if (to.type || name.empty() || name.back() < '2' || name.back() > '4') return;
  to.count = name.back() - '0';
  name.pop_back();
  to.type = element_named(name == "uint" ? "unsigned" : name);
}

/// The type of a declaration; nothing if it has no name in experiments.
std::optional<Takes> takes_as_written(const Declared& declared) {
  Takes takes{.text = source::text_of(declared.type), .is_pointer = declared.is_pointer()};
  takes.is_const = source::has_any(declared.type, {"const"});
  take_type(base_name(declared.type), takes);
  return takes.type ? std::optional(takes) : std::nullopt;
}

class ArgumentReader {
 public:
  explicit ArgumentReader(const GuessBasis& basis) : basis_(basis) {}

  std::vector<GuessedArgument> read() {
    const auto& taken = basis_.sketch.parameters;
    const auto* code = basis_.kernel.code;
    const bool has_names = code != nullptr && code->parameters.size() == taken.size();
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const auto* declared = has_names ? &code->parameters[i] : nullptr;
      auto name = declared != nullptr ? declared->name : std::string();
      if (name.empty()) name = fmt::format("p{}", i);
      Tokens passed;
      if (basis_.kernel.launch != nullptr && i < basis_.kernel.launch->arguments.size()) {
        passed = basis_.kernel.launch->arguments[i];
      } else if (declared != nullptr) {
        passed = declared->value;  // a default argument
      }
      const auto& sizes = basis_.sketch.sizes;
      parameter(taken[i], declared, name, passed, i < sizes.size() ? sizes[i] : 0);
    }
    if (code != nullptr) constants(*code);
    return std::move(all_);
  }

 private:
  GuessedArgument& add(const Takes& takes, const std::string& name, const std::string& code,
                       Tokens passed) {
    GuessedArgument arg{.name = name, .type = {}, .role = {}};
    for (auto& c : arg.name) c = c == '.' ? '_' : c;
    const auto is_taken = [&] {
      return std::ranges::any_of(all_, [&](const auto& other) { return other.name == arg.name; });
    };
    while (arg.name == "i" || is_taken()) arg.name += "_";
    arg.type = takes.type ? to_string(*takes.type) : "u8";  // void, or a struct
    arg.code = code;
    arg.takes = takes;
    arg.passed = passed;
    return all_.emplace_back(std::move(arg));
  }

  void parameter(const Takes& takes, const Declared* declared, const std::string& name,
                 Tokens passed, std::size_t bytes) {
    const auto type = declared != nullptr ? source::text_of(declared->type) : std::string();
    if (type.find("cudaTextureObject_t") != std::string::npos) return texture(name, passed);
    const bool is_surface = type.find("cudaSurfaceObject_t") != std::string::npos;
    if (is_surface || (takes.is_pointer && declared != nullptr && holds_addresses(*declared))) {
      throw std::runtime_error(
          fmt::format("{} is {} ({}), which an experiment can't provide: capture the launch from "
                      "the program (bench capture --kernel {} -- PROGRAM)",
                      name, is_surface ? "a surface" : "memory that contains pointers", type,
                      basis_.kernel.code->name));
    }
    auto made = takes;
    if (!takes.is_pointer && (takes.text == "float2" || takes.text == "double2")) {
      made.type = takes.text == "float2" ? ElementType::f32 : ElementType::f64;
      made.count = 2;
    }
    // Only an enumeration has another name where it is compiled.
    if (!made.type && !takes.is_pointer && declared != nullptr && takes_of(*declared))
      made.type = bytes == 1 ? ElementType::u8 : ElementType::i32;
    if (takes.is_pointer || (made.type && made.count == 1)) {
      // A pointer to a struct of one type is to its values.
      if (takes.is_pointer && !takes.type && declared != nullptr)
        made = of_struct(takes, name, *declared);
      add(made, name, name, passed);
      return;
    }
    if (made.type) {
      for (int k = 0; k < made.count; ++k) {
        const std::string side(1, "xyzw"[k]);
        const auto own = name + "." + side;
        const Takes one{.text = to_string(*made.type).data(), .type = made.type};
        add(one, own, own, member(passed, side, takes.text)).structure = name;
      }
      return;
    }
    const auto* structure = struct_called(takes.text);
    if (structure == nullptr ? bytes == 1 : structure->fields.empty()) {
      // A class without data, such as a function object, takes a byte. The kernel does not read it.
      const auto& zero = basis_.host.keep({{source::Token::Kind::number, "0", 0}});
      add({.text = "unsigned char", .type = ElementType::u8}, name, name, zero);
      return;
    }
    if (structure == nullptr) {
      throw std::runtime_error(fmt::format(
          "parameter {} has the type {}, which an experiment can't provide: use arrays, numbers or "
          "structs of these as parameters, or capture the launch from the program (bench capture "
          "--kernel {} -- PROGRAM)",
          name, takes.text, basis_.kernel.code != nullptr ? basis_.kernel.code->name : "NAME"));
    }
    const auto before = all_.size();
    Laid laid;
    fields(*structure, name, passed, 0, laid);
    if (up(laid.flat, laid.alignment) < laid.end) fill(laid, name);
    for (auto k = before; k < all_.size(); ++k) all_[k].structure = name;
  }
  bool holds_addresses(const Declared& declared) const {
    const auto stars =
        std::ranges::count_if(declared.type, [](const auto& word) { return word.is("*"); });
    if (stars > 1) return true;
    const auto* made = struct_called(base_name(declared.type));
    return made != nullptr && std::ranges::any_of(made->fields, [](const auto& field) {
             return source::has_any(field.type, {"*"});
           });
  }
  const source::ProgramStruct* struct_called(const std::string& type) const {
    const auto* it = basis_.program.find_struct(source::last_word(type.substr(0, type.find('<'))));
    return it != nullptr && it->has_size ? it : nullptr;
  }
  Takes of_struct(const Takes& takes, const std::string& name, const Declared& declared) const {
    const auto type = base_name(declared.type);
    if (type.empty() || type == "void") return takes;
    Takes found = takes;
    const auto* made = struct_called(type);
    found.count = 0;
    bool is_of_one = made != nullptr && !made->fields.empty();
    for (std::size_t i = 0; is_of_one && i < made->fields.size(); ++i) {
      const auto of = takes_of(made->fields[i]);
      is_of_one = of && !of->is_pointer && (!found.type || found.type == of->type);
      if (!is_of_one) break;
      found.type = of->type;
      found.count += of->count;
    }
    const auto bytes = basis_.host.bytes_of(type);
    // One with gaps is bytes, too.
    const auto values =
        is_of_one ? size_of(*found.type) * static_cast<std::size_t>(found.count) : 0;
    if (is_of_one && (bytes == 0 || bytes == values)) return found;
    // Of several types it is so many bytes.
    found.type = ElementType::u8;
    found.count = static_cast<int>(bytes);
    if (found.count > 0) return found;
    const auto is_said = [&](const auto& one) { return one.starts_with(name + "=["); };
    if (std::ranges::any_of(basis_.wish.args, is_said)) return takes;
    throw std::runtime_error(fmt::format(
        "{} points to the type {}, whose size is not in the code: add --arg \"{}=[LENGTH, BYTES]\"",
        name, type, name));
  }

  /// Where a struct by value has been laid out to, as C++ does it and as the experiment does it,
  /// which knows numbers alone.
  struct Laid {
    std::size_t end = 0;
    std::size_t flat = 0, alignment = 1;
  };
  /// Fields for the bytes that C++ leaves free up to its end, such as those ahead of a float2.
  void fill(Laid& laid, const std::string& path) {
    while (laid.flat < laid.end) {
      std::size_t bytes = 1;
      while (bytes < 8 && laid.flat % (2 * bytes) == 0 && laid.flat + 2 * bytes <= laid.end)
        bytes *= 2;
      const auto& zero = basis_.host.keep({{source::Token::Kind::number, "0", 0}});
      const auto name = fmt::format("{}.gap{}", path, laid.flat);
      const auto type = bytes == 8   ? ElementType::u64
                        : bytes == 4 ? ElementType::u32
                        : bytes == 2 ? ElementType::u16
                                     : ElementType::u8;
      add({.text = std::string(to_string(type)), .type = type}, name, name, zero);
      laid.flat += bytes;
      laid.alignment = std::max(laid.alignment, bytes);
    }
  }
  static std::size_t up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

  void fields(const source::ProgramStruct& made, const std::string& path, Tokens passed, int deep,
              Laid& laid) {
    const auto begin = laid.end;
    for (const auto& field : made.fields) {
      const auto name = path + "." + field.name;
      auto one = field;
      one.lengths.clear();
      const auto takes = takes_of(one);
      const bool is_pointer = takes ? takes->is_pointer : one.is_pointer();
      const auto* inner = takes ? nullptr : struct_called(base_name(field.type));
      if (!takes && (inner == nullptr || is_pointer || deep >= 4)) {
        throw std::runtime_error(fmt::format("{} is {}, which an experiment can't provide", name,
                                             source::text_of(field.type)));
      }
      // An array in a struct is so many fields.
      long long count = 1;
      for (const auto side : field.lengths) {
        const auto length = basis_.host.trace(side, basis_.place);
        count *= length && length->is_number() ? length->constant : 0;
      }
      auto of = takes.value_or(Takes{});
      const auto each = is_pointer ? 1 : of.count;
      if (count < 1 || count * each > 64)
        throw std::runtime_error(name + " is an array of unknown length");
      of.is_pointer = is_pointer;
      if (!is_pointer) of.count = 1;
      const auto size = basis_.host.type_size(source::text_of(field.type));
      for (long long k = 0; k < count * each; ++k) {
        const bool is_one = count * each == 1;
        const auto own = is_one ? name : fmt::format("{}.{}", name, k);
        const auto given = is_one ? member(passed, field.name, made.name) : Tokens{};
        if (k % each == 0) laid.end = up(laid.end, size.alignment);
        if (inner != nullptr) {
          fields(*inner, own, given, deep + 1, laid);
          continue;
        }
        const auto bytes = is_pointer ? sizeof(void*) : size_of(*of.type);
        if (up(laid.flat, bytes) < laid.end) fill(laid, path);
        add(of, own, own, given);
        laid.flat = up(laid.flat, bytes) + bytes;
        laid.alignment = std::max(laid.alignment, bytes);
        laid.end = laid.flat;
      }
    }
    laid.end = std::max(laid.end, begin + basis_.host.bytes_of(made.name));
  }
  /// "params.n" of what is passed as "params", and "Params{n, x}.n" of "{n, x}".
  Tokens member(Tokens of, const std::string& name, const std::string& type) {
    if (of.size() == 2 && of[0].is("*")) of = of.subspan(1);
    const bool is_item = of.size() == 4 && of[1].is("[");
    const bool is_made = of.size() > 1 && source::has_any(of.last(1), {")", "}"});
    if (of.size() != 1 && of.size() != 3 && !is_item && !is_made) return {};
    std::vector<source::Token> words;
    if (of[0].is("{")) words.push_back({source::Token::Kind::name, type, of[0].at});
    words.insert(words.end(), of.begin(), of.end());
    words.push_back({source::Token::Kind::mark, ".", of.back().at + of.back().text.size()});
    words.push_back({source::Token::Kind::name, name, words.back().at + 1});
    // A field of "*this" is known by its own name.
    if (of[0].is("this")) words.erase(words.begin(), words.end() - 1);
    return basis_.host.keep(std::move(words));
  }

  /// It has the size of the grid of threads.
  void texture(const std::string& name, Tokens passed) {
    const auto body = basis_.kernel.code->body;
    std::string type = "float";
    std::string reads = "nearest";
    int sides = 2;
    for (std::size_t k = 0; k + 2 < body.size(); ++k) {
      if (!body[k].text.starts_with("tex") || !body[k + 1].is("<")) continue;
      const auto end = source::behind_angle(body, k + 1);
      type = source::text_of(body.subspan(k + 2, end - k - 3));
      sides = body[k].text.starts_with("tex1D") ? 1 : body[k].text.starts_with("tex3D") ? 3 : 2;
    }
    bool is_linear = false;
    bool is_normalized = false;
    bool wraps = false;
    for (const auto& words : basis_.program.files) {
      for (std::size_t k = 0; k < words.size(); ++k) {
        is_linear = is_linear || words[k].is("cudaFilterModeLinear");
        wraps = wraps || words[k].is("cudaAddressModeWrap");
        const bool is_set = words[k].is("normalizedCoords") && k + 2 < words.size();
        if (is_set) is_normalized = words[k + 2].is("true") || words[k + 2].is("1");
      }
    }
    if (is_linear) reads = "linear";
    if (is_normalized) reads += ", normalized";
    if (wraps) reads += ", wrap";
    Takes takes{.text = type, .is_pointer = true, .is_const = true};
    take_type(type, takes);
    if (!takes.type)
      throw std::runtime_error(name + " is a texture of an unsupported type: " + type);
    auto& arg = add(takes, name, name, passed);
    arg.texture = "[" + reads + "]";
    arg.role = "in";
    arg.shape.assign(static_cast<std::size_t>(sides), "");
  }

  /// The names in the kernel's code, and in that of the functions that it calls.
  std::set<std::string> names_in(const source::ProgramFunction& kernel) const {
    std::set<std::string> names;
    std::vector<const source::ProgramFunction*> functions{&kernel};
    for (std::size_t f = 0; f < functions.size() && f < 64; ++f) {
      for (const auto& word : functions[f]->body) {
        if (!word.is_name() || !names.insert(word.text).second) continue;
        const auto* called = basis_.program.find_function(word.text);
        if (called != nullptr && called->is_device) functions.push_back(called);
      }
    }
    return names;
  }
  /// Its type may have another name, of a typedef.
  std::optional<Takes> takes_of(Declared of) const {
    constexpr int most_aliases = 8;
    for (int i = 0; i < most_aliases; ++i) {
      if (auto takes = takes_as_written(of)) return takes;
      const auto name = base_name(of.type);
      Tokens behind;
      for (const auto& [other, type] : basis_.program.types)
        if (other == name) behind = type;
      if (behind.empty()) return std::nullopt;
      auto& words = basis_.host.keep({behind.begin(), behind.end()});
      for (const auto& word : of.type)
        if (!word.is_name() || word.is("const")) words.push_back(word);
      of.type = words;
    }
    return std::nullopt;
  }
  void constants(const source::ProgramFunction& kernel) {
    const auto names = names_in(kernel);
    for (const auto& variable : basis_.program.variables) {
      const bool is_constant = source::has_any(variable.type, {"__constant__"});
      if (!is_constant || !variable.value.empty() || !names.contains(variable.name)) continue;
      auto takes = takes_of(variable);
      if (!takes || takes->count > 1) continue;
      takes->is_pointer = true;
      takes->is_const = true;
      auto& arg = add(*takes, variable.name, variable.name, {});
      arg.variable = variable.name;
      arg.role = "in";
      arg.shape = sides_of(variable, "1");
      if (!variable.lengths.empty()) continue;
      if (const auto value = copied_to(variable.name)) arg.data = *value;
    }
  }

 public:
  /// A note about each variable of the device that the kernel names and that is given no value.
  std::vector<std::string> zeros(const std::vector<GuessedArgument>& given) {
    std::vector<std::string> notes;
    const auto* code = basis_.kernel.code;
    const auto names = code != nullptr ? names_in(*code) : std::set<std::string>{};
    for (const auto& variable : basis_.program.variables) {
      const bool is_devices = source::has_any(variable.type, {"__constant__", "__device__"});
      const bool is_given = std::ranges::any_of(
          given, [&](const auto& arg) { return arg.variable == variable.name; });
      if (!is_devices || !variable.value.empty() || !names.contains(variable.name)) continue;
      const auto takes = takes_of(variable);
      auto sides = sides_of(variable, "LENGTH");
      const bool is_open = std::ranges::find(sides, "LENGTH") != sides.end();
      if (is_given && is_open) {
        notes.push_back(fmt::format(
            "the code does not contain the length of {}: write this length as the array's shape",
            variable.name));
      }
      if (is_given) continue;
      if (takes && takes->count > 1) sides.push_back(std::to_string(takes->count));
      notes.push_back(
          variable.name + " is set to zero: " +
          (takes ? fmt::format("to give it values, add {{name: {0}, type: {1}, shape: [{2}], "
                               "variable: {0}}} to args{3}",
                               variable.name, to_string(*takes->type), text::joined(sides, ", "),
                               is_open ? ", with a number instead of LENGTH" : "")
                 : "an experiment can't set a variable of type " + base_name(variable.type) +
                       " (to use the program's value: bench capture)"));
    }
    return notes;
  }

 private:
  /// Of an array, `unknown` if a length is unknown.
  std::vector<std::string> sides_of(const Declared& variable, const std::string& unknown) const {
    std::vector<std::string> sides;
    for (const auto length : variable.lengths) {
      const auto side = basis_.host.trace(length, {source::HostValues::nowhere, 0});
      sides.push_back(side && side->is_number() ? side->text() : unknown);
    }
    return sides.empty() ? std::vector<std::string>{"1"} : sides;
  }
  /// What the host copies to a variable.
  std::optional<std::string> copied_to(const std::string& name) {
    const auto& functions = basis_.program.functions;
    for (std::size_t f = 0; f < functions.size(); ++f) {
      const auto& body = functions[f].body;
      for (std::size_t k = 0; k + 5 < body.size(); ++k) {
        const bool is_copy =
            body[k].is("cudaMemcpyToSymbol") && body[k + 2].is(name) && body[k + 4].is("&");
        if (!is_copy) continue;
        const auto value = basis_.host.trace(body.subspan(k + 5, 1), {f, k});
        if (value) return value->text();
      }
    }
    return std::nullopt;
  }

  const GuessBasis& basis_;
  std::vector<GuessedArgument> all_;
};

}  // namespace

std::string base_name(Tokens type) {
  std::string name;
  for (const auto& word : type) {
    const bool is_qualifier = source::has_any(
        {&word, 1}, {"const", "__restrict__", "volatile", "struct", "static", "__constant__",
                     "__device__", "std", "extern", "__grid_constant__", "__managed__"});
    if (word.is_name() && !is_qualifier) name += (name.empty() ? "" : " ") + word.text;
  }
  return name;
}

std::vector<std::string> zeros_of(const GuessBasis& basis,
                                  const std::vector<GuessedArgument>& given) {
  return ArgumentReader(basis).zeros(given);
}

std::vector<GuessedArgument> arguments_of(const GuessBasis& basis) {
  return ArgumentReader(basis).read();
}

}  // namespace apod::cli
