#include "kernels/api/captured_launch.hpp"

#include <algorithm>
#include <stdexcept>

namespace apod::capture {
namespace {

// CUDA C++ Programming Guide, "Function Parameters" and "Technical Specifications per Compute
// Capability".
constexpr std::uint64_t most_parameter_bytes = 32764;
constexpr std::uint64_t most_threads = 1024;
constexpr std::uint32_t most_shared = 228 * 1024;
constexpr std::uint32_t most_cluster = 16;
constexpr std::size_t most_entries = 4096;
/// Addresses of user space on 64-bit Linux have 47 bits (57 with five levels of pages).
constexpr std::uint64_t most_address = std::uint64_t{1} << 57;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

std::uint64_t rounded(std::uint64_t bytes) {
  return (bytes + page - 1) / page * page;
}

std::string at(const char* list, std::size_t i, const std::string& what) {
  return std::string(list) + ": [" + std::to_string(i) + "]: " + what;
}

std::string fault_of_dims(const CapturedLaunch& launch) {
  std::uint64_t threads = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint32_t most = i == 0 ? 0x7fffffff : 65535;
    if (launch.grid[i] < 1 || launch.grid[i] > most) return "grid: not a valid number of blocks";
    if (launch.block[i] < 1 || launch.block[i] > most_threads) return "block: not a valid size";
    threads *= launch.block[i];
    if (launch.cluster[i] > most_cluster) return "cluster: not a valid size";
    const bool none = launch.cluster[0] == 0;
    if (none != (launch.cluster[i] == 0)) return "cluster: not a valid size";
    if (!none && launch.grid[i] % launch.cluster[i] != 0)
      return "cluster: the grid is not a multiple of the cluster";
  }
  if (threads > most_threads) return "block: more than 1024 threads";
  if (launch.shared_bytes > most_shared) return "shared_bytes: more than 228 KiB";
  if (launch.carveout < -1 || launch.carveout > 100) return "carveout: not a percentage";
  return "";
}

std::string fault_of_windows(const CapturedLaunch& launch) {
  std::uint64_t free_from = page;  // nothing is mapped at 0
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < launch.windows.size(); ++i) {
    const auto& window = launch.windows[i];
    if (window.bytes == 0 || window.bytes > most_bytes)
      return at("windows", i, "bytes: not a size");
    if (window.address < free_from)
      return at("windows", i, "address: the window begins below or within the previous window");
    if (window.address > most_address - window.bytes) return at("windows", i, "address: too large");
    free_from = window.address + window.bytes;
    all += rounded(window.bytes);
    if (all > most_bytes) return at("windows", i, "the windows together have more than 1 TiB");
  }
  for (std::size_t i = 0; i < launch.variables.size(); ++i) {
    const auto& variable = launch.variables[i];
    if (variable.bytes == 0 || variable.bytes > most_bytes) {
      return at("variables", i, "bytes: not a size");
    }
    all += rounded(variable.bytes);
    if (all > most_bytes) return at("variables", i, "more than 1 TiB");
  }
  return "";
}

}  // namespace

std::vector<Stretch> stretches(const CapturedLaunch& launch) {
  std::vector<Stretch> all;
  std::uint64_t from = 0;
  const auto add = [&](std::uint64_t bytes) {
    all.push_back({from, bytes});
    from += rounded(bytes);
  };
  for (const auto& window : launch.windows) add(window.bytes);
  for (const auto& variable : launch.variables) add(variable.bytes);
  return all;
}

std::uint64_t state_bytes(const CapturedLaunch& launch) {
  const auto all = stretches(launch);
  return all.empty() ? 0 : all.back().at + rounded(all.back().bytes);
}

std::string fault_of(const CapturedLaunch& launch) {
  if (launch.schema != 1) return "schema: " + std::to_string(launch.schema) + ", but bench reads 1";
  if (launch.kernel.empty() || launch.kernel.size() > 65536) return "kernel: not a name";
  const auto odd = [](char c) { return static_cast<unsigned char>(c) < 33 || c == 127; };
  if (std::any_of(launch.kernel.begin(), launch.kernel.end(), odd)) return "kernel: not a name";
  for (const auto size :
       {launch.parameters.size(), launch.windows.size(), launch.variables.size()}) {
    if (size > most_entries) return "more than 4096 parameters, windows or variables";
  }
  if (auto fault = fault_of_dims(launch); !fault.empty()) return fault;
  std::uint64_t free_from = 0;
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const auto& parameter = launch.parameters[i];
    if (parameter.offset < free_from || parameter.bytes > most_parameter_bytes ||
        parameter.offset > most_parameter_bytes - parameter.bytes) {
      return at("parameters", i, "offset: out of range or out of order");
    }
    free_from = parameter.offset + parameter.bytes;
    try {
      (void)bytes_of(parameter);
    } catch (const std::runtime_error& error) {
      return at("parameters", i, error.what());
    }
  }
  return fault_of_windows(launch);
}

std::vector<std::byte> bytes_of(const Parameter& parameter) {
  const auto digit = [](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    throw std::runtime_error("value: not hexadecimal digits");
  };
  if (parameter.value.size() != 2 * parameter.bytes) {
    throw std::runtime_error("value: must have two hexadecimal digits per byte");
  }
  std::vector<std::byte> bytes(parameter.bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(16 * digit(parameter.value[2 * i]) +
                                      digit(parameter.value[2 * i + 1]));
  }
  return bytes;
}

std::string hexadecimal(const void* bytes, std::size_t count) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<const unsigned char*>(bytes)[i];
    text += digits[value / 16];
    text += digits[value % 16];
  }
  return text;
}

}  // namespace apod::capture
