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
  Expander(const Macros& macros, Statements statements)
      : macros_(macros), keeps_(statements == Statements::stay) {}

  void expand(Tokens words, int deep = 0) {
    for (std::size_t i = 0; i < words.size() && ++steps_ < most_words; ++i) {
      const auto* macro = deep < deepest ? called(words[i]) : nullptr;
      const bool is_call = is_any(words, i + 1, {"("});
      if (macro == nullptr || (macro->has_parameters && !is_call) || stays(*macro)) {
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
  /// What its words, or what they stand for, are.
  struct Kind {
    bool is_number = false;  ///< "(4 * N)"
    bool is_statement = false;
    bool matters = false;  ///< it does what bench looks for
  };
  const Macro* called(const Token& word) const {
    const auto found = word.is_name() ? macros_.find(word.text) : macros_.end();
    return found == macros_.end() ? nullptr : &found->second;
  }
  bool stays(const Macro& macro) {
    const auto kind = kind_of(macro);
    return kind.is_number || (keeps_ && kind.is_statement && !kind.matters);
  }
  Kind kind_of(const Macro& macro) {
    const auto [known, is_new] = kinds_.try_emplace(&macro);
    if (!is_new) return known->second;
    Kind kind{.is_number = !macro.has_parameters && !macro.body.empty()};
    for (const auto& word : macro.body) {
      const auto* other = called(word);
      const auto of = other == nullptr ? Kind{.is_number = word.is("sizeof")} : kind_of(*other);
      const auto holds = [&](const char* part) {
        return word.text.find(part) != std::string::npos;
      };
      const bool is_text = word.kind == Token::Kind::text;
      kind.is_number = kind.is_number && !is_text && (!word.is_name() || of.is_number);
      kind.is_statement = kind.is_statement || of.is_statement || word.is(";") || word.is("{");
      kind.matters = kind.matters || of.matters ||
                     is_any({&word, 1}, 0, {"<<<", "__global__", "__device__"}) ||
                     holds("Malloc") || holds("Memcpy") || holds("Memset");
    }
    kind.is_number = kind.is_number && !kind.is_statement;
    return kinds_[&macro] = kind;
  }

  const Macros& macros_;
  bool keeps_;
  std::size_t steps_ = 0;
  std::map<const Macro*, Kind> kinds_;
};

}  // namespace

std::vector<Token> without_macros(const Macros& macros, Tokens words, Statements statements) {
  Expander expander(macros, statements);
  expander.expand(words);
  return std::move(expander.made);
}

}  // namespace apod::source
