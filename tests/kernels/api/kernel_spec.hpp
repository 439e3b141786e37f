#pragma once

/// \file
/// A kernel of a file, described as a config would.

#include <cstdint>
#include <string>

#include "kernels/files/kernel_family.hpp"

namespace apod::file {

inline AxisSpec axis(const std::string& name) {
  return {.name = name, .help = "", .default_value = std::int64_t{1}};
}

/// y[i] = 2 x[i] over `size` elements.
inline KernelSpec doubled() {
  KernelSpec spec;
  spec.axes = {axis("size"), axis("block"), axis("TILE")};
  spec.launches = {{.file = "double.cu",
                    .kernel = "twice<TILE>",
                    .grid = {"ceil(size / (block * TILE))"},
                    .block = {"block"},
                    .shared = "block * 4"}};
  spec.args = {{.name = "y", .role = Role::out, .shape = {"size"}},
               {.name = "x", .shape = {"size"}},
               {.name = "n", .type = ElementType::i32, .value = "size"}};
  spec.reference = {.kind = ReferenceSpec::Kind::formula, .outputs = {{"y", "2 * x"}}};
  spec.absolute = 1e-6;
  return spec;
}

inline Params point(std::int64_t size, std::int64_t block = 128, std::int64_t tile = 4) {
  Params params;
  params.set("variant", std::string("double.cu"));
  params.set("size", size);
  params.set("block", block);
  params.set("TILE", tile);
  return params;
}

}  // namespace apod::file
