#pragma once

/// \file
/// A Writer turns a record into JSON and a Reader fills a record from JSON, both by the record's
/// one list of fields; see fields.hpp. Internal to record/.

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "benchmarks/base/text/shared_text.hpp"
#include "kernels/api/params.hpp"
#include "kernels/api/types.hpp"

namespace apod::record {

/// Keeps the order of keys: axes are shown in the order in which they were declared.
using Json = nlohmann::ordered_json;

/// The text of `json` on one line. Bytes that are not UTF-8 become U+FFFD; NaN and Infinity, for
/// which JSON has no word, become null. "##[", which GitHub's runner takes for a command anywhere,
/// is written as "##\u005b", which is the same text.
inline std::string dump(const Json& json, int indent = -1) {
  std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  for (auto at = text.find("##["); at != std::string::npos; at = text.find("##[", at))
    text.replace(at + 2, 1, "\\u005b");
  return text;
}

/// Throws std::runtime_error if a text that is to be JSON nests deeper than `deepest`, or has an
/// object with more than 20,000 members, because parsing would take quadratic time. Linear, and
/// takes no memory. Call it before Json::parse for all input from outside; the parser's callbacks
/// can't bound this, because they take quadratic time too.
void check_shape(std::string_view text, std::size_t deepest);

/// The value of a line. No record of ours nests deeper than `deepest`. Throws std::runtime_error if
/// the line is not JSON, and as check_shape().
inline Json parse_bounded(std::string_view line, std::size_t deepest = 8) {
  check_shape(line, deepest);
  try {
    return Json::parse(line);
  } catch (const Json::exception&) {
    throw std::runtime_error("it is not JSON");
  }
}

template <class T, class Record>
concept Is = std::same_as<std::remove_const_t<T>, Record>;

template <class T>
concept Optional = requires(T t) {
  typename T::value_type;
  t.has_value();
};

/// Runs `body`, which reads the member `name`; the message of a std::runtime_error begins with it.
template <class Name, class Body>
void read_member(const Name& name, const Body& body) {
  try {
    body();
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(name) + ": " + error.what());
  }
}

template <class T>
concept Map = requires {
  typename T::mapped_type;
};

template <class T>
inline constexpr std::size_t array_size = 0;
template <class Element, std::size_t size>
inline constexpr std::size_t array_size<std::array<Element, size>> = size;

template <class T>
concept Vector = std::same_as<T, std::vector<typename T::value_type>>;

/// What has a list of fields: any other type is one value.
template <class T>
concept IsRecord =
    std::is_class_v<T> && !std::same_as<T, std::string> && !std::same_as<T, text::SharedText> &&
    !std::same_as<T, AxisValue> && !std::same_as<T, Params> && !Optional<T> && !Map<T> &&
    !Vector<T> && array_size<T> == 0;

/// Collects the fields of one record into a JSON object.
class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    json_[name] = write(value);
  }

  /// A field that is left out if it is empty.
  template <class T>
  void if_any(const char* name, const T& value) {
    if (!is_empty(value)) (*this)(name, value);
  }

  /// A field for other readers, which follows from those of the record.
  template <class T>
  void derived(const char* name, const T& value) {
    (*this)(name, value);
  }

  template <class T>
  static Json write(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      return value;
    } else if constexpr (std::same_as<T, text::SharedText>) {
      return value.str();
    } else if constexpr (NamedEnum<T>) {
      return std::string(to_string(value));
    } else if constexpr (std::same_as<T, AxisValue>) {
      return std::visit([](const auto& v) { return Json(v); }, value);
    } else if constexpr (std::same_as<T, Params>) {
      Json object = Json::object();
      for (const auto& [name, v] : value.entries()) object[name] = write(v);
      return object;
    } else if constexpr (Optional<T>) {
      return value ? write(*value) : Json();
    } else if constexpr (Map<T>) {
      Json object = Json::object();
      for (const auto& [name, v] : value) object[name] = write(v);
      return object;
    } else if constexpr (Vector<T> || array_size<T> > 0) {
      Json array = Json::array();
      for (const auto& v : value) array.push_back(write(v));
      return array;
    } else {
      Writer writer;
      fields(writer, value);
      return std::move(writer.json_);
    }
  }

 private:
  template <class T>
  static bool is_empty(const T& value) {
    if constexpr (Optional<T>) {
      return !value.has_value();
    } else if constexpr (std::is_arithmetic_v<T>) {
      return value == T{};
    } else {
      return value.empty();
    }
  }

  Json json_ = Json::object();
};

