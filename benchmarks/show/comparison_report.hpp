#pragma once

/// \file
/// A Comparison on its way out: for a terminal, a pull request, a CI system, another program. The
/// formats: docs/formats.md.

#include <cstdint>
#include <iosfwd>
#include <string>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

enum class FailOn : std::uint8_t;

/// The verdict, the differences between the machines, the cases with their remarks, what could be
/// detected and how it was judged. A terminal gets long lists of cases shortened. A page has the
/// changes first, with figures and links, what else changed, both sides, and the command.
Document comparison_document(const Comparison& comparison, Audience audience);

/// A row a case, in the base's order, with the fields that the JSON has under the same names.
Table comparison_rows(const Comparison& comparison);

/// Reads a comparison from JSON, to show it again. Throws std::runtime_error with the place, but
/// not the file, for any other file.
Comparison read_comparison(const std::string& file);

/// One line: "REGRESSION: 2 of 40 cases slower (worst +6.1 % in X, threshold 1 %); 1 missing". The
/// first words are REGRESSION, INCOMPLETE (cases are missing or invalid; before everything else if
/// blocks ended early, with the reason), INCONCLUSIVE (most cases could not be decided), NO
/// REGRESSION FOUND, or NOTHING COMPARED if no case was judged at all.
std::string verdict_line(const Comparison& comparison);
/// Its two parts: up to the first count, and the counts.
std::string verdict_headline(const Comparison& comparison);
std::string verdict_counts(const Comparison& comparison);

/// Annotations of GitHub Actions for what fails the comparison.
void write_annotations(std::ostream& out, const Comparison& comparison, FailOn fails);

}  // namespace apod::show
