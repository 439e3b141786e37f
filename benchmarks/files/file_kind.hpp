#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace apod::files {

struct Format;

/// The kind of a file, by its content.
enum class FileKind : std::uint8_t {
  apod,     ///< a result of ours
  foreign,  ///< of another program
  comparison,
  history,
  calibration,
  ceilings,
  recording,  ///< by bench inspect, nsys or PyTorch's profiler
};

struct KnownFile {
  FileKind kind = FileKind::apod;
  const Format* format = nullptr;  ///< of another program
  std::optional<double> instant;   ///< of its date, s since 1970; absent if it has none
};

/// Reads only as much of the file as needed. Throws std::runtime_error with the possible kinds if
/// it is none of these; also if it is not a regular file, is empty or has more than 4 GiB.
KnownFile recognise(const std::string& file);

/// Throws std::runtime_error if it is not a regular file, is empty or has more than 4 GiB.
void check_file(const std::string& file);

constexpr std::uintmax_t largest_file = std::uintmax_t{4} << 30;  ///< bytes

/// "bench X.yaml --out FILE.json makes a result", in brackets.
extern const char* const makes_one;
/// The way for a file that no known tool made.
extern const char* const describe_it;

}  // namespace apod::files
