#pragma once

/// \file
/// What host code passes to a launch, traced back to where it comes from and written in the
/// language of experiments. What can't be traced becomes an axis.

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/files/source/c_expression.hpp"
#include "kernels/files/source/program.hpp"
#include "kernels/files/source/traced.hpp"

namespace apod::source {

/// The axes that values are made of, each with a value; `known` says whether the code has it.
struct TracedAxis {
  std::int64_t value = 0;
  bool known = false;
  bool is_size = true;                 ///< false: the kernel makes no index or loop of it
  std::vector<std::int64_t> values{};  ///< of one that the code gives several
};
using TracedAxes = std::map<std::string, TracedAxis>;

/// What the host says that memory of the device begins with.
struct BufferStart {
  bool is_copied_in = false;
  bool is_zeroed = false;
  std::int64_t fill = 0;          ///< each byte of it, if it is set to other than 0
  std::optional<Traced> value{};  ///< the variable that it is a copy of
  std::optional<Traced> each{};   ///< each element of what it is a copy of: a number
};

/// Memory of the device as host code treats it.
struct Buffer : BufferStart {
  std::optional<Traced> bytes{};
  bool is_copied_out = false;
  bool is_managed = false;  ///< the host may write to it, too

  BufferStart& start() { return *this; }
};

/// "*" and "2" of "n *= 2" and "n = n * 2", "+" and "1" of "n++"; an empty mark: it is none.
std::pair<std::string, CExpression> change_of(const CExpression& e, const std::string& name);

class HostValues {
 public:
  using Kind = CExpression::Kind;

  HostValues(const Program& program, TracedAxes& axes) : program_(program), axes_(axes) {}

  /// The function of what is defined outside of functions.
  static constexpr auto nowhere = static_cast<std::size_t>(-1);
  /// Within one another.
  static constexpr int deepest = 40;

  struct Call;
  /// A place in the code: what is defined before it is known there.
  struct Place {
    std::size_t function = 0;
    std::size_t at = 0;
    const Call* by = nullptr;  ///< the call of the function that is meant; null: any

    /// Another place of the function.
    Place to(std::size_t other) const { return {function, other, by}; }
  };
  struct Call {
    Place place;
    std::vector<Tokens> arguments;
    bool is_on_way = false;  ///< to the launch
  };

  /// Nothing if it can't be written as an expression.
  std::optional<Traced> trace(const CExpression& expression, const Place& place);
  std::optional<Traced> trace(Tokens tokens, const Place& place);
  /// Of a grid or a block: one to three sides; empty if they can't be told.
  std::vector<Traced> sides(Tokens tokens, const Place& place);
  /// What the pointer points to.
  Buffer buffer(Tokens pointer, const Place& place);
  /// Of a texture of so many sides and bytes an element, x first; empty: it can't be told which.
  std::vector<Traced> texture_sides(std::size_t count, std::int64_t bytes);
  /// An axis of that name, or nearly; a new one if there is none for this name.
  Traced axis(const std::string& name, std::optional<std::int64_t> value);
  /// Loops around a place whose begin, end and step can be told, from the outermost.
  struct HostLoop {
    std::string variable;
    Traced first, last;  ///< both included
    std::string step;    ///< "+1", "*2"
    std::size_t function = nowhere;
  };
  std::vector<HostLoop> loops_around(const Place& place);
  /// How many there are of any kind.
  std::size_t count_loops(const Place& place);
  /// The type that a parameter of the host's own template is.
  void name_type(const std::string& name, std::string type) { types_[name] = std::move(type); }
  /// The name is worth `value` in a function, or anywhere, whatever the code says.
  void replace(const std::string& name, Traced value, std::size_t function = nowhere) {
    replaced_[{function, name}] = std::move(value);
  }
  /// What decides on the way to the place, and has no value, is worth what leads there.
  void take_cases(const Place& place);
  /// An "if", or the cases of a switch, that one place is under and another is not.
  struct Guard {
    Tokens condition;
    bool is_else = false;
    std::size_t at = 0;    ///< of its "if"
    std::size_t ways = 2;  ///< that it decides between
  };
  std::vector<Guard> guards(std::size_t at, const Place& outside);
  /// As experiments write it; nothing if it is made of what no value here is made of.
  std::optional<std::string> condition(const CExpression& expression, const Place& place);
  std::optional<std::string> condition(const std::vector<Guard>& all, const Place& place);
  /// Variables that the host's loop changes, with the value of its first pass.
  const std::set<std::string>& first_passes() const { return first_passes_; }
  /// The text in quotes that a variable is; empty: it is none, or can't be told.
  std::string quoted(Tokens of, const Place& place);
  /// The name of the host's memory behind a pointer, with its function; empty: it can't be told.
  std::string memory_of(Tokens pointer, const Place& place);
  /// Parameters of the host's functions that get other numbers in other calls: a line about each.
  const std::set<std::string>& several_calls() const { return several_calls_; }
  /// Fields of the host's structs without a value, by the axis that all of a name become.
  const std::map<std::string, std::set<std::string>>& fields() const { return fields_; }
  /// Words that live as long as this.
  std::vector<Token>& keep(std::vector<Token> words) {
    return kept_.emplace_back(std::move(words));
  }
  /// Values of these names are a part of the code, and no axes; nor are those they are made of.
  void inline_names(Tokens tokens, const Place& place);
  /// Bytes of a type, 0 if they are not known, and what its address is a multiple of.
  struct TypeSize {
    std::size_t bytes = 0, alignment = 1;
  };
  TypeSize type_size(const std::string& type) const;
  std::size_t bytes_of(const std::string& type) const { return type_size(type).bytes; }
  /// Likewise of what stands behind sizeof: a type, a variable, or what a pointer points to.
  std::size_t size_of(const std::string& operand, const Place& place);

