#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <string_view>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/look/program_code.hpp"

namespace apod::cli {
namespace {

/// All that there are; machine code before PTX, and the newest last of each.
std::set<std::string> architectures_of(const look::ProgramCode& code) {
  std::set<std::string> all;
  for (const auto& kernel : code.kernels) all.insert(kernel.architecture);
  return all;
}

/// "sm_90" of sm_90a, the form whose code only runs on this very architecture.
std::string without_form(const std::string& architecture) {
  return architecture.substr(0, architecture.find_last_of("0123456789") + 1);
}

/// A program may have most kernels for sm_90, and for sm_90a those that need it.
bool is_code_for(const std::string& wanted, const std::string& architecture) {
  return architecture == wanted || without_form(architecture) == wanted;
}

/// The one that is shown when none was asked for: the newest machine code, else the newest PTX.
std::string newest(const std::set<std::string>& architectures) {
  if (architectures.empty()) return "";
  return without_form(*std::ranges::max_element(architectures, {}, [](const std::string& name) {
    const auto plain = without_form(name);
    return std::tuple(plain.starts_with("sm_"), plain.size(), plain);
  }));
}

/// The name in `room` columns: parameters go first, then result and namespaces, and its middle
/// last. Template arguments, by which instances differ, stay as long as they can.
std::string fitting(const std::string& kernel, std::size_t room) {
  const auto whole = text::printable(kernel);
  if (text::display_width(whole) <= room) return whole;
  const auto name = without_parameters(whole);
  if (text::display_width(name) <= room) return name;
  const auto head = std::string_view(name).substr(0, name.find('<'));
  const auto blank = head.rfind(' ');
  const auto scope = head.rfind("::");
  const auto begin = std::max(blank == std::string_view::npos ? 0 : blank + 1,
                              scope == std::string_view::npos ? 0 : scope + 2);
  return text::shorten(std::string_view(name).substr(begin), room);
}

/// Columns that are left for names, beside eleven numbers; below the least a line is too long. A
/// log has room for any.
std::size_t room_for_names() {
  constexpr int numbers = 11 * 8 + 1;
  constexpr int least = 48;
  const auto width = terminal_width(STDOUT_FILENO);
  return width ? static_cast<std::size_t>(std::max(least, *width - numbers)) : SIZE_MAX;
}

/// A row of the table: eleven numbers or their headings, and a kernel.
template <class... Numbers>
void print_row(const std::string& kernel, const Numbers&... numbers) {
  (..., (std::cout << fmt::format("{:>7} ", numbers)));
  std::cout << ' ' << kernel << '\n';
}

void print_row(const look::KernelCode& kernel) {
  const auto& mix = kernel.mix;
  print_row(fitting(kernel.name, room_for_names()), mix.all, mix.fp32, mix.fp64_add, mix.fp64_mul,
            mix.fp64_fma, mix.conversions_to_fp64, mix.fp16, mix.tensor, mix.global_loads,
            mix.global_stores, mix.local_accesses);
}

class SassCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  bench sass                                  the kernels of this program
  bench sass build/libmine.so --kernel conv   the kernels of another program, without running it

bench counts instructions in the code, not executed instructions. It needs cuobjdump (CUDA Toolkit), but no GPU.

Exit codes: 0 good; 1 usage or I/O error, no cuobjdump, no kernel found.)"};
  }
  void declare(Flags& flags) override {
    flags.words("program", "FILE",
                "A program, library, object file or cubin (default: this program)", programs_);
    flags.text("--arch", "NAME", architecture_,
               "The architecture to list, such as sm_90; for PTX, such as compute_75");
    flags.pattern("--kernel", kernel_, "Keep the kernels whose name matches");
  }
  void settle() override { refuse_beyond(1, programs_); }
  int run() override {
    auto program = programs_.empty() ? own_program() : programs_.front();
    const auto problem = programs_.empty() ? "" : os::input_problem(program, "a program");
    if (!problem.empty()) return fail(program + ": " + problem);
    const auto code = look::code_of_program(program);
    if (!code.note.empty()) say(code.note);
    const auto architectures = architectures_of(code);
    const auto wanted = architecture_.empty() ? newest(architectures) : architecture_;
    std::set<std::string> listed;
    std::set<std::string> rest;
    for (const auto& name : architectures) (is_code_for(wanted, name) ? listed : rest).insert(name);
    const auto others = text::joined(rest, ", ");
    if (listed.empty()) {
      if (!architecture_.empty() && !others.empty()) {
        say("no code for " + wanted + "; the file has code for " + others);
      } else if (code.note.empty()) {
        say(program + " contains no kernels");
      }
      return ExitCode::failure;
    }
    return show(code, listed, others);
  }

 private:
  int show(const look::ProgramCode& code, const std::set<std::string>& listed,
           const std::string& others) const {
    std::size_t shown = 0;
    for (const auto& kernel : code.kernels) {
      if (listed.count(kernel.architecture) == 0 || !kernel_.is_in(kernel.name)) continue;
      if (shown++ == 0) {
        std::cout << fmt::format(
            "Instructions of each kernel, {} for {}{}\n\n", kernel.mix.source,
            text::joined(listed, ", "),
            others.empty() ? "" : " (also available with --arch: " + others + ")");
        print_row("kernel", "all", "fp32", "f64 add", "f64 mul", "f64 fma", "to f64", "fp16",
                  "tensor", "loads", "stores", "local");
      }
      print_row(kernel);
    }
    return shown > 0 ? ExitCode::success
                     : fail("there is no kernel whose name matches '" + kernel_.expression() + "'");
  }

  std::vector<std::string> programs_;
  std::string architecture_;
  text::Pattern kernel_;
};

}  // namespace

std::unique_ptr<Command> make_sass() {
  return std::make_unique<SassCommand>();
}

}  // namespace apod::cli
