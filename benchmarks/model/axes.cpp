#include "benchmarks/model/axes.hpp"

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
  spec.help = "the implementation; all of the run's backend when not named";
  for (const auto* entry : registry.variants(family.name())) spec.choices.push_back(entry->name);
  spec.default_value = spec.choices.empty() ? std::string() : spec.choices.front();
  return spec;
}

AxisSpec streams_axis() {
  AxisSpec spec;
  spec.name = "streams";
  spec.help = "streams that the data is split over, one chunk each";
  spec.default_value = std::int64_t{1};
  spec.max = 128;
  return spec;
}

AxisSpec threads_axis() {
  AxisSpec spec;
  spec.name = "threads";
  spec.help = "host threads that enqueue the streams' work at once, stream i in thread i % threads";
  spec.default_value = std::int64_t{1};
  spec.max = 128;
  return spec;
}

AxisSpec programs_axis() {
  AxisSpec spec;
  spec.name = "programs";
  spec.help = "processes that run the case at the same time, of which one is measured";
  spec.default_value = std::int64_t{1};
  spec.max = 64;
  return spec;
}

}  // namespace

std::vector<AxisSpec> axes_of(const Registry& registry, const Family& family, Scope scope) {
  std::vector<AxisSpec> specs{variant_axis(registry, family)};
  for (auto& spec : family.axes()) specs.push_back(std::move(spec));
  if (scope == Scope::end_to_end) {
    specs.push_back(streams_axis());
    specs.push_back(threads_axis());
    specs.push_back(choice_axis("host_memory", "kind of the host memory that is copied",
                                MemoryKind::pinned, {MemoryKind::pageable, MemoryKind::pinned}));
    specs.push_back(choice_axis("stream_pool",
                                "distinct: N streams; aliased: one stream handed out N times",
                                StreamPool::distinct, {StreamPool::distinct, StreamPool::aliased}));
  }
  specs.push_back(programs_axis());
  return specs;
}

std::optional<std::string> axes_reject(const Params& params) {
  const auto streams = params.integer_or("streams", 1);
  const auto threads = params.integer_or("threads", 1);
  if (threads <= streams) return std::nullopt;
  return std::to_string(threads) + " threads, and " +
         (streams == 1 ? "1 stream" : std::to_string(streams) + " streams") +
         ": each thread needs a stream of its own";
}

bool goes_without_saying(std::string_view axis, const AxisValue& value) {
  return (axis == "threads" || axis == "programs") && value == AxisValue(std::int64_t{1});
}

const AxisSpec* find_axis(const std::vector<AxisSpec>& specs, std::string_view name) {
  for (const auto& spec : specs) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

}  // namespace apod
