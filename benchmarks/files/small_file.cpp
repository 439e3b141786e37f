#include "benchmarks/files/small_file.hpp"

#include <ostream>
#include <stdexcept>

#include "benchmarks/base/os/input_file.hpp"

namespace apod::files {

void write_small_file(std::ostream& out, const SmallFile& kind, const record::Json& value) {
  record::Json json = record::Json::object();
  json[kind.mark] = kind.schema;
  json.update(value);
  out << record::dump(json, 1) << '\n';
}

record::Json read_small_file(const std::string& file, const SmallFile& kind) {
  const std::string text = os::read_file(file, kind.most_bytes);
  constexpr std::size_t deepest = 64;
  record::check_shape(text, deepest);
  record::Json json;
  try {
    json = record::Json::parse(text);
  } catch (const record::Json::parse_error& error) {
    const bool cut_off = !text.empty() && error.byte > text.size();
    throw std::runtime_error(cut_off ? "the file is cut off" : "is not JSON");
  } catch (const record::Json::exception&) {
    throw std::runtime_error("is not JSON");
  }
  if (!json.is_object() || !json.contains(kind.mark)) throw std::runtime_error(kind.absent);
  if (json[kind.mark] != kind.schema) {
    throw std::runtime_error("has another schema than " + std::to_string(kind.schema) +
                             ", which this program reads: " + kind.again);
  }
  return json;
}

}  // namespace apod::files
