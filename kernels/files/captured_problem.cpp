#include "kernels/files/captured_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "kernels/data/bytes.hpp"
#include "kernels/data/worst.hpp"
#include "kernels/files/kernel_family.hpp"

namespace apod::file {
namespace {

constexpr std::size_t page = capture::page;
constexpr std::size_t most_pieces = 256;
/// In the order in which they are tried.
constexpr std::array candidates{ElementType::bf16, ElementType::f16, ElementType::f32,
                                ElementType::f64};
/// The distance of two neighbouring values, as a share of them at most.
constexpr std::array units{0x1p-7, 0x1p-10, 0x1p-23, 0x1p-52};

/// Whether values of the type may be what the kernel writes. Any bytes are halves, so these count
/// only if the kernel's name speaks of them.
bool may_write(const std::string& kernel, ElementType type) {
  const auto has = [&](std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return kernel.find(word) != std::string::npos; });
  };
  if (type == ElementType::bf16) return has({"BFloat16", "bfloat16", "bf16"});
  return type != ElementType::f16 || has({"Half", "half", "f16", "fp16"});
}

/// What repeats worse than this is not the same result in another order.
constexpr double most_share = 0.02;
/// A few runs do not show the largest difference: the order of sums of small values shows more.
constexpr double margin = 4;

Array<std::byte> read_state(const std::string& path, std::uint64_t bytes) {
  std::error_code error;
  const auto there = std::filesystem::file_size(path, error);
  if (error) throw std::runtime_error(path + ": " + error.message());
  if (there != bytes) {
    throw std::runtime_error(path + ": has " + std::to_string(there) +
                             " bytes, but the manifest says " + std::to_string(bytes));
  }
  // Kernels get at least one granule, so that there is always a buffer.
  Array<std::byte> all(std::max<std::size_t>(bytes, Layout::granule));
  fill_bytes(all, std::byte{0});
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(bytes));
  if (!file) throw std::runtime_error(path + ": can't be read");
  return all;
}

/// The largest difference of two pages, as a share of the largest value; infinite if not finite.
double share_of(ElementType type, std::span<const std::byte> is,
                std::span<const std::byte> should) {
  return with_known(type, [&](auto known) {
    double largest = 0;
    double off = 0;
    for (std::size_t at = 0; at + size_of(known) <= is.size(); at += size_of(known)) {
      const auto* a = is.data() + at;
      const auto* b = should.data() + at;
      const double wanted = as_double(known, read_element(known, b));
      if (std::isfinite(wanted)) largest = std::max(largest, std::abs(wanted));
      if (std::memcmp(a, b, size_of(known)) == 0) continue;
      const double got = as_double(known, read_element(known, a));
      if (!std::isfinite(wanted) || !std::isfinite(got))
        return std::numeric_limits<double>::infinity();
      off = std::max(off, std::abs(got - wanted));
    }
    if (off == 0) return 0.0;
    return largest > 0 ? off / largest : std::numeric_limits<double>::infinity();
  });
}

/// One in 32 of any bytes is a NaN as a half, so a page of other numbers holds some.
bool holds_nan(ElementType type, std::span<const std::byte> values) {
  return with_known(type, [&](auto known) {
    for (std::size_t at = 0; at + size_of(known) <= values.size(); at += size_of(known)) {
      if (std::isnan(as_double(known, read_element(known, values.data() + at)))) return true;
    }
    return false;
  });
}

/// Whole numbers read as floats are tiny or denormal, and a tolerance must not excuse them.
bool may_be_number(ElementType type, double value) {
  const double least = type == ElementType::f64 ? std::numeric_limits<double>::min()
                       : type == ElementType::f32 || type == ElementType::bf16
                           ? std::numeric_limits<float>::min()
                           : 0;
  return value == 0 || std::abs(value) >= least;
}

template <class... Values>
std::string printed(const char* format, Values... values) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string per_cent(double share) {
  return printed("%.3g %%", 100 * share);
}

}  // namespace

CapturedProblem::CapturedProblem(std::shared_ptr<const KernelFamily> family)
    : family_(std::move(family)), spec_(*family_->spec().captured) {
  const auto& launch = spec_.launch;
  const auto bytes = capture::state_bytes(launch);
  const auto in = [&](const char* name) {
    return path_of(family_->spec(), (spec_.folder.empty() ? "" : spec_.folder + "/") + name);
  };
  before_ = read_state(in(capture::before_file), bytes);
  after_ = read_state(in(capture::changes_file), bytes);
  stretches_ = capture::stretches(launch);
  find_changed();
}

