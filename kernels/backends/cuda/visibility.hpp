#pragma once

/// \file
/// The identity of a device, and which devices CUDA_VISIBLE_DEVICES leaves, in which order. Plain
/// C++, so that it is tested without a GPU.

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace apod::cuda {

/// Whether a device of this name is a MIG instance: "NVIDIA H200 MIG 1g.18gb".
inline bool is_instance(std::string_view name) {
  return name.find(" MIG ") != std::string_view::npos;
}

/// The 16 bytes in hexadecimal, grouped 4-2-2-2-6 as NVML writes them, after "GPU-", or "MIG-" for
/// an instance.
inline std::string uuid_text(const std::array<unsigned char, 16>& bytes, bool instance) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = instance ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

/// The meaning of one entry of the list.
struct VisibleDevice {
  int index = -1;        ///< position among all devices; -1 for a MIG instance
  std::string mig_uuid;  ///< "MIG-...": an instance, to be looked up by its name
};

/// The devices that `list` (the variable's value) leaves, numbered as the CUDA runtime will number
/// them. Entries are indices or UUIDs, for which a unique beginning is enough; as in the CUDA
/// runtime, the first entry that names no device ends the list, and a device named twice empties
/// it.
inline std::vector<VisibleDevice> visible_devices(std::string_view list,
                                                  const std::vector<std::string>& uuids) {
  const auto lookup = [&](std::string_view entry) {
    int found = -1;
    if (entry.starts_with("GPU-")) {
      for (std::size_t i = 0; i < uuids.size(); ++i) {
        if (!std::string_view(uuids[i]).starts_with(entry)) continue;
        if (found >= 0) return -1;  // ambiguous
        found = static_cast<int>(i);
      }
      return found;
    }
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), found);
    const bool whole = error == std::errc{} && end == entry.data() + entry.size();
    return whole && found >= 0 && found < static_cast<int>(uuids.size()) ? found : -1;
  };

  std::vector<VisibleDevice> devices;
  while (!list.empty()) {
    const auto comma = list.find(',');
    auto entry = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    while (entry.ends_with(' ')) entry.remove_suffix(1);

    VisibleDevice device;
    if (entry.starts_with("MIG-")) {
      device.mig_uuid = entry;
    } else {
      device.index = lookup(entry);
      if (device.index < 0) break;
    }
    for (const auto& other : devices) {
      if (other.index == device.index && other.mig_uuid == device.mig_uuid) return {};
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace apod::cuda
