#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "kernels/files/source/program.hpp"

namespace apod::source {
namespace {

struct Part {
  std::size_t begin = 0, end = 0;  ///< bytes
};

/// Takes a source apart by its brackets. Those of namespaces are looked through.
class PartReader {
 public:
  explicit PartReader(const std::string& text) : text_(text) {}

  std::vector<Part> read() {
    while (at_ < text_.size()) one();
    close(text_.size());
    return std::move(parts_);
  }

 private:
  bool is(std::string_view what) const { return text_.compare(at_, what.size(), what) == 0; }
  void skip_to(std::string_view what) {
    const auto found = text_.find(what, at_);
    at_ = found == std::string::npos ? text_.size() : found + what.size();
  }
  void close(std::size_t end) {
    if (end > begin_) parts_.push_back({begin_, end});
    begin_ = end;
    has_body_ = false;
  }
  std::string_view so_far() const {
    const auto first = text_.find_first_not_of(" \t\r\n", begin_);
    return first < at_ ? std::string_view(text_).substr(first, at_ - first) : std::string_view();
  }

  void one() {
    const char c = text_[at_];
    if (is("//")) return skip_to("\n");
    if (is("/*")) {
      at_ += 2;
      return skip_to("*/");
    }
    if (c == '"' || c == '\'') return quoted(c);
    if (c == '#' && so_far().find_last_of('\n') + 1 == so_far().size()) return directive();
    if (c == '(' || c == '[') ++rounds_;
    if (c == ')' || c == ']') --rounds_;
    if (c == '{' && depth_++ == 0) {
      has_body_ = true;
      if (so_far().starts_with("namespace") || so_far().starts_with("inline namespace") ||
          so_far().starts_with("extern \"C\" {") || so_far() == "extern \"C\" ") {
        depth_ = 0;
        close(++at_);
        return;
      }
    }
    if (c == '}' && depth_ > 0) --depth_;
    ++at_;
    if (depth_ > 0 || rounds_ > 0) return;
    const bool ends_body = c == '}' && !(has_body_ && goes_on());
    if (c == ';' || ends_body) close(at_);
  }
  /// A class, or a variable with its values: a semicolon follows.
  bool goes_on() const {
    const auto next = text_.find_first_not_of(" \t\r\n", at_);
    if (next == std::string::npos) return false;
    const auto head = so_far().substr(0, so_far().find('{'));
    return text_[next] == ';' || head.find('=') != std::string_view::npos ||
           head.starts_with("typedef");
  }
  void quoted(char mark) {
    for (++at_; at_ < text_.size() && text_[at_] != mark && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }
  /// It is of no declaration.
  void directive() {
    if (depth_ == 0) close(at_);
    do {
      skip_to("\n");
    } while (at_ >= 2 && at_ < text_.size() &&
             (text_[at_ - 2] == '\\' || (text_[at_ - 2] == '\r' && text_[at_ - 3] == '\\')));
    if (depth_ == 0) begin_ = at_;
  }

  const std::string& text_;
  std::vector<Part> parts_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  int depth_ = 0;
  int rounds_ = 0;
  bool has_body_ = false;
};

}  // namespace

bool blank_host_part(std::string& text, std::size_t line) {
  constexpr std::array<std::string_view, 5> marks{"__global__", "__device__", "__constant__",
                                                  "__shared__", "__managed__"};
  std::size_t begin = 0;
  for (std::size_t i = 1; i < line && begin < text.size(); ++i)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  const auto end = std::min(text.find('\n', begin), text.size());
  bool changed = false;
  for (const auto& part : PartReader(text).read()) {
    if (part.end <= begin || part.begin >= end) continue;
    const auto whole = std::string_view(text).substr(part.begin, part.end - part.begin);
    const bool is_devices = std::ranges::any_of(
        marks, [&](std::string_view mark) { return whole.find(mark) != std::string_view::npos; });
    if (is_devices || whole.find_first_not_of(" \t\r\n;") == std::string_view::npos) continue;
    for (auto i = part.begin; i < part.end; ++i)
      if (text[i] != '\n') text[i] = ' ';
    changed = true;
  }
  return changed;
}

}  // namespace apod::source
