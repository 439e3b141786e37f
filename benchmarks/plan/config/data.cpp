#include <filesystem>
#include <stdexcept>

#include "benchmarks/plan/config/experiment_reader.hpp"

namespace apod::config {
namespace {

constexpr const char* forms =
    "write ones, uniform, normal, {uniform: {seed: 7}} or {file: image.pgm}";

std::optional<DataSpec::Kind> read_kind(const std::string& word, SourcePlace place,
                                        Problems& problems) {
  if (word == "file") {
    problems.add(place, "data: no file is named", "write {file: image.pgm}");
    return std::nullopt;
  }
  return accept(parse_choice<DataSpec::Kind>(word), place, "data", problems);
}

void read_seed(const Field& field, DataSpec& data, Problems& problems) {
  if (data.kind != DataSpec::Kind::uniform && data.kind != DataSpec::Kind::normal) {
    problems.add(field.place, "data: '" + std::string(to_string(data.kind)) + "' can't have a seed",
                 "leave out 'seed'");
    return;
  }
  const auto word = read_word(field, problems);
  const auto seed =
      word ? accept(parse_count(*word), place_of(field), "seed", problems) : std::nullopt;
  if (!seed) return;
  if (*seed < 0) {
    problems.add(place_of(field), "seed: " + in_quotes(*word) + " is negative", "write 0 or more");
    return;
  }
  data.seed = static_cast<std::uint64_t>(*seed);
}

std::optional<DataSpec> read_file(const Field& field, const std::string& folder,
                                  Problems& problems) {
  const auto word = read_word(field, problems);
  if (!word) return std::nullopt;
  DataSpec data;
  data.kind = DataSpec::Kind::file;
  const std::filesystem::path path = std::filesystem::path(folder) / *word;
  data.file = path.lexically_normal().string();
  if (path.extension() != ".npy" && path.extension() != ".pgm") {
    problems.add(place_of(field), "data: " + in_quotes(*word) + " is neither .npy nor .pgm",
                 "use a .npy file (numpy.save writes it) or a .pgm image");
    return std::nullopt;
  }
  try {
    array_shape(data.file);
  } catch (const std::runtime_error& error) {
    std::error_code ignored;
    const bool absent = !std::filesystem::exists(path, ignored);
    // The message shows the path as the config writes it.
    const auto reason = std::string(error.what()).substr(data.file.size());
    problems.add(place_of(field), "data: " + in_quotes(*word) + reason,
                 absent ? "write the path relative to the experiment file's folder" : "");
    return std::nullopt;
  }
  return data;
}

/// {uniform: {seed: 7}}: the only key is the kind.
std::optional<DataSpec> read_nested(const Field& field, Problems& problems) {
  const auto kind = read_kind(field.key, field.place, problems);
  if (!kind) return std::nullopt;
  DataSpec data;
  data.kind = *kind;
  auto fields = read_fields(field.value, place_of(field), "'" + field.key + "'", problems);
  if (!fields) return std::nullopt;
  check_keys(*fields, {"seed"}, "'" + field.key + "'", problems);
  if (const auto* seed = find(*fields, "seed")) read_seed(*seed, data, problems);
  return data;
}

}  // namespace

std::optional<DataSpec> read_data(const Field& field, const std::string& folder,
                                  Problems& problems) {
  DataSpec data;
  if (field.value.IsScalar()) {
    const auto kind = read_kind(field.value.Scalar(), place_of(field), problems);
    if (kind) data.kind = *kind;
    return kind ? std::optional(data) : std::nullopt;
  }
  if (!field.value.IsMap()) {
    problems.add(place_of(field), "'data' must name exactly one kind of data", forms);
    return std::nullopt;
  }
  auto fields = read_fields(field.value, place_of(field), "'data'", problems);
  if (!fields || fields->empty()) {
    problems.add(place_of(field), "'data' does not say which kind of data", forms);
    return std::nullopt;
  }
  if (const auto* file = find(*fields, "file")) {
    check_keys(*fields, {"file"}, "'data' from a file", problems);
    return read_file(*file, folder, problems);
  }
  const auto* named = find(*fields, "kind");
  if (named == nullptr && fields->size() == 1) return read_nested(fields->front(), problems);
  check_keys(*fields, {"kind", "seed"}, "'data'", problems);
  if (named == nullptr) {
    problems.add(place_of(field), "'data' does not say which kind of data", forms);
    return std::nullopt;
  }
  const auto word = read_word(*named, problems);
  const auto kind = word ? read_kind(*word, place_of(*named), problems) : std::nullopt;
  if (!kind) return std::nullopt;
  data.kind = *kind;
  if (const auto* seed = find(*fields, "seed")) read_seed(*seed, data, problems);
  return data;
}

}  // namespace apod::config
