#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "kernels/api/file/family.hpp"
#include "kernels/api/worst.hpp"

namespace apod::file {
namespace {

constexpr std::byte poison{0xFF};

bool is_output(const Argument& arg) {
  return !arg.shape.empty() && (arg.role == Role::out || arg.role == Role::inout);
}
bool is_input(const Argument& arg) {
  return !arg.shape.empty() && (arg.role == Role::in || arg.role == Role::inout);
}

/// A seed that differs where one of the three does.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return (a * 0x9e3779b97f4a7c15u + b) * 0x9e3779b97f4a7c15u + c;
}

/// Integers are 0 to 127 where the values are uniform, and rounded to the nearest otherwise; bool
/// is value >= 1/2.
void write_made(ElementType type, bool uniform, double value, std::byte* at) {
  constexpr double integers = 128;
  if (type == ElementType::boolean) return write_whole(type, value >= 0.5 ? 1 : 0, at);
  if (!is_whole(type)) return write_real(type, value, at);
  write_whole(
      type,
      static_cast<std::int64_t>(uniform ? std::floor(value * integers) : std::nearbyint(value)),
      at);
}

std::string text_of(ElementType type, const Element& element) {
  std::array<char, 80> text{};
  if (is_complex(type)) {
    std::snprintf(text.data(), text.size(), "%.9g%+.9gi", element.real, element.imaginary);
  } else if (!is_whole(type)) {
    std::snprintf(text.data(), text.size(), "%.9g", element.real);
  } else if (is_signed(type) || type == ElementType::boolean) {
    return std::to_string(element.whole);
  } else {
    return std::to_string(element.natural);
  }
  return text.data();
}

}  // namespace

KernelProblem::KernelProblem(std::shared_ptr<const KernelFamily> family, const Params& params,
                             const DataSpec& data)
    : family_(std::move(family)),
      spec_(family_->spec()),
      layout_(family_->shapes().layout(params)),
      input_(layout_.input_bytes),
      values_(spec_.args.size()) {
  std::memset(input_.data(), 0, input_.size());
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (is_input(spec_.args[a])) fill(a, params, data);
  }
  using Kind = ReferenceSpec::Kind;
  if (spec_.reference.kind == Kind::workload) borrow_workload(params, data);
  if (spec_.reference.kind == Kind::array) read_arrays();
  if (spec_.reference.kind == Kind::formula) evaluate_formulas(params);
}

void KernelProblem::fill(std::size_t index, const Params& params, const DataSpec& data) {
  const auto& arg = spec_.args[index];
  const auto& place = layout_.args[index];
  auto* const begin = input_.data() + place.in_input;
  const auto size = size_of(arg.type);
  if (!arg.formula.empty()) {
    const auto formula = family_->shapes().data_formula(index, params, layout_);
    parallel_for(place.count, [&](std::int64_t first, std::int64_t last) {
      auto own = formula.bindings;
      for (auto i = first; i < last; ++i) {
        const auto value = formula.at(own, i);
        auto* const at = begin + static_cast<std::size_t>(i) * size;
        if (value.kind == Value::Kind::real) {
          write_real(arg.type, value.real, at);
        } else {
          write_whole(arg.type, value.whole, at);
        }
      }
    });
    return;
  }
  DataSpec made = arg.has_data ? arg.made : data;
  made.seed = mixed(arg.has_data ? arg.made.seed : 0, data.seed, index);
  const std::int64_t parts = is_complex(arg.type) ? 2 : 1;
  std::shared_ptr<const Floats> values;
  try {
    values = make_vector(made, parts * place.count);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("'" + arg.name + "': " + error.what());
  }
  const bool uniform = made.kind == DataSpec::Kind::uniform;
  parallel_for(place.count, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      if (parts == 1) {
        write_made(arg.type, uniform, (*values)[i], begin + i * size);
        continue;
      }
      const auto half = arg.type == ElementType::c64 ? ElementType::f32 : ElementType::f64;
      write_real(half, (*values)[2 * i], begin + i * size);
      write_real(half, (*values)[2 * i + 1], begin + i * size + size / 2);
    }
  });
}

