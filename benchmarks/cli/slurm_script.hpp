#pragma once

/// \file
/// What Slurm gets: one array of shards, and a job that merges their results.

#include <string>
#include <vector>

#include "benchmarks/base/part.hpp"

namespace apod::cli {

struct SlurmJob {
  std::string name;                    ///< of the study
  std::string program;                 ///< bench, as the nodes find it
  std::vector<std::string> arguments;  ///< of the run
  std::string out;                     ///< the merged result, *.json
  int nodes = 1;                       ///< tasks of the array, one on a node
  int gpus = 0;                        ///< per node, each a shard; 0: none is requested
  int throttle = 0;                    ///< nodes at once; 0: no limit
};

/// Shards of the study.
int shards_of(const SlurmJob& job);

/// The log next to the result, of a task of the array ("%a": of each) or of the "merge".
std::string log_of(const std::string& out, const std::string& part);

/// Why a text can't be a value in a batch script; empty if it can.
std::string refused_by_slurm(const std::string& text);

/// The batch script of the array. Throws std::runtime_error if Slurm would misread a word of it.
std::string array_script(const SlurmJob& job);

/// A shell line that merges the existing results of `shards` shards.
std::string merge_line(const std::string& program, const std::string& whole, int shards);

}  // namespace apod::cli
