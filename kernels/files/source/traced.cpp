#include "kernels/files/source/traced.hpp"

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <charconv>
#include <cstdlib>
#include <set>

namespace apod::source {
namespace {

bool is_bracketed(const std::string& text) {
  if (text.size() < 2 || text.front() != '(') return false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size();
  }
  return false;
}

}  // namespace

std::string last_word(const std::string& name) {
  const auto at = name.find_last_of(".:");
  return at == std::string::npos ? name : name.substr(at + 1);
}

std::optional<double> literal(const std::string& text, bool& is_real) {
  std::string digits;
  for (const char c : text)
    if (c != '\'') digits += c;
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  is_real = !is_hex && digits.find_first_of(".eE") != std::string::npos;
  char* end = nullptr;
  const double value = is_real || !is_hex
                           ? std::strtod(digits.c_str(), &end)
                           : static_cast<double>(std::strtoull(digits.c_str(), &end, 16));
  const std::string rest(end);
  const bool is_suffix = rest.find_first_not_of("uUlLfFzZ") == std::string::npos;
  if (end == digits.c_str() || !is_suffix) return std::nullopt;
  is_real = is_real || (!is_hex && rest.find_first_of("fF") != std::string::npos);
  return value;
}

std::string real_text(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string said(text, end);
  const auto exponent = said.find('e');
  if (said.find('.') == std::string::npos)
    said.insert(exponent == std::string::npos ? said.size() : exponent, ".0");
  return said;
}

std::optional<Traced> limit_of_type(const std::string& name) {
  // No expression is infinite.
  if (name == "INFINITY" || name == "HUGE_VALF" || name == "CUDART_INF_F")
    return type_limit("float", "infinity");
  if (name == "HUGE_VAL" || name == "CUDART_INF") return type_limit("double", "infinity");
  static const std::set<std::string> types{"flt",   "dbl",    "char",  "uchar", "shrt",
                                           "int",   "uint",   "long",  "ulong", "llong",
                                           "int64", "uint64", "int32", "size",  "uint32"};
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto line = std::min(lower.rfind('_'), lower.size() - 1);
  const bool is_macro = lower != name && types.contains(lower.substr(0, line));
  return is_macro ? type_limit(lower.substr(0, line), lower.substr(line + 1)) : std::nullopt;
}

std::optional<Traced> type_limit(const std::string& type, const std::string& which) {
  const auto has = [&](const char* word) { return type.find(word) != std::string::npos; };
  const bool is_double = has("double") || has("dbl");
  if (is_double || has("float") || has("flt")) {
    const double most = is_double ? DBL_MAX : FLT_MAX;
    if (which == "lowest") return factor("(" + real_text(-most) + ")", true);
    const bool is_most = which == "max" || which == "infinity";
    if (!is_most && which != "epsilon") return std::nullopt;
    return factor(real_text(is_most ? most : is_double ? DBL_EPSILON : FLT_EPSILON), true);
  }
  const bool is_unsigned = has("unsigned") || has("uint") || has("size") || type[0] == 'u';
  const int bits = has("char") || has("int8")                    ? 8
                   : has("short") || has("shrt") || has("int16") ? 16
                   : has("long") || has("64") || has("size")     ? 64
                                                                 : 32;
  // Beyond 63 bits there is no integer.
  const auto most =
      bits == 64 ? INT64_MAX : (std::int64_t{1} << (bits - (is_unsigned ? 0 : 1))) - 1;
  if (which == "max") return number(most);
  const bool is_least = (which == "min" || which == "lowest") && !is_unsigned;
  return is_least ? std::optional(number(bits == 64 ? -most : -most - 1)) : std::nullopt;
}

Traced either(const std::string& condition, const Traced& yes, const Traced& no) {
  if (condition == "true" || yes.text() == no.text()) return yes;
  if (condition == "false") return no;
  // n / b, and one more if something is left, is ceil(n / b).
  const auto is_ceiling = [&](const Traced& less, const Traced& more, const char* end) {
    const auto text = less.text();
    const auto by = text.rfind(" / ");
    if (!text.starts_with("floor(") || !text.ends_with(')') || by == std::string::npos)
      return false;
    const auto rest = text.substr(6, by - 6) + " % " + text.substr(by + 3);
    return more.text() == text + " + 1" &&
           condition == rest.substr(0, rest.size() - 1) + std::string(end);
  };
  const auto ceiling = [](const Traced& of) { return factor("ceil(" + of.text().substr(6)); };
  if (is_ceiling(no, yes, " != 0") || is_ceiling(no, yes, " > 0")) return ceiling(no);
  if (is_ceiling(yes, no, " == 0")) return ceiling(yes);
  return factor("if(" + condition + ", " + yes.text() + ", " + no.text() + ")",
                yes.is_real || no.is_real);
}

std::string Traced::text() const {
  if (factors.empty()) return std::to_string(constant);
  std::string all = constant == 1 ? "" : std::to_string(constant);
  for (const auto& one : factors) {
    const bool is_alone = factors.size() == 1 && constant == 1;
    const auto inner = is_alone && is_bracketed(one) ? one.substr(1, one.size() - 2) : one;
    all += (all.empty() ? "" : " * ") + inner;
  }
  return all;
}

Traced Traced::whole() const {
  if (!is_real) return *this;
  return factors.empty() ? number(constant) : factor("floor(" + text() + ")");
}

std::string Traced::operand() const {
  return factors.size() == 1 && constant == 1 ? factors.front() : text();
}

std::string Traced::divisor() const {
  return factors.size() + (constant == 1 ? 0 : 1) > 1 ? "(" + text() + ")" : operand();
}

}  // namespace apod::source
