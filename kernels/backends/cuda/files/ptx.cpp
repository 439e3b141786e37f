/// \file
/// The kernels in PTX: their parameters, and what they may be by how the code uses them.

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include "kernels/backends/cuda/files/signature.hpp"

namespace apod::cuda {
namespace {

using Words = std::vector<std::string_view>;

/// "ld.global.f64", "%fd1", "[", "%rd4" ... of one line. Labels and the condition ahead are left
/// out.
Words words_of(std::string_view line) {
  Words all;
  line = line.substr(0, line.find("//"));
  for (std::size_t i = 0; i < line.size();) {
    const auto end = std::min(line.find_first_of(" \t\r\n,;{}()[]+|", i), line.size());
    const bool is_word = end > i && line[i] != '@' && line[end - 1] != ':';
    if (is_word) all.push_back(line.substr(i, end - i));
    if (end < line.size() && line[end] == '[') all.push_back(line.substr(end, 1));
    i = end + 1;
  }
  return all;
}

/// Of "f64" in "ld.global.f64" or ".param .f64".
std::optional<ElementType> type_called(std::string_view name, std::string_view body) {
  using T = ElementType;
  if (name == "f64") return T::f64;
  if (name == "f32") return T::f32;
  const bool is_16 = name == "u16" || name == "b16";
  const auto has = [&](std::string_view part) { return body.find(part) != std::string_view::npos; };
  if (name.starts_with("bf16") || (is_16 && has(".bf16"))) return T::bf16;
  if (name.starts_with("f16") || (is_16 && has(".f16"))) return T::f16;
  if (name.size() < 2 || std::string_view("usb").find(name[0]) == std::string_view::npos)
    return std::nullopt;
  const auto bits = name.substr(1);
  if (bits == "8") return name[0] == 's' ? T::i8 : T::u8;
  if (bits == "16") return name[0] == 'u' ? T::u16 : T::i16;
  return bits == "32" ? T::i32 : bits == "64" ? std::optional(T::i64) : std::nullopt;
}

/// Follows the parameters of one kernel through its code.
class Body {
 public:
  Body(std::string_view text, const Words& names, CompiledKernel& kernel)
      : text_(text), kernel_(kernel), uses_(names.size()) {
    for (std::size_t i = 0; i < names.size(); ++i) parameters_[names[i]] = i;
  }

  void read() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const auto end = std::min(text_.find_first_of(";\n", begin), text_.size());
      const auto words = words_of(text_.substr(begin, end - begin));
      if (words.size() > 1) step(words);
      begin = end + 1;
    }
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      auto& made = kernel_.seen[i];
      const auto& use = uses_[i];
      if ((*kernel_.sizes)[i] != 8 || made.type == ElementType::f64) continue;
      // What no instruction takes for a number may be a pointer: one too many is seen at once, and
      // a number in the place of a pointer ends the kernel.
      made.is_pointer = use.is_address || use.is_given_away || !use.is_number;
      made.is_const = use.is_address && !use.is_written && !use.is_given_away;
      made.type = made.is_pointer ? use.type.value_or(ElementType::f32) : ElementType::i64;
    }
  }

 private:
  struct Use {
    bool is_address = false, is_written = false, is_given_away = false, is_number = false;
    std::optional<ElementType> type{};
  };

  void step(const Words& words) {
    const auto& code = words[0];
    const auto is = [&](std::string_view begin) { return code.starts_with(begin); };
    const auto in = [&](std::string_view part) {
      return code.find(part) != std::string_view::npos;
    };
    if (is("ld.param")) {
      const auto found = parameters_.find(words.back());
      if (found != parameters_.end()) from_[words[1]] = found->second;
      return;
    }
    const bool is_texture = is("tex") || is("tld4") || is("su") || is("txq");
    if (!is_texture && std::ranges::find(words, "[") != words.end()) {
      const bool reads = is("ld") || is("wmma.load") || is("prefetch") || is("cp.async.c") ||
                         is("cp.async.bulk.shared");
      access(words, in(".param"), !reads);
      return;
    }
    const bool adds = is("add.") || is("sub.") || is("mad");
    const bool keeps = adds || is("mov") || is("cvta") || is("selp") || is("and.") || is("or.") ||
                       is("min.") || is("max.");
    const std::size_t* made = nullptr;
    // Of a product and a sum, only what is added may be an address.
    const std::size_t factors = is("mad") ? 2 : 0;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const auto found = from_.find(words[i]);
      if (found == from_.end()) continue;
      auto& use = uses_[found->second];
      use.is_number = use.is_number || !keeps || i < 2 + factors;
      if (i < 2 + factors || (made != nullptr && !use.is_address)) continue;
      made = &found->second;
    }
    if (made == nullptr || !keeps || !(in("64") || in(".wide"))) return;
    if (is("cvta")) uses_[*made].is_address = true;
    from_[words[1]] = std::size_t{*made};
  }

  /// An instruction with addresses in brackets.
  void access(const Words& words, bool is_of_call, bool writes) {
    const auto& code = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto found = from_.find(words[i]);
      if (found == from_.end()) continue;
      auto& use = uses_[found->second];
      const bool is_address = words[i - 1] == "[" && !is_of_call;
      (is_address ? use.is_address : use.is_given_away) = true;
      if (!is_address) continue;
      use.is_written = use.is_written || writes;
      const auto type = type_called(code.substr(code.rfind('.') + 1), text_);
      if (type && (!use.type || (is_real(*type) && !is_real(*use.type)))) use.type = type;
    }
  }

  std::string_view text_;
  CompiledKernel& kernel_;
  std::vector<Use> uses_;
  std::unordered_map<std::string_view, std::size_t> parameters_;
  std::unordered_map<std::string_view, std::size_t> from_;  ///< by register: the parameter
};

