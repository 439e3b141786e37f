#include "benchmarks/cli/usual_values.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace apod::cli {
namespace {

/// Whether one of the parts is in the name.
bool holds(const std::string& name, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(parts,
                             [&](const char* one) { return name.find(one) != std::string::npos; });
}

}  // namespace

std::string lower(const std::string& name) {
  std::string made;
  for (const char c : name) made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

std::optional<std::int64_t> usual_value(const std::string& axis) {
  if (holds(axis, {"head_dim", "headdim", "head_size", "d_head", "d_k", "dk"})) return 64;
  if (axis == "hd" || axis == "hs") return 64;
  if (axis.starts_with("log")) return 16;  // of a size
  // Properties of a device: those of an H100.
  if (holds(axis, {"maxthreadspermultiprocessor"})) return 2048;
  if (holds(axis, {"maxthreadsperblock"})) return 1024;
  if (holds(axis, {"maxblockspermultiprocessor"})) return 32;
  if (holds(axis, {"maxgrid"})) return (std::int64_t{1} << 31) - 1;
  if (holds(axis, {"sharedmemperblockoptin"})) return 227 << 10;
  if (holds(axis, {"sharedmempermultiprocessor"})) return 228 << 10;
  if (holds(axis, {"sharedmemperblock"})) return 48 << 10;
  if (axis == "warpsize") return 32;
  if (holds(axis, {"smem", "shmem", "shared"})) return 16384;
  if (holds(axis, {"persm", "per_sm"})) return 1;
  if (holds(axis, {"multiprocessor", "numsms", "num_sms", "sm_count", "smcount"})) return 132;
  if (holds(axis, {"block", "threads"})) return 256;
  if (holds(axis, {"batch"}) || axis == "b" || axis == "bs") return 8;
  if (holds(axis, {"head"}) || axis == "nh" || axis == "h_q" || axis == "nkv") return 8;
  if (holds(axis, {"kernel", "filter", "mask_", "ksize", "mask"}) || axis == "kw" || axis == "kh")
    return 5;
  if (holds(axis, {"radius"})) return 2;
  if (holds(axis, {"stride", "dilation"})) return 1;
  if (holds(axis, {"pad"})) return 0;
  if (holds(axis, {"bins", "bucket"})) return 256;
  if (holds(axis, {"class"})) return 128;
  if (holds(axis, {"iter", "steps", "epoch", "timestep"})) return 10;
  if (holds(axis, {"group"})) return 32;
  if (holds(axis, {"tile"})) return 16;
  if (holds(axis, {"seed", "offset", "start", "base", "shift"})) return 0;
  if (holds(axis, {"window"})) return 32;
  if (holds(axis, {"bit"})) return 0;
  if (holds(axis, {"alpha", "beta", "value", "target", "causal", "flag"}) || axis == "dir")
    return 1;
  return std::nullopt;
}

double usual_real(const std::string& name) {
  if (holds(name, {"eps"})) return 1e-5;
  if (holds(name, {"learning_rate", "lr"})) return 1e-3;
  if (name == "beta1" || holds(name, {"momentum"})) return 0.9;
  if (name == "beta2") return 0.999;
  if (holds(name, {"decay"})) return 0.01;
  if (holds(name, {"slope"}) || name == "dt" || holds(name, {"time_step", "delta"})) return 0.01;
  if (holds(name, {"soften"})) return 0.01;
  return name == "beta" ? 0.5 : 1;
}

}  // namespace apod::cli
