/// \file
/// Whether the output of a kernel file is what it should be.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "kernels/data/poison.hpp"
#include "kernels/data/random.hpp"
#include "kernels/data/worst.hpp"
#include "kernels/files/blocks.hpp"
#include "kernels/files/kernel_family.hpp"

namespace apod::file {
namespace {

/// Of two integers of a type, which a double may not tell apart.
std::uint64_t distance(ElementType type, const Element& a, const Element& b) {
  if (is_signed(type) || type == ElementType::boolean) {
    const auto [low, high] = std::minmax(a.whole, b.whole);
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  }
  return std::max(a.natural, b.natural) - std::min(a.natural, b.natural);
}

constexpr std::byte poison{poison_byte};

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

/// Where something was written between the arrays; empty where nothing was.
std::string KernelProblem::broken_guard(const Layout& layout,
                                        std::span<const std::byte> output) const {
  if (!poisons_memory()) return "";
  std::size_t begin = 0;
  std::string before;
  const auto broken = [&](std::size_t end) {
    return std::any_of(output.begin() + static_cast<std::ptrdiff_t>(begin),
                       output.begin() + static_cast<std::ptrdiff_t>(end),
                       [](std::byte b) { return b != poison; });
  };
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (!is_output(spec_.args[a])) continue;
    const auto& place = layout.args[a];
    if (broken(place.in_output))
      return before.empty() ? "before '" + spec_.args[a].name + "'" : "after '" + before + "'";
    begin = place.in_output + place.bytes;
    before = spec_.args[a].name;
  }
  return broken(output.size()) ? "after '" + before + "'" : "";
}

Array<std::byte> KernelProblem::joined(const std::vector<Part>& parts,
                                       std::span<const std::byte> output) const {
  Array<std::byte> whole(layout_.output_bytes);
  for (const auto& part : parts) {
    for (std::size_t a = 0; a < spec_.args.size(); ++a) {
      if (!is_output(spec_.args[a])) continue;
      const auto begin = static_cast<std::size_t>(part.first[a]) * size_of(spec_.args[a].type);
      const auto& place = part.layout.args[a];
      std::memcpy(whole.data() + layout_.args[a].in_output + begin, output.data() + place.in_output,
                  place.bytes);
    }
    output = output.subspan(part.layout.output_bytes);
  }
  return whole;
}

Verification KernelProblem::verify(std::span<const std::byte> output, std::int64_t chunks) const {
  return held_against(output, chunks, [](std::int64_t, std::int64_t) { return true; });
}

Verification KernelProblem::look(std::span<const std::byte> output, std::int64_t chunks,
                                 std::uint64_t seed) const {
  constexpr std::int64_t few = 8192;
  constexpr std::uint64_t one_in = 8;
  const RandomBits drawn(seed);
  return held_against(output, chunks, [&](std::int64_t block, std::int64_t blocks) {
    return blocks < few || drawn[block] % one_in == 0;
  });
}

Verification KernelProblem::held_against(std::span<const std::byte> output, std::int64_t chunks,
                                         const IsDrawn& is_drawn) const {
  Verification check;
  if (!has_size(output, output_bytes(chunks), check)) return check;
  const auto parts = family_->shapes().parts(params_, chunks);
  std::size_t begin = 0;
  for (const auto& part : parts) {
    const auto bytes = part.layout.output_bytes;
    const auto where = broken_guard(part.layout, output.subspan(begin, bytes));
    begin += bytes;
    if (where.empty()) continue;
    check.error = std::numeric_limits<double>::infinity();
    check.measure = "bytes written out of bounds";
    check.detail = "the kernel wrote out of bounds, " + where;
    return check;
  }
  Array<std::byte> whole;
  if (chunks > 1) {
    whole = joined(parts, output);
    output = whole;
  }
  if (!other_) return verify_arrays(output, is_drawn);
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (!is_output(spec_.args[a])) continue;
    return other_->verify(output.subspan(layout_.args[a].in_output, layout_.args[a].bytes), 1);
  }
  return check;
}

void KernelProblem::wanted(std::size_t a, std::int64_t first, std::span<Element> to) const {
  const auto type = spec_.args[a].type;
  const auto size = static_cast<std::int64_t>(size_of(type));
  if (!expected_.empty()) {
    with_known(type, [&](auto known) {
      const auto* at = expected_.data() + layout_.args[a].in_output + first * size;
      for (auto& element : to) {
        element = read_element(known, at);
        at += size;
      }
    });
    return;
  }
  const bool is_exact = spec_.absolute <= 0 && spec_.relative <= 0 && is_real(type);
  const auto element = [&](double value) -> Element {
    if (is_whole(type)) {
      // What no integer of 64 bits holds is as wrong as any other.
      constexpr double most = 9e18;
      if (std::isnan(value)) return {};
      return {.whole = static_cast<std::int64_t>(std::clamp(value, -most, most)),
              .natural = static_cast<std::uint64_t>(std::clamp(value, 0.0, 2 * most))};
    }
    if (!is_exact) return {.real = value};
    std::array<std::byte, 8> rounded{};
    write_real(type, value, rounded.data());
    return read_element(type, rounded.data());
  };
  std::array<double, block_size> own{};
  std::span<const double> values(own.data(), to.size());
  if (formulas_[a]) {
    formulas_[a]->numbers(first, std::span(own).first(to.size()));
  } else {
    values = std::span(values_[a]).subspan(static_cast<std::size_t>(first), to.size());
  }
  std::transform(values.begin(), values.end(), to.begin(), element);
}

