#include "benchmarks/plan/config/read_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>

#include "benchmarks/plan/config/kernel_parts.hpp"
#include "benchmarks/plan/config/keys.hpp"

namespace apod::config {
namespace {

using file::LaunchSpec;
using file::ReferenceSpec;

constexpr std::size_t most_kernels = 64;
constexpr std::size_t most_flags = 64;

class KernelReader {
 public:
  KernelReader(const Fields& fields, std::string folder, Experiment& experiment, Problems& problems)
      : fields_(fields), parts_{std::move(folder), experiment, problems} {}

  void read(const Fields& axes, const Field* zip, bool outside) {
    spec_.folder = parts_.folder;
    spec_.outside = outside;
    if (const auto* split = find(fields_, "split")) {
      spec_.split = parts_.text_of(split->value, "split", "split");
    }
    parts_.read_axes(axes, zip);
    if (const auto* field = find(fields_, "args")) parts_.read_args(*field);
    read_launches(*find(fields_, "kernel"));
    if (const auto* field = find(fields_, "reference")) read_reference(*field);
    if (const auto* field = find(fields_, "tolerance")) read_tolerance(*field);
    if (const auto* field = find(fields_, "traffic")) read_traffic(*field);
    made_.kernel.emplace();
    made_.kernel->spec = std::move(spec_);
  }

 private:
  void read_launches(const Field& field) {
    const auto items = items_of(field.value);
    if (items.empty() || items.size() > most_kernels) {
      problems_.add(place_of(field), "'kernel' lists " + std::to_string(items.size()) +
                                         " kernels, and takes 1 to " +
                                         std::to_string(most_kernels));
      return;
    }
    for (const auto& item : items) {
      const auto prefix =
          spec_.launches.empty() ? "" : "kernel/" + std::to_string(spec_.launches.size()) + "/";
      const auto fields = read_fields(item, place_of(item), "'kernel'", problems_);
      if (!fields) continue;
      spec_.launches.push_back(read_launch(*fields, place_of(item), prefix, true));
      if (const auto* flags = find(*fields, "flags")) read_flags(*flags);
    }
  }

  /// What a kernel does not say itself is the experiment's, or is that of the first kernel.
  LaunchSpec read_launch(const Fields& fields, SourcePlace place, const std::string& prefix,
                         bool may_have_flags) {
    Keys known = launch_keys();
    if (!may_have_flags) std::erase_if(known, [](const Key& key) { return key.name == "flags"; });
    check_keys(fields, names_of(known), "'kernel'", problems_);
    LaunchSpec launch;
    if (const auto* file = find(fields, "file")) {
      launch.file = read_word(*file, problems_).value_or("");
      check_file(launch.file, place_of(*file));
    } else if (!spec_.launches.empty()) {
      launch.file = spec_.launches.front().file;
    } else {
      problems_.add(place, "'kernel' names no file", "write kernel: {file: conv.cu, name: conv}");
    }
    const auto* name = find(fields, may_have_flags ? "name" : "kernel");
    if (name != nullptr) {
      launch.kernel = read_word(*name, problems_).value_or("");
      check_kernel(launch, place_of(*name));
    } else if (may_have_flags) {
      problems_.add(place, "'kernel' has no 'name'", "write kernel: {file: conv.cu, name: conv}");
    }
    const auto from = [&](const char* key) {
      const auto* own = find(fields, key);
      return own != nullptr ? own : find(fields_, key);
    };
    if (const auto* grid = from("grid")) {
      launch.grid = parts_.texts_of(*grid, prefix + "grid", 3);
    } else {
      problems_.add(place, "there is no 'grid'", "grid: \"ceil(size / 256)\", in blocks");
    }
    if (const auto* block = from("block")) {
      launch.block = parts_.texts_of(*block, prefix + "block", 3);
    } else {
      problems_.add(place, "there is no 'block'", "block: 256, in threads");
    }
    if (const auto* cluster = from("cluster")) {
      launch.cluster = parts_.texts_of(*cluster, prefix + "cluster", 3);
    }
    if (const auto* shared = from("shared")) {
      launch.shared = parts_.text_of(shared->value, "shared", prefix + "shared");
    }
    if (const auto* cooperative = from("cooperative")) {
      const auto word = read_word(*cooperative, problems_);
      launch.cooperative = word == "true";
      if (word && word != "true" && word != "false") {
        problems_.add(place_of(*cooperative), "'cooperative' is true or false");
      }
    }
    if (const auto* args = find(fields, "args")) {
      made_.kernel_places[prefix + "args"] = place_of(*args);
      for (const auto& item : items_of(args->value)) {
        const auto word = read_word(item, place_of(item), "args", problems_);
        if (word) launch.args.push_back(*word);
      }
    }
    return launch;
  }

