#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/capture_files.hpp"
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

using capture::CapturedLaunch;

struct Guessed {
  std::string name;
  std::string place;  ///< "p1+8"
  std::string type;   ///< "const float*"
  bool is_pointer = false;
  bool is_output = false;
  std::uint64_t changed = 0;  ///< bytes from it on, to the last that the launch changed
};

/// The file, and the offset in it, of an address; nothing where it was not kept.
std::optional<std::uint64_t> offset_of(const CapturedLaunch& launch, std::uint64_t address) {
  const auto places = capture::stretches(launch);
  for (std::size_t i = 0; i < launch.windows.size(); ++i) {
    const auto& window = launch.windows[i];
    if (address >= window.address && address - window.address < window.bytes)
      return places[i].at + (address - window.address);
  }
  return std::nullopt;
}

/// Where the launch changed its memory. changes.bin is read once, without its many holes.
class Changes {
 public:
  /// Throws std::runtime_error where it can't be read.
  explicit Changes(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    for (std::uint64_t at = 0;;) {
      const auto data = ::lseek(file_.get(), static_cast<off_t>(at), SEEK_DATA);
      if (data < 0 && errno == ENXIO) return;  // nothing but a hole follows
      if (data < 0) fail();
      at = static_cast<std::uint64_t>(data) / block * block;
      if (last_in(at, block) > at) changed_.push_back(at);
      at += block;
    }
  }

  /// One past the last changed byte in [from, end); `from` if none is.
  std::uint64_t last(std::uint64_t from, std::uint64_t end) const {
    auto one = std::ranges::lower_bound(changed_, end);
    while (one != changed_.begin() && *--one + block > from) {
      const auto found = last_in(*one, std::min(end - *one, block));
      if (found > *one) return std::max(found, from);
    }
    return from;
  }

 private:
  static constexpr std::uint64_t block = 1 << 16;

  [[noreturn]] void fail() const {
    throw std::runtime_error(path_ + ": can't be read: " + std::strerror(errno));
  }

  /// One past the last byte that is not 0 of `bytes` at a place; the place if all are.
  std::uint64_t last_in(std::uint64_t at, std::uint64_t bytes) const {
    std::vector<char> piece(bytes);
    const auto count = ::pread(file_.get(), piece.data(), bytes, static_cast<off_t>(at));
    if (count < 0) fail();
    bytes = static_cast<std::uint64_t>(count);
    while (bytes > 0 && piece[bytes - 1] == 0) --bytes;
    return at + bytes;
  }

  std::string path_;
  os::Descriptor file_;
  std::vector<std::uint64_t> changed_;  ///< places of blocks, rising
};

struct Element {
  const char* in_c;
  const char* in_yaml;
  std::uint64_t bytes;
  const char* include;
};

/// By the words in the kernel's name.
Element element_of(const std::string& kernel) {
  if (text::holds_any(kernel, {"BFloat16", "bfloat16", "bf16"}))
    return {"__nv_bfloat16", "bf16", 2, "#include <cuda_bf16.h>\n\n"};
  if (text::holds_any(kernel, {"Half", "half", "f16", "fp16"}))
    return {"__half", "f16", 2, "#include <cuda_fp16.h>\n\n"};
  if (text::holds_any(kernel, {"double", "f64"})) return {"double", "f64", 8, ""};
  return {"float", "f32", 4, ""};
}

