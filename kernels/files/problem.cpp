#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "kernels/data/bytes.hpp"
#include "kernels/files/blocks.hpp"
#include "kernels/files/kernel_family.hpp"

namespace apod::file {
namespace {

/// A seed that differs where one of the three does.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return (a * 0x9e3779b97f4a7c15u + b) * 0x9e3779b97f4a7c15u + c;
}

/// Integers are 0 to 127 if values are uniform, else rounded; bool is value >= 1/2.
void write_made(ElementType type, bool uniform, double value, std::byte* at) {
  constexpr double integers = 128;
  if (type == ElementType::boolean) return write_whole(type, value >= 0.5 ? 1 : 0, at);
  if (!is_whole(type)) return write_real(type, value, at);
  write_whole(
      type,
      static_cast<std::int64_t>(uniform ? std::floor(value * integers) : std::nearbyint(value)),
      at);
}

}  // namespace

KernelProblem::KernelProblem(std::shared_ptr<const KernelFamily> family, const Params& params,
                             const DataSpec& data)
    : family_(std::move(family)),
      spec_(family_->spec()),
      params_(params),
      layout_(family_->shapes().layout(params)),
      input_(layout_.input_bytes),
      values_(spec_.args.size()),
      formulas_(spec_.args.size()) {
  fill_bytes(input_, std::byte{0});
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (is_input(spec_.args[a])) fill(a, params, data);
  }
  using Kind = ReferenceSpec::Kind;
  if (spec_.reference.kind == Kind::workload) borrow_workload(params, data);
  if (spec_.reference.kind == Kind::array) read_arrays();
  if (spec_.reference.kind == Kind::formula) {
    for (std::size_t a = 0; a < spec_.args.size(); ++a) {
      const auto& name = spec_.args[a].name;
      if (spec_.reference.outputs.count(name) == 0) continue;
      // Its words are those of params_, which lives as long.
      formulas_[a] = family_->shapes().reference_formula(name, params_, layout_, input_.data());
    }
  }
  check_tolerance();
}

void KernelProblem::fill(std::size_t index, const Params& params, const DataSpec& data) {
  const auto& arg = spec_.args[index];
  const auto& place = layout_.args[index];
  auto* const begin = input_.data() + place.in_input;
  const auto size = size_of(arg.type);
  if (!arg.formula.empty()) {
    const auto formula = family_->shapes().data_formula(index, params, layout_);
    in_blocks(place.count, [&](std::int64_t first, std::size_t count) {
      std::array<Value, block_size> own;
      const auto values = std::span(own).first(count);
      formula.values(first, values);
      auto* at = begin + static_cast<std::size_t>(first) * size;
      for (const auto& value : values) {
        if (value.kind == Value::Kind::real) {
          write_real(arg.type, value.real, at);
        } else {
          write_whole(arg.type, value.whole, at);
        }
        at += size;
      }
    });
    return;
  }
  DataSpec made = arg.has_data ? arg.made : data;
  made.seed = mixed(arg.has_data ? arg.made.seed : 0, data.seed, index);
  const std::size_t parts = is_complex(arg.type) ? 2 : 1;
  const auto type = arg.type == ElementType::c64    ? ElementType::f32
                    : arg.type == ElementType::c128 ? ElementType::f64
                                                    : arg.type;
  std::shared_ptr<const Floats> read;
  try {
    if (made.kind == DataSpec::Kind::file)
      read = make_vector(made, static_cast<std::int64_t>(parts) * place.count);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("'" + arg.name + "': " + error.what());
  }
  const bool uniform = made.kind == DataSpec::Kind::uniform;
  in_blocks(static_cast<std::int64_t>(parts) * place.count,
            [&](std::int64_t first, std::size_t count) {
              std::array<float, block_size> own{};
              std::span<const float> values(own.data(), count);
              if (read) {
                values = std::span(*read).subspan(static_cast<std::size_t>(first), count);
              } else {
                make_values(made, first, std::span(own).first(count));
              }
              with_known(type, [&](auto known) {
                auto* at = begin + static_cast<std::size_t>(first) * size_of(known);
                for (const float value : values) {
                  write_made(known, uniform, static_cast<double>(value), at);
                  at += size_of(known);
                }
              });
            });
}

