#pragma once

/// \file
/// A captured launch as a Problem. Its input is the memory before the launch, its output the memory
/// after it, both packed as in the files of the capture.

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/captured_launch.hpp"
#include "kernels/api/workload.hpp"
#include "kernels/data/array.hpp"
#include "kernels/files/captured_spec.hpp"

namespace apod::file {

class KernelFamily;

class CapturedProblem final : public Problem {
 public:
  /// Reads the folder's files. Throws std::runtime_error if one is missing or has another size.
  explicit CapturedProblem(std::shared_ptr<const KernelFamily> family);

  std::span<const std::byte> input() const override { return before_; }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  std::size_t output_bytes(std::int64_t) const override { return after_.size(); }
  /// The captured kernel is run again a few times: sums in any order differ from run to run, and
  /// so does what is allowed.
  bool wants_output() const override {
    return replays_ < most_replays + (may_repeat_ ? most_in_a_row : 0);
  }
  void take_output(std::span<const std::byte> output) override;
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override;

  /// Where a launch changes memory: what must be put back before the next. At most 256 pieces.
  const std::vector<capture::Stretch>& changed() const { return changed_; }
  /// In the windows: what the captured kernel, and one in its place, change.
  std::uint64_t changed_bytes() const { return changed_bytes_ - in_variables_; }
  /// Of how many launches in a row the next output that is wanted is the last, each on the memory
  /// that the one before left: 0, where all memory is put back before it.
  int in_a_row() const { return wants_output() ? std::max(0, replays_ + 1 - most_replays) : 0; }
  /// The answer of a variable of the captured kernel's module, which a kernel in its place has not.
  std::span<const std::byte> answer_of(const capture::Stretch& variable) const {
    return std::span<const std::byte>(after_).subspan(variable.at, variable.bytes);
  }
  /// Whether the launch gives the captured answer on its own output too, also where some pages of
  /// it were put back, so that not all of it must be before the next.
  bool repeats() const { return repeats_; }

 private:
  static constexpr int most_replays = 3;
  static constexpr int most_in_a_row = 4;

  static constexpr std::size_t types = 4;  ///< that are tried
  /// What the replays showed of a page whose bytes are not always the captured ones.
  struct Learnt {
    std::vector<std::byte> first{};  ///< of the first replay; empty: the captured bytes
    std::size_t type = 0;
    /// By type, as a share of the page's largest value: the largest difference of a replay from the
    /// first one, and from the captured answer.
    std::array<double, types> between{}, off{};
  };
  /// Of a window or variable, what is allowed on the pages that a launch changes.
  struct Tolerance {
    std::array<std::size_t, types> pages{};  ///< by type: that were learnt
    std::array<double, types> between{}, off{};
    std::array<double, types> allowed{};  ///< a share of a page's largest value
    std::optional<std::size_t> usual{};   ///< the type of most learnt pages; none: bytes
  };

  void find_changed();
  void learn(std::size_t page, std::span<const std::byte> output);
  void settle();
  /// Why the replays verify nothing; empty: they do.
  std::string refusal() const;
  bool has_given_tolerance() const;
  bool is_changed(std::size_t page) const { return changed_pages_[page]; }
  /// The window or variable that a page is of.
  std::size_t stretch_of(std::size_t page) const;
  std::string place_of(std::size_t at) const;
  std::string detail_of(std::span<const std::byte> output, std::size_t at) const;

  std::shared_ptr<const KernelFamily> family_;
  const CapturedSpec& spec_;
  Array<std::byte> before_;
  Array<std::byte> after_;
  std::vector<capture::Stretch> stretches_;
  std::vector<capture::Stretch> changed_;
  std::vector<bool> changed_pages_;
  std::uint64_t changed_bytes_ = 0;
  std::uint64_t in_variables_ = 0;  ///< of these
  int replays_ = 0;
  bool may_repeat_ = false;  ///< it changes no variable
  bool repeats_ = false;
  std::string refused_;  ///< why the captured kernel's own replays verify nothing; empty: they do
  std::map<std::size_t, Learnt> learnt_;  ///< by page
  std::vector<bool> unsteady_;            ///< pages that are another each time; empty: none
  std::size_t unsteady_pages_ = 0;
  std::vector<Tolerance> tolerances_;       ///< by window or variable
  std::optional<std::size_t> learnt_most_;  ///< of these, that with the most learnt pages
};

}  // namespace apod::file