/// Whether every field must be present. A line of the wire or of a journal is complete; a file may
/// be older than a field, or be read without members that are not needed.
enum class Missing : std::uint8_t {
  refused,
  allowed,  ///< the member keeps its value
};

/// Fills the fields of one record from a JSON object. Unknown keys are skipped, so that an older
/// program reads a newer file. Throws std::runtime_error with the path to what is wrong: "clock:
/// mean_mhz: not a number".
template <Missing missing>
class BasicReader {
 public:
  explicit BasicReader(const Json& json) : json_(json), next_(json.begin()) {
    if (!json.is_object()) throw std::runtime_error("not an object");
  }

  template <class T>
  void operator()(const char* name, T& value) {
    if (find(name)) {
      read_member(name, [&] { read(*next_++, value); });
    } else if constexpr (missing == Missing::refused) {
      throw std::runtime_error(std::string(name) + ": missing");
    }
  }

  template <class T>
  void if_any(const char* name, T& value) {
    if (find(name)) (*this)(name, value);
  }

  template <class T>
  void derived(const char*, const T&) {}

  template <class T>
  static void read(const Json& json, T& value) {
    if constexpr (std::same_as<T, bool>) {
      if (!json.is_boolean()) throw std::runtime_error("not a boolean");
      value = json.get<bool>();
    } else if constexpr (std::integral<T>) {
      if (!json.is_number_integer()) throw std::runtime_error("not an integer");
      const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                  : std::in_range<T>(json.get<std::int64_t>());
      if (!fits) throw std::runtime_error("integer out of range");
      value = json.get<T>();
    } else if constexpr (std::floating_point<T>) {
      if (!json.is_number() && !json.is_null()) throw std::runtime_error("not a number");
      value = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
    } else if constexpr (std::same_as<T, std::string>) {
      if (!json.is_string()) throw std::runtime_error("not a string");
      value = json.get<std::string>();
    } else if constexpr (std::same_as<T, text::SharedText>) {
      std::string text;
      read(json, text);
      value = text;
    } else if constexpr (NamedEnum<T>) {
      std::string word;
      read(json, word);
      const auto parsed = parse<T>(word);
      if (!parsed) throw std::runtime_error("unknown value '" + word + "'");
      value = *parsed;
    } else if constexpr (std::same_as<T, AxisValue>) {
      if (json.is_string()) {
        value = json.get<std::string>();
      } else {
        std::int64_t number = 0;
        read(json, number);
        value = number;
      }
    } else if constexpr (std::same_as<T, Params>) {
      if (!json.is_object()) throw std::runtime_error("not an object");
      value = {};
      for (const auto& [name, v] : json.items()) {
        AxisValue axis;
        read_member(name, [&] { read(v, axis); });
        value.set(name, std::move(axis));
      }
    } else if constexpr (Optional<T>) {
      value.reset();
      if (!json.is_null()) read(json, value.emplace());
    } else if constexpr (Map<T>) {
      if (!json.is_object()) throw std::runtime_error("not an object");
      value.clear();
      for (const auto& [name, v] : json.items()) read_member(name, [&] { read(v, value[name]); });
    } else if constexpr (array_size<T> > 0) {
      if (!json.is_array()) throw std::runtime_error("not an array");
      if (json.size() != value.size())
        throw std::runtime_error("not " + std::to_string(value.size()) + " elements");
      for (std::size_t i = 0; i < value.size(); ++i)
        read_member("[" + std::to_string(i) + "]", [&] { read(json[i], value[i]); });
    } else if constexpr (Vector<T>) {
      if (!json.is_array()) throw std::runtime_error("not an array");
      value.clear();
      value.reserve(json.size());
      for (const auto& v : json) {
        read_member("[" + std::to_string(value.size()) + "]",
                    [&] { read(v, value.emplace_back()); });
      }
    } else {
      BasicReader reader(json);
      fields(reader, value);
    }
  }

 private:
  /// Sets next_ to the field, where it usually is already, because fields are written in their
  /// order. The length alone distinguishes a view from most keys.
  bool find(std::string_view name) {
    if (next_ == json_.end() || next_.key() != name) {
      const auto found = json_.find(name);
      if (found == json_.end()) return false;
      next_ = found;
    }
    return true;
  }

  const Json& json_;
  Json::const_iterator next_;
};

/// Of the wire and the journal.
using Reader = BasicReader<Missing::refused>;
/// Of files.
using FileReader = BasicReader<Missing::allowed>;

}  // namespace apod::record