std::vector<Guessed> arguments_of(const CapturedLaunch& launch, const std::string& folder,
                                  const Element& element) {
  std::vector<Guessed> all;
  std::vector<std::uint64_t> pointers;
  const auto add = [&](std::size_t p, std::size_t offset, const std::string& type,
                       std::uint64_t pointer) {
    const bool inside = offset > 0 || launch.parameters[p].bytes > 8;
    const auto whole = "p" + std::to_string(p);
    const auto within = std::to_string(offset);
    all.push_back({.name = inside ? whole + "_" + within : whole,
                   .place = inside ? whole + "+" + within : whole,
                   .type = type,
                   .is_pointer = pointer != 0});
    pointers.push_back(pointer);
  };
  for (std::size_t p = 0; p < launch.parameters.size(); ++p) {
    const auto bytes = capture::bytes_of(launch.parameters[p]);
    for (std::size_t at = 0; at < bytes.size();) {
      std::uint64_t word = 0;
      const auto left = bytes.size() - at;
      std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, left));
      if (left >= 8 && at % 8 == 0 && offset_of(launch, word)) {
        add(p, at, std::string(element.in_c) + "*", word);
        at += 8;
        continue;
      }
      const bool whole = bytes.size() <= 8;
      if (whole) {
        add(p, 0,
            bytes.size() == 8   ? "long long"
            : bytes.size() == 4 ? "int"
            : bytes.size() == 2 ? "short"
                                : "char",
            0);
        break;
      }
      // Of a struct, what may be a count; the rest can be mapped by hand.
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data() + at, std::min<std::size_t>(4, left));
      if (left >= 4 && value > 0 && value < (1U << 31) && all.size() < 24) add(p, at, "int", 0);
      at += 4;
    }
  }
  const Changes changes((folder.empty() ? "." : folder) + "/" + capture::changes_file);
  const auto places = capture::stretches(launch);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is_pointer) continue;
    const auto from = *offset_of(launch, pointers[i]);
    std::uint64_t end = 0;
    for (const auto& place : places) {
      if (from >= place.at && from < place.at + place.bytes) end = place.at + place.bytes;
    }
    for (const auto other : pointers) {
      const auto at = other == 0 ? std::nullopt : offset_of(launch, other);
      if (at && *at > from) end = std::min(end, *at);
    }
    all[i].changed = changes.last(from, end) - from;
    all[i].is_output = all[i].changed > 0;
    if (!all[i].is_output) all[i].type = "const " + all[i].type;
  }
  return all;
}

struct CaptureSketch {
  std::string source;      ///< of NAME.cu
  std::string experiment;  ///< of NAME.yaml
};

/// For the capture in `folder`: an argument for each pointer and each scalar of the captured
/// parameters, also of those within structs; what the launch changed is an output. Types are
/// guesses, and said to be. Throws std::runtime_error as files::read_captured_folder() does.
CaptureSketch sketch_of_capture(const std::string& folder, const std::string& name) {
  const auto launch = files::read_captured_folder(folder);
  const auto kernel = demangled(launch.kernel);
  const auto element = element_of(kernel);
  const auto args = arguments_of(launch, folder, element);
  const Guessed* out = nullptr;
  const Guessed* in = nullptr;
  for (const auto& arg : args) {
    if (out == nullptr && arg.is_output) out = &arg;
    if (in == nullptr && arg.is_pointer && !arg.is_output) in = &arg;
  }
  const auto parameters =
      text::joined(args, ", ", [](const auto& arg) { return arg.type + " " + arg.name; });
  const auto mapped =
      text::joined(args, ", ", [](const auto& arg) { return arg.name + ": " + arg.place; });
  const auto count = out == nullptr ? 0 : (out->changed + element.bytes - 1) / element.bytes;
  std::string body = "  // The captured launch changed nothing that its arguments point to.\n";
  if (out != nullptr) {
    body = fmt::format(
        "  // The captured launch changed {} elements, if their type is {}.\n"
        "  const long long step = (long long)gridDim.x * blockDim.x;\n"
        "  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < {}; i += step) "
        "{{\n"
        "    {}[i] = {};  // what the captured kernel computes goes here\n  }}\n",
        count, element.in_c, count, out->name,
        in == nullptr ? std::string(element.in_c) + "(0)" : in->name + "[i]");
  }
  CaptureSketch made;
  made.source = fmt::format(
      "// Replaces {}\n"
      "// Types and names are guesses: machine code shows only sizes.\n{}"
      "extern \"C\" __global__ void {}({}) {{\n{}}}\n",
      text::shorten(text::printable(kernel), 300), element.include, name, parameters, body);
  made.experiment = fmt::format(
      "schema: 1\n"
      "description: {0}.cu compared with the captured kernel\n"
      "experiments:\n"
      "  - name: {0}\n"
      "    # An argument is a place in a captured parameter: p1+8 begins at byte 8 of the second "
      "parameter.\n"
      "    kernel:\n"
      "      capture: .\n"
      "      name: {0}\n"
      "      args: {{{1}}}\n"
      "      type: {2}\n"
      "    axes: {{variant: [captured, {0}.cu]}}\n"
      "    grid: [{3}]\n"
      "    block: [{4}]\n"
      "    baseline: {{variant: captured}}\n"
      "    tolerance: {{absolute: 1e-5, relative: {5}}}\n",
      name, mapped, element.in_yaml, fmt::join(launch.grid, ", "), fmt::join(launch.block, ", "),
      element.bytes == 2 ? "1e-2" : "1e-5");
  return made;
}

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
