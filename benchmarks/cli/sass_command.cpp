#include "benchmarks/cli/sass_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <regex>
#include <set>
#include <stdexcept>
#include <string_view>

#include "benchmarks/cli/arguments.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/inspect/program_code.hpp"
#include "benchmarks/model/kernel_name.hpp"
#include "benchmarks/os/input_file.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::cli {
namespace {

constexpr const char* sass_footer = R"(Examples:
  bench sass                                  the kernels of this program
  bench sass build/libmine.so --kernel conv   of another one, without running it

The counts are of instructions as they are written, not as they are executed. It takes cuobjdump of the
CUDA toolkit, and no GPU.

Exit codes: 0 good; 1 usage or I/O error, no cuobjdump, no kernel found.)";

struct SassRequest {
  std::string program;
  std::string architecture;
  std::string kernel;
};

/// All that there are; machine code before PTX, and the newest last of each.
std::set<std::string> architectures_of(const inspect::ProgramCode& code) {
  std::set<std::string> all;
  for (const auto& kernel : code.kernels) all.insert(kernel.architecture);
  return all;
}

/// The one that is shown when none was asked for: the newest machine code, else the newest PTX.
std::string newest(const std::set<std::string>& architectures) {
  std::string best;
  for (const auto& name : architectures) {
    const auto rank = [](const std::string& text) {
      return std::tuple(text.starts_with("sm_"), text.size(), text);
    };
    if (best.empty() || rank(name) > rank(best)) best = name;
  }
  return best;
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

/// Columns that are left for names, beside eleven numbers; below the least a line is too long.
std::size_t room_for_names() {
  constexpr int numbers = 11 * 8 + 1;
  constexpr int least = 48;
  return static_cast<std::size_t>(std::max(least, terminal_width(STDOUT_FILENO) - numbers));
}

void print_row(const inspect::KernelCode& kernel) {
  const auto& mix = kernel.mix;
  fmt::print("{:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}  {}\n", mix.all,
             mix.fp32, mix.fp64_add, mix.fp64_mul, mix.fp64_fma, mix.conversions_to_fp64, mix.fp16,
             mix.tensor, mix.global_loads, mix.global_stores, mix.local_accesses,
             fitting(kernel.name, room_for_names()));
}

int show(const SassRequest& request) {
  const std::regex pattern(request.kernel);
  const auto problem =
      request.program.empty() ? "" : os::input_problem(request.program, "a program");
  if (!problem.empty()) throw std::runtime_error(request.program + ": " + problem);
  const auto program = request.program.empty() ? own_program() : request.program;
  const auto code = inspect::code_of_program(program);
  if (!code.note.empty()) std::cerr << "bench sass: " << text::printable(code.note) << '\n';
  const auto architectures = architectures_of(code);
  const auto wanted = request.architecture.empty() ? newest(architectures) : request.architecture;
  std::string others;
  for (const auto& name : architectures) {
    if (name != wanted) others += (others.empty() ? "" : ", ") + name;
  }
  if (architectures.count(wanted) == 0) {
    if (!request.architecture.empty() && !others.empty()) {
      std::cerr << "bench sass: no code for " << wanted << "; there is " << others << '\n';
    } else if (code.note.empty()) {
      std::cerr << "bench sass: " << program << " holds no kernels\n";
    }
    return ExitCode::failure;
  }
  std::size_t shown = 0;
  for (const auto& kernel : code.kernels) {
    if (kernel.architecture != wanted || !std::regex_search(kernel.name, pattern)) continue;
    if (shown++ == 0) {
      fmt::print("Instructions of each kernel, {} for {}{}\n\n", kernel.mix.source, wanted,
                 others.empty() ? "" : " (also here, with --arch: " + others + ")");
      fmt::print("{:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}  {}\n", "all",
                 "fp32", "f64 add", "f64 mul", "f64 fma", "to f64", "fp16", "tensor", "loads",
                 "stores", "local", "kernel");
    }
    print_row(kernel);
  }
  if (shown == 0) std::cerr << "bench sass: no kernel's name matches '" << request.kernel << "'\n";
  return shown > 0 ? ExitCode::success : ExitCode::failure;
}

}  // namespace

int sass_command(const std::vector<std::string>& arguments) {
  SassRequest request;
  CLI::App app("Lists the instructions that a program's kernels are made of.", "bench sass");
  app.footer(sass_footer);
  app.get_formatter()->column_width(34);
  app.add_option("program", request.program,
                 "A program, library, object or cubin; this program where none is named")
      ->type_name("FILE");
  app.add_option("--arch", request.architecture,
                 "The architecture to list, such as sm_90; PTX is compute_75")
      ->type_name("NAME");
  app.add_option("--kernel", request.kernel, "Keep the kernels whose name matches")
      ->type_name("REGEX");
  try {
    parse_arguments(app, arguments);
    return show(request);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << "bench sass: " << text::printable(error.what())
              << "\nbench sass --help shows the flags.\n";
  } catch (const std::regex_error&) {
    std::cerr << "bench sass: --kernel: '" << request.kernel << "' is not a regular expression\n";
  } catch (const std::exception& error) {
    std::cerr << "bench sass: " << text::printable(error.what()) << '\n';
  }
  return ExitCode::failure;
}

}  // namespace apod::cli
