#pragma once

/// \file
/// The command line of `bench inspect` as plain values.

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/cli/options.hpp"

namespace apod::cli {

enum class TableChoice : std::uint8_t { summary, nvtx, kernels, findings };

/// What `bench inspect` was asked for.
struct InspectRequest {
  std::string file;
  std::vector<TableChoice> tables;
  Part part;
  std::vector<std::string> columns;
  std::size_t width = 0;
  bool csv = false;
  std::string trace_out;
  std::string out;
  ColorChoice color = ColorChoice::automatic;
};

/// Throws what CLI11 throws for a wrong command line, and for --help.
InspectRequest parse_inspect(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace apod::cli
