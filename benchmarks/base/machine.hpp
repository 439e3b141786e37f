#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/api/backend.hpp"

namespace apod {

/// The machine and the build that made a result.
struct Environment {
  std::string producer;  ///< the program that wrote the file: "Google Benchmark"; empty: this one
  std::string date;      ///< ISO 8601 with offset
  std::string host_name;
  std::string os;
  std::string cpu_model;
  int cpu_count = 0;
  double cpu_mhz = 0;
  bool cpu_scaling_enabled = false;
  std::vector<double> load_average;
  struct Cache {
    std::string type;
    int level = 0;
    std::uint64_t bytes = 0;
    int sharing = 0;
  };
  std::vector<Cache> caches;
  std::string executable;
  std::string build_type;     ///< "release" or "debug"
  std::string compiler;       ///< e.g. "GNU 12.2.0"
  std::string cuda_compiler;  ///< nvcc version; empty in a host-only build
  std::string bench_version;  ///< of the producer
  std::string commit;         ///< git revision of the build, "-dirty" appended; empty unknown
  DeviceFacts device;         ///< of another program: what its file says, and no backend
  /// CUDA_* and OMP_* environment variables, and entries of --context or of another program's file
  /// under their own names.
  std::map<std::string, std::string> variables;
};

}  // namespace apod
