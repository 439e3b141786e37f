#pragma once

/// \file
/// A Comparison on its way out: for a terminal, a pull request, a CI system, another program. The
/// formats: docs/comparing-format.md.

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

enum class ComparisonFormat : std::uint8_t { text, json, markdown, html, junit, csv };

/// The format that a file name's extension asks for (.txt, .json, .md, .html, .xml, .csv);
/// throws std::invalid_argument naming the extensions otherwise.
ComparisonFormat comparison_format_of(const std::string& path);

/// The verdict, what differs between the machines, the cases with what is said about them, what
/// could be detected and how it was judged. `brief`: long lists of cases are cut, for a
/// terminal.
Document comparison_document(const Comparison& comparison, bool brief);

/// A row a case, in the base's order, with the fields that the JSON has under the same names.
Table comparison_rows(const Comparison& comparison);

/// `style` is for text alone.
void write_comparison(std::ostream& out, const Comparison& comparison, ComparisonFormat format,
                      const ConsoleStyle& style = {});

/// A comparison that was written as JSON, to be shown again. Throws std::runtime_error with the
/// place, but not the file, for what is none.
Comparison read_comparison(const std::string& file);

/// One line: "REGRESSION: 2 of 40 cases slower (worst +6.1 % in X, threshold 1 %); 1 missing".
/// The first words are REGRESSION, INCOMPLETE (cases are missing or invalid; before everything else
/// where blocks ended early, with the reason), INCONCLUSIVE (no case
/// could be decided), NO REGRESSION FOUND, or NOTHING COMPARED where no case was judged at all.
std::string verdict_line(const Comparison& comparison);

/// Workflow commands of GitHub Actions (`::error title=...::...`), a line each: the regressions,
/// then cases that are missing or invalid. GitHub shows ten, so there are at most ten, the tenth
/// saying how many more there are. Where nothing was compared, or blocks ended early, the first one
/// says so.
void write_annotations(std::ostream& out, const Comparison& comparison);

}  // namespace apod::show

namespace apod {
template <>
struct EnumNames<show::ComparisonFormat> {
  static constexpr std::array<std::string_view, 6> names{"text", "json",  "markdown",
                                                         "html", "junit", "csv"};
};
}  // namespace apod
