#pragma once

/// \file
/// A launch that was taken out of a running program: what was launched, with which arguments, and
/// which memory it saw. A folder keeps it: manifest.json holds a CapturedLaunch, code.cubin the
/// machine code, before.bin the memory before the launch, and changes.bin what the launch changed:
/// each byte before XOR the same byte after, so that it is zero, and on most file systems a hole,
/// wherever nothing was changed.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/api/types.hpp"

namespace apod::capture {

inline constexpr const char* manifest_file = "manifest.json";
inline constexpr const char* cubin_file = "code.cubin";
inline constexpr const char* ptx_file = "code.ptx";
inline constexpr const char* before_file = "before.bin";
inline constexpr const char* changes_file = "changes.bin";

/// Where a piece of memory was in the program.
enum class Place : std::uint8_t {
  device,   ///< cudaMalloc and the like
  managed,  ///< cudaMallocManaged; it is put back as device memory
  host,     ///< pinned memory of the host
};

/// One argument of the kernel. Its bytes are in hexadecimal digits, in the order of memory.
struct Parameter {
  std::uint64_t offset = 0;  ///< in the parameter buffer
  std::uint64_t bytes = 0;
  std::string value;  ///< 2 * bytes digits
};

/// A piece of memory that was kept.
struct Window {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  Place place = Place::device;
  std::uint64_t allocation_bytes = 0;  ///< of the allocation that it is a part of
};

/// A __constant__ or __device__ variable of the kernel's module.
struct Variable {
  std::string name;  ///< mangled
  std::uint64_t bytes = 0;
};

/// How long launches of this kernel with this grid, block and shared memory took in the program, s.
struct ProgramTime {
  std::uint64_t launches = 0;
  double median_s = 0;
  double least_s = 0;
  double most_s = 0;
};

struct CapturedLaunch {
  int schema = 1;
  std::string kernel;        ///< mangled
  std::uint64_t launch = 0;  ///< which of those that matched, from 0
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  ///< 0: none
  std::uint32_t shared_bytes = 0;                 ///< dynamic
  bool cooperative = false;
  std::int32_t carveout = -1;  ///< preferred share of shared memory, per cent; -1: not said
  std::vector<Parameter> parameters;
  std::vector<Window> windows;  ///< by address; they don't overlap
  std::vector<Variable> variables;
  bool has_ptx = false;  ///< code.ptx is what the program compiled when it ran
  std::string program;   ///< the command line
  std::string framework;
  std::string driver;
  std::string device;
  std::string compute_capability;  ///< "9.0"
  std::string date;                ///< ISO 8601
  ProgramTime time;
  std::vector<std::string> notes;  ///< what was left out
};

/// A piece of before.bin and changes.bin.
struct Stretch {
  std::uint64_t at = 0;  ///< offset in the files
  std::uint64_t bytes = 0;
};
/// The files' pieces begin at multiples of this.
inline constexpr std::uint64_t page = 4096;

/// Where windows, and then variables, are in the files.
std::vector<Stretch> stretches(const CapturedLaunch& launch);
/// The size of either file.
std::uint64_t state_bytes(const CapturedLaunch& launch);

/// What is wrong with a manifest that may come from anywhere: "windows: [2]: overlaps the one
/// before"; empty if nothing is. A launch without a fault can be laid out without an overflow.
std::string fault_of(const CapturedLaunch& launch);

/// The bytes of an argument. Throws std::runtime_error if they are not hexadecimal digits.
std::vector<std::byte> bytes_of(const Parameter& parameter);
std::string hexadecimal(const void* bytes, std::size_t count);

/// What the library that is loaded into a program shall capture.
struct Wish {
  std::function<bool(const std::string& mangled)> matches;  ///< empty: nothing is captured
  std::string which = "first";                     ///< "first", "each-shape", or a number, from 0
  std::uint64_t max_bytes = 0;                     ///< of memory that is kept of a launch
  std::string folder;                              ///< where a folder is made for each launch
  std::chrono::milliseconds longest_wait{60'000};  ///< for the device, before and after the launch
  std::function<std::string(const CapturedLaunch&)> encode;
};

}  // namespace apod::capture

template <>
struct apod::EnumNames<apod::capture::Place> {
  static constexpr std::array<std::string_view, 3> names{"device", "managed", "host"};
};
