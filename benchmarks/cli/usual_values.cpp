#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/guess_parts.hpp"

namespace apod::cli {

std::optional<std::int64_t> usual_value(const std::string& axis) {
  if (text::holds_any(axis, {"head_dim", "headdim", "head_size", "d_head", "d_k", "dk"})) return 64;
  if (axis == "hd" || axis == "hs") return 64;
  if (axis.starts_with("log")) return 16;  // of a size
  // Properties of a device: those of an H100.
  if (text::holds_any(axis, {"maxthreadspermultiprocessor"})) return 2048;
  if (text::holds_any(axis, {"maxthreadsperblock"})) return 1024;
  if (text::holds_any(axis, {"maxblockspermultiprocessor"})) return 32;
  if (text::holds_any(axis, {"maxgrid"})) return (std::int64_t{1} << 31) - 1;
  if (text::holds_any(axis, {"sharedmemperblockoptin"})) return 227 << 10;
  if (text::holds_any(axis, {"sharedmempermultiprocessor"})) return 228 << 10;
  if (text::holds_any(axis, {"sharedmemperblock"})) return 48 << 10;
  if (axis == "warpsize") return 32;
  if (text::holds_any(axis, {"smem", "shmem", "shared"})) return 16384;
  if (text::holds_any(axis, {"persm", "per_sm"})) return 1;
  if (text::holds_any(axis, {"multiprocessor", "numsms", "num_sms", "sm_count", "smcount"}))
    return 132;
  if (text::holds_any(axis, {"block", "threads"})) return 256;
  if (text::holds_any(axis, {"batch"}) || axis == "b" || axis == "bs") return 8;
  if (text::holds_any(axis, {"head"}) || axis == "nh" || axis == "h_q" || axis == "nkv") return 8;
  if (text::holds_any(axis, {"kernel", "filter", "mask_", "ksize", "mask"}) || axis == "kw" ||
      axis == "kh")
    return 5;
  if (text::holds_any(axis, {"radius"})) return 2;
  if (text::holds_any(axis, {"stride", "dilation"})) return 1;
  if (text::holds_any(axis, {"pad"})) return 0;
  if (text::holds_any(axis, {"bins", "bucket"})) return 256;
  if (text::holds_any(axis, {"class"})) return 128;
  if (text::holds_any(axis, {"iter", "steps", "epoch", "timestep"})) return 10;
  if (text::holds_any(axis, {"group"})) return 32;
  if (text::holds_any(axis, {"tile"})) return 16;
  if (text::holds_any(axis, {"seed", "offset", "start", "base", "shift"})) return 0;
  if (text::holds_any(axis, {"window"})) return 32;
  if (text::holds_any(axis, {"bit"})) return 0;
  if (text::holds_any(axis, {"alpha", "beta", "value", "target", "causal", "flag"}) ||
      axis == "dir")
    return 1;
  return std::nullopt;
}

double usual_real(const std::string& name) {
  if (text::holds_any(name, {"eps"})) return 1e-5;
  if (text::holds_any(name, {"learning_rate", "lr"})) return 1e-3;
  if (name == "beta1" || text::holds_any(name, {"momentum"})) return 0.9;
  if (name == "beta2") return 0.999;
  if (text::holds_any(name, {"decay"})) return 0.01;
  if (text::holds_any(name, {"slope"}) || name == "dt" ||
      text::holds_any(name, {"time_step", "delta"}))
    return 0.01;
  if (text::holds_any(name, {"soften"})) return 0.01;
  return name == "beta" ? 0.5 : 1;
}

}  // namespace apod::cli
