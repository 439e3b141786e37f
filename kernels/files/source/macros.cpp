/// \file
/// Replaces macros as the preprocessor does, but for plain numbers: their names are the code's.

#include <algorithm>

#include "kernels/files/source/tokens.hpp"

namespace apod::source {
namespace {

constexpr int deepest = 8;
constexpr std::size_t most_words = 2'000'000;

/// The words of a macro with what is given for its parameters.
std::vector<Token> body_with(const Macro& macro, const std::vector<Tokens>& given) {
  std::vector<Token> made;
  const auto& parameters = macro.parameters;
  bool joins = false;
  for (std::size_t i = 0; i < macro.body.size(); ++i) {
    const auto& word = macro.body[i];
    const auto found = std::ranges::find(parameters, word.text);
    const auto number = static_cast<std::size_t>(found - parameters.begin());
    const auto size = made.size();
    if (word.is("##")) {
      joins = true;
      continue;
    }
    if (word.is("#")) {  // "#x" is a text
      made.push_back({Token::Kind::text, "\"\"", word.at});
      ++i;
    } else if (word.is("__VA_ARGS__")) {
      for (auto k = parameters.size(); k < given.size(); ++k) {
        if (k > parameters.size()) made.push_back({Token::Kind::mark, ",", word.at});
        made.insert(made.end(), given[k].begin(), given[k].end());
      }
    } else if (number < std::min(parameters.size(), given.size())) {
      made.insert(made.end(), given[number].begin(), given[number].end());
    } else {
      made.push_back(word);
    }
    if (joins && size > 0 && size < made.size()) {
      made[size - 1].text += made[size].text;
      made.erase(made.begin() + static_cast<std::ptrdiff_t>(size));
    }
    joins = false;
  }
  return made;
}

class Expander {
 public:
  explicit Expander(const Macros& macros) : macros_(macros) {}

  void expand(Tokens words, int deep = 0) {
    for (std::size_t i = 0; i < words.size() && ++steps_ < most_words; ++i) {
      const auto* macro = deep < deepest ? called(words[i]) : nullptr;
      const bool is_call = is_any(words, i + 1, {"("});
      if (macro == nullptr || (macro->has_parameters && !is_call) || is_number(*macro)) {
        made.push_back(words[i]);
        continue;
      }
      std::vector<Tokens> given;
      if (macro->has_parameters) {
        given = in_bracket(words, i + 1);
        i = behind_bracket(words, i + 1) - 1;
      }
      expand(body_with(*macro, given), deep + 1);
    }
  }

  std::vector<Token> made;

 private:
  const Macro* called(const Token& word) const {
    const auto found = word.is_name() ? macros_.find(word.text) : macros_.end();
    return found == macros_.end() ? nullptr : &found->second;
  }
  /// "(4 * N)"
  bool is_number(const Macro& macro) {
    const auto [known, is_new] = numbers_.try_emplace(&macro, false);
    if (!is_new || macro.has_parameters || macro.body.empty()) return known->second;
    return known->second = std::ranges::all_of(macro.body, [&](const Token& word) {
             const auto* other = called(word);
             const bool is_word = word.kind == Token::Kind::text || word.is(";") || word.is("{");
             return !is_word &&
                    (!word.is_name() || word.is("sizeof") || (other && is_number(*other)));
           });
  }

  const Macros& macros_;
  std::size_t steps_ = 0;
  std::map<const Macro*, bool> numbers_;
};

}  // namespace

std::vector<Token> without_macros(const Macros& macros, Tokens words) {
  Expander expander(macros);
  expander.expand(words);
  return std::move(expander.made);
}

}  // namespace apod::source
