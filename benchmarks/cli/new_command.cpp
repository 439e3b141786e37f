#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/capture_files.hpp"
#include "benchmarks/cli/capture_sketch.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/files/captured_folder.hpp"
#include "kernels/api/demangle.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cli {
namespace {

constexpr const char* source_of_new =
    R"(// y = a x + y over n elements, in place. TILE elements a thread.
template <int TILE>
__global__ void {0}(float* y, const float* x, float a, int n) {{
  const int first = blockIdx.x * blockDim.x * TILE + threadIdx.x;
#pragma unroll
  for (int t = 0; t < TILE; ++t) {{
    const int i = first + t * blockDim.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }}
}}

// The reference of {0}: the plainest code with the same result.
__global__ void {0}_reference(float* y, const float* x, float a, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}}
)";

constexpr const char* experiment_of_new = R"yaml(schema: 1
description: One line about {0}
experiments:
  - name: {0}
    kernel: {{file: {0}.cu, name: "{0}<TILE>"}}
    axes: {{size: [2^20, 2^24], block: [128, 256], TILE: [1, 4]}}
    where: ["block * TILE <= 1024"]
    grid: "ceil(size / (block * TILE))"
    block: block
    args:
      - {{name: y, type: f32, shape: size, role: inout}}
      - {{name: x, type: f32, shape: size}}
      - {{name: a, type: f32, value: "2.5"}}
      - {{name: n, type: i32, value: size}}
    reference: {{kernel: {0}_reference, grid: "ceil(size / block)"}}
    tolerance: {{absolute: 1e-6, relative: 1e-6}}
    traffic: {{read: "8 * size", write: "4 * size", fp32: "2 * size"}}
)yaml";

/// Files to begin with.
class NewCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(bench new kernel NAME writes NAME.cu, with a kernel and its reference, and NAME.yaml, which runs it:
  bench --config NAME.yaml --dry-run               compiles it (this needs no GPU)
  bench --config NAME.yaml --trust                 runs it
bench new --from FOLDER [NAME] writes NAME.cu and NAME.yaml into the folder of a captured launch: a kernel that
replaces the captured kernel and takes its arguments.

Exit codes: 0 good; 1 usage or I/O error, or a file with that name exists.)"};
  }
  void declare(Flags& flags) override {
    flags.words("WHAT", "kernel NAME", "The word 'kernel', and the name of the new kernel", words_);
    flags.text("--from", "FOLDER", from_,
               "Folder of a captured launch; the new kernel replaces the captured kernel");
  }
  void settle() override {
    if (!from_.empty()) return settle_from();
    if (words_.size() != 2 || words_[0] != "kernel")
      refuse_nothing("write", "a kernel: bench new kernel saxpy");
    const auto& name = words_[1];
    const bool plain = name.size() <= 60 && file::is_identifier(name);
    if (!plain)
      throw UsageError("'" + name + "' is not a name for a kernel: use letters, digits, _");
  }
  int run() override {
    if (!from_.empty()) return write_from();
    const auto& name = words_[1];
    write_pair(name, fmt::format(source_of_new, name), fmt::format(experiment_of_new, name));
    return ExitCode::success;
  }

 private:
  /// Writes BASE.cu and BASE.yaml. Fails if a file or a link has one of these names.
  static void write_pair(const std::string& base, const std::string& source,
                         const std::string& experiment) {
    for (const auto* extension : {".cu", ".yaml"}) {
      if (std::filesystem::exists(std::filesystem::symlink_status(base + extension)))
        throw std::runtime_error(base + extension + ": exists already (choose another name)");
    }
    const auto write = [&](const char* extension, const std::string& text) {
      write_output(os::Destination::derived(base + extension), std::nullopt,
                   [&](std::ostream& out) { out << text; });
    };
    write(".cu", source);
    write(".yaml", experiment);
    const auto file = base + ".yaml";
    std::cout << fmt::format("Wrote {} and {}; to run it: {}\n", text::printable(base + ".cu"),
                             text::printable(file),
                             text::shell_line({"bench", "--config", file, "--trust"}));
  }

  void settle_from() {
    if (words_.size() > 1 || (words_.size() == 1 && !file::is_identifier(words_[0]))) {
      refuse_nothing("write", "the kernel: bench new --from softmax mine");
    }
  }

  int write_from() {
    const auto name =
        words_.empty()
            ? short_name(demangled_if_short(files::read_captured_folder(from_).kernel)) + "_new"
            : words_[0];
    const auto base = (std::filesystem::path(from_) / name).string();
    const auto sketch = sketch_of_capture(from_, name);
    write_pair(base, sketch.source, sketch.experiment);
    return ExitCode::success;
  }

  std::vector<std::string> words_;
  std::string from_;
};

}  // namespace

std::unique_ptr<Command> make_new() {
  return std::make_unique<NewCommand>();
}

}  // namespace apod::cli
