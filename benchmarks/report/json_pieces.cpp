#include "benchmarks/report/json_pieces.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benchmarks/report/text.hpp"

namespace apod::report {
namespace {

constexpr std::size_t max_depth = 64;
constexpr std::size_t buffer_bytes = 1 << 20;
constexpr std::size_t shown_width = 60;  ///< columns of a value in a message

std::string shown(std::string_view text) {
  return shorten(printable(text.substr(0, 4 * shown_width)), shown_width);
}

/// What the library says of a syntax error, without its own names: "line 1, column 3: syntax error
/// ...".
std::string without_prefix(std::string_view what, const std::string& token) {
  constexpr std::string_view marker = "] ";
  constexpr std::string_view parse_error = "parse error at ";
  if (const auto at = what.find(marker); at != what.npos) what.remove_prefix(at + marker.size());
  if (what.starts_with(parse_error)) what.remove_prefix(parse_error.size());
  std::string message = shorten(printable(what.substr(0, 800)), 200);
  const bool no_word = token.ends_with("N") || token.ends_with("I") || token.ends_with("-I");
  return no_word ? message + " (JSON has no NaN and no Infinity)" : message;
}

/// Builds one piece at a time from the parser's events and hands it on when it is complete.
class PieceBuilder final : public nlohmann::json_sax<Piece> {
 public:
  PieceBuilder(const std::vector<std::string>& skipped, const TakePiece& take)
      : skipped_(skipped), take_(take) {}

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return scalar(nullptr); }

  bool start_object(std::size_t) override { return start(Piece::value_t::object); }
  bool start_array(std::size_t) override { return start(Piece::value_t::array); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& name) override {
    if (skip_from_ > 0) return true;
    bool is_new = true;
    if (depth_ == 1) {
      member_ = name;
      index_ = 0;
      in_array_ = false;
      is_new = seen_.insert(name).second;
    } else {
      const auto [found, inserted] = stack_.back()->emplace(name, nullptr);
      is_new = inserted;
      slot_ = &*found;
    }
    if (!is_new) throw std::runtime_error("the key '" + shown(name) + "' stands twice");
    skip_next_ = std::find(skipped_.begin(), skipped_.end(), name) != skipped_.end();
    return true;
  }

  bool parse_error(std::size_t, const std::string& token,
                   const nlohmann::json::exception& error) override {
    syntax_error_ = without_prefix(error.what(), token);
    return false;
  }

  const std::string& syntax_error() const { return syntax_error_; }
  /// Where in the file the builder stands: "", "context", "benchmarks[3]".
  std::string place() const {
    const std::string name = shown(member_);
    return in_array_ ? name + "[" + std::to_string(index_) + "]" : name;
  }

 private:
  /// Whether the value that begins here is passed over.
  bool is_skipped() {
    if (skip_from_ > 0) return true;
    return std::exchange(skip_next_, false);
  }

  bool start(Piece::value_t type) {
    const bool skipped = is_skipped();
    if (++depth_ > max_depth) throw std::runtime_error("nested too deeply");
    if (depth_ == 1) {
      if (type != Piece::value_t::object) throw std::runtime_error("the top is no object");
    } else if (skipped) {
      if (skip_from_ == 0) skip_from_ = depth_;
    } else if (depth_ == 2 && type == Piece::value_t::array) {
      in_array_ = true;
    } else {
      stack_.push_back(put(Piece(type)));
    }
    return true;
  }

  bool end() {
    const std::size_t closed = depth_--;
    if (skip_from_ > 0) {
      if (closed == skip_from_) skip_from_ = 0;
      return true;
    }
    if (closed == 1) return true;
    if (stack_.empty()) {  // the array that is a member
      in_array_ = false;
      return true;
    }
    stack_.pop_back();
    return stack_.empty() ? hand_on() : true;
  }

  template <class Value>
  bool scalar(Value&& value) {
    if (is_skipped()) return true;
    if (depth_ == 0) throw std::runtime_error("the top is no object");
    put(Piece(std::forward<Value>(value)));
    return stack_.empty() ? hand_on() : true;
  }

