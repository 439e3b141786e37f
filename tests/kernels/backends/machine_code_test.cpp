#include "kernels/backends/cuda/tracer/machine_code.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <utility>

namespace apod::cuda {
namespace {

using Functions = std::vector<std::pair<std::string, std::uint64_t>>;
using Bytes = std::vector<std::byte>;

/// A section of an ELF file to be.
struct Section {
  std::string name;
  std::string content;
  std::uint32_t type = SHT_PROGBITS;
};

/// Header, contents, names, table of sections: as small as an ELF file can be. The names are the
/// last section.
struct Elf {
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> table{1};  // the first one is empty
  Bytes contents;

  Elf(std::initializer_list<Section> sections) {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_shentsize = sizeof(Elf64_Shdr);
    std::string names(1, '\0');
    for (const auto& section : sections) add(section.name, section.content, section.type, names);
    add(".shstrtab", "", SHT_STRTAB, names);
    table.back().sh_size = names.size();
    append(names.data(), names.size());
    header.e_shnum = static_cast<Elf64_Half>(table.size());
    header.e_shstrndx = static_cast<Elf64_Half>(table.size() - 1);
    header.e_shoff = sizeof header + contents.size();
  }

  Bytes bytes() const {
    Bytes all(sizeof header + contents.size() + table.size() * sizeof(Elf64_Shdr));
    std::memcpy(all.data(), &header, sizeof header);
    std::memcpy(all.data() + sizeof header, contents.data(), contents.size());
    std::memcpy(all.data() + sizeof header + contents.size(), table.data(),
                table.size() * sizeof(Elf64_Shdr));
    return all;
  }

