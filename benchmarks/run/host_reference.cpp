#include "benchmarks/run/host_reference.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::run {
namespace {

namespace fs = std::filesystem;

/// Halves and FP8 are bits: C++20 has no types for them.
std::string type_name(ElementType type) {
  static constexpr std::array<const char*, 17> names{"std::uint16_t",
                                                     "std::uint16_t",
                                                     "std::uint8_t",
                                                     "std::uint8_t",
                                                     "float",
                                                     "double",
                                                     "std::int8_t",
                                                     "std::int16_t",
                                                     "std::int32_t",
                                                     "std::int64_t",
                                                     "std::uint8_t",
                                                     "std::uint16_t",
                                                     "std::uint32_t",
                                                     "std::uint64_t",
                                                     "bool",
                                                     "std::complex<float>",
                                                     "std::complex<double>"};
  return names[static_cast<std::size_t>(type)];
}

void write_file(const std::string& path, std::span<const char> content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.flush();
  if (!file) throw std::runtime_error(path + ": can't be written");
}

void run_or_throw(const std::vector<std::string>& words, const std::string& what,
                  const std::function<bool()>& cancelled) {
  os::Orphans orphans;
  const auto end = os::run_program(words, {.cancelled = cancelled});
  orphans.end();
  if (end.cancelled || end.exit_code == 0) return;
  throw std::runtime_error(what + " ended with exit code " + std::to_string(end.exit_code) +
                           (end.errors.empty() ? "" : ":\n" + end.errors));
}

}  // namespace

std::string host_program(const file::KernelSpec& spec, const file::Layout& layout) {
  std::string parameters;
  std::string given;
  std::string copies;
  std::string scalars;
  for (std::size_t a = 0; a < spec.args.size(); ++a) {
    const auto& arg = spec.args[a];
    const auto& place = layout.args[a];
    if (!arg.shape.empty() && arg.role == file::Role::scratch) continue;
    if (!parameters.empty()) {
      parameters += ", ";
      given += ", ";
    }
    const auto type = type_name(arg.type);
    if (arg.shape.empty()) {
      const auto name = "s" + std::to_string(a);
      scalars += "alignas(16) static const unsigned char " + name + "[16] = {";
      for (const auto byte : place.scalar)
        scalars += std::to_string(std::to_integer<unsigned>(byte)) + ", ";
      scalars += "};\n";
      parameters += type;
      given += "*reinterpret_cast<const " + type + "*>(" + name + ")";
    } else if (arg.role == file::Role::in) {
      parameters += "const " + type + "*";
      given += "reinterpret_cast<const " + type + "*>(in + " + std::to_string(place.in_input) + ")";
    } else {
      parameters += type + "*";
      given += "reinterpret_cast<" + type + "*>(out + " + std::to_string(place.in_output) + ")";
      if (arg.role == file::Role::zeroed) {
        copies += "  std::memset(out + " + std::to_string(place.in_output) + ", 0, " +
                  std::to_string(place.bytes) + ");\n";
      }
      if (arg.role == file::Role::inout) {
        copies += "  std::memcpy(out + " + std::to_string(place.in_output) + ", in + " +
                  std::to_string(place.in_input) + ", " + std::to_string(place.bytes) + ");\n";
      }
    }
  }
  const auto& name = spec.reference.launch.kernel;
  return "#include <complex>\n#include <cstdint>\n#include <cstdio>\n#include <cstring>\n"
         "#include <new>\n\nvoid " +
         name + "(" + parameters + ");\n\n" + scalars +
         "static unsigned char* memory(std::size_t bytes) {\n"
         "  return static_cast<unsigned char*>(::operator new(bytes + 1, std::align_val_t(256)));\n"
         "}\n\nint main(int, char** words) {\n"
         "  const std::size_t in_bytes = " +
         std::to_string(layout.input_bytes) +
         ";\n"
         "  const std::size_t out_bytes = " +
         std::to_string(layout.output_bytes) +
         ";\n"
         "  unsigned char* in = memory(in_bytes);\n  unsigned char* out = memory(out_bytes);\n"
         "  std::memset(out, 255, out_bytes);\n"
         "  std::FILE* from = std::fopen(words[1], \"rb\");\n"
         "  if (!from || std::fread(in, 1, in_bytes, from) != in_bytes) return 2;\n" +
         copies + "  " + name + "(" + given +
         ");\n"
         "  std::FILE* to = std::fopen(words[2], \"wb\");\n"
         "  if (!to || std::fwrite(out, 1, out_bytes, to) != out_bytes) return 3;\n"
         "  return std::fclose(to) == 0 ? 0 : 3;\n}\n";
}

std::vector<std::byte> host_reference(const file::KernelSpec& spec, const file::Layout& layout,
                                      std::span<const std::byte> input,
                                      const std::function<bool()>& cancelled) {
  // This process may have a GPU open.
  const os::TemporaryFolder folder(os::TemporaryFolder::Guarded::no);
  const auto place = [&](const char* name) { return folder.path() + "/" + name; };
  const auto program = place("reference");
  const auto source = file::path_of(spec, spec.reference.launch.file);
  write_file(place("main.cpp"), host_program(spec, layout));
  write_file(place("in"), {reinterpret_cast<const char*>(input.data()), input.size()});
  const char* chosen = std::getenv("CXX");  // "ccache g++": a compiler and its first words
  auto words =
      text::shell_words(chosen != nullptr ? chosen : "").value_or(std::vector<std::string>{});
  if (words.empty()) words = {"c++"};
  words.insert(words.end(), {"-std=c++20", "-O2", fs::absolute(source).string(), place("main.cpp"),
                             "-o", program});
  run_or_throw(words, "compiling " + spec.reference.launch.file, cancelled);
  run_or_throw({program, place("in"), place("out")},
               "the reference in " + spec.reference.launch.file, cancelled);
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error("the reference in " + spec.reference.launch.file +
                             " wrote no output: " + why);
  };
  std::string text;
  try {
    text = os::read_file(place("out"), layout.output_bytes);
  } catch (const std::runtime_error& bad) {
    refuse(bad.what());
  }
  if (text.size() != layout.output_bytes)
    refuse(std::to_string(text.size()) + " of " + std::to_string(layout.output_bytes) + " bytes");
  std::vector<std::byte> output(text.size());
  std::memcpy(output.data(), text.data(), text.size());
  return output;
}

}  // namespace apod::run
