#include "benchmarks/os/input_file.hpp"

#include <filesystem>
#include <fstream>

namespace apod::os {

std::string input_problem(const std::string& path, const std::string& what) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return "there is no such file";
  if (fs::is_directory(status)) return "is a folder, not " + what;
  if (!fs::is_regular_file(status)) return "is no ordinary file";
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return "can't be read (permission denied?)";
  if (stream.peek() == std::ifstream::traits_type::eof()) return "is empty";
  return "";
}

}  // namespace apod::os