void CapturedProblem::find_changed() {
  changed_pages_.resize((after_.size() + page - 1) / page);
  std::vector<capture::Stretch> runs;
  for (std::size_t p = 0; p < changed_pages_.size(); ++p) {
    const auto from = p * page;
    const auto size = std::min(page, after_.size() - from);
    std::uint64_t changed = 0;
    for (std::size_t i = from; i < from + size; ++i) {
      changed += after_[i] != std::byte{0} ? 1 : 0;
      after_[i] ^= before_[i];
    }
    changed_bytes_ += changed;
    changed_pages_[p] = changed > 0;
    if (changed == 0) continue;
    if (!runs.empty() && runs.back().at + runs.back().bytes == from) {
      runs.back().bytes += size;
    } else {
      runs.push_back({from, size});
    }
  }
  // The smallest gaps are copied too: a copy takes longer to start than to copy some pages.
  while (runs.size() > most_pieces) {
    std::vector<capture::Stretch> fewer;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      const auto& last = runs[std::min(i + 1, runs.size() - 1)];
      fewer.push_back({runs[i].at, last.at + last.bytes - runs[i].at});
    }
    runs = std::move(fewer);
  }
  changed_ = std::move(runs);
  // Variables come behind the windows, and a module has its own.
  const auto windows = spec_.launch.windows.size();
  const auto end = windows < stretches_.size() ? stretches_[windows].at : after_.size();
  may_repeat_ = !changed_.empty() && changed_.back().at + changed_.back().bytes <= end;
  for (std::size_t i = end; i < after_.size(); ++i)
    in_variables_ += before_[i] != after_[i] ? 1 : 0;
}

std::size_t CapturedProblem::stretch_of(std::size_t number) const {
  const auto next =
      std::upper_bound(stretches_.begin(), stretches_.end(), number * page,
                       [](std::size_t at, const auto& stretch) { return at < stretch.at; });
  return static_cast<std::size_t>(next - stretches_.begin()) - 1;
}

Chunk CapturedProblem::chunk(std::int64_t index, std::int64_t count) const {
  if (count != 1) throw std::runtime_error("a captured launch can't be split over streams");
  Chunk chunk{.index = index, .count = count, .begin = index, .end = index + 1};
  chunk.input_begin = chunk.begin;
  chunk.input_end = chunk.end;
  chunk.input_bytes = before_.size();
  chunk.output_bytes = after_.size();
  return chunk;
}

/// The first replay is compared with the captured answer, later ones with the first, too.
void CapturedProblem::learn(std::size_t number, std::span<const std::byte> output) {
  const auto from = number * page;
  const auto size = std::min(page, after_.size() - from);
  const auto is = output.subspan(from, size);
  const auto should = std::span<const std::byte>(after_).subspan(from, size);
  auto& learnt = learnt_[number];
  if (replays_ == 0) learnt.first.assign(is.begin(), is.end());
  const auto first = learnt.first.empty() ? should : std::span<const std::byte>(learnt.first);
  for (std::size_t t = 0; t < candidates.size(); ++t) {
    learnt.between[t] = std::max(learnt.between[t], share_of(candidates[t], is, first));
    learnt.off[t] = std::max(learnt.off[t], share_of(candidates[t], is, should));
  }
}

void CapturedProblem::take_output(std::span<const std::byte> output) {
  // The next variant of the case finds the same problem, which has nothing to verify it against.
  if (!refused_.empty()) throw std::runtime_error(refused_);
  if (replays_ >= most_replays) {
    may_repeat_ = std::ranges::equal(output, std::span<const std::byte>(after_));
    repeats_ = may_repeat_ && ++replays_ == most_replays + most_in_a_row;
    return;
  }
  for (std::size_t p = 0; p < changed_pages_.size(); ++p) {
    const auto from = p * page;
    const auto size = std::min(page, after_.size() - from);
    const bool differs = std::memcmp(output.data() + from, after_.data() + from, size) != 0;
    if (differs || learnt_.contains(p)) learn(p, output);
  }
  if (++replays_ < most_replays) return;
  settle();
  refused_ = refusal();
  if (!refused_.empty()) throw std::runtime_error(refused_);
}

