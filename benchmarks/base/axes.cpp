#include "benchmarks/base/axes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/text/plain.hpp"

namespace apod {
namespace {

template <NamedEnum E>
AxisSpec choice_axis(std::string name, std::string help, E fallback, std::initializer_list<E> all) {
  AxisSpec spec;
  spec.name = std::move(name);
  spec.kind = AxisSpec::Kind::choice;
  spec.help = std::move(help);
  spec.default_value = std::string(to_string(fallback));
  for (const E value : all) spec.choices.emplace_back(to_string(value));
  return spec;
}

AxisSpec variant_axis(const Registry& registry, const Family& family) {
  AxisSpec spec;
  spec.name = "variant";
  spec.kind = AxisSpec::Kind::choice;
  spec.help = "the implementation; default: all variants of the run's backend";
  for (const auto* entry : registry.variants(family.name())) spec.choices.push_back(entry->name);
  spec.default_value = spec.choices.empty() ? std::string() : spec.choices.front();
  return spec;
}

AxisSpec count_axis(std::string name, std::string help, std::int64_t most) {
  AxisSpec spec;
  spec.name = std::move(name);
  spec.help = std::move(help);
  spec.default_value = std::int64_t{1};
  spec.max = most;
  return spec;
}

std::vector<AxisSpec> end_to_end_axes() {
  return {
      count_axis("streams", "number of streams; each stream gets one chunk of the data", 128),
      count_axis("threads",
                 "number of host threads; thread (i % threads) enqueues the work of stream i", 128),
      choice_axis("host_memory", "kind of host memory for the copies", MemoryKind::pinned,
                  {MemoryKind::pageable, MemoryKind::pinned}),
      choice_axis("stream_pool", "distinct: N separate streams; aliased: the same stream N times",
                  StreamPool::distinct, {StreamPool::distinct, StreamPool::aliased}),
      choice_axis("order", "enqueue chunk by chunk, or the uploads of all chunks first",
                  EnqueueOrder::by_chunk, {EnqueueOrder::by_chunk, EnqueueOrder::uploads_first}),
      choice_axis("chunk_launch", "launch the kernels of a chunk one by one, or as one CUDA graph",
                  ChunkLaunch::kernels, {ChunkLaunch::kernels, ChunkLaunch::graph})};
}

AxisSpec programs_axis() {
  return count_axis("programs",
                    "processes that run the case at the same time; bench measures only one", 64);
}

/// Where its work is not split, there is one stream.
std::vector<AxisSpec> axes_of_kernel(const Experiment& experiment) {
  const auto& spec = experiment.kernel->spec;
  std::vector<AxisSpec> specs{{.name = "variant",
                               .kind = AxisSpec::Kind::choice,
                               .help = "the kernel file, or the name of a kernel in the file",
                               .default_value = spec.usual_variant()}};
  specs.insert(specs.end(), spec.axes.begin(), spec.axes.end());
  for (auto& axis : end_to_end_axes()) {
    const bool fits =
        !spec.split.empty() || axis.name == "host_memory" || axis.name == "chunk_launch";
    if (fits && experiment.scope == Scope::end_to_end) specs.push_back(std::move(axis));
  }
  specs.push_back(programs_axis());
  return specs;
}

bool launches_graphs(const Params& params) {
  return params.choice_or("chunk_launch", ChunkLaunch::kernels) == ChunkLaunch::graph;
}

}  // namespace

std::vector<AxisSpec> axes_of_variants(const Registry& registry, std::string_view family) {
  std::vector<AxisSpec> specs;
  for (const auto* entry : registry.variants(family)) {
    if (!entry->make) continue;
    for (auto& axis : entry->make()->axes()) {
      if (find_axis(specs, axis.name) != nullptr) continue;
      axis.help += " (variant " + entry->name + ")";
      specs.push_back(std::move(axis));
    }
  }
  return specs;
}

std::vector<AxisSpec> axes_of(const Registry& registry, const Family& family, Scope scope) {
  const auto variant = variant_axis(registry, family);
  auto of_harness = end_to_end_axes();
  of_harness.push_back(programs_axis());
  std::vector<AxisSpec> specs{variant};
  auto own = family.axes();
  for (auto& spec : axes_of_variants(registry, family.name())) {
    if (find_axis(own, spec.name) != nullptr) {
      throw std::logic_error(
          "a variant of " + std::string(family.name()) + " has an axis '" + spec.name +
          "', but the workload already has an axis of this name: rename the variant's axis");
    }
    own.push_back(std::move(spec));
  }
  for (auto& spec : own) {
    if (spec.name == variant.name || find_axis(of_harness, spec.name) != nullptr) {
      throw std::logic_error("workload " + std::string(family.name()) + " has an axis '" +
                             spec.name + "', but the harness reserves this name: rename the axis");
    }
    specs.push_back(std::move(spec));
  }
  for (auto& spec : of_harness) {
    if (scope == Scope::end_to_end || spec.name == "programs") specs.push_back(std::move(spec));
  }
  return specs;
}

std::vector<AxisSpec> axes_of(const Registry& registry, const Experiment& experiment) {
  if (experiment.command) return experiment.command->axes;
  if (experiment.kernel) return axes_of_kernel(experiment);
  return axes_of(registry, *registry.family(experiment.workload), experiment.scope);
}

std::optional<std::string> axes_reject(const Params& params) {
  const auto streams = params.integer_or("streams", 1);
  const auto threads = params.integer_or("threads", 1);
  if (threads <= streams) return std::nullopt;
  return std::to_string(threads) + " threads, but only " +
         text::counted(static_cast<std::size_t>(streams), "stream") +
         ": each thread needs its own stream";
}

std::string axes_reject(const VariantEntry& entry, const Params& params) {
  if (!launches_graphs(params)) return "";
  const auto variant = entry.make();
  if (!variant->waits(params)) return "";
  return "chunk_launch graph: " + entry.name +
         " synchronizes with the device, and a CUDA graph can't contain a synchronization";
}

double host_launches(const Params& params, double kernels) {
  return launches_graphs(params) ? 0 : kernels;
}

bool goes_without_saying(std::string_view axis, const AxisValue& value) {
  const auto is = [&](auto usual) { return value == AxisValue(std::string(to_string(usual))); };
  if (axis == "order") return is(EnqueueOrder::by_chunk);
  if (axis == "chunk_launch") return is(ChunkLaunch::kernels);
  return (axis == "threads" || axis == "programs") && value == AxisValue(std::int64_t{1});
}

const std::int64_t* quantity_on(std::string_view axis, const std::optional<AxisValue>& value) {
  // In the singular; "streams" are counted.
  static constexpr auto things =
      std::to_array<std::string_view>({"device", "gpu", "rank", "stream", "process", "thread",
                                       "node", "run", "seed", "id", "pid", "index"});
  const auto word = text::lower(axis.substr(axis.find_last_of("_ .-") + 1));
  const bool names = std::find(things.begin(), things.end(), word) != things.end();
  return value && !names ? std::get_if<std::int64_t>(&*value) : nullptr;
}

const Family* family_of(const Registry& registry, const Experiment& experiment) {
  return experiment.kernel ? &experiment.kernel->family() : registry.family(experiment.workload);
}

std::optional<VariantEntry> variant_of(const Registry& registry, const Experiment& experiment,
                                       const std::string& variant) {
  if (experiment.kernel) return file::variant_of(*experiment.kernel, variant, registry);
  const auto* entry = registry.variant(experiment.workload, variant);
  return entry == nullptr ? std::nullopt : std::optional(*entry);
}

const AxisSpec* find_axis(const std::vector<AxisSpec>& specs, std::string_view name) {
  for (const auto& spec : specs) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

}  // namespace apod
