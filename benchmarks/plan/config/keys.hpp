#pragma once

/// \file
/// The keys that the blocks of an experiment file may have, listed once: the readers refuse others,
/// and the schema that editors complete from is made of them.

#include <string>
#include <vector>

#include "benchmarks/plan/config/yaml_fields.hpp"

namespace apod::config {

/// What a key holds, as far as an editor can see.
enum class Form : std::uint8_t {
  word,        ///< a scalar
  words,       ///< a scalar or a list of scalars
  count,       ///< 1000, 1e6, 2^20, 64Mi
  share,       ///< 0.5%
  seconds,     ///< 5s
  flag,        ///< true or false
  expression,  ///< "ceil(size / 256)": a scalar or a list of up to three
  block,       ///< what the key alone knows
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
/// Those of an experiment that its `host:` block may have too.
const Keys& host_keys();
/// Those of an experiment that are a kernel file's alone.
const Keys& kernel_keys();
const Keys& launch_keys();    ///< of `kernel`
const Keys& argument_keys();  ///< of an item of `args`
const Keys& tolerance_keys();
const Keys& traffic_keys();
const Keys& command_keys();  ///< of `workload`, where it is a command
const Keys& success_keys();
const Keys& range_keys();  ///< of the values of an axis

std::vector<std::string> names_of(const Keys& keys);

}  // namespace apod::config
