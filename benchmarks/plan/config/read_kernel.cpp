#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/plan/config/experiment_reader.hpp"
#include "benchmarks/plan/config/keys.hpp"

namespace apod::config {
namespace {

using file::LaunchSpec;
using file::ReferenceSpec;

constexpr std::size_t most_kernels = 64;

/// Without "./" and double slashes: it becomes a part of ids.
std::string read_file_name(const Field& field, Problems& problems) {
  const std::filesystem::path named = read_word(field, problems).value_or("");
  return named.lexically_normal().string();
}

/// A kernel of `kernel`, or one as `reference`.
struct LaunchReader {
  KernelParts& parts;
  LaunchSpec& launch;
  std::string prefix;  ///< of the keys under which its texts are known

  static const Block<LaunchReader>& keys() {
    using R = LaunchReader;
    static const auto name = [](R& r, const Field& field) {
      r.launch.kernel = read_word(field, r.parts.problems).value_or("");
    };
    static const Block<R> all{
        {{"file", "kernel file: .cu, .ptx, .cubin or .fatbin", Form::word},
         [](R& r, const Field& field) { r.read_file(field); }},
        {{"name", "name of the kernel", Form::word}, name},
        {{"sources", "more .cu files to compile together with this file", Form::words},
         [](R& r, const Field& field) { r.read_sources(field); }},
        {{"flags", "compiler flags", Form::words},
         [](R& r, const Field& field) { r.parts.read_flags(field); }},
        {{"compiler", "compiler for .cu files", Form::word, words_of<file::CompilerChoice>()},
         [](R& r, const Field& field) { r.read_compiler(field); }},
        {{"args", "names of the arguments, in order", Form::words},
         [](R& r, const Field& field) { r.read_args(field); }},
        {{"kernel", "name of the kernel that computes the reference", Form::word}, name},
        {{"grid", "number of blocks", Form::expression},
         [](R& r, const Field& field) { r.launch.grid = r.texts(field); }},
        {{"block", "threads per block", Form::expression},
         [](R& r, const Field& field) { r.launch.block = r.texts(field); }},
        {{"shared", "bytes of dynamic shared memory", Form::expression},
         [](R& r, const Field& field) {
           r.launch.shared = r.parts.expression_of(field.value, "shared", r.prefix + "shared");
         }},
        {{"cluster", "blocks per cluster", Form::expression},
         [](R& r, const Field& field) { r.launch.cluster = r.texts(field); }},
        {{"for", "one launch for each value: {k: \"2..n by *2\"}"},
         [](R& r, const Field& field) { r.read_loops(field); }},
        {{"cooperative", "cooperative launch: all blocks of the grid can synchronise", Form::flag},
         [](R& r, const Field& field) { r.launch.cooperative = r.parts.is_cooperative(field); }},
    };
    return all;
  }

  /// Whether the experiment may say it for all of its kernels.
  static bool is_shared(const std::string& name) {
    return std::ranges::any_of(keys(), [&](const auto& one) {
      const auto form = one.key.form;
      return one.key.name == name &&
             (form == Form::expression || form == Form::flag || name == "for");
    });
  }

 private:
  std::vector<std::string> texts(const Field& field) {
    return parts.texts_of(field, prefix + field.key, 3);
  }

  void read_file(const Field& field) {
    launch.file = read_file_name(field, parts.problems);
    if (!file::names_file(launch.file)) {
      parts.problems.add(place_of(field), in_quotes(launch.file) + " is not a kernel file",
                         "use a file whose name ends in .cu, .ptx, .cubin or .fatbin");
      return;
    }
    try {
      const auto whole = file::path_of(parts.spec, launch.file);
      const std::filesystem::path named(launch.file);
      if (named.is_absolute()) {  // an id has no whole path
        launch.file =
            std::filesystem::relative(whole, parts.folder.empty() ? "." : parts.folder).string();
      }
    } catch (const std::runtime_error& error) {
      std::vector<std::string> near;
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator(
               parts.folder.empty() ? "." : parts.folder, ignored)) {
        const auto name = entry.path().filename().string();
        const bool fits = file::names_file(name) && entry.is_regular_file(ignored);
        if (fits && near.size() < 100) near.push_back(name);
      }
      parts.problems.add(place_of(field), error.what(),
                         near.empty() ? "" : suggestion(launch.file, near));
    }
  }