 private:
  using TypeSizes = std::map<std::string, TypeSize>;
  TypeSize type_size(const std::string& type, TypeSizes& met) const;
  TypeSize size_of_made(const std::string& plain, TypeSizes& met) const;
  /// One step into what a value is made of; false if there were too many.
  class Step {
   public:
    explicit Step(HostValues& of) : of_(of), is_taken_(of.depth_ < deepest && of.has_room()) {
      if (!is_taken_) return;
      ++of_.depth_;
      ++of_.steps_;
    }
    ~Step() {
      if (is_taken_) --of_.depth_;
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    explicit operator bool() const { return is_taken_; }

   private:
    HostValues& of_;
    bool is_taken_;
  };
  bool has_room() const { return steps_ < most_steps && words_ < most_words; }
  /// Each walk over code pays for its words; false if they are used up.
  bool pay(std::size_t words) {
    words_ += words;
    return has_room();
  }
  /// Where the brackets, decisions and loops of a function end.
  struct Shape {
    struct Part {
      std::size_t at = 0;     ///< of "if", "for", "while" or "do"
      std::size_t begin = 0;  ///< behind its condition; of "do" behind its block
      std::size_t end = 0;    ///< behind what it decides on
      std::size_t last = 0;   ///< behind its else; 0 if it has none
      Tokens condition{};     ///< of a decision
      std::size_t ways = 2;   ///< that it is one of
    };
    std::vector<std::size_t> behind_bracket;
    std::vector<Part> decisions, loops;
  };
  /// A part of it for each case of the switch at a place.
  void add_cases(std::size_t function, std::size_t at, Shape& shape);
  /// Read once: the way to a value asks again and again.
  const Shape& shape_of(std::size_t function);
  struct Definition {
    Tokens value{};
    Tokens type{};
    bool is_constructor = false;  ///< the value is in its brackets
    Place place{};
    std::optional<Place> set{};  ///< the call that sets it, if `place` is in what is called
    bool is_field = false;       ///< of the class whose function the place is in
  };
  std::optional<Definition> definition(const std::string& name, const Place& place);
  /// Of a field of "Grid grid{n, x}".
  std::optional<Definition> item_of(const std::string& structure, const std::string& field,
                                    const Place& place);
  std::optional<Definition> item_in(Definition whole, const std::string& field);
  /// What a value is constructed from; nothing if it is not.
  static std::optional<std::vector<Tokens>> made_with(const Definition& whole,
                                                      const ProgramStruct* made);
  static bool takes(const ProgramFunction& constructor, std::size_t given);
  /// Of a variable outside of functions, or a member of it: what other functions make of it.
  Definition global(const Declared& variable, const std::string& member, const Place& place);
  /// Likewise of a field of the class whose function the place is in.
  std::optional<Definition> field(const std::string& name, const std::string& member,
                                  const Place& place);
  /// What functions up to these ends make of what `first` begins with.
  Definition set_in(const std::vector<Place>& all, const Definition& first, const std::string& name,
                    const std::string& member);
  /// The condition that leads to where a name is set; nothing: it can't be told.
  std::optional<std::string> way_to(const std::string& name, std::size_t at, const Place& end);
  /// The ends of the functions of a class, the constructor as its object is made.
  std::vector<Place> members(const Place& place);
  /// Notes it if other calls pass another number than this for a parameter.
  void compare_calls(std::size_t function, std::size_t parameter, const std::string& passed);
  std::optional<Place> caller(const Place& place, std::vector<Tokens>& arguments);
  std::optional<Definition> set_elsewhere(const std::string& name, const std::string& member,
                                          const Place& place);
  const ProgramStruct* struct_of(const std::string& name, const ProgramFunction& function) const;
  /// In which names at the place are looked up.
  std::string scope_of(const Place& place) const;
  /// What the caller passes for a parameter of the function, and where.
  struct Passed {
    Tokens argument;
    Place place;
  };
  /// Nothing if `name` is no parameter, or the call is not known.
  std::optional<Passed> passed_for(const std::string& name, const Place& place);
  /// The end of a function of the program, as a call reaches it.
  Place end_of(const ProgramFunction& called, std::vector<Tokens> arguments, const Place& place);
  /// What the program's own function returns to a call, each of its returns.
  std::vector<std::pair<Tokens, Place>> returned(const CExpression& call, const Place& place);
  bool is_passed_by_address(const std::string& name, std::size_t from, const Place& place);
  /// Whether other names of the code decide its number, which does not change alone then.
  bool is_calculated(const Definition& of);
  /// The parameter by which a function of the program gets a name.
  struct Setter {
    const ProgramFunction* called = nullptr;
    std::size_t parameter = 0;
    std::size_t open = 0;  ///< the bracket of the call
    bool sets = false;     ///< it may change the variable
  };
  std::optional<Setter> setter(std::size_t at, std::size_t function);
  /// What that function makes of it, if it always does.
  std::optional<Definition> set_by_call(std::size_t at, const Place& place);
  /// The last "n *= 2" or the like between its definition and a place; lost: it can't be told.
  std::optional<std::size_t> last_change(const std::string& name, const Definition& from,
                                         const Place& place, bool& is_lost);
  std::pair<std::string, CExpression> change_at(const std::string& name, std::size_t at,
                                                std::size_t function) const;
  /// What "n *= 2" there makes of it.
  std::optional<Traced> changed(const std::string& name, std::size_t at, const Place& place);
  /// What a definition makes of it if its condition need not hold; `now` if nothing else is known.
  Traced unless_skipped(const std::string& name, std::size_t at, const Place& place, Traced now);
  /// Whether a loop is around the first place and not around the second.
  bool is_in_other_loop(std::size_t at, const Place& place);
  /// Of a variable without a value; nothing for a real one, which is no size and no case.
  std::optional<Traced> axis_of(const std::string& name, Tokens type);
  std::optional<std::string> condition_text(const CExpression& expression, const Place& place);
  std::optional<Traced> name_value(const std::string& name, const Place& place);
  bool is_launch_side(const std::string& name, const Place& place);
  /// Of an element of a list.
  std::optional<Traced> item_value(const CExpression& item, const Place& place);
  std::optional<Traced> call_value(const CExpression& call, const Place& place);
  std::optional<Traced> binary_value(const CExpression& expression, const Place& place);
  std::optional<Traced> quotient(const CExpression& expression, const Place& place);
  const ProgramFunction* made_by(const CExpression& call, const Place& place) const;
  std::optional<Traced> element_count(const std::string& container, const Place& place);
  std::optional<Traced> element_count(Tokens made, const Place& place);
  /// The one number that the host's loops set each element of its array to.
  std::optional<Traced> each_element(const std::string& array, const Place& place);
  void look_at_calls(const std::string& name, const Place& place, Buffer& buffer);

  const Program& program_;
  TracedAxes& axes_;
  std::map<std::string, std::string> axis_names_;                   ///< by the names in the code
  std::map<std::pair<std::size_t, std::string>, Traced> replaced_;  ///< by function and name
  std::map<std::string, std::string> types_;
  std::list<std::vector<Token>> kept_;
  std::list<Call> calls_;
  std::set<std::string> first_passes_;
  std::set<std::string> several_calls_;
  std::map<std::string, std::set<std::string>> fields_;
  std::set<std::string, std::less<>> inlined_;
  std::set<std::string> deciding_;       ///< names whose conditions are being read
  std::map<std::size_t, Shape> shapes_;  ///< by function
  std::map<std::pair<std::size_t, const Call*>, std::vector<Place>> members_;
  static constexpr int most_steps = 20'000;  ///< decisions on the way multiply
  static constexpr std::size_t most_words = 50'000'000;
  int depth_ = 0;
  int steps_ = 0;
  std::size_t words_ = 0;
};

}  // namespace apod::source
