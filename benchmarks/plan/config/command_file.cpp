#include "benchmarks/plan/config/command_file.hpp"

#include <yaml-cpp/yaml.h>

namespace apod::config {
namespace {

/// That stands for itself where names in braces are replaced.
std::string plain(const std::string& text) {
  std::string all;
  for (const char c : text) all.append(c == '{' || c == '}' ? 2 : 1, c);
  return all;
}

}  // namespace

std::string command_file(const std::string& name, const std::vector<std::string>& words,
                         const std::string& folder, Reads reads) {
  YAML::Emitter out;
  out.SetStringFormat(YAML::DoubleQuoted);
  out << YAML::BeginMap << "schema" << YAML::Value << 1 << "name" << name << "experiments";
  out << YAML::BeginSeq << YAML::BeginMap << "name" << name << "workload" << YAML::BeginMap;
  out << "command" << YAML::Flow << YAML::BeginSeq;
  for (const auto& word : words) out << plain(word);
  out << YAML::EndSeq << "cwd" << plain(folder) << "read" << std::string(to_string(reads));
  out << YAML::EndMap << "axes" << YAML::BeginMap << "variant"
      << "program" << YAML::EndMap;
  out << YAML::EndMap << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace apod::config