/// A tolerance that lets zeros pass for what is not zero shows nothing.
void KernelProblem::check_tolerance() const {
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto& arg = spec_.args[a];
    if (!is_output(arg) || !is_known(a)) continue;
    bool all_pass = true;
    bool is_zero = true;
    const auto count = layout_.args[a].count;
    for (std::int64_t first = 0; all_pass && first < count; first += block_size) {
      std::array<Element, block_size> block;
      const std::span should(block.data(),
                             static_cast<std::size_t>(std::min(block_size, count - first)));
      wanted(a, first, should);
      for (const auto& element : should) {
        const double size = is_complex(arg.type)
                                ? std::max(std::abs(element.real), std::abs(element.imaginary))
                                : std::abs(as_double(arg.type, element));
        all_pass = all_pass && size <= spec_.absolute + spec_.relative * size;
        is_zero = is_zero && size == 0;
      }
    }
    if (!all_pass || is_zero) continue;
    throw std::runtime_error("the tolerance is as large as the values of '" + arg.name +
                             "': an output of zeros would pass");
  }
}

/// The error of an element is |got - wanted| / (absolute + relative |wanted|): 1 at most. Where
/// nothing is allowed, it is 0 or infinite: the output must be the value of its type next to the
/// reference. Integers are compared exactly then.
Verification KernelProblem::verify_arrays(std::span<const std::byte> output,
                                          const IsDrawn& is_drawn) const {
  Verification check{.passed = true,
                     .error = 0,
                     .tolerance = 1,
                     .measure = "largest error / tolerance",
                     .detail = ""};
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto& arg = spec_.args[a];
    if (!is_output(arg) || !is_known(a)) continue;
    const auto* const begin = output.data() + layout_.args[a].in_output;
    const auto* const before =
        expected_.empty() ? nullptr : expected_.data() + layout_.args[a].in_output;
    const auto share_of = [&](double off, double should) {
      const double allowed = spec_.absolute + spec_.relative * std::abs(should);
      return allowed > 0 ? off / allowed : std::numeric_limits<double>::infinity();
    };
    const auto error_of = [&](double is, double should) {
      if (is == should) return 0.0;
      if (std::isnan(is) || std::isnan(should)) return std::numeric_limits<double>::quiet_NaN();
      return share_of(std::abs(is - should), should);
    };
    const auto error_of_element = [&](auto type, const Element& is, const Element& should) {
      if (is_whole(type)) {
        const auto off = distance(type, is, should);
        return off == 0 ? 0.0 : share_of(static_cast<double>(off), as_double(type, should));
      }
      Worst both{error_of(is.real, should.real)};
      if (is_complex(type)) both.consider({error_of(is.imaginary, should.imaginary), 0});
      return both.error;
    };
    Worst worst;
    std::mutex mutex;
    const auto elements = layout_.args[a].count;
    in_blocks(elements, [&](std::int64_t first, std::size_t count) {
      if (!is_drawn(first / block_size, elements / block_size)) return;
      std::array<Element, block_size> block;
      const std::span should(block.data(), count);
      wanted(a, first, should);
      const auto mine = with_known(arg.type, [&](auto type) {
        Worst mine_so_far;
        for (std::size_t i = 0; i < count; ++i) {
          const auto at = static_cast<std::size_t>(first) + i;
          // The same bytes are no difference: of an element that neither run writes, or a NaN.
          const auto* const bytes = begin + at * size_of(type);
          const bool is_same = before != nullptr &&
                               std::memcmp(bytes, before + at * size_of(type), size_of(type)) == 0;
          if (is_same) continue;
          const auto is = read_element(type, bytes);
          mine_so_far.consider({error_of_element(type, is, should[i]), at});
        }
        return mine_so_far;
      });
      if (mine.error == 0) return;
      const std::lock_guard lock(mutex);
      worst.consider(mine);
    });
    if (!std::isnan(worst.error) && worst.error <= check.error) continue;
    check.error = worst.error;
    if (worst.error <= check.tolerance) continue;
    check.passed = false;
    Element should;
    wanted(a, static_cast<std::int64_t>(worst.index), {&should, 1});
    const auto is = read_element(arg.type, begin + worst.index * size_of(arg.type));
    check.detail =
        "element " + std::to_string(worst.index) + " of '" + arg.name + "' is " +
        text_of(arg.type, is) +
        (spec_.reference.kind == ReferenceSpec::Kind::itself
             ? ", in another run " + text_of(arg.type, should) +
                   ": the kernel gives different results each time, and has no other reference"
             : ", expected " + text_of(arg.type, should));
    return check;
  }
  return check;
}

}  // namespace apod::file
