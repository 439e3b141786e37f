#pragma once

/// \file
/// Spaces whose times are known, for tune_simulation: formulas, and spaces that were measured.

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/judge/search/search.hpp"

namespace apod::study {

/// A space with the true time of each row, and with what a look at it might say.
struct Known {
  std::string name;
  std::unique_ptr<plan::Space> space;
  std::vector<double> seconds;  ///< NaN: it fails
  std::vector<std::vector<double>>
      samples;                  ///< of each row, where it was measured; of a formula none
  double row_noise = 0.01;      ///< of one row of a formula in one process, ln
  double process_noise = 0.01;  ///< of a process, which its rows share

  /// ln of what a process would say of the row: of a formula with noise, else the median of some
  /// of its samples, drawn by chance: 5 for a look, 20 at full care. NaN if it fails.
  double look(search::RowIndex row, search::Care care, std::mt19937_64& random) const;
};

/// Three formulas: a tiled matrix product; a stencil in which each row has a whim of its own;
/// words.
std::vector<Known> formulas();

/// A space that was measured: a result of ours, a thin one (tune_thin.py), T4 of any autotuner, or
/// a cache of Kernel Tuner; the time of a row is the median of its samples. Throws
/// std::runtime_error or an error of nlohmann for other files.
Known measured(const std::string& path);

/// Writes FOLDER/NAME.json: the space as a cache of Kernel Tuner. A time is one look.
void write_cache(const Known& known, const std::string& folder);

}  // namespace apod::study