/// The workload's data goes to the first inputs: what it uploads to the first, its constants to the
/// second. So its own reference fits.
void KernelProblem::borrow_workload(const Params& params, const DataSpec& data) {
  Params own;
  const auto& family = family_->workload(params, own);
  const std::string name(family.name());
  other_ = family.make(own, data);
  const std::array<std::span<const std::byte>, 2> contents{other_->input(), other_->constants()};
  std::size_t taken = 0;
  for (std::size_t a = 0; a < spec_.args.size() && taken < contents.size(); ++a) {
    if (!is_input(spec_.args[a]) || contents[taken].empty()) continue;
    const auto& content = contents[taken++];
    if (content.size() != layout_.args[a].bytes) {
      throw std::runtime_error("'" + spec_.args[a].name + "' has " +
                               std::to_string(layout_.args[a].bytes) + " bytes, but the input of " +
                               name + " has " + std::to_string(content.size()));
    }
    std::memcpy(input_.data() + layout_.args[a].in_input, content.data(), content.size());
  }
}

void KernelProblem::read_arrays() {
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto found = spec_.reference.outputs.find(spec_.args[a].name);
    if (found == spec_.reference.outputs.end()) continue;
    const auto loaded = load_array(found->second);
    const auto count = static_cast<std::size_t>(layout_.args[a].count);
    if (loaded.values.size() != count) {
      throw std::runtime_error("the reference of '" + spec_.args[a].name + "' holds " +
                               apod::to_string(loaded.shape) + " values, but the output has " +
                               std::to_string(count));
    }
    values_[a].assign(loaded.values.begin(), loaded.values.end());
  }
}

Chunk KernelProblem::chunk(std::int64_t index, std::int64_t count) const {
  const auto parts = family_->shapes().parts(params_, count);
  Chunk chunk{.index = index, .count = count, .begin = index, .end = index + 1};
  chunk.input_begin = chunk.begin;
  chunk.input_end = chunk.end;
  const auto at = static_cast<std::size_t>(index);
  for (std::size_t i = 0; i < at; ++i) {
    chunk.input_offset += parts[i].layout.input_bytes;
    chunk.output_offset += parts[i].layout.output_bytes;
  }
  const auto& layout = parts[at].layout;
  chunk.input_bytes = layout.input_bytes;
  chunk.output_bytes = layout.output_bytes;
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (!is_input(spec_.args[a]) || !is_output(spec_.args[a])) continue;
    const auto& place = layout.args[a];
    chunk.in_place.push_back({place.in_input, place.in_output, place.bytes});
  }
  return chunk;
}

void KernelProblem::gather(const Chunk& chunk, std::byte* to) const {
  const auto parts = family_->shapes().parts(params_, chunk.count);
  const auto& part = parts[static_cast<std::size_t>(chunk.index)];
  fill_bytes({to, chunk.input_bytes}, std::byte{0});
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (!is_input(spec_.args[a])) continue;
    const auto begin = static_cast<std::size_t>(part.first[a]) * size_of(spec_.args[a].type);
    copy_bytes(
        {to + part.layout.args[a].in_input, part.layout.args[a].bytes},
        std::span(input_).subspan(layout_.args[a].in_input + begin, part.layout.args[a].bytes));
  }
}

std::size_t KernelProblem::output_bytes(std::int64_t chunks) const {
  std::size_t bytes = 0;
  for (const auto& part : family_->shapes().parts(params_, chunks))
    bytes += part.layout.output_bytes;
  return bytes;
}

bool KernelProblem::wants_output() const {
  const auto kind = spec_.reference.kind;
  return expected_.empty() &&
         (kind == ReferenceSpec::Kind::itself || kind == ReferenceSpec::Kind::kernel ||
          kind == ReferenceSpec::Kind::host);
}

void KernelProblem::take_output(std::span<const std::byte> output) {
  expected_.resize(output.size());
  copy_bytes(expected_, output);
  // What is never written is no difference, so something must be.
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto& arg = spec_.args[a];
    if (arg.role != Role::out || arg.shape.empty() || is_whole(arg.type)) continue;
    const auto begin = expected_.begin() + static_cast<std::ptrdiff_t>(layout_.args[a].in_output);
    const auto end = begin + static_cast<std::ptrdiff_t>(layout_.args[a].bytes);
    if (std::all_of(begin, end, [](std::byte b) { return b == std::byte{0xFF}; }))
      throw std::runtime_error("the reference wrote nothing to '" + arg.name + "'");
  }
  check_tolerance();
}

}  // namespace apod::file
