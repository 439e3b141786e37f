#pragma once

/// \file
/// The characters of a JSON file on their way to the parser, without the values that nobody reads.
/// Internal to results/.

#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace apod::results {

/// A dozen at most, and of many lengths: looking at each of them is cheaper than hashing.
using Keys = std::vector<std::string>;
/// Keys whose values nobody reads, by the key of the object that they are in, or of the array of
/// such objects; the file's top has the key "".
using HiddenKeys = std::map<std::string, Keys, std::less<>>;

bool holds(const Keys& keys, std::string_view key);

/// Reads a file in blocks. Passing over a value here is much cheaper than parsing it, and most of a
/// result file are values that a comparison does not need.
class JsonSource {
 public:
  /// What a parser takes: the file's characters, read once.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    explicit Iterator(JsonSource* source = nullptr) : source_(source) {}
    char operator*() const { return *source_->at_; }
    Iterator& operator++() {
      ++source_->at_;
      return *this;
    }
    /// Only for a comparison with the end, as a parser makes it.
    bool operator==(const Iterator&) const { return source_->at_end(); }

   private:
    JsonSource* source_;
  };

  /// Throws std::runtime_error where `file` can't be opened.
  explicit JsonSource(const std::string& file);

  Iterator begin() { return Iterator(this); }
  Iterator end() { return Iterator(this); }

  /// To be called when the parser has taken a key and no character after it: hides the value of
  /// that key, so that the parser gets a null, and as many of the members that follow it as have
  /// a key in `hidden` too. What is hidden is only looked at as far as it takes to find its end:
  /// brackets, which may be nested at most `max_depth` deep, strings, and that there is no other
  /// character than JSON has outside of them. Returns false where that goes wrong or the file ends.
  bool hide_value(const Keys& hidden, std::size_t max_depth);

  /// Whether the parser asked for more than there is.
  bool ended() const { return ended_; }

 private:
  bool at_end() { return at_ == block_end_ && !next_block(); }
  bool next_block();
  bool skip_blanks();
  bool skip_value(std::size_t max_depth);
  bool skip_key(const Keys& hidden);
  bool skip_scalar();
  bool skip_container(std::size_t max_depth);
  bool skip_string();
  bool skip_escape();
  bool skip_sequence();

  std::ifstream in_;
  std::vector<char> buffer_;  ///< a block, with room before it for what stands for a hidden value
  char* at_;
  char* block_end_;
  bool ended_ = false;
};

}  // namespace apod::results
