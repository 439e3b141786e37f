#pragma once

/// \file
/// What a .cu file holds as its author wrote it: kernels with the names of their parameters, the
/// launches in its host code, structs and variables. It is read from the words alone, so that it
/// may be wrong: what compiles decides.

#include <array>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/files/source/tokens.hpp"

namespace apod::source {

/// "const float* __restrict__ x = nullptr", "float m[9]".
struct Declared {
  Tokens type;  ///< without the name
  std::string name;
  Tokens value;                   ///< what it is by default, or its initial value
  std::vector<Tokens> lengths{};  ///< of an array
  std::string scope{};            ///< of a variable of the program: "ns::Tile::", or empty
  bool is_pointer() const;
};

struct ProgramFunction {
  std::string name;
  std::string scope;                  ///< "ns::", or empty
  std::string of_class{};             ///< whose member it is; its templates begin with the class's
  std::vector<Declared> templates{};  ///< type: "typename", "int" ...
  std::vector<Declared> parameters{};
  Tokens body;              ///< between its brackets
  bool is_defined = false;  ///< false: only declared
  bool is_kernel = false;
  bool is_device = false;  ///< marked __device__
  bool is_marked = false;  ///< kernel, device, or constexpr
  bool is_template = false;
  Tokens instance{};              ///< arguments of "template void f<16, float>(...);"
  Tokens most_threads{};          ///< of __launch_bounds__
  std::vector<Tokens> cluster{};  ///< of __cluster_dims__

  /// Which parameter has a name; how many there are if none has.
  std::size_t parameter(std::string_view name) const;
  /// In which its names are looked up: "ns::Tile::".
  std::string scope_of_body() const;
};

struct ProgramStruct {
  std::string name;
  std::vector<Declared> fields{};
  std::size_t alignment = 0;  ///< said; 0: natural
  bool has_size = true;       ///< false: of bit-fields, unions or a base that is not here
};

/// A launch in host code.
struct ProgramLaunch {
  std::string kernel;  ///< its plain name, without a namespace
  std::string scope;   ///< as written before the name
  Tokens templates{};  ///< between its angle brackets
  Tokens grid{}, block{}, shared{};
  std::vector<Tokens> arguments{};
  std::optional<std::array<Tokens, 3>> cluster{};
  bool cooperative = false;
  std::size_t function = 0;  ///< in which it is; into Program::functions
  std::size_t at = 0;        ///< of its first token in the function's body
};

struct Program {
  std::vector<std::vector<Token>> files;  ///< the words of each
  Macros macros;
  std::vector<ProgramFunction> functions;
  std::vector<ProgramStruct> structs;
  /// Those of namespaces, __constant__ ones among them, of classes and of enumerations.
  std::vector<Declared> variables;
  std::vector<std::pair<std::string, Tokens>> types;  ///< `using` and `typedef`: name, what it is
  std::vector<ProgramLaunch> launches;
  std::list<std::vector<Token>> expanded{};  ///< words that are not the files'

  const ProgramStruct* find_struct(std::string_view name) const;
  /// What a name such as "Tile::rows" is in a scope; null: there is none.
  const Declared* find_variable(std::string_view name, const std::string& scope) const;
  /// The definition, or a declaration if there is no other. A class's own one comes first.
  const ProgramFunction* find_function(std::string_view name, std::string_view of_class = "") const;
  /// Likewise, but null if it has no body here.
  const ProgramFunction* find_body(std::string_view name, std::string_view of_class = "") const;
  /// The class of a variable ahead of a place, or of what it points to; nothing: it can't be told.
  std::optional<std::string> class_of(const ProgramFunction& from, const std::string& object,
                                      std::size_t at) const;
  /// Whether the word at `at` of a function's body names this function. What is called on an object
  /// is the one of its class, if the code says which that is.
  bool may_call(const ProgramFunction& from, std::size_t at, const ProgramFunction& called) const;
  std::vector<const ProgramFunction*> kernels() const;

 private:
  std::string class_in(Tokens words) const;
  std::optional<std::string> class_called(const ProgramFunction& from, std::size_t at) const;
};

/// `sources` are names and texts; the headers that a file includes come before it. `defined`: the
/// compiler's flags define these.
Program read_program(const std::vector<std::pair<std::string, std::string>>& sources,
                     const Macros& defined = {});

/// Adds a file for what its host code passes and launches. Its kernels are not the program's, and
/// its macros are not if the program has others of these names.
void add_host_code(Program& program, const std::pair<std::string, std::string>& source);

/// Adds the launches in a function's body.
void read_launches(Program& program, std::size_t function);

/// "const float* x[4]" as its parts.
Declared declared(Tokens tokens);
/// Whether a bracket may follow the word, though it is no function.
bool is_keyword(const std::string& word);

/// The sources without the declarations that the kernels do not need which these lines name, or
/// all kernels: directly or not, by names alone. Lines and directives stay where they are.
std::vector<std::string> device_sources(const std::vector<std::string>& sources,
                                        const std::string& naming = "");

/// Blanks the declaration at namespace scope that a line is a part of: a function, a class, a
/// variable. False if there is none, or if it is marked as the device's.
bool blank_host_part(std::string& text, std::size_t line);

}  // namespace apod::source
