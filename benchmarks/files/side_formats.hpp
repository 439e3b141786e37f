#pragma once

/// \file
/// One function for each format of result files. Internal to results/. Each adds one file, which
/// SideBuilder::begin has announced; they throw std::runtime_error with the place in the file.

#include <string>

#include "benchmarks/files/side_builder.hpp"

namespace apod::files {

/// Our own: docs/result-format.md.
void read_apod(const std::string& file, SideBuilder& side);

/// Google Benchmark's `--benchmark_out_format=json`. Rows of equal name are repetitions, their
/// time is always `real_time`. Aggregates count only where there are no repetitions: the median,
/// else the mean.
void read_google(const std::string& file, SideBuilder& side);

/// NVBench's `--json` and `--jsonbin`. The time is the median of the samples where the file has
/// them (the file with the samples is looked for beside the JSON), else the mean.
void read_nvbench(const std::string& file, SideBuilder& side);

/// A recording of bench inspect: its program from the first operation of a device to the last, and
/// kernels, copies and memsets by name, whose time is the mean of their launches. The metrics
/// `total_time` and `launches` are of all launches of a name.
void read_recorded(const std::string& file, SideBuilder& side);

}  // namespace apod::files
