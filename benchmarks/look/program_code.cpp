#include "benchmarks/look/program_code.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>

#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "kernels/api/demangle.hpp"

namespace apod::look {
namespace {

using std::chrono::milliseconds;

/// One limit for several waits.
class Patience {
 public:
  explicit Patience(milliseconds most) : most_(most), begin_(Clock::now()) {}
  milliseconds left() const {
    return std::chrono::floor<milliseconds>(begin_ + most_ - Clock::now());
  }
  std::string text() const {
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(most_).count()) + " s";
  }

 private:
  using Clock = std::chrono::steady_clock;
  milliseconds most_;
  Clock::time_point begin_;
};

auto key_of(const KernelCode& kernel) {
  return std::tie(kernel.architecture, kernel.name, kernel.mix);
}

/// "sm_90a" as 9, 0 and "a".
struct Architecture {
  bool machine_code = false;
  int major = 0;
  int minor = 0;
  std::string suffix;  ///< "a": of this version alone; "f": of its family
};

std::optional<Architecture> parse_architecture(const std::string& text) {
  const auto bar = text.find('_');
  if (bar == std::string::npos) return std::nullopt;
  int number = 0;
  const char* begin = text.data() + bar + 1;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(begin, last, number);
  if (error != std::errc() || number < 10) return std::nullopt;
  return Architecture{text.substr(0, bar) == "sm", number / 10, number % 10,
                      std::string(end, last)};
}

/// How well a device of this version runs the code, higher is better; nothing where it can't.
std::optional<std::tuple<bool, int, int, bool>> preference(const Architecture& code, int major,
                                                           int minor) {
  const bool same = code.major == major && code.minor == minor;
  const bool older = std::tie(code.major, code.minor) <= std::tie(major, minor);
  if (!older || (!code.suffix.empty() && !same)) return std::nullopt;
  if (code.machine_code && code.major != major) return std::nullopt;
  return std::tuple(code.machine_code, code.major, code.minor, !code.suffix.empty());
}

/// Passes on each line that `command` (the tool, then its option) writes. Returns why it could not,
/// or nothing.
std::string read(const std::vector<std::string>& command, const Patience& patience,
                 const std::function<void(std::string_view)>& on_line) {
  os::ProgramEnd end;
  try {
    end = os::run_program(command, {.on_line = on_line, .timeout = patience.left()});
  } catch (const std::exception& error) {
    return error.what();
  }
  const std::string& tool = command.front();
  if (end.timed_out) return tool + " " + command.at(1) + " did not end within " + patience.text();
  if (end.exit_code != 0) {
    const auto error = os::last_line(end.errors);
    return error.empty() ? tool + " ended with exit code " + std::to_string(end.exit_code) : error;
  }
  return {};
}

std::string read_kernels(const std::vector<std::string>& command, const Patience& patience,
                         std::vector<KernelCode>& kernels) {
  Listing listing;
  auto note = read(command, patience, [&](std::string_view line) { listing.add_line(line); });
  kernels.insert(kernels.end(), listing.kernels().begin(), listing.kernels().end());
  // The last one may be cut off, and would be taken for a smaller kernel.
  if (!note.empty() && !listing.kernels().empty()) kernels.pop_back();
  return note;
}

/// The mangled names of the kernels with these names, separated by commas.
std::string symbols_of(const std::string& tool, const std::string& path,
                       const std::set<std::string>& names, const Patience& patience,
                       std::string& note) {
  std::set<std::string> symbols;
  note = read({tool, "-symbols", path}, patience, [&](std::string_view line) {
    if (line.find("STT_FUNC") == std::string_view::npos) return;
    std::string symbol(line.substr(line.find_last_of(" \t") + 1));
    if (names.contains(demangled(symbol))) symbols.insert(std::move(symbol));
  });
  return text::joined(symbols, ",");
}

}  // namespace

ProgramCode code_of_program(const std::string& path, milliseconds most,
                            const std::optional<std::set<std::string>>& only) {
  ProgramCode code;
  const auto tool = os::find_in_toolkit("cuobjdump");
  if (tool.empty()) {
    code.note =
        "cuobjdump was not found on the PATH or in bin/ of $CUDA_HOME, $CUDA_PATH or "
        "/usr/local/cuda; install the CUDA toolkit, or the Python packages nvidia-cuda-cuobjdump "
        "and nvidia-cuda-nvdisasm";
    return code;
  }
  const Patience patience(most);
  std::vector<std::string> sass{tool, "-sass"};
  std::string symbols;
  if (only) {
    symbols = symbols_of(tool, path, *only, patience, code.note);
    sass.insert(sass.end(), {"-fun", symbols});
  }
  sass.push_back(path);
  auto& kernels = code.kernels;
  const bool some = !only || !symbols.empty();
  if (code.note.empty() && some) code.note = read_kernels(sass, patience, kernels);
  if (code.note.empty()) {
    code.note = read_kernels({tool, "-ptx", path}, patience, kernels);
    if (!code.note.empty()) code.note += "; the machine code was read, the PTX was not";
  }
  if (only)
    std::erase_if(kernels, [&](const KernelCode& kernel) { return !only->contains(kernel.name); });
  std::ranges::sort(kernels, [](const auto& a, const auto& b) { return key_of(a) < key_of(b); });
  kernels.erase(std::unique(kernels.begin(), kernels.end(),
                            [](const auto& a, const auto& b) { return key_of(a) == key_of(b); }),
                kernels.end());
  return code;
}

std::string architecture_for(const ProgramCode& code, const std::string& compute_capability) {
  int major = 0;
  int minor = 0;
  const auto* last = compute_capability.data() + compute_capability.size();
  const auto [dot, error] = std::from_chars(compute_capability.data(), last, major);
  if (error != std::errc() || dot == last || *dot != '.') return {};
  if (std::from_chars(dot + 1, last, minor).ec != std::errc()) return {};
  std::string best;
  std::optional<std::tuple<bool, int, int, bool>> best_preference;
  for (const auto& kernel : code.kernels) {
    const auto architecture = parse_architecture(kernel.architecture);
    if (!architecture) continue;
    const auto found = preference(*architecture, major, minor);
    if (found && (!best_preference || *found > *best_preference)) {
      best = kernel.architecture;
      best_preference = found;
    }
  }
  return best;
}

std::map<std::string, InstructionMix> mixes_of(const ProgramCode& code,
                                               const std::string& architecture) {
  std::map<std::string, InstructionMix> mixes;
  std::set<std::string> ambiguous;
  for (const auto& kernel : code.kernels) {
    if (kernel.architecture != architecture) continue;
    if (!mixes.emplace(kernel.name, kernel.mix).second) ambiguous.insert(kernel.name);
  }
  for (const auto& name : ambiguous) mixes.erase(name);
  return mixes;
}

std::string ProgramMixes::describe(std::vector<KernelProfile>& kernels, milliseconds most) {
  std::set<std::string> unknown;
  for (const auto& kernel : kernels) {
    if (!known_.contains(kernel.name)) unknown.insert(kernel.name);
  }
  std::string note;
  if (!unknown.empty() && !given_up_) {
    const auto code = code_of_program(path_, most, unknown);
    note = code.note;
    given_up_ = !note.empty();  // the next attempt would fail for the same reason
    for (const auto& name : unknown) known_.try_emplace(name);
    for (auto& [name, mix] : mixes_of(code, architecture_for(code, compute_capability_)))
      known_[name] = mix;
  }
  for (auto& kernel : kernels) {
    const auto found = known_.find(kernel.name);
    if (found != known_.end()) kernel.instructions = found->second;
  }
  return note;
}

}  // namespace apod::look
