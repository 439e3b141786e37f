#pragma once

/// \file
/// Why each case takes its time: what its traced run showed, and what follows from that.

#include <cstddef>
#include <ostream>

#include "benchmarks/model/result.hpp"
#include "benchmarks/report/document.hpp"

namespace apod::report {

/// A section for each measured case that was traced or has findings: its time, the timeline in one
/// line, the findings with their evidence and advice, and the kernels, copies and calls that took
/// most time.
Document explanation_document(const Result& result);

/// The profile of the case's traced pass; an empty one where there is none.
const Profile& traced_profile(const Result& result, std::size_t case_index);

// For the commands, until they append it to the document of the run.
inline void write_explanation(std::ostream& out, const Result& result, const ConsoleStyle& style) {
  out << '\n';
  render_terminal(out, explanation_document(result), style);
}
inline void write_explanation_markdown(std::ostream& out, const Result& result) {
  out << '\n';
  render_markdown(out, explanation_document(result));
}

}  // namespace apod::report
