#include "kernels/backends/cuda/files/resources.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace apod::cuda {
namespace {

/// Bounded views of an ELF file.
class ElfBytes {
 public:
  explicit ElfBytes(std::span<const std::byte> all) : all_(all) {}
  std::size_t size() const { return all_.size(); }
  template <class Record>
  std::optional<Record> at(std::uint64_t offset) const {
    if (offset > all_.size() || sizeof(Record) > all_.size() - offset) return std::nullopt;
    Record record;
    std::memcpy(&record, all_.data() + offset, sizeof record);
    return record;
  }
  ElfBytes part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > all_.size() || size > all_.size() - offset) return ElfBytes({});
    return ElfBytes(all_.subspan(offset, size));
  }
  std::string text(std::uint64_t offset) const {
    if (offset >= all_.size()) return "";
    const std::string_view rest(reinterpret_cast<const char*>(all_.data()) + offset,
                                all_.size() - offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

 private:
  std::span<const std::byte> all_;
};

}  // namespace

std::map<std::string, int> registers_in(std::span<const std::byte> cubin) {
  const ElfBytes file(cubin);
  const auto header = file.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return {};
  }
  const auto section = [&](std::uint64_t index) {
    return file.at<Elf64_Shdr>(header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto content = [&](const std::optional<Elf64_Shdr>& of) {
    return of ? file.part(of->sh_offset, of->sh_size) : ElfBytes({});
  };
  const ElfBytes names = content(section(header->e_shstrndx));
  ElfBytes info({});
  ElfBytes symbols({});
  ElfBytes symbol_names({});
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one) return {};
    if (one->sh_type == SHT_SYMTAB) {
      symbols = content(one);
      symbol_names = content(section(one->sh_link));
    } else if (names.text(one->sh_name) == ".nv.info") {
      info = content(one);
    }
  }
  // Attributes of the section .nv.info: a byte of format, a byte of kind, and two of the value or
  // of its size. That of kind 0x2f holds a symbol's number and its registers.
  constexpr std::uint8_t has_size = 4;
  constexpr std::uint8_t register_count = 0x2f;
  std::map<std::string, int> found;
  for (std::uint64_t at = 0; at + 4 <= info.size();) {
    const auto format = *info.at<std::uint8_t>(at);
    const auto kind = *info.at<std::uint8_t>(at + 1);
    const auto size = *info.at<std::uint16_t>(at + 2);
    at += 4;
    if (format != has_size) continue;
    const auto number = info.at<std::uint32_t>(at);
    const auto count = info.at<std::uint32_t>(at + 4);
    at += size;
    if (kind != register_count || size != 8 || !number || !count || *count > 100'000) continue;
    const auto symbol = symbols.at<Elf64_Sym>(std::uint64_t{*number} * sizeof(Elf64_Sym));
    if (symbol) found[symbol_names.text(symbol->st_name)] = static_cast<int>(*count);
  }
  return found;
}

}  // namespace apod::cuda
