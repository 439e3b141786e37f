#pragma once

/// \file
/// The keys that the blocks of an experiment file may have, each listed once with its reader. The
/// readers refuse other keys, and the schema for editors is generated from them.

#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/plan/config/yaml_fields.hpp"
#include "kernels/api/registry.hpp"

namespace apod::config {

/// The key of `baseline` that names another experiment. All others are axes.
inline constexpr const char* baseline_experiment = "experiment";

/// The kind of a key's value, for an editor.
enum class Form : std::uint8_t {
  word,        ///< a scalar
  words,       ///< a scalar or a list of scalars
  count,       ///< 1000, 1e6, 2^20, 64Mi
  share,       ///< 0.5%
  seconds,     ///< 5s
  flag,        ///< true or false
  expression,  ///< "ceil(size / 256)": a scalar or a list of up to three
  block,       ///< only the key's reader knows it
};

struct Key {
  std::string name;
  std::string help;
  Form form = Form::block;
  std::vector<std::string> choices = {};  ///< of words: the only ones
};
using Keys = std::vector<Key>;

template <NamedEnum E>
std::vector<std::string> words_of() {
  return {EnumNames<E>::names.begin(), EnumNames<E>::names.end()};
}

const Keys& file_keys();
const Keys& experiment_keys();
/// The keys of an experiment that its `host:` block may have too.
const Keys& host_keys();
/// The keys of an experiment that only a kernel file has.
const Keys& kernel_keys();
// Each of these is defined next to its reader.
Keys launch_keys();    ///< of `kernel`, and of a kernel as `reference`
Keys captured_keys();  ///< of `kernel`, if it names a captured launch
Keys cases_keys();     ///< of `cases`
Keys argument_keys();  ///< of an item of `args`
Keys tolerance_keys();
Keys traffic_keys();
Keys command_keys();  ///< of `workload`, if it is a command
Keys success_keys();
const Keys& range_keys();  ///< of the values of an axis

/// Of keys, and of axes.
template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  return names;
}
/// "move it to 'workload'" of a key that is unknown `here`, but not in another block; else "".
std::string home_of(const std::string& key, std::string_view here);

/// A key of a block, and what takes its value into `Reader`.
template <class Reader>
struct BlockKey {
  Key key;
  void (*take)(Reader&, const Field&);
};
template <class Reader>
using Block = std::vector<BlockKey<Reader>>;

template <class Reader>
Keys keys_of(const Block<Reader>& block) {
  Keys keys;
  for (const auto& one : block) keys.push_back(one.key);
  return keys;
}

/// Takes the fields that a block has, in the order of its keys.
template <class Reader>
void take_fields(const Block<Reader>& block, const Fields& fields, Reader& reader) {
  for (const auto& [key, take] : block) {
    if (const auto* field = find(fields, key.name)) take(reader, *field);
  }
}

/// The same; any other field is a problem.
template <class Reader>
void read_block(const Block<Reader>& block, Fields fields, const std::string& what, Reader& reader,
                Problems& problems) {
  check_keys(fields, names_of(keys_of(block)), what, problems);
  take_fields(block, fields, reader);
}

}  // namespace apod::config
