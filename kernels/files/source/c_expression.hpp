#pragma once

/// \file
/// Expressions of C++ as trees: as much of the language as sizes and indices need.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/files/source/tokens.hpp"

namespace apod::source {

struct CExpression {
  enum class Kind : std::uint8_t {
    number,     ///< text: its digits
    name,       ///< text: "n", "ns::n", "threadIdx.x", "p->n" as "p.n"
    unary,      ///< text: - ! ~ * & ++ --
    binary,     ///< text: the operator, assignments among them
    choice,     ///< condition, and the two values
    call,       ///< text: the function without its template arguments; parts: its arguments
    subscript,  ///< an expression and its index
    cast,       ///< text: the type
    size,       ///< sizeof: text: the type or expression
    list,       ///< text: the type before {...}; parts
    unknown
  };
  Kind kind = Kind::unknown;
  std::string text{};
  std::vector<CExpression> parts{};
  Tokens tokens{};  ///< all of it
};

/// The expression at the begin of the tokens, with macros of numbers; `end`, if given, becomes the
/// place behind it. What is not understood is unknown. The macros and the tokens must live as long.
CExpression c_expression(Tokens tokens, const Macros& macros, std::size_t* end = nullptr);

/// What an operator makes of two integers; 0 of what has no value. "~" takes the second.
std::int64_t calculated(std::int64_t a, std::string_view mark, std::int64_t b);

/// Whether a name is that of a type of numbers, such as "size_t" or "float".
bool is_number_type(std::string_view name);

}  // namespace apod::source
