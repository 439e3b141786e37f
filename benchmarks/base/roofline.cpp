#include "benchmarks/base/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "benchmarks/base/axes.hpp"

namespace apod {
namespace {

/// Seconds that device memory takes at its ceilings; 0 where one that is needed is unknown.
double memory_seconds(const Traffic& traffic, const Ceilings& ceilings) {
  const double both = 2 * std::min(traffic.bytes_read, traffic.bytes_written);
  const double rest = std::abs(traffic.bytes_read - traffic.bytes_written);
  // What is only written moves no faster than a copy does.
  const double rest_rate = traffic.bytes_read > traffic.bytes_written ? ceilings.read_bytes_per_s
                                                                      : ceilings.copy_bytes_per_s;
  double seconds = 0;
  for (const auto& [bytes, rate] :
       {std::pair{both, ceilings.copy_bytes_per_s}, std::pair{rest, rest_rate}}) {
    if (bytes > 0 && !(rate > 0)) return 0;
    if (bytes > 0) seconds += bytes / rate;
  }
  return seconds;
}

}  // namespace

BusiestUnit busiest_unit(const std::map<std::string, double>& counters) {
  struct CountedUnit {
    const char* counter;
    Bound bound;
    const char* name;
  };
  static constexpr std::array<CountedUnit, 5> units{{
      {"dram_throughput", Bound::memory, "device memory"},
      {"l2_throughput", Bound::cache, l2_unit},
      {"l1_throughput", Bound::cache, "L1 and shared memory"},
      {"issue_active", Bound::issue, "the schedulers"},
      {"tensor_active", Bound::tensor, "the tensor cores"},
  }};
  BusiestUnit busiest;
  for (const auto& unit : units) {
    const auto found = counters.find(unit.counter);
    if (found == counters.end() || !(found->second > busiest.share)) continue;
    busiest = {unit.bound, unit.name, found->second};
  }
  return busiest;
}

Traffic stated_work(Traffic traffic, const Params& params) {
  const auto* named = params.find("type");
  const auto* word = named == nullptr ? nullptr : std::get_if<std::string>(named);
  const auto type = word == nullptr ? std::nullopt : parse<Number>(*word);
  traffic.flops(type.value_or(Number::fp32)) += std::exchange(traffic.flops_replaced, 0);
  return traffic;
}

bool computes(const Traffic& stated) {
  const double bytes = stated.bytes_read + stated.bytes_written;
  return stated.is_product || stated.flops_tensor + stated.flops_tf32 + stated.flops_bf16 > 0 ||
         (stated.flops() > 0 && stated.flops() >= computing_flops_per_byte * bytes);
}

Work work_of(const Traffic& traffic, double time_s, bool end_to_end, const Params& params,
             const std::map<std::string, double>& facts) {
  const auto fact = [&](const char* name) {
    const auto found = facts.find(name);
    return found == facts.end() || !std::isfinite(found->second) ? 0 : found->second;
  };
  return {.traffic = stated_work(traffic, params),
          .replaced = traffic.flops_replaced > 0,
          .busiest = busiest_unit(facts),
          .time_s = time_s,
          .end_to_end = end_to_end,
          .upload_bytes = fact("upload_bytes"),
          .download_bytes = fact("download_bytes"),
          .transfers_in_turn = fact("transfers_in_turn") > 0,
          .launches = end_to_end ? host_launches(params, fact("kernels")) : 0};
}

Roofline roofline(const Work& work, const Ceilings& ceilings) {
  Roofline found;
  if (!(work.time_s > 0) || !std::isfinite(work.time_s)) return found;
  double longest_s = 0;
  const auto consider = [&](Bound bound, double amount, double ceiling) {
    if (!(amount > 0) || !(ceiling > 0) || !(amount / ceiling > longest_s)) return;
    longest_s = amount / ceiling;
    found.nearest = bound;
    found.ceiling = ceiling;
  };

  const Traffic& traffic = work.traffic;
  const double bytes = traffic.bytes_read + traffic.bytes_written;
  const double flops = traffic.flops();
  const double memory_s = memory_seconds(traffic, ceilings);
  if (memory_s > 0) {
    found.memory_bytes_per_s = bytes / work.time_s;
    found.memory_ceiling_bytes_per_s = bytes / memory_s;
    // What is uploaded first was left in a cache by right.
    found.cache_resident = !work.end_to_end && memory_s > above_ceiling * work.time_s;
    if (!found.cache_resident) consider(Bound::memory, bytes, found.memory_ceiling_bytes_per_s);
  }

  auto most = Number::fp32;  // of the FLOPs
  bool unknown_tensor = false;
  for (const auto type : {Number::fp32, Number::fp64, Number::fp16, Number::bf16, Number::tf32}) {
    const Bound unit = type == Number::fp32   ? Bound::fp32
                       : type == Number::fp64 ? Bound::fp64
                                              : Bound::tensor;
    const double ceiling = ceilings.flops(type);
    const double share = ceiling > 0 ? traffic.flops(type) / ceiling / work.time_s : 0;
    if (share > above_ceiling) {  // as it may for a variant that replaces operations
      if (!work.replaced) found.exceeded = unit;
      if (!work.replaced) found.exceeded_share = share;
    } else {
      consider(unit, traffic.flops(type), ceiling);
    }
    unknown_tensor |= unit == Bound::tensor && traffic.flops(type) > 0 && !(ceiling > 0);
    if (traffic.flops(type) > traffic.flops(most)) most = type;
  }
  consider(Bound::peer, traffic.bytes_linked, slowest_link(ceilings));
  if (flops > 0 && bytes > 0) {
    found.intensity = flops / bytes;
    if (found.memory_ceiling_bytes_per_s > 0)
      found.ridge = ceilings.flops(most) / found.memory_ceiling_bytes_per_s;
  }

  if (work.end_to_end) {
    const double up = ceilings.h2d_pinned_bytes_per_s;
    const double down = ceilings.d2h_pinned_bytes_per_s;
    if (work.transfers_in_turn && up > 0 && down > 0) {
      const double all = work.upload_bytes + work.download_bytes;
      consider(Bound::transfer, all, all / (work.upload_bytes / up + work.download_bytes / down));
    } else {
      consider(Bound::transfer, work.upload_bytes, up);
      consider(Bound::transfer, work.download_bytes, down);
      consider(Bound::transfer, work.upload_bytes + work.download_bytes,
               ceilings.both_ways_bytes_per_s);
    }
  }
  if (work.launches * ceilings.launch_s > longest_s) {
    longest_s = work.launches * ceilings.launch_s;
    found.nearest = Bound::launch;
    found.ceiling = ceilings.launch_s;
  }
  if (unknown_tensor) {  // a share of another ceiling says nothing of a product
    found.nearest = Bound::unknown;
    found.ceiling = 0;
    return found;
  }
  found.share = longest_s / work.time_s;
  if (found.nearest == Bound::unknown && !found.cache_resident) return found;
  const bool known = !work.replaced || !is_arithmetic(found.nearest);
  if (found.share >= near_ceiling && known) {
    found.bound = found.nearest;
  } else if (!work.end_to_end && work.busiest.share >= near_ceiling) {
    found.busiest = work.busiest;
    found.bound = work.busiest.bound;
    if (is_arithmetic(found.bound) && !is_arithmetic(found.nearest)) {
      found.nearest = Bound::unknown;
      found.ceiling = found.share = 0;
    }
  } else {
    // A product of half precision may convert its values and compute in fp32.
    const double in_fp32 = (flops - traffic.flops_fp64) / work.time_s;
    const bool may_be_fp32 = in_fp32 > 0 && in_fp32 >= near_ceiling * ceilings.fp32_flops &&
                             in_fp32 <= above_ceiling * ceilings.fp32_flops;
    if (may_be_fp32 && found.nearest == Bound::tensor) {
      found.nearest = Bound::unknown;
      found.ceiling = found.share = 0;
    }
    const bool unknown = found.exceeded != Bound::unknown || work.replaced || may_be_fp32;
    found.bound = found.cache_resident ? Bound::cache
                  : unknown            ? Bound::unknown
                  : work.end_to_end    ? Bound::none
                                       : Bound::latency;
  }
  return found;
}

}  // namespace apod
