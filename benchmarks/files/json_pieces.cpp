#include "benchmarks/files/json_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::files {
namespace {

constexpr std::size_t max_depth = 64;
constexpr std::size_t shown_width = 60;  ///< columns of a value in a message
/// Of one piece, which is in memory as a whole: a process of eight million samples.
constexpr std::size_t max_values = std::size_t{1} << 23;
constexpr std::size_t long_array = 10'000;  ///< a column of a thin result
constexpr std::size_t max_members = 1000;   ///< of the top

std::string shown(std::string_view text) {
  return text::shorten(text::printable(text.substr(0, 4 * shown_width)), shown_width);
}

/// What the library says of a syntax error, without its own names: "line 1, column 3: syntax error
/// ...".
std::string without_prefix(std::string_view what, const std::string& token) {
  constexpr std::string_view marker = "] ";
  constexpr std::string_view parse_error = "parse error at ";
  if (const auto at = what.find(marker); at != what.npos) what.remove_prefix(at + marker.size());
  if (what.starts_with(parse_error)) what.remove_prefix(parse_error.size());
  std::string message = text::shorten(text::printable(what.substr(0, 800)), 200);
  const bool no_word = token.ends_with("N") || token.ends_with("I") || token.ends_with("-I");
  return no_word ? message + " (JSON has no NaN and no Infinity)" : message;
}

/// Throws std::runtime_error where two members of an object have one key. `keys` is to work with.
void check_keys(const Piece& object, std::vector<std::string_view>& keys) {
  keys.clear();
  for (const auto& member : object.get_ref<const Piece::object_t&>()) keys.push_back(member.first);
  // Lengths tell most keys apart.
  std::sort(keys.begin(), keys.end(), [](std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) throw std::runtime_error("the key '" + shown(*twice) + "' occurs twice");
}

/// Builds one piece at a time from the parser's events and hands it on when it is complete.
class PieceBuilder final : public nlohmann::json_sax<Piece> {
 public:
  PieceBuilder(const HiddenKeys& hidden, const TakePiece& take) : hidden_(hidden), take_(take) {}

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override { return number(value); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return scalar(nullptr); }

  bool start_object(std::size_t) override { return start(Piece::value_t::object); }
  bool start_array(std::size_t) override { return start(Piece::value_t::array); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& name) override {
    if (depth_ == 1) {
      member_ = name;
      index_ = 0;
      in_array_ = false;
      if (!seen_.insert(name).second)
        throw std::runtime_error("the key '" + shown(name) + "' occurs twice");
      if (seen_.size() > max_members) throw std::runtime_error("the object has too many members");
    } else {
      slot_ = &stack_.back()->get_ref<Piece::object_t&>().emplace_back(name, nullptr).second;
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string& token, const Piece::exception& error) override {
    syntax_error_ = without_prefix(error.what(), token);
    return false;
  }

  /// The keys of the container that is open whose values are hidden; null: none.
  const Keys* hidden_here() const { return hidden_here_.back(); }
  bool is_open() const { return depth_ > 0; }
  const std::string& syntax_error() const { return syntax_error_; }
  /// Where in the file the builder is: "", "context", "benchmarks[3]".
  std::string place() const {
    const std::string name = shown(member_);
    return in_array_ ? name + "[" + std::to_string(index_) + "]" : name;
  }

 private:
  /// The hidden keys of the container that begins here, which an element shares with its array.
  const Keys* hidden_below() const {
    const bool is_element = stack_.empty() ? in_array_ : stack_.back()->is_array();
    if (is_element) return hidden_here_.back();
    const auto found = hidden_.find(key_);
    return found == hidden_.end() ? nullptr : &found->second;
  }

  /// Whether what is open belongs to a table of a thin result.
  bool in_table() const {
    return !in_array_ && (member_ == "apod_cases" || member_ == "apod_processes");
  }

  bool start(Piece::value_t type) {
    if (depth_ == max_depth) throw std::runtime_error("nested too deeply");
    keep_numbers();
    hidden_here_.push_back(hidden_below());
    ++depth_;
    if (depth_ == 1) {
      top_is_array_ = in_array_ = type == Piece::value_t::array;
    } else if (depth_ == 2 && type == Piece::value_t::array && !top_is_array_) {
      in_array_ = true;
    } else {
      Piece* const piece = put(Piece(type));
      constexpr std::size_t usual_members = 16;  // to copy fewer of them while it grows
      if (piece->is_object()) piece->get_ref<Piece::object_t&>().reserve(usual_members);
      stack_.push_back(piece);
      only_numbers_ = piece->is_array() && in_table();
    }
    return true;
  }

  bool end() {
    if (only_numbers_ && numbers_.size() > long_array) {
      *stack_.back() = numbers_.packed();
      values_ -= numbers_.size() / 2;
      numbers_.clear();
    }
    keep_numbers();
    hidden_here_.pop_back();
    const std::size_t closed = depth_--;
    if (closed == 1) {
      if (std::exchange(in_array_, false) && index_ == 0)
        throw std::runtime_error(top_is_no_object);
      return true;
    }
    if (stack_.empty()) {  // the array that is a member
      in_array_ = false;
      return true;
    }
    if (stack_.back()->is_object()) {
      check_keys(*stack_.back(), keys_);
    } else if (stack_.back()->is_array() && stack_.back()->size() > long_array) {
      stack_.back()->get_ref<Piece::array_t&>().shrink_to_fit();
    }
    stack_.pop_back();
    return stack_.empty() ? hand_on() : true;
  }

  /// An array of a table that has numbers alone so far is no JSON yet.
  template <class Number>
  bool number(Number value) {
    if (!only_numbers_) return scalar(value);
    count_value();
    if (numbers_.add(value)) return true;
    --values_;
    return scalar(value);
  }

  /// The array is short, or has an element that is not a number.
  void keep_numbers() {
    if (!only_numbers_) return;
    if (!numbers_.empty()) *stack_.back() = numbers_.array();
    numbers_.clear();
    only_numbers_ = false;
  }

  void count_value() {
    if (++values_ > max_values)
      throw std::runtime_error("more than " + std::to_string(max_values) + " values");
  }

  template <class Value>
  bool scalar(Value&& value) {
    keep_numbers();
    if (depth_ == 0) throw std::runtime_error(top_is_no_object);
    put(Piece(std::forward<Value>(value)));
    return stack_.empty() ? hand_on() : true;
  }

  Piece* put(Piece&& value) {
    count_value();
    if (stack_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (stack_.back()->is_array()) return &stack_.back()->emplace_back(std::move(value));
    *slot_ = std::move(value);
    return slot_;
  }

  bool hand_on() {
    const bool goes_on = take_(member_, in_array_ ? index_ : whole, root_);
    ++index_;
    values_ = 0;
    return goes_on;
  }

  const HiddenKeys& hidden_;
  const TakePiece& take_;
  std::set<std::string> seen_;  ///< keys of the top
  std::string member_;
  std::size_t index_ = 0;
  std::size_t values_ = 0;  ///< of the piece so far
  bool in_array_ = false;   ///< inside a member that is an array
  bool top_is_array_ = false;
  std::size_t depth_ = 0;  ///< open containers
  Piece root_;
  std::vector<Piece*> stack_;  ///< open containers of the piece
  Piece* slot_ = nullptr;      ///< where the value of the key just read goes
  Numbers numbers_;            ///< of the innermost array, instead of their values in it
  bool only_numbers_ = false;
  std::string key_;  ///< the last one
  std::vector<std::string_view> keys_;
  std::vector<const Keys*> hidden_here_;  ///< of each open container; null: none
  std::string syntax_error_;
};

[[noreturn]] void wrong(const char* key, const std::string& what) {
  throw std::runtime_error(std::string(key) + ": " + what);
}

std::string shown_value(const Piece& value) {
  return value.is_structured() ? std::string(value.type_name())
                               : shown(value.dump(-1, ' ', false, Piece::error_handler_t::replace));
}

/// Calls `read(builder)`; to what is thrown the place is added.
template <class Read>
auto placed(PieceBuilder& builder, const Read& read) {
  try {
    return read();
  } catch (const std::exception& error) {
    const std::string place = builder.place();
    throw std::runtime_error((place.empty() ? "" : place + ": ") + error.what());
  }
}

/// Throws std::runtime_error with what is wrong with a file that is no JSON, its line and column.
[[noreturn]] void explain(const std::string& file) {
  const TakePiece take = [](const std::string&, std::size_t, const Piece&) { return true; };
  const HiddenKeys nothing;
  PieceBuilder builder(nothing, take);
  os::InputFile in(file);
  placed(builder, [&] { return Piece::sax_parse(in, &builder); });
  if (in.eof() && builder.is_open()) {
    const std::string where = builder.place();
    throw std::runtime_error("the file is cut off" + (where.empty() ? "" : ", in " + where));
  }
  throw std::runtime_error(builder.syntax_error().empty() ? "it is not JSON"
                                                          : builder.syntax_error());
}

const Piece& required(const Piece& object, const char* key) {
  if (!object.is_object()) throw std::runtime_error("not an object");
  const auto found = object.find(key);
  if (found == object.end()) wrong(key, "missing");
  return *found;
}

}  // namespace

void read_pieces(const std::string& file, const HiddenKeys& hidden, const TakePiece& take) {
  PieceBuilder builder(hidden, take);
  os::InputFile in(file);
  JsonSource source(
      in, builder, [&] { return builder.hidden_here(); }, max_depth);
  const auto end = placed(builder, [&] { return source.read(); });
  if (end == JsonSource::End::not_json) explain(file);
}

Piece read_members(const std::string& text) {
  Piece all = Piece::object();
  const TakePiece take = [&](const std::string& member, std::size_t index, Piece& piece) {
    index == whole ? void(all[member] = std::move(piece))
                   : void(all[member].push_back(std::move(piece)));
    return true;
  };
  const HiddenKeys nothing;
  PieceBuilder builder(nothing, take);
  std::istringstream in(text);
  JsonSource source(
      in, builder, [&] { return builder.hidden_here(); }, max_depth);
  const auto end = placed(builder, [&] { return source.read(); });
  if (end == JsonSource::End::not_json) throw std::runtime_error("it is not JSON");
  return all;
}

const Piece& look_up(const Piece& object, const char* key) {
  static const Piece none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

double number_at(const Piece& object, const char* key) {
  const Piece& value = required(object, key);
  if (!value.is_number()) wrong(key, shown_value(value) + " is not a number");
  return value.get<double>();
}

std::size_t count_at(const Piece& object, const char* key) {
  const Piece& value = required(object, key);
  if (!value.is_number_unsigned()) wrong(key, shown_value(value) + " is not a count");
  return value.get<std::size_t>();
}

const std::string& text_at(const Piece& object, const char* key) {
  const Piece& value = required(object, key);
  if (!value.is_string()) wrong(key, shown_value(value) + " is not a string");
  return value.get_ref<const std::string&>();
}

const Piece& array_at(const Piece& object, const char* key) {
  const Piece& value = look_up(object, key);
  if (!value.is_null() && !value.is_array()) wrong(key, shown_value(value) + " is not an array");
  return value;
}

bool flag_at(const Piece& object, const char* key) {
  const Piece& value = look_up(object, key);
  if (value.is_null()) return false;
  if (!value.is_boolean()) wrong(key, shown_value(value) + " is not a boolean");
  return value.get<bool>();
}

double seconds_at(const Piece& object, const char* key, double unit_s) {
  const double seconds = number_at(object, key) * unit_s;
  if (!(seconds > 0) || !std::isfinite(seconds))
    wrong(key, shown_value(object[key]) + " is not a time");
  return seconds;
}

std::string text_of(const Piece& scalar) {
  if (scalar.is_string()) return scalar.get<std::string>();
  if (scalar.is_boolean()) return scalar.get<bool>() ? "on" : "off";
  return scalar.is_number() ? scalar.dump() : "";
}

const Piece& element(const Piece& piece, std::size_t index) {
  if (index == whole) throw std::runtime_error("not an array");
  if (!piece.is_object()) throw std::runtime_error("not an object");
  return piece;
}

}  // namespace apod::files