  void read_sources(const Field& field) {
    for (const auto& item : items_of(field.value)) {
      const auto word = read_word(item, place_of(item), "sources", parts.problems);
      if (!word) continue;
      try {
        file::path_of(parts.spec, *word);
      } catch (const std::runtime_error& error) {
        parts.problems.add(place_of(item), error.what());
      }
      parts.spec.sources.push_back(*word);
    }
    if (parts.spec.sources.size() > most_kernels)
      parts.problems.add(field.place, "more than " + std::to_string(most_kernels) + " sources");
  }

  void read_compiler(const Field& field) {
    const auto word = read_word(field, parts.problems);
    if (!word) return;
    auto& compiler = parts.spec.compiler;
    compiler = accept(parse_choice<file::CompilerChoice>(*word), place_of(field), "compiler",
                      parts.problems)
                   .value_or(compiler);
  }

  void read_args(const Field& field) {
    parts.made.kernel_places[prefix + "args"] = place_of(field);
    for (const auto& item : items_of(field.value)) {
      const auto word = read_word(item, place_of(item), "args", parts.problems);
      if (word) launch.args.push_back(*word);
    }
  }

  /// "2..n by *2": begin, end, and the step if it is not 1.
  void read_loops(const Field& field) {
    const auto loops = read_fields(field.value, place_of(field), "'for'", parts.problems);
    for (const auto& one : loops.value_or(Fields{})) {
      file::LoopSpec loop{.name = one.key, .begin = {}, .end = {}};
      const auto text = parts.text_of(one.value, "for", prefix + "for/" + one.key);
      const auto dots = text.find("..");
      const auto by = text.find(" by ", dots == std::string::npos ? 0 : dots);
      const bool has_step = by != std::string::npos;
      const auto sign = has_step ? text.find_first_not_of(' ', by + 4) : std::string::npos;
      const bool is_signed = sign != std::string::npos &&
                             std::string_view("+-*/").find(text[sign]) != std::string_view::npos;
      if (dots == std::string::npos || (has_step && !is_signed) || !file::is_identifier(one.key)) {
        parts.problems.add(place_of(one), in_quotes(text) + " is not the range of a loop",
                           "write FIRST..LAST, or FIRST..LAST by +1, -1, *2 or /2");
        continue;
      }
      loop.begin = text.substr(0, dots);
      loop.end = text.substr(dots + 2, has_step ? by - dots - 2 : std::string::npos);
      if (has_step) {
        loop.by = text.substr(sign, 1);
        loop.step = text.substr(sign + 1);
      }
      launch.loops.push_back(std::move(loop));
    }
  }
};

/// How far a result may be from its reference.
struct ToleranceReader {
  file::KernelSpec& spec;
  Problems& problems;

  static const Block<ToleranceReader>& keys() {
    using R = ToleranceReader;
    static const Block<R> all{
        {{"absolute", "largest absolute error, such as 1e-6", Form::word},
         [](R& r, const Field& field) { r.read(field, r.spec.absolute); }},
        {{"relative", "largest relative error, such as 1e-6", Form::word},
         [](R& r, const Field& field) { r.read(field, r.spec.relative); }},
    };
    return all;
  }

 private:
  void read(const Field& field, double& target) {
    const auto word = read_word(field, problems);
    if (!word) return;
    try {
      target = Expression(*word).evaluate({}).number();
      if (!(target >= 0)) throw std::runtime_error("no tolerance");
    } catch (const std::exception&) {
      problems.add(place_of(field), in_quotes(*word) + " is not a tolerance", "write it as 1e-6");
    }
  }
};

/// Bytes and FLOPs of a launch: each key is a text of that name.
const Block<KernelParts>& traffic_block() {
  static const Block<KernelParts> all = [] {
    Block<KernelParts> keys;
    for (const auto& [name, help] : {std::pair{"read", "bytes"},
                                     {"write", "bytes"},
                                     {"fp32", "FLOPs"},
                                     {"fp64", "FLOPs"},
                                     {"tensor", "FLOPs"},
                                     {"tf32", "FLOPs"},
                                     {"bf16", "FLOPs"}}) {
      keys.push_back({{name, help, Form::expression}, [](KernelParts& parts, const Field& field) {
                        parts.spec.traffic[field.key] =
                            parts.expression_of(field.value, field.key, "traffic/" + field.key);
                      }});
    }
    return keys;
  }();
  return all;
}

class KernelReader {
 public:
  KernelReader(const Fields& fields, std::string folder, Experiment& experiment, Problems& problems)
      : fields_(fields), parts_{std::move(folder), experiment, problems} {}

