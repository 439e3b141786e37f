#pragma once

/// \file
/// Results as pages: what a terminal shows of them, and figures. The answer stands first, then the
/// evidence in the order in which a reader who doubts asks for it.

#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/show/document.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {

struct Sheet {
  PageFrame frame;
  Document document;
};

/// The answer in a sentence; curves of each experiment, rooflines; then the tables of cases, what
/// failed, expectations and notes; findings, profiles, samples, timeline, environment, the file as
/// it was run and its command. Throws std::invalid_argument for a choice that the cases don't have.
Sheet run_sheet(const Result& result, const CurveChoice& choice = {});
Sheet comparison_sheet(const Comparison& comparison);
Sheet history_sheet(const History& history);
/// Of a document without figures.
Sheet plain_sheet(const std::string& name, Document document);
/// What is known of a device, and the rates that were measured on it.
Entries device_entries(const DeviceFacts& device, const Ceilings* ceilings);

/// One or several on one page.
void write_page(std::ostream& out, std::vector<Sheet> sheets);

/// The answer that the cases give to the question of their study, with a number and how sure it is:
/// what failed, missed expectations, the best case against its baseline, how near the best comes to
/// a ceiling, or the fastest. Where nothing can be said, why.
std::string headline(const Result& result, const std::vector<CaseSummary>& summaries);

}  // namespace apod::show
