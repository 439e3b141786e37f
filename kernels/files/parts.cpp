/// \file
/// A case that is split over streams.

#include <algorithm>

#include "kernels/files/launch.hpp"

namespace apod::file {
namespace {

/// Where part `index` begins. All but the last are multiples of 64, for kernels that like those,
/// where that leaves them nearly equal.
std::int64_t begin_of(std::int64_t size, std::int64_t index, std::int64_t count) {
  constexpr std::int64_t wanted = 64;
  constexpr std::int64_t enough = 16;
  const std::int64_t granule = size / wanted >= enough * count ? wanted : 1;
  return index == count ? size : size / granule * index / count * granule;
}

bool names(const Expression& expression, const std::string& name) {
  const auto& all = expression.names();
  return std::find(all.begin(), all.end(), name) != all.end();
}

}  // namespace

/// What doesn't depend on a case: the axis is there, is no part of the code, and splits arrays
/// along their first side, so that each part of one is a range of it.
void Shapes::check_split() const {
  const auto& axis = spec_.split;
  const auto found = std::ranges::find(spec_.axes, axis, &AxisSpec::name);
  if (found == spec_.axes.end() || found->kind != AxisSpec::Kind::integer)
    throw SpecError("split", 0, "'" + axis + "' is not an axis of integers");
  std::set<std::string> in_code;
  for (const auto& launch : spec_.launches) in_code.merge(template_names(launch.kernel));
  if (is_macro(axis) || in_code.contains(axis)) {
    throw SpecError("split", 0,
                    "'" + axis + "' is a constant of the code, but all streams use the same code");
  }
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto& arg = spec_.args[a];
    if (arg.shape.empty() || arg.role == Role::scratch) continue;
    for (std::size_t side = 1; side < shapes_[a].size(); ++side) {
      if (!names(shapes_[a][side].expression, axis)) continue;
      throw SpecError(shapes_[a][side].key, 0,
                      "'" + arg.name + "' can only be split along its first dimension");
    }
    const bool written = arg.role != Role::in;
    if (!written || names(shapes_[a].front().expression, axis)) continue;
    throw SpecError(shapes_[a].front().key, 0,
                    "'" + arg.name + "' does not depend on '" + axis +
                        "', so each stream would write the whole array");
  }
}

std::vector<Part> Shapes::parts(const Params& params, std::int64_t count) const {
  const auto whole = layout(params);
  std::vector<std::int64_t> first(whole.args.size(), 0);
  if (count == 1) return {{params, whole, std::move(first)}};
  const auto size = params.integer_or(spec_.split, 0);
  if (size < count) {
    throw SpecError("split", 0,
                    spec_.split + " " + std::to_string(size) + " can't be split over " +
                        std::to_string(count) + " streams");
  }
  std::vector<Part> parts;
  for (std::int64_t i = 0; i < count; ++i) {
    auto own = params;
    own.set(spec_.split, begin_of(size, i + 1, count) - begin_of(size, i, count));
    auto part = layout(own);
    parts.push_back({std::move(own), std::move(part), first});
    for (std::size_t a = 0; a < first.size(); ++a) {
      if (is_split(a)) first[a] += parts.back().layout.args[a].count;
    }
  }
  for (std::size_t a = 0; a < first.size(); ++a) {
    if (!is_split(a) || first[a] == whole.args[a].count) continue;
    throw SpecError(shapes_[a].front().key, 0,
                    "the parts of '" + spec_.args[a].name + "' have " + std::to_string(first[a]) +
                        " elements together, but the array has " +
                        std::to_string(whole.args[a].count));
  }
  return parts;
}

bool Shapes::is_split(std::size_t arg) const {
  const auto& of = spec_.args[arg];
  return !of.shape.empty() && of.role != Role::scratch &&
         names(shapes_[arg].front().expression, spec_.split);
}

}  // namespace apod::file