/// The workload's data goes to the first inputs: what it uploads to the first, its constants to the
/// second. So its own reference fits.
void KernelProblem::borrow_workload(const Params& params, const DataSpec& data) {
  const auto name = spec_.reference.workload.substr(0, spec_.reference.workload.find('/'));
  const auto* family = Registry::instance().family(name);
  if (family == nullptr) throw std::runtime_error("unknown reference workload " + name);
  Params own;
  for (const auto& axis : family->axes()) {
    const auto* value = params.find(axis.name);
    own.set(axis.name, value != nullptr ? *value : axis.default_value);
  }
  if (const auto reason = family->rejects(own)) {
    throw std::runtime_error("the reference " + name + ": " + *reason);
  }
  other_ = family->make(own, data);
  const std::array<std::span<const std::byte>, 2> contents{other_->input(), other_->constants()};
  std::size_t taken = 0;
  for (std::size_t a = 0; a < spec_.args.size() && taken < contents.size(); ++a) {
    if (!is_input(spec_.args[a]) || contents[taken].empty()) continue;
    const auto& content = contents[taken++];
    if (content.size() != layout_.args[a].bytes) {
      throw std::runtime_error("'" + spec_.args[a].name + "' has " +
                               std::to_string(layout_.args[a].bytes) + " bytes, and that of " +
                               name + " has " + std::to_string(content.size()));
    }
    std::memcpy(input_.data() + layout_.args[a].in_input, content.data(), content.size());
  }
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (!is_output(spec_.args[a])) continue;
    if (other_->output_bytes(1) == layout_.args[a].bytes) return;
    throw std::runtime_error("'" + spec_.args[a].name + "' has " +
                             std::to_string(layout_.args[a].bytes) + " bytes, and the output of " +
                             name + " has " + std::to_string(other_->output_bytes(1)));
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
                               apod::to_string(loaded.shape) + " values, and the output " +
                               std::to_string(count));
    }
    values_[a].assign(loaded.values.begin(), loaded.values.end());
  }
}

void KernelProblem::evaluate_formulas(const Params& params) {
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (spec_.reference.outputs.count(spec_.args[a].name) == 0) continue;
    const auto formula =
        family_->shapes().reference_formula(spec_.args[a].name, params, layout_, input_.data());
    auto& values = values_[a];
    values.resize(static_cast<std::size_t>(layout_.args[a].count));
    parallel_for(layout_.args[a].count, [&](std::int64_t first, std::int64_t last) {
      auto own = formula.bindings;
      for (auto i = first; i < last; ++i) {
        const auto value = formula.at(own, i);
        values[static_cast<std::size_t>(i)] =
            value.kind == Value::Kind::truth ? static_cast<double>(value.whole) : value.number();
      }
    });
  }
}

Chunk KernelProblem::chunk(std::int64_t index, std::int64_t count) const {
  if (count != 1) throw std::logic_error("a kernel file is not split");
  return {.index = index,
          .count = 1,
          .begin = 0,
          .end = 1,
          .input_begin = 0,
          .input_end = 1,
          .input_offset = 0,
          .input_bytes = layout_.input_bytes,
          .output_offset = 0,
          .output_bytes = layout_.output_bytes};
}

bool KernelProblem::wants_output() const {
  const auto kind = spec_.reference.kind;
  return expected_.empty() &&
         (kind == ReferenceSpec::Kind::itself || kind == ReferenceSpec::Kind::kernel ||
          kind == ReferenceSpec::Kind::host);
}

void KernelProblem::take_output(std::span<const std::byte> output) {
  expected_.assign(output.begin(), output.end());
}

