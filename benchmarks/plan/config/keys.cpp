#include "benchmarks/plan/config/keys.hpp"

#include "benchmarks/base/experiment.hpp"

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