/// "x", ".u64" and ".b8 p[24]" of a parameter, its name returned.
std::string_view take_parameter(std::string_view declared, CompiledKernel& kernel) {
  std::size_t bytes = 0;
  auto& made = kernel.seen.emplace_back();
  std::string_view name;
  for (const auto word : words_of(declared)) {
    const bool is_type =
        word[0] == '.' && word.size() < 6 && word.find_first_of("123468") != std::string_view::npos;
    const auto digits = word.find_first_of("123468");
    if (is_type) {
      bytes = std::strtoul(std::string(word.substr(digits)).c_str(), nullptr, 10) / 8;
      made.type = type_called(word.substr(1), "");
    }
    // Behind ".align" there is a number.
    const bool is_number = word[0] >= '0' && word[0] <= '9';
    if (word[0] != '.' && word[0] != '[' && !is_number && name.empty()) name = word;
  }
  const auto length = declared.find('[');
  if (length < declared.size()) {
    bytes *= std::strtoul(std::string(declared.substr(length + 1, 20)).c_str(), nullptr, 10);
    made.type.reset();
  }
  kernel.sizes->push_back(bytes);
  made.text = std::to_string(bytes) + " bytes";
  return name;
}

}  // namespace

std::map<std::string, CompiledKernel> kernels_of_ptx(std::string_view ptx) {
  std::map<std::string, CompiledKernel> all;
  for (auto at = ptx.find(".entry"); at != std::string_view::npos;
       at = ptx.find(".entry", at + 1)) {
    const auto begin = ptx.find_first_not_of(" \t", at + 6);
    const auto end = ptx.find_first_of("( \t\r\n", begin);
    if (end == std::string_view::npos) break;
    const auto open = std::min(ptx.find('{', end), ptx.size());
    const auto head = ptx.substr(end, open - end);
    const auto close = std::min(head.find(')'), head.size());
    CompiledKernel made{.mangled = std::string(ptx.substr(begin, end - begin))};
    made.sizes.emplace();
    Words names;
    for (auto p = head.find(".param"); p < close; p = head.find(".param", p + 1))
      names.push_back(
          take_parameter(head.substr(p + 6, head.find_first_of(",)", p) - p - 6), made));
    for (const std::string_view limit : {".maxntid", ".reqntid"}) {  // ".maxntid 128, 1, 1"
      const auto said = head.find(limit, close);
      if (said == std::string_view::npos) continue;
      std::vector<std::size_t> sides;
      for (const auto word :
           words_of(head.substr(said, head.find_first_of("\n.", said + 1) - said)))
        if (word[0] != '.') sides.push_back(std::strtoul(std::string(word).c_str(), nullptr, 10));
      sides.resize(3, 1);
      made.most_threads = sides[0] * sides[1] * sides[2];
      (limit == ".reqntid" ? made.block : made.most) = sides;
    }
    std::size_t depth = 0;
    at = open;
    do {
      depth += at < ptx.size() && ptx[at] == '{' ? 1 : 0;
      depth -= at < ptx.size() && ptx[at] == '}' ? 1 : 0;
      at = depth > 0 ? ptx.find_first_of("{}", at + 1) : at;
    } while (depth > 0 && at != std::string_view::npos);
    at = std::min(at, ptx.size() - 1);
    Body(ptx.substr(std::min(open, at), at - std::min(open, at)), names, made).read();
    all.emplace(made.mangled, std::move(made));
  }
  return all;
}

}  // namespace apod::cuda
