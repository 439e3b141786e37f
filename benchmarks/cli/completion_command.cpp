#include <cstdint>
#include <iostream>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/option_table.hpp"

namespace apod::cli {
namespace {

enum class Shell : std::uint8_t { bash, zsh, fish };

const Choices<Shell> shells{{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}};

/// Each asks the program that is being typed for what may follow. bash and zsh take files where
/// that is nothing, fish beside it.
const char* script_for(Shell shell) {
  switch (shell) {
    case Shell::bash:
      return R"(_bench() {
  local IFS=$'\n' line
  COMPREPLY=()
  while read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <("${COMP_WORDS[0]/#\~/$HOME}" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _bench bench
)";
    case Shell::zsh:
      return R"(#compdef bench
_bench() {
  local line
  local -a found
  for line in "${(@f)$("$words[1]" completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( $#found )); then _describe bench found; else _files; fi
}
if [[ $funcstack[1] == _bench ]]; then _bench "$@"; else compdef _bench bench; fi
)";
    case Shell::fish:
      return R"(function __bench_candidates
  set -l words (commandline -opc) (commandline -ct)
  $words[1] completion fish -- $words[2..] 2>/dev/null
end
complete -c bench -a '(__bench_candidates)'
)";
  }
  return "";
}

class CompletionCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  source <(bench completion bash)         in ~/.bashrc
  source <(bench completion zsh)          in ~/.zshrc, after compinit
  bench completion fish > ~/.config/fish/completions/bench.fish
  bench completion bash -- compare --fo   what the script calls: completions of the last word

Exit codes: 0 good; 1 usage error.)"};
  }
  void declare(Flags& flags) override {
    flags.words("shell", "bash|zsh|fish", "The shell that reads the script", words_);
  }
  void prepare(std::vector<std::string>& arguments) override {
    asks_ = take_behind(arguments, typed_);
  }
  void settle() override {
    if (words_.empty()) refuse_nothing("print", "a shell: bash, zsh or fish");
    refuse_beyond(1, words_);
    shell_ = choose("shell", words_.front(), shells);
  }
  int run() override {
    if (!asks_) std::cout << script_for(shell_);
    if (!asks_) return ExitCode::success;
    for (const auto& [word, help] : candidates(typed_)) std::cout << word << '\t' << help << '\n';
    return ExitCode::success;
  }

 private:
  std::vector<std::string> words_;
  std::vector<std::string> typed_;  ///< behind "bench", the last one as far as it is typed
  bool asks_ = false;
  Shell shell_ = Shell::bash;
};

}  // namespace

std::unique_ptr<Command> make_completion() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace apod::cli
