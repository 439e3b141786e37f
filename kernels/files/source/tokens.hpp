#pragma once

/// \file
/// A C++ source as words, without its comments and with its macros apart. Nothing is compiled: what
/// is made of it are guesses.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace apod::source {

struct Token {
  enum class Kind : std::uint8_t { name, number, text, mark };
  Kind kind = Kind::mark;
  std::string text;    ///< marks have up to two characters; > is always alone, and <<< is one
  std::size_t at = 0;  ///< bytes into the source

  bool is(std::string_view other) const { return kind != Kind::text && text == other; }
  bool is_name() const { return kind == Kind::name; }
};
using Tokens = std::span<const Token>;

struct Macro {
  bool has_parameters = false;
  std::vector<std::string> parameters{};
  std::vector<Token> body{};
};
using Macros = std::map<std::string, Macro, std::less<>>;

/// The words of a source in their order, without those of branches that `#if 0`, `#ifdef` and
/// `#ifndef` leave out by the macros known so far; or of all branches but `#if 0`. Adds its macros.
enum class Branches : std::uint8_t { taken, all };
std::vector<Token> tokens_of(std::string_view source, Macros& macros,
                             Branches branches = Branches::taken);

/// The words with what macros stand for in place of their names. Those of numbers stay.
std::vector<Token> without_macros(const Macros& macros, Tokens words);

/// The place behind the bracket that closes the one at `open`, of any kind; the end if none does.
std::size_t behind_bracket(Tokens tokens, std::size_t open);
/// Likewise of the angle bracket at `open`; `open` itself if it does not look like one.
std::size_t behind_angle(Tokens tokens, std::size_t open);
/// The place behind the statement that begins at `at`.
std::size_t behind_statement(Tokens tokens, std::size_t at);
/// What is between commas, or other marks, that are in no brackets.
std::vector<Tokens> split_at_commas(Tokens tokens, std::string_view mark = ",");
/// Likewise within the bracket at `open`: the arguments of a call, the parts of a for loop.
std::vector<Tokens> in_bracket(Tokens tokens, std::size_t open, std::string_view mark = ",");
/// From a place on to the end of the statement.
Tokens to_semicolon(Tokens tokens, std::size_t begin);
/// What is behind the "=" at a place, as far as the variable gets it.
Tokens assigned_at(Tokens tokens, std::size_t equals);
/// Whether one of these words is there.
bool has_any(Tokens tokens, std::initializer_list<std::string_view> words);
/// Whether the word at a place is one of these; the end is none.
bool is_any(Tokens tokens, std::size_t at, std::initializer_list<std::string_view> words);
/// The bracket, or angle bracket, that the one at `close` closes; `close` itself if there is none.
std::size_t opening(Tokens tokens, std::size_t close);
/// The "(" or "[" of the same statement that a place is in; the end if it is in none.
std::size_t around(Tokens tokens, std::size_t at);
/// "unsigned int", "a + b [ 2 ]": the words with blanks where they need one.
std::string text_of(Tokens tokens);

}  // namespace apod::source
