#pragma once

/// \file
/// The page of a subject, and what tests look for in it.

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "benchmarks/show/report.hpp"

namespace apod::show {

template <class Subject>
Sheet sheet_on(const Subject& subject) {
  return sheet_of(report_of(subject));
}

inline std::string bytes_of(Sheet sheet) {
  std::ostringstream out;
  write_page(out, {std::move(sheet)});
  return out.str();
}

/// With plain spaces where lines may not end.
inline std::string page_of(Sheet sheet) {
  constexpr std::string_view no_break = "\u00A0";
  std::string page = bytes_of(std::move(sheet));
  for (auto at = page.find(no_break); at != std::string::npos; at = page.find(no_break, at + 1)) {
    page.replace(at, no_break.size(), " ");
  }
  return page;
}

/// The figures of a sheet by their ids.
inline std::vector<std::string> figures_of(const Sheet& sheet) {
  std::vector<std::string> ids;
  for (const auto& block : sheet.document.blocks) {
    if (const auto* figure = std::get_if<figure::Figure>(&block)) ids.push_back(figure->id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

/// Of the row that `anchor` leads to.
inline std::string command_in(const std::string& page, const std::string& anchor) {
  const auto row = page.find("<tr id=\"" + anchor + "\">");
  const auto begin = page.find("<code>", row) + 6;
  return page.substr(begin, page.find("</code>", begin) - begin);
}

}  // namespace apod::show
