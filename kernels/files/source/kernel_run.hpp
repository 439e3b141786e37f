#pragma once

/// \file
/// A kernel's code, run for all threads of a launch at once: its statements in their order, with an
/// interval for each number and an array with a place for each pointer.

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/files/source/index_bounds.hpp"

namespace apod::source {

/// What is known of a value. An end that is not known is infinite.
struct Known {
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  double low = -infinite, high = infinite;  ///< of a pointer: its place in the array, in elements
  std::string array{};                      ///< that it points into; empty: it is a number
  double scale = 1;                         ///< elements of the array in one step of this pointer
  double group = 0;                         ///< threads of the group that it is
  std::set<std::string> from{};             ///< scalars and arrays that it is made of

  bool operator==(const Known&) const = default;
};

/// Of pointers into two arrays it is the first.
Known hull(const Known& a, const Known& b);

class KernelRun {
 public:
  using Kind = CExpression::Kind;

  /// `scalars`: those that have no value are unknown. All must live as long.
  KernelRun(const Program& program, const ProgramFunction& kernel, const KernelLaunch& launch);

  void run();

  std::map<std::string, Access> accesses;
  std::set<std::string> idle;     ///< conditions of loops that hold in no thread, even at first
  std::set<std::string> running;  ///< and those that hold in one
  std::set<std::string> sizes;    ///< scalars that an index, a comparison or a call is made of

 private:
  using Names = std::map<std::string, Known>;
  using State = std::vector<Names>;  ///< by scope, the innermost last
  /// What is done with what an expression leads to.
  enum class Use { read, write, update, atomic, address };
  /// What a function returns, and where its loops are left.
  struct Frame {
    const ProgramFunction* function = nullptr;
    std::optional<Known> returns{};
    std::vector<State>* exits = nullptr;
    bool has_texts = false;  ///< something other than a name has a limit
  };

  static constexpr int most_calls = 6;
  static constexpr int deepest = 60;
  static constexpr std::size_t most_work = 300'000;

  // Statements. They return whether all that comes behind them in the block is left out.
  bool block(Tokens words);
  bool statement(Tokens words, std::size_t& at);
  bool decision(Tokens words, std::size_t& at);
  void loop(Tokens words, std::size_t& at);
  void repeat(const CExpression& condition, Tokens body, const CExpression& step, bool is_for);
  void choice(Tokens words, std::size_t& at);
  void plain(Tokens words);
  void assembly(Tokens words);
  bool declare(Tokens words);
  const CExpression& parsed(Tokens words, std::size_t* end = nullptr);

  // Names.
  Known* find(const std::string& name);
  void set(const std::string& name, Known value);
  void join(const State& other);
  /// What holds behind `condition`, or where it does not hold.
  void refine(const CExpression& condition, bool holds, bool is_loops = false);
  void limit(const CExpression& of, const std::string& mark, const Known& by, bool is_loops);
  bool is_never(const CExpression& condition);

  // Expressions.
  Known value(const CExpression& e, Use use = Use::read);
  Known quiet(const CExpression& e);
  Known named(const std::string& name, Use use);
  Known binary(const CExpression& e);
  Known assigned(const CExpression& e);
  void assign(const CExpression& to, const Known& value, Use use);
  Known subscript(const CExpression& e, Use use);
  Known loaded(const Known& from) const;
  Known call(const CExpression& e);
  Known called(const ProgramFunction& function, const CExpression& e,
               const std::vector<Known>& given);
  void unknown_call(const CExpression& e, const std::string& name, const std::vector<Known>& given);
  Known group_call(const CExpression& e, const std::string& name);
  const ProgramFunction* function_called(const std::string& name, std::size_t given);
  std::optional<Known> builtin(const std::string& name) const;
  void note(const Known& at, Use use, double width);
  void note_unknown(const Known& pointer);
  void note_index(const Known& base, const CExpression& index, const Known& at);
  double bytes_of(const std::string& type) const;

  bool has_room() const { return work_ < most_work; }

  const Program& program_;
  const ProgramFunction& kernel_;
  const KernelLaunch& launch_;
  State state_;
  Frame frame_;
  int calls_ = 0, depth_ = 0;
  int quiet_ = 0;  ///< above 0, nothing is noted
  std::size_t work_ = 0;
  std::map<std::pair<const Token*, std::size_t>, std::pair<CExpression, std::size_t>> parsed_;
  std::map<std::pair<std::string, std::size_t>, const ProgramFunction*> functions_;
  std::map<std::string, std::set<std::string>> next_of_, plain_of_;
};

}  // namespace apod::source
