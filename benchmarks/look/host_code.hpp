#pragma once

#include <string>

namespace apod::look {

/// What the processor runs and reads of a program.
struct HostCode {
  std::string hash;     ///< 16 hexadecimal digits; empty where it is not known
  std::string unknown;  ///< why it is not
};

/// The hash (FNV-1a, 64 bit) of a program's code and constants: the sections of an ELF file that
/// are loaded, without notes such as the build id, without the GPU's code, whose kernels are
/// compared by themselves, and without build_stamp_section. `program` is a path, or a name on the
/// PATH. Stripped programs have it too; scripts have none. Throws nothing.
HostCode host_code_of(const std::string& program);

/// The section with what differs between two builds of the same sources (build_info.cpp.in).
constexpr const char* build_stamp_section = ".apod_stamp";

}  // namespace apod::look