/// Chooses the type of what differs on each page, and how much it may differ.
void CapturedProblem::settle() {
  unsteady_.assign(learnt_.empty() ? 0 : changed_pages_.size(), false);
  tolerances_.assign(stretches_.size(), {});
  for (auto& [number, learnt] : learnt_) {
    const auto from = number * page;
    const auto answer =
        std::span<const std::byte>(after_).subspan(from, std::min(page, after_.size() - from));
    std::size_t t = 0;
    for (; t < candidates.size(); ++t) {
      const bool may_be = spec_.type ? *spec_.type == candidates[t]
                                     : may_write(spec_.launch.kernel, candidates[t]) &&
                                           !holds_nan(candidates[t], answer);
      if (may_be && std::max(learnt.between[t], learnt.off[t]) <= most_share) break;
    }
    if (t == candidates.size()) {
      unsteady_[number] = true;
      ++unsteady_pages_;
      continue;
    }
    learnt.type = t;
    auto& tolerance = tolerances_[stretch_of(number)];
    ++tolerance.pages[t];
    tolerance.between[t] = std::max(tolerance.between[t], learnt.between[t]);
    tolerance.off[t] = std::max(tolerance.off[t], learnt.off[t]);
    tolerance.allowed[t] =
        std::min(most_share, margin * std::max(tolerance.between[t], tolerance.off[t]));
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < tolerances_.size(); ++i) {
    const auto& pages = tolerances_[i].pages;
    const auto usual = std::max_element(pages.begin(), pages.end());
    if (*usual == 0) continue;
    tolerances_[i].usual = static_cast<std::size_t>(usual - pages.begin());
    if (*usual <= most) continue;
    most = *usual;
    learnt_most_ = i;
  }
}

bool CapturedProblem::has_given_tolerance() const {
  const auto& kernel = family_->spec();
  return spec_.type && (kernel.absolute > 0 || kernel.relative > 0);
}

std::string CapturedProblem::refusal() const {
  const auto changed = std::ranges::count(changed_pages_, true);
  if (2 * unsteady_pages_ > static_cast<std::size_t>(changed)) {
    return "the captured kernel gives different results each time: " +
           std::to_string(unsteady_pages_) + " of " + std::to_string(changed) +
           " changed pages of 4 KiB differ by more than " + per_cent(most_share) +
           " of their largest value from another replay or from the program";
  }
  for (std::size_t i = 0; !has_given_tolerance() && i < tolerances_.size(); ++i) {
    for (std::size_t t = 0; t < candidates.size(); ++t) {
      const auto& tolerance = tolerances_[i];
      if (tolerance.off[t] <= margin * std::max(tolerance.between[t], units[t])) continue;
      return "replays of the captured kernel differ from each other by " +
             per_cent(tolerance.between[t]) + " of the largest value in a page, but by " +
             per_cent(tolerance.off[t]) + " from the program (in the memory from " +
             place_of(stretches_[i].at) + "): the kernel uses something that was not captured";
    }
  }
  if (changed_bytes_ > 0 && verify(before_, 1).passed) {
    return "the tolerance is too wide: even the memory before the launch is within it, so a kernel "
           "that does nothing would pass";
  }
  return "";
}

std::string CapturedProblem::place_of(std::size_t at) const {
  const auto& windows = spec_.launch.windows;
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    if (at < stretches_[i].at || at >= stretches_[i].at + stretches_[i].bytes) continue;
    const auto offset = at - stretches_[i].at;
    if (i >= windows.size()) {
      return "byte " + std::to_string(offset) + " of " +
             spec_.launch.variables[i - windows.size()].name;
    }
    return printed("address 0x%llx", static_cast<unsigned long long>(windows[i].address + offset));
  }
  return "byte " + std::to_string(at);
}

std::string CapturedProblem::detail_of(std::span<const std::byte> output, std::size_t at) const {
  auto type = spec_.type;
  if (!type && learnt_most_) type = candidates[*tolerances_[*learnt_most_].usual];
  if (!type) {
    return place_of(at) + printed(" is 0x%02x, expected 0x%02x", static_cast<unsigned>(output[at]),
                                  static_cast<unsigned>(after_[at]));
  }
  const auto begin = at / size_of(*type) * size_of(*type);
  const auto value = [&](const std::byte* from) {
    return as_double(*type, read_element(*type, from));
  };
  return place_of(begin) + printed(" is %.9g, expected %.9g", value(output.data() + begin),
                                   value(after_.data() + begin));
}

