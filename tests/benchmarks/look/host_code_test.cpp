#include "benchmarks/look/host_code.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::look {
namespace {

struct Section {
  std::string name;
  std::string content;
  Elf64_Word type = SHT_PROGBITS;
  Elf64_Xword flags = SHF_ALLOC;
  Elf64_Addr address = 0;
};

std::string bytes_of(const auto& record) {
  return {reinterpret_cast<const char*>(&record), sizeof(record)};
}

/// A program of these sections, behind one without a name and before their names.
std::string program(std::vector<Section> sections) {
  sections.insert(sections.begin(),
                  Section{.name = "", .content = "", .type = SHT_NULL, .flags = 0});
  std::string names;
  for (const auto& section : sections) names += section.name + '\0';
  sections.push_back({.name = "", .content = names, .type = SHT_STRTAB, .flags = 0});
  std::string content;
  std::string table;
  std::size_t name = 0;
  for (const auto& section : sections) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(name);
    header.sh_type = section.type;
    header.sh_flags = section.flags;
    header.sh_addr = section.address;
    header.sh_offset = sizeof(Elf64_Ehdr) + content.size();
    header.sh_size = section.content.size();
    table += bytes_of(header);
    if (section.type != SHT_NOBITS) content += section.content;
    if (section.type != SHT_STRTAB) name += section.name.size() + 1;
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shoff = sizeof(header) + content.size();
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  return bytes_of(header) + content + table;
}

HostCode code_of(const std::string& bytes) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/program";
  std::ofstream(path, std::ios::binary) << bytes;
  return host_code_of(path);
}

std::string hash_of(std::vector<Section> more) {
  std::vector<Section> sections{{.name = ".text", .content = "code"},
                                {.name = ".rodata", .content = "constants"}};
  sections.insert(sections.end(), more.begin(), more.end());
  const auto code = code_of(program(sections));
  EXPECT_EQ(code.unknown, "");
  EXPECT_EQ(code.hash.size(), 16U);
  return code.hash;
}

std::string relocation(Elf64_Addr where, Elf64_Sxword addend) {
  Elf64_Rela entry{};
  entry.r_offset = where;
  entry.r_addend = addend;
  return bytes_of(entry);
}

TEST(HostCode, IsWhatIsLoadedAndNeitherNotesNorStampsNorTheGpus) {
  const auto plain = hash_of({});
  EXPECT_EQ(hash_of({{.name = ".comment", .content = "GCC", .flags = 0}}), plain);
  EXPECT_EQ(hash_of({{.name = ".note.gnu.build-id", .content = "1f", .type = SHT_NOTE}}), plain);
  for (const char* name : {".nv_fatbin", ".nvFatBinSegment", "__nv_module_id", ".apod_stamp"}) {
    EXPECT_EQ(hash_of({{.name = name, .content = "x"}}), plain) << name;
  }
  EXPECT_NE(hash_of({{.name = ".data", .content = "x"}}), plain);
  EXPECT_NE(hash_of({{.name = ".data", .content = "x"}}),
            hash_of({{.name = ".data", .content = "y"}}));
  EXPECT_NE(hash_of({{.name = ".bss", .content = "x", .type = SHT_NOBITS}}),
            hash_of({{.name = ".bss", .content = "xx", .type = SHT_NOBITS}}));
}

TEST(HostCode, TakesNoNoticeOfWhereTheGpusCodeLies) {
  const auto with = [](Elf64_Addr where, Elf64_Sxword addend) {
    return hash_of({{.name = ".rela.dyn", .content = relocation(where, addend), .type = SHT_RELA},
                    {.name = ".data", .content = "12345678", .address = 0x1000},
                    {.name = ".nvFatBinSegment", .content = "12345678", .address = 0x2000}});
  };
  EXPECT_EQ(with(0x2000, 1), with(0x2000, 2));
  EXPECT_NE(with(0x1000, 1), with(0x1000, 2));
}

TEST(HostCode, TakesNoNoticeOfTheFolderInTheNamesOfKernels) {
  const auto with = [](const std::string& name) {
    return hash_of({{.name = ".data", .content = name}});
  };
  EXPECT_EQ(with("_ZN32_GLOBAL__N__7fd03b74_4_k_cu_main1kEPf"),
            with("_ZN32_GLOBAL__N__39b58715_4_k_cu_main1kEPf"));
  EXPECT_NE(with("_ZN32_GLOBAL__N__7fd03b74_4_k_cu_main1kEPf"),
            with("_ZN32_GLOBAL__N__7fd03b74_4_k_cu_main1mEPf"));
  EXPECT_EQ(with("_GLOBAL__N__7f"), with("_GLOBAL__N__39")) << "cut off";
}

TEST(HostCode, OfWhatIsNoProgramIsNotKnown) {
  EXPECT_EQ(code_of("#!/bin/sh\n").unknown, "it is a script");
  for (const char* text : {"schema: 1\n", "\x7f",
                           "\x7f"
                           "ELF and so on"}) {
    EXPECT_EQ(code_of(text).unknown, "it is not a 64-bit ELF program") << text;
  }
  const auto whole = program({{.name = ".text", .content = "code"}});
  for (std::size_t size = 7; size < whole.size(); ++size) {
    EXPECT_EQ(code_of(whole.substr(0, size)).unknown, "it is cut off") << size;
  }
  EXPECT_NE(host_code_of("/nowhere/at/all").unknown, "");
}

TEST(HostCode, OfThisProgramIsKnown) {
  EXPECT_EQ(host_code_of("/proc/self/exe").hash.size(), 16U);
}

}  // namespace
}  // namespace apod::look
