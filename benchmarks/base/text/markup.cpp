#include "benchmarks/base/text/markup.hpp"

#include "benchmarks/base/text/plain.hpp"

namespace apod::text {

std::string as_markup(std::string_view text) {
  std::string escaped;
  const std::string clean = printable(text);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    const std::string_view three = std::string_view(clean).substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      escaped += "\uFFFD";
      i += 2;
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (clean.compare(i, 2, "::") == 0 && (i == 0 || clean[i - 1] == ' ')) {
      escaped +=
          "&#58;";  // GitHub's runner takes a line of a log that begins with :: for a command
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace apod::text