  void read(const Fields& axes, const Field* zip, bool outside) {
    spec_.folder = parts_.folder;
    spec_.outside = outside;
    spec_.bounded = !outside;
    if (const auto* split = find(fields_, "split"))
      spec_.split = parts_.text_of(split->value, "split", "split");
    parts_.read_axes(axes, zip);
    const auto* include = find(fields_, "include");
    for (const auto& item : include ? items_of(include->value) : std::vector<YAML::Node>{}) {
      const auto variant = item.IsMap() ? item["variant"] : YAML::Node();
      if (variant && variant.IsScalar()) spec_.variants.push_back(variant.Scalar());
    }
    if (names_capture(*find(fields_, "kernel"))) {
      read_captured(fields_, parts_);
    } else {
      if (const auto* field = find(fields_, "args")) parts_.read_args(*field);
      read_launches(*find(fields_, "kernel"));
      if (const auto* field = find(fields_, "reference")) read_reference(*field);
    }
    if (const auto* field = find(fields_, "tolerance")) read_tolerance(*field);
    if (const auto* field = find(fields_, "traffic")) read_traffic(*field);
    if (!spec_.captured) parts_.check_expressions();
    made_.kernel.emplace();
    made_.kernel->spec = std::move(spec_);
  }

 private:
  void read_launches(const Field& field) {
    const auto items = items_of(field.value);
    if (items.empty() || items.size() > most_kernels) {
      problems_.add(place_of(field), "'kernel' lists " + std::to_string(items.size()) +
                                         " kernels, but must list 1 to " +
                                         std::to_string(most_kernels));
      return;
    }
    for (const auto& item : items) {
      const auto prefix =
          spec_.launches.empty() ? "" : "kernel/" + std::to_string(spec_.launches.size()) + "/";
      const auto fields = read_fields(item, place_of(item), "'kernel'", problems_);
      if (!fields) continue;
      spec_.launches.push_back(read_launch(*fields, place_of(item), prefix, false));
    }
  }

  /// What a kernel does not say itself is the experiment's, or is that of the first kernel.
  LaunchSpec read_launch(const Fields& fields, SourcePlace place, const std::string& prefix,
                         bool of_reference) {
    LaunchSpec launch;
    LaunchReader reader{parts_, launch, prefix};
    auto keys = LaunchReader::keys();
    std::erase_if(keys, [&](const auto& one) {
      const auto& name = one.key.name;
      return of_reference
                 ? name == "flags" || name == "sources" || name == "compiler" || name == "name"
                 : name == "kernel";
    });
    Fields shared;
    for (const auto& field : fields_) {
      if (LaunchReader::is_shared(field.key)) shared.push_back(field);
    }
    const auto all = layered(std::move(shared), fields);
    read_block(keys, all, "'kernel'", reader, problems_);
    const auto lacks = [&](const char* key) { return find(all, key) == nullptr; };
    if (lacks("file") && !spec_.launches.empty()) {
      launch.file = spec_.launches.front().file;
    } else if (lacks("file")) {
      problems_.add(place, "'kernel' does not name a file",
                    "write 'kernel: {file: conv.cu, name: conv}'");
    }
    if (!of_reference && lacks("name"))
      problems_.add(place, "'kernel' has no 'name'", "write 'kernel: {file: conv.cu, name: conv}'");
    if (lacks("grid")) {
      problems_.add(place, "'grid' is missing",
                    "write the number of blocks, such as grid: \"ceil(size / 256)\"");
    }
    if (const auto* block = find(all, "block")) {
      check_threads(launch, place_of(*block));
    } else {
      problems_.add(place, "'block' is missing", "write the threads per block: block: 256");
    }
    // In a source, a name is a part of what is compiled.
    const auto* name = find(all, of_reference ? "kernel" : "name");
    const auto why = launch.file.ends_with(".cu") ? file::refused_code(launch.kernel) : "";
    if (name != nullptr && !why.empty())
      problems_.add(place_of(*name), "the name " + in_quotes(launch.kernel) + " " + why);
    return launch;
  }

