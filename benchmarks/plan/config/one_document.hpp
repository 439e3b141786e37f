#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>

#include "benchmarks/plan/config/problems.hpp"

namespace apod::config {

/// The one YAML document of `text`, which check_text has passed. Nothing, with a problem added,
/// where the text is not valid YAML, holds no document, or goes on after the first one.
std::optional<YAML::Node> one_document(const std::string& text, Problems& problems);

}  // namespace apod::config