/// Byte by byte, but for pages that the launch changes: there `tolerance` is allowed, or what was
/// learnt of the same window.
Verification CapturedProblem::verify(std::span<const std::byte> output, std::int64_t) const {
  Verification check{.passed = true, .error = 0, .tolerance = 1, .measure = "", .detail = ""};
  if (output.size() != after_.size() || !refused_.empty()) {
    check.passed = false;
    check.detail = refused_.empty() ? "the memory has a different size" : refused_;
    return check;
  }
  const auto& kernel = family_->spec();
  constexpr double none_allowed = std::numeric_limits<double>::infinity();
  std::uint64_t different = 0;
  Worst worst;
  worst.index = after_.size();  // none yet
  const auto consider = [&](double error, std::size_t at) {
    if (worst.index == after_.size()) worst = {error, at};
    worst.consider({error, at});
  };
  const auto hold = [&](std::size_t p, std::size_t from, std::size_t size) {
    const auto is = output.subspan(from, size);
    const auto should = std::span<const std::byte>(after_).subspan(from, size);
    std::size_t first = from;
    while (output[first] == after_[first]) ++first;
    const auto* tolerance = tolerances_.empty() ? nullptr : &tolerances_[stretch_of(p)];
    if (is_changed(p) && has_given_tolerance()) {
      with_known(*spec_.type, [&](auto known) {
        for (std::size_t at = 0; at + size_of(known) <= size; at += size_of(known)) {
          if (std::memcmp(is.data() + at, should.data() + at, size_of(known)) == 0) continue;
          const double wanted = as_double(known, read_element(known, should.data() + at));
          const double got = as_double(known, read_element(known, is.data() + at));
          const bool numbers = may_be_number(known, wanted) && may_be_number(known, got);
          const double allowed = kernel.absolute + kernel.relative * std::abs(wanted);
          consider(numbers ? std::abs(got - wanted) / allowed : none_allowed, from + at);
        }
        return 0;
      });
    } else if (is_changed(p) && tolerance != nullptr && tolerance->usual) {
      // The replays may have shown too little of a page to tell its type.
      const auto of_type = [&](std::size_t t) {
        const double share = share_of(candidates[t], is, should);
        return share == 0 ? 0 : share / tolerance->allowed[t];
      };
      const auto known = learnt_.find(p);
      const double usual = of_type(*tolerance->usual);
      consider(known == learnt_.end() ? usual : std::min(usual, of_type(known->second.type)),
               first);
    } else {
      consider(none_allowed, first);
    }
    for (std::size_t i = 0; i < size; ++i) different += is[i] != should[i] ? 1 : 0;
  };
  for (std::size_t p = 0; p < changed_pages_.size(); ++p) {
    const auto from = p * page;
    const auto size = std::min(page, after_.size() - from);
    if (!unsteady_.empty() && unsteady_[p]) continue;
    if (std::memcmp(output.data() + from, after_.data() + from, size) != 0) hold(p, from, size);
  }
  check.error = worst.error;
  check.passed = worst.error <= check.tolerance;  // false for NaN
  if (has_given_tolerance()) {
    check.measure = "largest error / tolerance";
  } else if (learnt_most_) {
    const auto& tolerance = tolerances_[*learnt_most_];
    const auto t = *tolerance.usual;
    check.measure = "largest error / the spread of " + std::to_string(most_replays) +
                    " replays: sums in another order differ by " +
                    per_cent(tolerance.allowed[t] / margin) + " of the largest " +
                    std::string(apod::to_string(candidates[t])) + " value in a page";
  } else {
    check.measure = "bytes that differ from the captured answer";
    check.error = static_cast<double>(different);
    check.tolerance = 0;
  }
  if (unsteady_pages_ > 0) {
    check.measure += "; " + std::to_string(unsteady_pages_) +
                     " pages of 4 KiB differ between replays, and were left out";
  }
  if (in_variables_ > 0) {
    check.measure += "; " + std::to_string(in_variables_) +
                     " changed bytes are in variables of the captured kernel's module: a "
                     "replacement does not have these variables, so these bytes are not checked";
  }
  if (changed_bytes_ == 0) check.measure += "; the launch changed no captured memory";
  if (check.passed) return check;
  check.detail = std::to_string(different) + " bytes differ from the captured memory (" +
                 std::to_string(changed_bytes_) + " were changed by the launch); " +
                 detail_of(output, worst.index);
  return check;
}

}  // namespace apod::file