  /// In a source, a name is a part of what is compiled.
  void check_kernel(const LaunchSpec& launch, SourcePlace place) {
    const auto why = launch.file.ends_with(".cu") ? file::refused_code(launch.kernel) : "";
    if (!why.empty()) problems_.add(place, "the name " + in_quotes(launch.kernel) + " " + why);
  }

  void check_file(const std::string& file, SourcePlace place) {
    if (!file::names_file(file)) {
      problems_.add(place, in_quotes(file) + " is no kernel file",
                    "it ends in .cu, .ptx, .cubin or .fatbin");
      return;
    }
    try {
      file::path_of(spec_, file);
    } catch (const std::runtime_error& error) {
      std::vector<std::string> near;
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator(
               parts_.folder.empty() ? "." : parts_.folder, ignored)) {
        const auto name = entry.path().filename().string();
        const bool fits = file::names_file(name) && entry.is_regular_file(ignored);
        if (fits && near.size() < 100) near.push_back(name);
      }
      problems_.add(place, error.what(), near.empty() ? "" : suggestion(file, near));
    }
  }

  void read_flags(const Field& field) {
    for (const auto& item : items_of(field.value)) {
      const auto word = read_word(item, place_of(item), "flags", problems_);
      if (!word) continue;
      const auto why = file::refused_flag(*word);
      if (!why.empty()) problems_.add(place_of(item), in_quotes(*word) + " " + why);
      spec_.flags.push_back(*word);
    }
    if (spec_.flags.size() > most_flags) {
      problems_.add(field.place, "more than " + std::to_string(most_flags) + " flags");
    }
  }

  /// Of each output: {y: TEXT}, or TEXT where there is one.
  void read_outputs(const Field& field) {
    std::vector<std::string> names;
    for (const auto& arg : spec_.args) {
      if (arg.role == file::Role::out || arg.role == file::Role::inout) names.push_back(arg.name);
    }
    auto& outputs = spec_.reference.outputs;
    const auto take = [&](const std::string& name, const YAML::Node& node) {
      auto text = parts_.text_of(node, field.key, "reference/" + name);
      if (field.key == "file") {
        text = (std::filesystem::path(parts_.folder) / text).lexically_normal().string();
        try {
          array_shape(text);
        } catch (const std::runtime_error& error) {
          problems_.add(place_of(node), error.what());
        }
      }
      outputs[name] = text;
    };
    if (!field.value.IsMap()) {
      if (names.size() == 1) return take(names.front(), field.value);
      problems_.add(place_of(field),
                    "there are " + std::to_string(names.size()) + " outputs, and one reference",
                    "write {" + field.key + ": {NAME: ...}}");
      return;
    }
    const auto fields = read_fields(field.value, place_of(field), "'" + field.key + "'", problems_);
    for (const auto& output : fields.value_or(Fields{})) {
      if (std::find(names.begin(), names.end(), output.key) == names.end()) {
        problems_.add(output.place, in_quotes(output.key) + " is no output",
                      suggestion(output.key, names));
      }
      take(output.key, output.value);
    }
    for (const auto& name : names) {
      if (outputs.count(name) == 0) {
        problems_.add(place_of(field), "the output '" + name + "' has no reference");
      }
    }
  }

  /// A function in a C++ file.
  void read_host(const Field& field, const Field* name) {
    auto& launch = spec_.reference.launch;
    launch.file = read_word(field, problems_).value_or("");
    launch.kernel = name != nullptr ? read_word(*name, problems_).value_or("") : "reference";
    if (!file::is_identifier(launch.kernel)) {
      problems_.add(place_of(*name), in_quotes(launch.kernel) + " is no name of a function");
    }
    try {
      file::path_of(spec_, launch.file);
    } catch (const std::runtime_error& error) {
      problems_.add(place_of(field), error.what());
    }
  }

