#pragma once

#include <optional>
#include <string>

#include "benchmarks/plan/config/yaml_fields.hpp"
#include "kernels/data/data.hpp"

namespace apod::config {

/// The `data:` of an experiment: ones, uniform, normal, {uniform: {seed: 7}},
/// {kind: uniform, seed: 7} or {file: x.npy}. A relative file is relative to `folder`; its
/// header is read, its values are not.
std::optional<DataSpec> read_data(const Field& field, const std::string& folder,
                                  Problems& problems);

}  // namespace apod::config
