#pragma once

#include <map>
#include <string>

namespace apod {

/// A Variant whose code came with the experiment.
class CodeFacts {
 public:
  virtual ~CodeFacts() = default;
  /// What is known of the code before it runs, by the names of facts. Called after prepare().
  virtual std::map<std::string, double> code_facts() const = 0;
};

}  // namespace apod
