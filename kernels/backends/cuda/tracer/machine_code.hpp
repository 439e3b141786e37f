#pragma once

/// \file
/// Hashes of kernels' machine code, taken from the modules that hold it. Plain C++: no toolkit.

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/data/fnv.hpp"

namespace apod::cuda {

/// A cubin: an ELF file of 64 bits (System V ABI, "Object Files"). Reads nothing outside of the
/// bytes, whatever they are.
class Cubin {
 public:
  explicit Cubin(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// The hash of every function by its mangled name: of the bytes of its section ".text.<name>"
  /// before loading, when they contain no addresses yet. Not included: the values of constants and
  /// data, functions of other sections that it calls (those compiled separately, with -rdc=true),
  /// and its number of registers. Empty if the bytes are not such a file, or an inconsistent one.
  std::vector<std::pair<std::string, std::uint64_t>> functions() const {
    const auto header = record<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_shentsize != sizeof(Elf64_Shdr)) {
      return {};
    }
    // Numbers that are too large for the header are in the first section's.
    const auto first = record<Elf64_Shdr>(header->e_shoff);
    if (!first) return {};
    const std::uint64_t sections = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
    const std::uint64_t names_at =
        header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : first->sh_link;
    if (sections > bytes_.size() / sizeof(Elf64_Shdr)) return {};
    const auto names = section(*header, names_at);
    if (!names || names_at >= sections) return {};

    constexpr std::string_view code_prefix = ".text.";
    std::vector<std::pair<std::string, std::uint64_t>> found;
    // Names and code don't overlap. If they did, a small file could cause endless work.
    std::size_t left = bytes_.size();
    for (std::uint64_t i = 0; i < sections; ++i) {
      const auto info = section(*header, i);
      const auto rest = info ? text_from(*names, info->sh_name) : std::nullopt;
      if (!rest) return {};
      if (info->sh_type != SHT_PROGBITS || !rest->starts_with(code_prefix)) continue;
      const auto end = rest->substr(0, left).find('\0');
      const auto code = part(info->sh_offset, info->sh_size);
      if (end == std::string_view::npos || !code || code->size() > left - end) return {};
      left -= code->size() + end;
      found.emplace_back(rest->substr(code_prefix.size(), end - code_prefix.size()),
                         Fnv1a().add(*code).value());
    }
    return found;
  }

 private:
  std::optional<std::span<const std::byte>> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return std::nullopt;
    return bytes_.subspan(offset, size);
  }

  template <class Record>
  std::optional<Record> record(std::uint64_t offset) const {
    const auto bytes = part(offset, sizeof(Record));
    if (!bytes) return std::nullopt;
    Record copy;  // the bytes need not be aligned
    std::memcpy(&copy, bytes->data(), sizeof copy);
    return copy;
  }

  /// `index` is below 2^32, so the product fits; a sum that wraps is caught as an offset before the
  /// table.
  std::optional<Elf64_Shdr> section(const Elf64_Ehdr& header, std::uint64_t index) const {
    const std::uint64_t offset = header.e_shoff + index * sizeof(Elf64_Shdr);
    return offset < header.e_shoff ? std::nullopt : record<Elf64_Shdr>(offset);
  }

  /// The section `names` from `offset` on.
  std::optional<std::string_view> text_from(const Elf64_Shdr& names, std::uint64_t offset) const {
    const auto all = part(names.sh_offset, names.sh_size);
    if (!all || offset > all->size()) return std::nullopt;
    const auto rest = all->subspan(offset);
    return std::string_view(reinterpret_cast<const char*>(rest.data()), rest.size());
  }

  std::span<const std::byte> bytes_;
};

/// The known code of the modules loaded so far. Modules may be added by several threads.
class MachineCode {
 public:
  void add_module(std::span<const std::byte> cubin) {
    const auto functions = Cubin(cubin).functions();
    const std::lock_guard lock(mutex_);
    for (const auto& [name, hash] : functions) hashes_[name].insert(hash);
  }

  /// The hash of the function of this mangled name; 0 if no module with it was seen. A template may
  /// have been compiled into several modules, and it is unknown which of them ran: then it is the
  /// hash of all its codes, in any order.
  std::uint64_t hash_of(std::string_view mangled) const {
    const std::lock_guard lock(mutex_);
    const auto found = hashes_.find(mangled);
    return found == hashes_.end() ? 0 : combined(found->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::set<std::uint64_t>, std::less<>> hashes_;
};

}  // namespace apod::cuda
