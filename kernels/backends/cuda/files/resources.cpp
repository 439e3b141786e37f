#include "kernels/backends/cuda/files/resources.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
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

/// Calls visit(kind, value) for the attributes of a section ".nv.info": a byte of format, a byte of
/// kind, and two of the value or of its size.
template <class Visit>
void each_attribute(const ElfBytes& info, const Visit& visit) {
  constexpr std::uint8_t has_size = 4;
  for (std::uint64_t at = 0; at + 4 <= info.size();) {
    const auto format = *info.at<std::uint8_t>(at);
    const auto kind = *info.at<std::uint8_t>(at + 1);
    const auto size = *info.at<std::uint16_t>(at + 2);
    at += 4;
    if (format != has_size) continue;
    visit(kind, info.part(at, size));
    at += size;
  }
}

/// The kind that holds a symbol's number and its registers.
constexpr std::uint8_t register_count = 0x2f;
/// The kind that holds a parameter: its place among them, its offset, and its bytes from bit 18 on.
constexpr std::uint8_t parameter_info = 0x17;
/// The kinds that hold the most threads of a block along each side, 4 bytes each, and those of the
/// only block that the kernel runs in.
constexpr std::uint8_t block_limit = 0x05;
constexpr std::uint8_t only_block = 0x10;

void take_registers(const ElfBytes& info, const ElfBytes& symbols, const ElfBytes& names,
                    CubinContent& found) {
  each_attribute(info, [&](std::uint8_t kind, const ElfBytes& value) {
    const auto number = value.at<std::uint32_t>(0);
    const auto count = value.at<std::uint32_t>(4);
    if (kind != register_count || !count || *count > 100'000) return;
    const auto symbol = symbols.at<Elf64_Sym>(std::uint64_t{*number} * sizeof(Elf64_Sym));
    if (symbol) found.kernels[names.text(symbol->st_name)].registers = static_cast<int>(*count);
  });
}

void take_own(const ElfBytes& info, CubinContent::Kernel& kernel) {
  constexpr std::size_t most = 4096;
  each_attribute(info, [&](std::uint8_t kind, const ElfBytes& value) {
    using Sides = std::array<std::uint32_t, 3>;
    const bool is_block = kind == block_limit || kind == only_block;
    const auto sides = is_block ? value.at<Sides>(0) : std::nullopt;
    if (sides && kind == only_block) kernel.block.assign(sides->begin(), sides->end());
    if (sides) kernel.most_threads = std::uint64_t{(*sides)[0]} * (*sides)[1] * (*sides)[2];
    const auto place = value.at<std::uint16_t>(4);
    const auto packed = value.at<std::uint32_t>(8);
    if (kind != parameter_info || !packed || *place >= most) return;
    kernel.parameters.resize(std::max<std::size_t>(kernel.parameters.size(), *place + 1U));
    kernel.parameters[*place] = *packed >> 18U;
  });
}

}  // namespace

CubinContent content_of_cubin(std::span<const std::byte> cubin) {
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
  std::vector<std::pair<std::string, ElfBytes>> of_kernels;
  constexpr std::string_view of_kernel = ".nv.info.";
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one) return {};
    const auto name = names.text(one->sh_name);
    if (one->sh_type == SHT_SYMTAB) {
      symbols = content(one);
      symbol_names = content(section(one->sh_link));
    } else if (name == ".nv.info") {
      info = content(one);
    } else if (name.starts_with(of_kernel)) {
      of_kernels.emplace_back(name.substr(of_kernel.size()), content(one));
    }
  }
  CubinContent found;
  take_registers(info, symbols, symbol_names, found);
  for (const auto& [name, own] : of_kernels) {
    const auto kernel = found.kernels.find(name);
    if (kernel != found.kernels.end()) take_own(own, kernel->second);
  }
  for (std::uint64_t at = 0; at < symbols.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = symbols.at<Elf64_Sym>(at);
    if (!symbol) break;
    const auto home = section(symbol->st_shndx);
    const auto where = home ? names.text(home->sh_name) : "";
    const bool is_variable =
        ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size > 0 &&
        (where.starts_with(".nv.global") || where.starts_with(".nv.constant3"));
    const auto name = is_variable ? symbol_names.text(symbol->st_name) : "";
    const bool is_compilers = name.starts_with("$") || name.starts_with(".");
    if (!name.empty() && !is_compilers) found.variables[name] = symbol->st_size;
  }
  return found;
}

}  // namespace apod::cuda
