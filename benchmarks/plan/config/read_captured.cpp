#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/files/captured_folder.hpp"
#include "benchmarks/plan/config/experiment_reader.hpp"
#include "benchmarks/plan/config/keys.hpp"
#include "kernels/api/demangle.hpp"

namespace apod::config {
namespace {

constexpr std::size_t most_captured_args = 4096;

/// `kernel: {capture: ., name: mine, args: {y: p1, x: p0+8}, type: f32}`.
struct CapturedReader {
  KernelParts& parts;
  file::CapturedSpec captured{};
  file::LaunchSpec launch{};

  static const Block<CapturedReader>& keys() {
    using R = CapturedReader;
    static const Block<R> all{
        {{"capture", "folder of a captured launch", Form::word},
         [](R& r, const Field& field) { r.read_folder(field); }},
        {{"name", "name of a kernel that replaces the captured kernel", Form::word},
         [](R& r, const Field& field) {
           r.launch.kernel = read_word(field, r.parts.problems).value_or("");
         }},
        {{"args", "arguments of the replacement kernel, by name: {y: p1, x: p0+8}"},
         [](R& r, const Field& field) { r.read_args(field); }},
        {{"type", "type of the values that the kernel writes", Form::word, words_of<ElementType>()},
         [](R& r, const Field& field) { r.read_type(field); }},
        {{"flags", "compiler flags", Form::words},
         [](R& r, const Field& field) { r.parts.read_flags(field); }},
    };
    return all;
  }

 private:
  void read_folder(const Field& field) {
    const auto word = read_word(field, parts.problems).value_or("");
    captured.folder = word == "." ? "" : word;
    const auto folder = std::filesystem::path(parts.folder) / captured.folder;
    try {
      const auto manifest =
          (captured.folder.empty() ? "" : captured.folder + "/") + capture::manifest_file;
      file::path_of(parts.spec, manifest);
      captured.launch = files::read_captured_folder(folder.string());
    } catch (const std::runtime_error& error) {
      parts.problems.add(place_of(field), error.what(),
                         "to make such a folder: bench capture -- PROGRAM");
    }
  }

  /// "p3" or "p3+8".
  void read_args(const Field& field) {
    const auto fields = read_fields(field.value, place_of(field), "'args'", parts.problems);
    for (const auto& one : fields.value_or(Fields{})) {
      const auto word = read_word(one, parts.problems);
      if (!word) continue;
      constexpr auto none = std::string::npos;
      const auto number = [](const std::string& text) -> std::size_t {
        const bool digits =
            !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == none;
        return digits ? std::stoul(text) : none;
      };
      const auto plus = word->find('+');
      const auto parameter = word->starts_with('p') ? number(word->substr(1, plus - 1)) : none;
      const auto offset = plus == none ? 0 : number(word->substr(plus + 1));
      const auto& known = captured.launch.parameters;
      if (parameter >= known.size() || offset >= known[parameter].bytes) {
        parts.problems.add(
            place_of(one), in_quotes(*word) + " is not a place in a captured parameter",
            "write p0 to p" + std::to_string(std::max<std::size_t>(known.size(), 1) - 1) +
                ", or p0+8 for the value at byte 8 of p0");
        continue;
      }
      captured.args.push_back({one.key, parameter, offset});
    }
    if (captured.args.size() > most_captured_args)
      parts.problems.add(field.place, "'args' has too many arguments");
  }

  void read_type(const Field& field) {
    const auto word = read_word(field, parts.problems);
    if (!word) return;
    captured.type =
        accept(parse_choice<ElementType>(*word), place_of(field), field.key, parts.problems);
  }
};

}  // namespace

Keys captured_keys() {
  return keys_of(CapturedReader::keys());
}

bool names_capture(const Field& kernel) {
  if (!kernel.value.IsMap()) return false;
  Problems unsaid("");
  const auto fields = read_fields(kernel.value, place_of(kernel), "'kernel'", unsaid);
  return fields && find(*fields, "capture") != nullptr;
}

void read_captured(const Fields& experiment, KernelParts& parts) {
  const auto& kernel = *find(experiment, "kernel");
  const auto fields = read_fields(kernel.value, place_of(kernel), "'kernel'", parts.problems);
  if (!fields) return;
  CapturedReader reader{parts};
  read_block(CapturedReader::keys(), *fields, "'kernel'", reader, parts.problems);
  for (const auto* key : {"args", "reference", "split"}) {
    if (const auto* field = find(experiment, key)) {
      parts.problems.add(field->place, in_quotes(key) + " can't be used with a captured launch",
                         "leave it out: the captured folder has the memory and the right result");
    }
  }
  const auto& made = reader.captured.launch;
  auto& launch = reader.launch;
  launch.file = file::captured_variant;
  if (launch.kernel.empty()) {
    launch.kernel = demangled_if_short(made.kernel);
    launch.kernel = launch.kernel.substr(0, launch.kernel.rfind('('));
  }
  // A kernel in its place is launched likewise, unless the experiment says how.
  const auto sides = [&](const char* key, const std::array<std::uint32_t, 3>& captured) {
    if (const auto* field = find(experiment, key)) return parts.texts_of(*field, key, 3);
    std::vector<std::string> texts;
    for (const auto side : captured) {
      if (side > 0) texts.push_back(std::to_string(side));
    }
    return texts;
  };
  launch.grid = sides("grid", made.grid);
  launch.block = sides("block", made.block);
  launch.cluster = sides("cluster", made.cluster);
  const auto* shared = find(experiment, "shared");
  launch.shared = shared != nullptr ? parts.text_of(shared->value, "shared", "shared")
                                    : std::to_string(made.shared_bytes);
  const auto* cooperative = find(experiment, "cooperative");
  launch.cooperative =
      cooperative != nullptr ? parts.is_cooperative(*cooperative) : made.cooperative;
  parts.spec.reference.kind = file::ReferenceSpec::Kind::array;  // it is in the folder
  parts.spec.launches = {std::move(launch)};
  parts.spec.captured = std::move(reader.captured);
}

}  // namespace apod::config