 private:
  void add(const std::string& name, const std::string& content, std::uint32_t type,
           std::string& names) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(names.size());
    section.sh_type = type;
    section.sh_offset = sizeof header + contents.size();
    section.sh_size = content.size();
    names += name + '\0';
    append(content.data(), content.size());
    table.push_back(section);
  }
  void append(const char* data, std::size_t size) {
    const auto* begin = reinterpret_cast<const std::byte*>(data);
    contents.insert(contents.end(), begin, begin + size);
  }
};

Functions functions_of(const Bytes& bytes) {
  return Cubin(bytes).functions();
}
Functions functions_of(std::initializer_list<Section> sections) {
  return functions_of(Elf(sections).bytes());
}

/// Those of a file with one function, `f`, after a change to it.
template <class Change>
Functions functions_after(const Change& change) {
  Elf elf{{".text.f", "code"}};
  change(elf);
  return functions_of(elf.bytes());
}

std::uint64_t fnv(std::string_view text) {
  return Fnv1a().add(text).value();
}

TEST(Cubin, GivesTheHashOfEachFunctionsCodeByName) {
  EXPECT_EQ(functions_of({{".nv.info._Z4copyPf", "numbers"},
                          {".text._Z4copyPf", "code of copy"},
                          {".rela.text._Z4copyPf", "", SHT_RELA},
                          {".nv.constant0._Z4copyPf", "constants"},
                          {".text._Z3sumPf", "code of sum"}}),
            (Functions{{"_Z4copyPf", fnv("code of copy")}, {"_Z3sumPf", fnv("code of sum")}}));
}

TEST(Cubin, OnlyTheCodeCounts) {
  const auto hash = [](const std::string& code, const std::string& constants) {
    return functions_of({{".nv.constant0.f", constants}, {".text.f", code}}).at(0).second;
  };
  EXPECT_EQ(hash("code", "a"), hash("code", "another place"));
  EXPECT_NE(hash("code", "a"), hash("codf", "a"));
}

TEST(Cubin, CodeWithoutBytesIsNoFunctionOfTheModule) {
  EXPECT_EQ(functions_of({{".text.f", "", SHT_NOBITS}, {".text", "plain"}}), Functions{});
}

TEST(Cubin, NumbersTooLargeForTheHeaderStandInTheFirstSection) {
  const auto found = functions_after([](Elf& elf) {
    elf.table[0].sh_size = std::exchange(elf.header.e_shnum, 0);
    elf.table[0].sh_link = std::exchange(elf.header.e_shstrndx, SHN_XINDEX);
  });
  EXPECT_EQ(found, (Functions{{"f", fnv("code")}}));
}

TEST(Cubin, WhatIsNoElfFileOfSixtyFourBitsHasNone) {
  EXPECT_EQ(functions_of(Bytes{}), Functions{});
  EXPECT_EQ(functions_of(Bytes(4096)), Functions{});
  EXPECT_EQ(functions_after([](Elf&) {}).size(), 1u);
  void (*const changes[])(Elf&) = {[](Elf& elf) { elf.header.e_ident[EI_CLASS] = ELFCLASS32; },
                                   [](Elf& elf) { elf.header.e_ident[EI_DATA] = ELFDATA2MSB; },
                                   [](Elf& elf) { elf.header.e_shentsize = 40; }};
  for (const auto change : changes) EXPECT_EQ(functions_after(change), Functions{});
}

TEST(Cubin, WhatPointsOutsideOfTheBytesHasNone) {
  static constexpr auto far = ~std::uint64_t{0};
  void (*const changes[])(Elf&) = {
      [](Elf& elf) { elf.header.e_shoff = far; },
      [](Elf& elf) { elf.header.e_shoff = far - 63; },
      [](Elf& elf) { elf.header.e_shnum = 0xfff0; },
      [](Elf& elf) { elf.header.e_shstrndx = 77; },
      [](Elf& elf) { elf.table[1].sh_offset = far; },
      [](Elf& elf) { elf.table[1].sh_size = far; },
      [](Elf& elf) { elf.table[1].sh_name = ~0U; },
      [](Elf& elf) { elf.table[2].sh_offset = far; },
      [](Elf& elf) { elf.table[2].sh_size = 8; },  // the name does not end
      [](Elf& elf) {
        elf.header.e_shnum = 0;
        elf.table[0].sh_size = far;
      }};
  for (const auto& change : changes) {
    EXPECT_EQ(functions_after(change), Functions{}) << "change " << &change - changes;
  }
}

TEST(Cubin, SectionsThatOverlapAreRefused) {
  // A thousand sections that are each the whole file would be work of its square.
  Elf elf{{".text.f", std::string(1000, 'c')}};
  elf.table.insert(elf.table.end() - 1, 1000, elf.table[1]);
  elf.header.e_shnum = static_cast<Elf64_Half>(elf.table.size());
  elf.header.e_shstrndx = static_cast<Elf64_Half>(elf.table.size() - 1);
  EXPECT_EQ(functions_of(elf.bytes()), Functions{});
}

TEST(Cubin, NoDamageMakesItReadOutside) {
  // Cut anywhere, or with any byte changed: AddressSanitizer sees what it reads.
  const Bytes whole = Elf{{".text.f", "code of f"}, {".text.g", "code of g"}}.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(functions_of(Bytes(whole.begin(), whole.begin() + static_cast<long>(size))),
              Functions{});
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    Bytes damaged = whole;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = std::byte(random() % 256);
    EXPECT_LE(functions_of(damaged).size(), damaged.size());
  }
}

TEST(MachineCode, KnowsTheFunctionsOfEveryModule) {
  MachineCode code;
  EXPECT_EQ(code.hash_of("f"), 0u);
  code.add_module(Elf{{".text.f", "one"}}.bytes());
  code.add_module(Elf{{".text.g", "two"}}.bytes());
  EXPECT_EQ(code.hash_of("f"), fnv("one"));
  EXPECT_EQ(code.hash_of("g"), fnv("two"));
  EXPECT_EQ(code.hash_of("h"), 0u);
}

TEST(MachineCode, OneNameInSeveralModulesHasOneHashWhateverTheirOrder) {
  const auto hash = [](const std::vector<std::string>& codes) {
    MachineCode all;
    for (const auto& code : codes) all.add_module(Elf{{".text.f", code}}.bytes());
    return all.hash_of("f");
  };
  EXPECT_EQ(hash({"a", "b"}), hash({"b", "a"}));
  EXPECT_EQ(hash({"a", "b", "a"}), hash({"b", "a"})) << "a module that is loaded again";
  EXPECT_EQ(hash({"a", "a"}), fnv("a"));
  EXPECT_NE(hash({"a", "b"}), hash({"a", "c"}));
}

}  // namespace
}  // namespace apod::cuda
