#include "kernels/files/source/traced.hpp"

#include <cfloat>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <map>

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
  static const std::map<std::string, double, std::less<>> reals{
      {"FLT_MAX", FLT_MAX},      {"FLT_MIN", FLT_MIN},   {"FLT_EPSILON", FLT_EPSILON},
      {"DBL_MAX", DBL_MAX},      {"DBL_MIN", DBL_MIN},   {"DBL_EPSILON", DBL_EPSILON},
      {"INFINITY", FLT_MAX},     {"HUGE_VALF", FLT_MAX}, {"HUGE_VAL", DBL_MAX},
      {"CUDART_INF_F", FLT_MAX}, {"CUDART_INF", DBL_MAX}};
  // Beyond 63 bits there is no integer.
  static const std::map<std::string, std::int64_t, std::less<>> integers{
      {"CHAR_MAX", CHAR_MAX},    {"CHAR_MIN", CHAR_MIN},    {"SCHAR_MAX", SCHAR_MAX},
      {"SCHAR_MIN", SCHAR_MIN},  {"UCHAR_MAX", UCHAR_MAX},  {"SHRT_MAX", SHRT_MAX},
      {"SHRT_MIN", SHRT_MIN},    {"USHRT_MAX", USHRT_MAX},  {"INT_MAX", INT_MAX},
      {"INT_MIN", INT_MIN},      {"UINT_MAX", UINT_MAX},    {"INT32_MAX", INT32_MAX},
      {"INT32_MIN", INT32_MIN},  {"UINT32_MAX", UINT_MAX},  {"LONG_MAX", INT64_MAX},
      {"LONG_MIN", -INT64_MAX},  {"ULONG_MAX", INT64_MAX},  {"LLONG_MAX", INT64_MAX},
      {"LLONG_MIN", -INT64_MAX}, {"ULLONG_MAX", INT64_MAX}, {"INT64_MAX", INT64_MAX},
      {"INT64_MIN", -INT64_MAX}, {"UINT64_MAX", INT64_MAX}, {"SIZE_MAX", INT64_MAX}};
  if (const auto found = reals.find(name); found != reals.end())
    return factor(real_text(found->second), true);
  const auto found = integers.find(name);
  return found == integers.end() ? std::nullopt : std::optional(number(found->second));
}

std::string name_of_limit(const std::string& type, const std::string& which) {
  const auto has = [&](const char* word) { return type.find(word) != std::string::npos; };
  const bool is_real = has("float") || has("double");
  const auto end = which == "max"                                      ? std::string("_MAX")
                   : which == "min" || (which == "lowest" && !is_real) ? std::string("_MIN")
                   : which == "epsilon" && is_real                     ? std::string("_EPSILON")
                                                                       : std::string();
  if (which == "infinity") return has("double") ? "HUGE_VAL" : "HUGE_VALF";
  if (end.empty()) return "";
  const std::string sign = has("unsigned") || has("uint") || has("size_t") ? "U" : "";
  if (sign == "U" && end == "_MIN") return "";
  if (is_real) return (has("double") ? "DBL" : "FLT") + end;
  if (has("char") || has("int8")) return (sign.empty() ? "SCHAR" : "UCHAR") + end;
  if (has("short") || has("int16")) return sign + "SHRT" + end;
  return sign + (has("long") || has("64") || has("size_t") ? "LONG" : "INT") + end;
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

std::string Traced::operand() const {
  return factors.size() == 1 && constant == 1 ? factors.front() : text();
}

std::string Traced::divisor() const {
  return factors.size() + (constant == 1 ? 0 : 1) > 1 ? "(" + text() + ")" : operand();
}

}  // namespace apod::source
