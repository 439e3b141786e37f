#include <string>
#include <utility>

#include "kernels/files/source/program.hpp"

namespace apod::source {
namespace {

/// Finds the launches of a function's body.
class LaunchReader {
 public:
  LaunchReader(Program& program, std::size_t function)
      : program_(program), function_(function), body_(program.functions[function].body) {}

  void read() {
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (body_[i].is("<<<")) {
        chevrons(i, i + 1);
      } else if (body_[i].is("<<") && i + 1 < body_.size() && body_[i + 1].is("<")) {
        chevrons(i, i + 2);  // "k << <1, 32>> >(x)"
      } else if (i + 1 >= body_.size() || !body_[i + 1].is("(")) {
        continue;
      } else if (body_[i].is("cudaLaunchKernelEx")) {
        extended(i);
      } else if (is_any(body_, i, {"cudaLaunchCooperativeKernel", "cudaLaunchKernel"})) {
        by_call(i, body_[i].is("cudaLaunchCooperativeKernel"));
      }
    }
  }

 private:
  void chevrons(std::size_t open, std::size_t begin) {
    ProgramLaunch made{.function = function_, .at = open};
    std::size_t name = open;
    // Back over "<16, float>" to the name.
    if (name > 0 && body_[name - 1].is(">")) {
      name = opening(body_, name - 1);
      made.templates = body_.subspan(name + 1, open - name - 2);
    }
    if (name == 0 || !body_[name - 1].is_name()) return;
    made.kernel = body_[name - 1].text;
    if (name > 2 && body_[name - 2].is("::")) made.scope = body_[name - 3].text + "::";
    auto close = begin;
    while (close + 2 < body_.size() && text_of(body_.subspan(close, 3)) != ">>>")
      close = is_any(body_, close, {"(", "{"}) ? behind_bracket(body_, close) : close + 1;
    if (close + 3 >= body_.size() || !body_[close + 3].is("(")) return;
    const auto parts = split_at_commas(body_.subspan(begin, close - begin));
    if (parts.size() < 2) return;
    made.grid = parts[0];
    made.block = parts[1];
    if (parts.size() > 2) made.shared = parts[2];
    made.arguments = in_bracket(body_, close + 3);
    program_.launches.push_back(std::move(made));
  }
  void take_kernel(Tokens tokens, ProgramLaunch& to) const {
    // "(void*)kernel<16>"
    std::size_t i = 0;
    while (i < tokens.size() && tokens[i].is("(")) i = behind_bracket(tokens, i);
    if (i < tokens.size() && tokens[i].is("&")) ++i;
    while (i + 2 < tokens.size() && tokens[i + 1].is("::")) {
      to.scope += tokens[i].text + "::";
      i += 2;
    }
    if (i >= tokens.size()) return;
    to.kernel = tokens[i].text;
    if (i + 1 < tokens.size() && tokens[i + 1].is("<")) {
      const auto behind = behind_angle(tokens, i + 1);
      if (behind > i + 2) to.templates = tokens.subspan(i + 2, behind - i - 3);
    }
  }
  /// What is assigned to `config.member` before.
  Tokens assigned(const std::string& config, std::string_view member, std::size_t before) const {
    Tokens found;
    for (std::size_t i = 0; i + 4 < before; ++i) {
      const bool is_it = body_[i].is(config) && body_[i + 1].is(".") && body_[i + 2].is(member) &&
                         body_[i + 3].is("=");
      if (is_it) found = to_semicolon(body_, i + 4);
    }
    return found;
  }
  void extended(std::size_t at) {
    const auto parts = in_bracket(body_, at + 1);
    if (parts.size() < 2 || parts[0].size() != 2) return;
    const auto config = parts[0][1].text;
    ProgramLaunch made{.function = function_, .at = at};
    take_kernel(parts[1], made);
    made.grid = assigned(config, "gridDim", at);
    made.block = assigned(config, "blockDim", at);
    made.shared = assigned(config, "dynamicSmemBytes", at);
    made.arguments.assign(parts.begin() + 2, parts.end());
    for (std::size_t i = 0; i + 3 < at; ++i) {
      made.cooperative = made.cooperative || body_[i].is("cudaLaunchAttributeCooperative");
      if (!body_[i].is("clusterDim") || !body_[i + 1].is(".") || !body_[i + 3].is("=")) continue;
      const auto side = body_[i + 2].is("x") ? 0U : body_[i + 2].is("y") ? 1U : 2U;
      if (!made.cluster) made.cluster.emplace();
      (*made.cluster)[side] = to_semicolon(body_, i + 4);
    }
    program_.launches.push_back(std::move(made));
  }
  /// "void* args[] = {&x, &n}" are the arguments.
  void by_call(std::size_t at, bool cooperative) {
    const auto parts = in_bracket(body_, at + 1);
    if (parts.size() < 4 || parts[3].empty()) return;
    ProgramLaunch made{.cooperative = cooperative, .function = function_, .at = at};
    take_kernel(parts[0], made);
    made.grid = parts[1];
    made.block = parts[2];
    if (parts.size() > 4) made.shared = parts[4];
    for (std::size_t i = 0; i + 3 < at; ++i) {
      if (!body_[i].is(parts[3].back().text) || !body_[i + 1].is("[")) continue;
      auto open = behind_bracket(body_, i + 1);
      if (open < at && body_[open].is("=")) ++open;
      if (open >= at || !body_[open].is("{")) continue;
      made.arguments = in_bracket(body_, open);
    }
    // The addresses of the values.
    for (auto& argument : made.arguments) {
      while (!argument.empty() && argument.front().is("("))
        argument = argument.subspan(std::min(behind_bracket(argument, 0), argument.size()));
      if (!argument.empty() && argument.front().is("&")) argument = argument.subspan(1);
    }
    program_.launches.push_back(std::move(made));
  }

  Program& program_;
  std::size_t function_;
  Tokens body_;
};

}  // namespace

void read_launches(Program& program, std::size_t function) {
  LaunchReader(program, function).read();
}

}  // namespace apod::source