  Piece* put(Piece&& value) {
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
    return goes_on;
  }

  const std::vector<std::string>& skipped_;
  const TakePiece& take_;
  std::set<std::string> seen_;  ///< keys of the top
  std::string member_;
  std::size_t index_ = 0;
  bool in_array_ = false;      ///< inside a member that is an array
  std::size_t depth_ = 0;      ///< open containers
  std::size_t skip_from_ = 0;  ///< depth of the container that is passed over; 0: none
  bool skip_next_ = false;     ///< the value of the key just read is passed over
  Piece root_;
  std::vector<Piece*> stack_;  ///< open containers of the piece
  Piece* slot_ = nullptr;      ///< where the value of the key just read goes
  std::string syntax_error_;
};

[[noreturn]] void wrong(const char* key, const std::string& what) {
  throw std::runtime_error(std::string(key) + ": " + what);
}

std::string shown_value(const Piece& value) {
  return value.is_structured() ? std::string(value.type_name())
                               : shown(value.dump(-1, ' ', false, Piece::error_handler_t::replace));
}

const Piece& required(const Piece& object, const char* key) {
  if (!object.is_object()) throw std::runtime_error("not an object");
  const auto found = object.find(key);
  if (found == object.end()) wrong(key, "missing");
  return *found;
}

}  // namespace

void read_pieces(const std::string& file, const std::vector<std::string>& skipped,
                 const TakePiece& take) {
  std::vector<char> buffer(buffer_bytes);
  std::ifstream in;
  in.rdbuf()->pubsetbuf(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  in.open(file, std::ios::binary);
  if (!in) throw std::runtime_error(std::string("can't be opened: ") + std::strerror(errno));
  PieceBuilder builder(skipped, take);
  try {
    // False is a syntax error, or the wish of `take` to end.
    Piece::sax_parse(in, &builder);
  } catch (const std::exception& error) {
    const std::string place = builder.place();
    throw std::runtime_error((place.empty() ? "" : place + ": ") + error.what());
  }
  if (!builder.syntax_error().empty()) throw std::runtime_error(builder.syntax_error());
}

const Piece& look_up(const Piece& object, const char* key) {
  static const Piece none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

double number_at(const Piece& object, const char* key) {
  const Piece& value = required(object, key);
  if (!value.is_number()) wrong(key, shown_value(value) + " is no number");
  return value.get<double>();
}

std::size_t count_at(const Piece& object, const char* key) {
  const Piece& value = required(object, key);
  if (!value.is_number_unsigned()) wrong(key, shown_value(value) + " is no count");
  return value.get<std::size_t>();
}

const std::string& text_at(const Piece& object, const char* key) {
  const Piece& value = required(object, key);
  if (!value.is_string()) wrong(key, shown_value(value) + " is no text");
  return value.get_ref<const std::string&>();
}

const Piece& array_at(const Piece& object, const char* key) {
  const Piece& value = look_up(object, key);
  if (!value.is_null() && !value.is_array()) wrong(key, shown_value(value) + " is no array");
  return value;
}

const Piece& object_at(const Piece& object, const char* key) {
  const Piece& value = look_up(object, key);
  if (!value.is_null() && !value.is_object()) wrong(key, shown_value(value) + " is no object");
  return value;
}

double number_or_nan(const Piece& object, const char* key) {
  const Piece& value = look_up(object, key);
  if (!value.is_null() && !value.is_number()) wrong(key, shown_value(value) + " is no number");
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

bool flag_at(const Piece& object, const char* key) {
  const Piece& value = look_up(object, key);
  if (value.is_null()) return false;
  if (!value.is_boolean()) wrong(key, shown_value(value) + " is neither true nor false");
  return value.get<bool>();
}

double seconds_at(const Piece& object, const char* key, double unit_s) {
  const double seconds = number_at(object, key) * unit_s;
  if (!(seconds > 0) || !std::isfinite(seconds))
    wrong(key, shown_value(object[key]) + " is no time");
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

}  // namespace apod::report
