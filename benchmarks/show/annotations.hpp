#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace apod::show {

/// An error that GitHub Actions shows beside the job.
struct Annotation {
  std::string title;
  std::string message;
};

/// Workflow commands of GitHub Actions (`::error title=...::...`), a line each. GitHub shows ten
/// per step, so there are at most ten; if there are more, the tenth is by `program` and ends with
/// `summary`. Texts may hold anything.
void write_annotations(std::ostream& out, const std::string& program,
                       const std::vector<Annotation>& annotations, const std::string& summary);

}  // namespace apod::show
