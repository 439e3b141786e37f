#include "kernels/files/source/traced.hpp"

#include <cstdlib>

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
  for (const char c : text) {
    if (c != '\'') digits += c;
  }
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

}  // namespace apod::source
