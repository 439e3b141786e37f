#pragma once

/// \file
/// A JSON file as a sequence of events, without values that are not needed. Internal to files/.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/files/record/archive.hpp"

namespace apod::files {

/// A dozen at most, with different lengths: comparing with each of them is cheaper than hashing.
using Keys = std::vector<std::string>;
/// Keys whose values are skipped, by the key of the object that contains them, or of the array of
/// such objects; the file's top has the key "".
using HiddenKeys = std::map<std::string, Keys, std::less<>>;

bool holds(const Keys& keys, std::string_view key);

/// The events of a file, also those of the library's parser; false stops the reading.
using JsonEvents = nlohmann::json_sax<record::Json>;

/// Reads JSON in blocks, several times as fast as the library does. It accepts the same files,
/// but has no messages for the others: the library does.
class JsonSource {
 public:
  enum class End : std::uint8_t { whole, ended_by_events, not_json };

  /// `hidden` returns the hidden keys of the innermost open object; null: none. Containers within
  /// hidden values are nested at most `max_depth` deep; elsewhere `events` limits that.
  JsonSource(std::istream& in, JsonEvents& events, std::function<const Keys*()> hidden,
             std::size_t max_depth);

  /// Sends all values except the hidden ones to `events`; neither their keys nor their values are
  /// sent. What these throw is passed on.
  End read();

 private:
  bool at_end() { return at_ == block_end_ && !next_block(); }
  bool next_block();
  /// To the next character that is not blank; false if there is none.
  bool skip_blanks();
  bool skip_byte_order_mark();
  bool tell(bool goes_on);

  // Each begins at its first character and returns false if it is not JSON, or reading has stopped.
  bool one_value();
  bool close_and_find_next();
  bool first_of(char closing);
  bool member();
  bool scalar();
  bool text(std::string* out);
  bool escape(std::string* out);
  bool sequence(std::string* out);
  bool hex(std::uint32_t& unit);
  bool collect_scalar();
  bool skip_value();
  bool skip_container();

  JsonEvents& events_;
  std::function<const Keys*()> hidden_;
  std::size_t max_depth_;
  std::istream& in_;
  std::unique_ptr<char[]> block_;
  const char* at_;
  const char* block_end_;
  std::string open_;          ///< the containers that are open: '{' or '['
  bool wants_value_ = true;   ///< the next thing is a value, not the end of one
  bool ended_ = false;        ///< `events` want no more
  std::string text_, token_;  ///< of the last string, number or word
};

}  // namespace apod::files