  /// Of a block of numbers; others are known for each case alone.
  void check_threads(const LaunchSpec& launch, SourcePlace place) {
    constexpr double most = 1024;
    double threads = 1;
    for (const auto& side : launch.block) {
      const auto count = parse_count(side);
      if (!count.value) return;
      threads *= static_cast<double>(*count.value);
    }
    if (threads > most)
      problems_.add(place, "the block has more than 1024 threads, but the limit is 1024");
  }

  /// Of each output: {y: TEXT}, or TEXT where there is one.
  void read_outputs(const Field& field) {
    std::vector<std::string> names;
    for (const auto& arg : spec_.args) {
      if (file::is_output(arg)) names.push_back(arg.name);
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
      problems_.add(
          place_of(field),
          "there are " + std::to_string(names.size()) + " outputs, but only one reference",
          "write a reference for each output: {" + field.key + ": {NAME: ...}}");
      return;
    }
    const auto fields = read_fields(field.value, place_of(field), "'" + field.key + "'", problems_);
    for (const auto& output : fields.value_or(Fields{})) {
      if (std::ranges::find(names, output.key) == names.end()) {
        problems_.add(output.place, in_quotes(output.key) + " is not an output of the kernel",
                      suggestion(output.key, names));
      }
      take(output.key, output.value);
    }
    for (const auto& name : names) {
      if (outputs.count(name) == 0)
        problems_.add(place_of(field), "the output '" + name + "' has no reference");
    }
  }

  /// A function in a C++ file.
  void read_host(const Field& field, const Field* name) {
    auto& launch = spec_.reference.launch;
    launch.file = read_file_name(field, problems_);
    launch.kernel = name != nullptr ? read_word(*name, problems_).value_or("") : "reference";
    if (!file::is_identifier(launch.kernel))
      problems_.add(place_of(*name), in_quotes(launch.kernel) + " is not the name of a function");
    try {
      file::path_of(spec_, launch.file);
    } catch (const std::runtime_error& error) {
      problems_.add(place_of(field), error.what());
    }
  }

  void read_reference(const Field& field) {
    auto fields = read_fields(field.value, place_of(field), "'reference'", problems_);
    if (!fields) return;
    auto& reference = spec_.reference;
    if (const auto* workload = find(*fields, "workload")) {
      check_keys(*fields, {"workload"}, "'reference'", problems_);
      reference.kind = ReferenceSpec::Kind::workload;
      reference.workload = read_word(*workload, problems_).value_or("");
      made_.kernel_places["reference/workload"] = place_of(*workload);
    } else if (find(*fields, "kernel") != nullptr) {
      reference.kind = ReferenceSpec::Kind::kernel;
      reference.launch = read_launch(*fields, place_of(field), "reference/", true);
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
      problems_.add(place_of(field), "'reference' does not name a reference",
                    "write {kernel: conv_ref, file: ref.cu}, {workload: convolution}, "
                    "{expression: \"2 * x\"}, {file: y.npy} or {host: ref.cpp}");
    }
  }

  void read_tolerance(const Field& field) {
    const auto fields = read_fields(field.value, place_of(field), "'tolerance'", problems_);
    ToleranceReader reader{spec_, problems_};
    if (fields) read_block(ToleranceReader::keys(), *fields, "'tolerance'", reader, problems_);
  }

  void read_traffic(const Field& field) {
    const auto fields = read_fields(field.value, place_of(field), "'traffic'", problems_);
    if (fields) read_block(traffic_block(), *fields, "'traffic'", parts_, problems_);
  }

  const Fields& fields_;
  KernelParts parts_;
  file::KernelSpec& spec_ = parts_.spec;
  Experiment& made_ = parts_.made;
  Problems& problems_ = parts_.problems;
};

}  // namespace

Keys launch_keys() {
  return keys_of(LaunchReader::keys());
}
Keys tolerance_keys() {
  return keys_of(ToleranceReader::keys());
}
Keys traffic_keys() {
  return keys_of(traffic_block());
}

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
        if (std::ranges::find(known, name) != known.end()) continue;
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
