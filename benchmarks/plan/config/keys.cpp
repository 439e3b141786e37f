#include "benchmarks/plan/config/keys.hpp"

#include "benchmarks/base/experiment.hpp"
#include "kernels/data/element.hpp"
#include "kernels/files/spec.hpp"

namespace apod::config {

const Keys& file_keys() {
  static const Keys keys{
      {"schema", "must be 1", Form::count},
      {"name", "default: the file's name without .yaml", Form::word},
      {"description", "one line for the report: the question", Form::word},
      {"measure", "defaults for all experiments"},
      {"data", "default for all experiments"},
      {"experiments", "one or more"},
  };
  return keys;
}

const Keys& host_keys() {
  static const Keys keys{
      {"scope",
       "kernel (default): device time of the computation; end_to_end: from host memory to "
       "host memory over N streams",
       Form::word, words_of<Scope>()},
      {"axes", "axis: value, list or range; every combination is a case"},
      {"zip", "list of maps; the axes of one map advance together"},
      {"exclude", "list of maps of conditions; a case that meets all of one map is left out"},
      {"include", "list of maps with one value per axis; adds cases"},
      {"baseline", "axis values of the case that each case is compared with"},
      {"expect", "list of rules about facts and findings; a miss ends with exit code 3"},
      {"data", "ones, uniform, normal, {uniform: {seed: 7}} or {file: x.npy}"},
      {"measure", "how it is measured; overrides the file's defaults key by key"},
  };
  return keys;
}

const Keys& experiment_keys() {
  static const Keys keys = [] {
    Keys all{
        {"name", "first part of the case ids; default: the workload's name", Form::word},
        {"workload", "a name of bench --list, or {command: [./app, --n=1]}"},
        {"where", "expressions that must be true of a case", Form::words},
        {"host", "keys that replace these on the host backend"},
    };
    all.insert(all.end(), host_keys().begin(), host_keys().end());
    return all;
  }();
  return keys;
}

const Keys& kernel_keys() {
  static const Keys keys{
      {"kernel", "a kernel of a file: {file: conv.cu, name: conv}; or a list of them"},
      {"grid", "blocks", Form::expression},
      {"block", "threads", Form::expression},
      {"shared", "bytes of dynamic shared memory", Form::expression},
      {"cluster", "blocks of a cluster", Form::expression},
      {"cooperative", "launched so that the grid can wait for itself", Form::flag},
      {"args", "list of the kernel's arguments"},
      {"reference", "what a right result is"},
      {"tolerance", "how far a result may be from the reference"},
      {"traffic", "bytes and FLOPs of a launch, as expressions"},
      {"split", "an axis along which the work may be split over streams", Form::word},
  };
  return keys;
}

const Keys& launch_keys() {
  static const Keys keys = [] {
    Keys all{{"file", ".cu, .ptx, .cubin or .fatbin", Form::word},
             {"name", "of the kernel", Form::word},
             {"flags", "of the compiler", Form::words},
             {"args", "names of the arguments, in order", Form::words},
             {"kernel", "of a reference: the kernel's name", Form::word}};
    for (const auto& key : kernel_keys()) {
      if (key.form == Form::expression || key.form == Form::flag) all.push_back(key);
    }
    return all;
  }();
  return keys;
}

const Keys& argument_keys() {
  static const Keys keys{
      {"name", "as the kernel's parameter", Form::word},
      {"type", "of a value", Form::word, words_of<ElementType>()},
      {"shape", "of an array", Form::expression},
      {"value", "of a scalar", Form::expression},
      {"role", "of an array", Form::word, words_of<file::Role>()},
      {"data", "what an input holds"},
  };
  return keys;
}

const Keys& tolerance_keys() {
  static const Keys keys{{"absolute", "such as 1e-6", Form::word},
                         {"relative", "such as 1e-6", Form::word}};
  return keys;
}

const Keys& traffic_keys() {
  static const Keys keys{
      {"read", "bytes", Form::expression},   {"write", "bytes", Form::expression},
      {"fp32", "FLOPs", Form::expression},   {"fp64", "FLOPs", Form::expression},
      {"tensor", "FLOPs", Form::expression}, {"tf32", "FLOPs", Form::expression}};
  return keys;
}

const Keys& command_keys() {
  static const Keys keys{
      {"command", "program and arguments; {size} is the value of an axis", Form::words},
      {"env", "environment variables"},
      {"cwd", "folder in which it runs", Form::word},
      {"setup", "run before it", Form::words},
      {"cleanup", "run after it", Form::words},
      {"success", "when it has succeeded"},
      {"output", "file that it writes", Form::word},
      {"read", "what is read of its output; else its wall time is measured"},
  };
  return keys;
}

const Keys& success_keys() {
  static const Keys keys{{"exit", "exit codes", Form::words},
                         {"match", "regular expression that its output matches", Form::word}};
  return keys;
}

const Keys& range_keys() {
  static const Keys keys{{"from", "first value", Form::count},
                         {"to", "last value", Form::count},
                         {"step", "\"*4\" multiplies, \"+100\" adds", Form::word}};
  return keys;
}

std::vector<std::string> names_of(const Keys& keys) {
  std::vector<std::string> names;
  for (const auto& key : keys) names.push_back(key.name);
  return names;
}

}  // namespace apod::config
