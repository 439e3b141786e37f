#pragma once

/// \file
/// Theoretical peaks, from the device's own figures and a table of architectures. Plain C++, so
/// that it is tested without a GPU.

#include <array>

namespace apod::cuda {

/// FMA units of one multiprocessor; 0: unknown.
struct CoresPerMultiprocessor {
  int fp32 = 0;
  int fp64 = 0;
};

/// Source: CUDA C++ Programming Guide, "Arithmetic Instructions", table "Throughput of Native
/// Arithmetic Instructions" (results per clock cycle per multiprocessor of 32- and 64-bit
/// floating-point multiply-add), where 7.2 is like 7.0. A capability that is not in the table gives
/// zeros.
constexpr CoresPerMultiprocessor cores_per_multiprocessor(int major, int minor) {
  struct Row {
    int capability;
    CoresPerMultiprocessor cores;
  };
  constexpr std::array<Row, 14> kTable{{{60, {64, 32}},
                                        {61, {128, 4}},
                                        {62, {128, 4}},
                                        {70, {64, 32}},
                                        {72, {64, 32}},
                                        {75, {64, 2}},
                                        {80, {64, 32}},
                                        {86, {128, 2}},
                                        {87, {128, 2}},
                                        {89, {128, 2}},
                                        {90, {128, 64}},
                                        {100, {128, 64}},
                                        {120, {128, 2}},
                                        {121, {128, 2}}}};
  for (const auto& row : kTable) {
    if (row.capability == major * 10 + minor) return row.cores;
  }
  return {};
}

/// FLOP/s of `cores` FMA units in each of `multiprocessors`, at `mhz`; an FMA counts as two.
constexpr double peak_flops(int cores, int multiprocessors, double mhz) {
  return 2.0 * cores * multiprocessors * mhz * 1e6;
}

/// Bytes/s of memory with a double data rate: 2 * clock * bus width / 8.
constexpr double peak_memory_bytes_per_s(double clock_khz, double bus_bits) {
  return 2.0 * clock_khz * 1e3 * bus_bits / 8.0;
}

/// Bytes/s one way of a PCI Express link, after the line code but before packet headers: 2.5 and 5
/// GT/s with 8b/10b, 8 to 32 GT/s with 128b/130b, 64 GT/s with 236 bytes of data in a 256-byte FLIT
/// (PCI Express Base Specification 6.0). 0 for an unknown generation.
constexpr double peak_pcie_bytes_per_s(unsigned generation, unsigned lanes) {
  constexpr std::array<double, 7> kLane{0,
                                        2.5e9 / 8 * 8 / 10,
                                        5e9 / 8 * 8 / 10,
                                        8e9 / 8 * 128 / 130,
                                        16e9 / 8 * 128 / 130,
                                        32e9 / 8 * 128 / 130,
                                        64e9 / 8 * 236 / 256};
  return generation < kLane.size() ? kLane[generation] * lanes : 0;
}

}  // namespace apod::cuda
