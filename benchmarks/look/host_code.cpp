#include "benchmarks/look/host_code.hpp"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/input_file.hpp"
#include "kernels/data/fnv.hpp"

namespace apod::look {
namespace {

constexpr std::size_t largest_program = std::size_t{4} << 30;  // bytes

/// A file that may be damaged: what it says of itself is checked against its size.
class Program {
 public:
  explicit Program(const std::string& bytes) : bytes_(bytes) {
    const bool ours = bytes.starts_with(ELFMAG) && bytes.size() > EI_DATA &&
                      bytes[EI_CLASS] == ELFCLASS64 && bytes[EI_DATA] == ELFDATA2LSB;
    if (!ours) throw std::runtime_error("it is not a 64-bit ELF program");
    header_ = at<Elf64_Ehdr>(0);
    if (header_.e_shnum == 0) throw std::runtime_error("it has no section table");
    names_ = section(header_.e_shstrndx);
  }

  std::size_t count() const { return header_.e_shnum; }
  Elf64_Shdr section(std::size_t index) const {
    return at<Elf64_Shdr>(header_.e_shoff + index * sizeof(Elf64_Shdr));
  }
  std::string_view name_of(const Elf64_Shdr& section) const {
    const auto names = part(names_.sh_offset, names_.sh_size);
    const auto name = names.substr(std::min<std::size_t>(section.sh_name, names.size()));
    return name.substr(0, name.find('\0'));
  }
  std::string_view content_of(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? "" : part(section.sh_offset, section.sh_size);
  }

 private:
  std::string_view part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      throw std::runtime_error("it is cut off");
    return std::string_view(bytes_).substr(offset, size);
  }
  template <class Record>
  Record at(std::uint64_t offset) const {
    Record record{};
    std::memcpy(&record, part(offset, sizeof(record)).data(), sizeof(record));
    return record;
  }

  const std::string& bytes_;
  Elf64_Ehdr header_{};
  Elf64_Shdr names_{};
};

bool is_of_gpu(std::string_view name) {
  return name.starts_with(".nv") || name.starts_with("__nv");
}

/// Hashes what concerns the host.
class HostHash {
 public:
  explicit HostHash(const Program& program) : program_(program) {
    for (std::size_t i = 0; i < program.count(); ++i) add(program.section(i));
  }
  std::uint64_t value() const { return hash_.value(); }

 private:
  void add(const Elf64_Shdr& section) {
    const auto name = program_.name_of(section);
    const bool loaded = (section.sh_flags & SHF_ALLOC) != 0 && section.sh_type != SHT_NOTE;
    if (!loaded || is_of_gpu(name) || name == build_stamp_section) return;
    hash_.add(name);
    const auto content = program_.content_of(section);
    if (section.sh_type == SHT_RELA) {
      add_relocations(content);
    } else if (section.sh_type == SHT_NOBITS) {
      number(section.sh_size);
    } else {
      add_content(content);
    }
  }

  /// Those in the GPU's sections say where its code lies, which moves with its size.
  void add_relocations(std::string_view content) {
    for (; content.size() >= sizeof(Elf64_Rela); content.remove_prefix(sizeof(Elf64_Rela))) {
      Elf64_Rela relocation{};
      std::memcpy(&relocation, content.data(), sizeof(relocation));
      if (is_in_gpu_section(relocation.r_offset)) continue;
      hash_.add(content.substr(0, sizeof(relocation)));
    }
  }

  bool is_in_gpu_section(std::uint64_t address) const {
    for (std::size_t i = 0; i < program_.count(); ++i) {
      const auto section = program_.section(i);
      const bool inside = address >= section.sh_addr && address - section.sh_addr < section.sh_size;
      if (inside && (section.sh_flags & SHF_ALLOC) != 0 && section.sh_type != SHT_NOBITS)
        return is_of_gpu(program_.name_of(section));
    }
    return false;
  }

  /// nvcc puts a hash of the source's path into the names of kernels without external linkage.
  void add_content(std::string_view content) {
    constexpr std::string_view before_path = "_GLOBAL__N__";
    constexpr std::size_t digits = 8;
    for (;;) {
      const auto found = content.find(before_path);
      const auto end = found == std::string_view::npos ? found : found + before_path.size();
      hash_.add(content.substr(0, end));
      if (end == std::string_view::npos) return;
      content.remove_prefix(std::min(end + digits, content.size()));
    }
  }

  void number(std::uint64_t value) { hash_.add(std::as_bytes(std::span(&value, 1))); }

  const Program& program_;
  Fnv1a hash_;
};

}  // namespace

HostCode host_code_of(const std::string& program) {
  try {
    const bool is_path = program.find('/') != std::string::npos;
    const auto bytes =
        os::read_file(is_path ? program : os::find_program(program), largest_program);
    if (bytes.starts_with("#!")) return {"", "it is a script"};
    return {hex(HostHash(Program(bytes)).value()), ""};
  } catch (const std::exception& error) {
    return {"", error.what()};
  }
}

}  // namespace apod::look
