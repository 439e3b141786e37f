#pragma once

/// \file
/// A comparison of files whose suspects are judged on fresh blocks: the files say what may have
/// changed, and the blocks, which know nothing of that, whether it did.

#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"

namespace apod::judge {

/// The cases of a comparison of files whose change is half the threshold or more, with the cases
/// that other processes may have disturbed, and without the cases that were not compared.
std::vector<std::string> suspects_of(const Comparison& files);

/// `files`, with the suspects as `blocks` judged them. A suspect that the blocks did not judge is
/// `inconclusive`. A case that is not a suspect keeps its verdict, which is neither a regression
/// nor an improvement: those have an estimate of at least the threshold.
Comparison confirmed(Comparison files, const std::vector<std::string>& suspects,
                     const Comparison& blocks);

}  // namespace apod::judge
