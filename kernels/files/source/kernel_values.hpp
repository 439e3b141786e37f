#pragma once

/// \file
/// Intervals of the integers in a kernel's code for one launch, and the places in its arrays that
/// its pointers may have. From the words alone, whatever the order of statements: an estimate.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/files/source/index_bounds.hpp"

namespace apod::source {

struct Interval {
  double low = 0;
  double high = 0;
};
using Maybe = std::optional<Interval>;

Interval hull(const Interval& a, const Interval& b);
/// Nothing where one of them is nothing.
Maybe sum(const Maybe& a, const Maybe& b);
Maybe product(const Maybe& a, const Maybe& b);

/// A place in one of the kernel's arrays, in elements of it.
struct Pointer {
  std::string array;
  Maybe offset{Interval{}};
  double scale = 1;  ///< elements of the array in one step of this pointer
};

class KernelValues {
 public:
  using Kind = CExpression::Kind;

  /// `caller`: whose code calls this function; null: it is the kernel. All must live as long.
  KernelValues(const Program& program, const ProgramFunction& function, const KernelLaunch& launch,
               KernelValues* caller);

  /// Conditions of loops that hold in no thread, not even at first; and those that `run` in one.
  std::set<std::string> idle_loops(std::set<std::string>& run);

  /// Of parameters and template parameters.
  std::map<std::string, Interval> scalars;
  std::map<std::string, Pointer> pointers;

 protected:
  static constexpr int most_calls = 6;
  static constexpr int deepest_value = 24;
  static constexpr std::size_t most_work = 50'000'000;

  /// Each walk over code pays for its words, and each value for ten, those of called functions
  /// among them. False if they are used up: values are unknown then, and called functions are not
  /// read.
  bool pay(std::size_t work) { return (work_ += work) <= most_work; }

  struct Definition {
    std::string mark;  ///< "=", "+=", ...
    CExpression value;
    std::size_t at = 0;
    std::optional<std::size_t> loop{};  ///< whose variable it is
  };

  struct Loop {
    std::size_t header = 0;          ///< its bracket
    std::size_t begin = 0, end = 0;  ///< of its body
    std::string variable;
    bool declares = false;  ///< "for (int i ..."
    CExpression first, condition, step;
  };

  struct Branch {
    std::size_t begin = 0, end = 0;
    std::string decides, is;
  };

  static bool ends_operand(const Token& token);
  std::string chain(std::size_t at, std::size_t& end) const;
  void find_loops();
  void find_definitions();
  /// "row < M", and "if (row >= M) return": names are below what has a name itself.
  void find_limits();
  /// Of a loop: its own range says it.
  bool is_in_header(std::size_t at) const;
  /// How often the loops around a place run it; nothing: it can't be told.
  std::optional<double> trips(std::size_t at);
  double loop_step(const Loop& loop);
  Maybe loop_range(const Loop& loop);
  /// Likewise, but its end is ahead of its begin if it never runs.
  Maybe loop_limits(const Loop& loop);
  /// "if (x == 1)", where x has one value in a run of the kernel.
  void find_branches();
  /// Of the innermost branch around a place: "x" and "1"; empty if there is none.
  std::pair<std::string, std::string> branch(std::size_t at) const;
  /// Of a variable: all that it is defined as, below the limits that hold at a place.
  Maybe range(const std::string& name, std::size_t at);
  /// Where what a comparison says holds: what it decides on, or all behind it.
  struct Limit {
    CExpression most;
    bool includes = false;
    std::size_t begin = 0, end = 0;
  };
  /// Of a variable where it is named: what it is defined as on the way there.
  Maybe range_at(const CExpression& name);
  bool is_surely_passed(std::size_t definition, std::size_t at);
  static bool mentions(const CExpression& in, const std::string& name);
  Maybe constant_value(const std::string& name);
  Maybe builtin(const std::string& name) const;
  Maybe value(const CExpression& e);
  Maybe value_of(const CExpression& e);
  Maybe loaded(const Pointer& from);
  Maybe binary(const CExpression& e);
  Maybe call_value(const CExpression& e);
  /// Of cooperative groups, by what made them.
  Maybe group_value(const std::string& group, const std::string& method);
  double bytes_of(const std::string& type) const;
  std::optional<Pointer> pointer_named(const std::string& name);
  /// "A += BK;" in a loop moves it as often as the loop is run.
  Pointer moved(const std::string& name, Pointer made);
  std::optional<Pointer> pointer(const CExpression& e);
  std::optional<Pointer> pointer_at(std::size_t begin, std::size_t end);
  /// A call at a name: the program's function, if it has that, and what it gets.
  struct Call {
    const ProgramFunction* function = nullptr;
    std::vector<CExpression> templates{}, given{};
  };
  std::optional<Call> call_at(std::size_t at);
  void bind(KernelValues& inner, const Call& call);

  const Program& program_;
  const ProgramFunction& function_;
  Tokens body_;
  const KernelLaunch& launch_;
  int calls_;
  std::size_t own_work_ = 0;
  std::size_t& work_;  ///< the kernel's
  int depth_ = 0;
  std::vector<Loop> loops_;
  std::map<std::string, std::vector<Definition>> definitions_;
  std::vector<Branch> branches_;
  std::map<std::string, std::vector<Limit>> limits_;
  std::set<std::string> busy_;
};

}  // namespace apod::source