/// Where something was written between the arrays; empty where nothing was.
std::string KernelProblem::broken_guard(std::span<const std::byte> output) const {
  std::size_t begin = 0;
  std::string before;
  const auto broken = [&](std::size_t end) {
    return std::any_of(output.begin() + static_cast<std::ptrdiff_t>(begin),
                       output.begin() + static_cast<std::ptrdiff_t>(end),
                       [](std::byte b) { return b != poison; });
  };
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (!is_output(spec_.args[a])) continue;
    const auto& place = layout_.args[a];
    if (broken(place.in_output)) {
      return before.empty() ? "before '" + spec_.args[a].name + "'" : "behind '" + before + "'";
    }
    begin = place.in_output + place.bytes;
    before = spec_.args[a].name;
  }
  return broken(output.size()) ? "behind '" + before + "'" : "";
}

Verification KernelProblem::verify(std::span<const std::byte> output, std::int64_t) const {
  Verification check;
  if (!has_size(output, layout_.output_bytes, check)) return check;
  const auto where = broken_guard(output);
  if (!where.empty()) {
    check.error = std::numeric_limits<double>::infinity();
    check.measure = "bytes written out of bounds";
    check.detail = "the kernel wrote out of bounds, " + where;
    return check;
  }
  if (!other_) return verify_arrays(output);
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (!is_output(spec_.args[a])) continue;
    return other_->verify(output.subspan(layout_.args[a].in_output, layout_.args[a].bytes), 1);
  }
  return check;
}

/// The error of an element is |got - wanted| / (absolute + relative |wanted|): 1 at most. Where
/// nothing is allowed, it is 0 or infinite: the output must be the value of its type next to the
/// reference. Integers are compared exactly then.
Verification KernelProblem::verify_arrays(std::span<const std::byte> output) const {
  Verification check{.passed = true,
                     .error = 0,
                     .tolerance = 1,
                     .measure = "largest error, as a share of the tolerance",
                     .detail = ""};
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto& arg = spec_.args[a];
    const auto& values = values_[a];
    if (!is_output(arg) || (values.empty() && expected_.empty())) continue;
    const auto size = size_of(arg.type);
    const auto offset = layout_.args[a].in_output;
    const auto got = [&](std::size_t i) {
      return read_element(arg.type, output.data() + offset + i * size);
    };
    const auto wanted = [&](std::size_t i) {
      if (values.empty()) return read_element(arg.type, expected_.data() + offset + i * size);
      Element nearest{.real = values[i]};
      if (spec_.absolute == 0 && spec_.relative == 0 && is_real(arg.type)) {
        std::array<std::byte, 8> rounded{};
        write_real(arg.type, values[i], rounded.data());
        nearest = read_element(arg.type, rounded.data());
      }
      return Element{.real = nearest.real,
                     .whole = static_cast<std::int64_t>(values[i]),
                     .natural = static_cast<std::uint64_t>(std::max(0.0, values[i]))};
    };
    const auto error_of = [&](double is, double should) {
      if (is == should) return 0.0;
      const double off = std::abs(is - should);
      const double allowed = spec_.absolute + spec_.relative * std::abs(should);
      if (std::isnan(is) || std::isnan(should)) return std::numeric_limits<double>::quiet_NaN();
      return allowed > 0 ? off / allowed : std::numeric_limits<double>::infinity();
    };
    const auto worst = worst_of(static_cast<std::size_t>(layout_.args[a].count), [&](auto i) {
      const auto is = got(i);
      const auto should = wanted(i);
      if (is_whole(arg.type)) {
        if (is.whole == should.whole && is.natural == should.natural) return 0.0;
        return error_of(as_double(arg.type, is), as_double(arg.type, should));
      }
      Worst both{error_of(is.real, should.real)};
      if (is_complex(arg.type)) both.consider({error_of(is.imaginary, should.imaginary), 0});
      return both.error;
    });
    if (!std::isnan(worst.error) && worst.error <= check.error) continue;
    check.error = worst.error;
    if (worst.error <= check.tolerance) continue;
    check.passed = false;
    check.detail = "element " + std::to_string(worst.index) + " of '" + arg.name + "' is " +
                   text_of(arg.type, got(worst.index)) + ", expected " +
                   text_of(arg.type, wanted(worst.index));
    return check;
  }
  return check;
}

}  // namespace apod::file
