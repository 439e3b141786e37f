#pragma once

/// \file
/// Texts that very many records have: each is kept once.

#include <compare>
#include <concepts>
#include <string>
#include <string_view>

namespace apod::text {

/// A text that is kept once, for the life of the program: as large as a pointer. Any thread may
/// make one. Not for texts that are all different.
class SharedText {
 public:
  SharedText() : SharedText(std::string_view()) {}
  SharedText(std::string_view text);
  SharedText(const std::string& text) : SharedText(std::string_view(text)) {}
  SharedText(const char* text) : SharedText(std::string_view(text)) {}

  operator const std::string&() const { return *text_; }
  const std::string& str() const { return *text_; }
  bool empty() const { return text_->empty(); }

  friend bool operator==(SharedText a, SharedText b) { return a.text_ == b.text_; }
  friend auto operator<=>(SharedText a, SharedText b) { return *a.text_ <=> *b.text_; }
  /// Without making one of the other text.
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view>
  friend bool operator==(SharedText a, const Text& b) { return *a.text_ == std::string_view(b); }
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view>
  friend auto operator<=>(SharedText a, const Text& b) { return *a.text_ <=> std::string_view(b); }

 private:
  const std::string* text_;
};

}  // namespace apod::text