  void read_reference(const Field& field) {
    const auto fields = read_fields(field.value, place_of(field), "'reference'", problems_);
    if (!fields) return;
    auto& reference = spec_.reference;
    if (const auto* workload = find(*fields, "workload")) {
      check_keys(*fields, {"workload"}, "'reference'", problems_);
      reference.kind = ReferenceSpec::Kind::workload;
      reference.workload = read_word(*workload, problems_).value_or("");
      made_.kernel_places["reference/workload"] = place_of(*workload);
    } else if (find(*fields, "kernel") != nullptr) {
      reference.kind = ReferenceSpec::Kind::kernel;
      reference.launch = read_launch(*fields, place_of(field), "reference/", false);
    } else if (const auto* host = find(*fields, "host")) {
      check_keys(*fields, {"host", "name"}, "'reference'", problems_);
      reference.kind = ReferenceSpec::Kind::host;
      read_host(*host, find(*fields, "name"));
    } else if (const auto* formula = find(*fields, "expression")) {
      check_keys(*fields, {"expression"}, "'reference'", problems_);
      reference.kind = ReferenceSpec::Kind::formula;
      read_outputs(*formula);
    } else if (const auto* array = find(*fields, "file")) {
      check_keys(*fields, {"file"}, "'reference'", problems_);
      reference.kind = ReferenceSpec::Kind::array;
      read_outputs(*array);
    } else {
      problems_.add(place_of(field), "'reference' says nothing",
                    "write {kernel: conv_ref, file: ref.cu}, {workload: convolution}, "
                    "{expression: \"2 * x\"}, {file: y.npy} or {host: ref.cpp}");
    }
  }

  void read_tolerance(const Field& field) {
    const auto fields = read_fields(field.value, place_of(field), "'tolerance'", problems_);
    if (!fields) return;
    check_keys(*fields, names_of(tolerance_keys()), "'tolerance'", problems_);
    for (const auto& [key, target] :
         {std::pair{"absolute", &spec_.absolute}, {"relative", &spec_.relative}}) {
      const auto* one = find(*fields, key);
      const auto word = one != nullptr ? read_word(*one, problems_) : std::nullopt;
      if (!word) continue;
      try {
        *target = Expression(*word).evaluate({}).number();
        if (!(*target >= 0) || std::isinf(*target)) throw std::runtime_error("no tolerance");
      } catch (const std::exception&) {
        problems_.add(place_of(*one), in_quotes(*word) + " is no tolerance", "such as 1e-6");
      }
    }
  }

  void read_traffic(const Field& field) {
    const auto fields = read_fields(field.value, place_of(field), "'traffic'", problems_);
    if (!fields) return;
    check_keys(*fields, names_of(traffic_keys()), "'traffic'", problems_);
    for (const auto& one : *fields) {
      spec_.traffic[one.key] = parts_.text_of(one.value, one.key, "traffic/" + one.key);
    }
  }

  const Fields& fields_;
  KernelParts parts_;
  file::KernelSpec& spec_ = parts_.spec;
  Experiment& made_ = parts_.made;
  Problems& problems_ = parts_.problems;
};

}  // namespace

void read_kernel(const Fields& fields, const Fields& axes, const Field* zip,
                 const std::string& folder, bool outside, Experiment& experiment,
                 Problems& problems) {
  KernelReader(fields, folder, experiment, problems).read(axes, zip, outside);
}

void read_where(const Field& field, const std::vector<std::string>& known, Experiment& experiment,
                Problems& problems) {
  constexpr std::size_t most = 100;
  const auto items = items_of(field.value);
  if (items.size() > most) {
    problems.add(field.place, "'where' has more than " + std::to_string(most) + " items");
    return;
  }
  for (const auto& item : items) {
    const auto word = read_word(item, place_of(item), "where", problems);
    if (!word) continue;
    auto place = first_byte(item);
    const auto at = [&](std::size_t offset) {
      return SourcePlace{place.line, place.column + static_cast<int>(offset)};
    };
    try {
      Expression expression(*word);
      for (std::size_t i = 0; i < expression.names().size(); ++i) {
        const auto& name = expression.names()[i];
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        problems.add(at(expression.place_of_name(i)), "where: unknown axis " + in_quotes(name),
                     suggestion(name, known));
      }
      experiment.where.push_back({std::move(expression), place});
    } catch (const ExpressionError& error) {
      problems.add(at(error.at()), std::string("where: ") + error.what());
    }
  }
}

}  // namespace apod::config
