#pragma once

/// \file
/// The sizes of messages that NCCL passes with its NVTX ranges: as a payload, by a schema that it
/// registers. Plain C++: no toolkit. The layouts are those of nvToolsExtPayload.h and
/// nvtxExtTypes.h (NVTX 3). NCCL 2.18 to 2.30 use the same part of them.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "kernels/api/activity.hpp"

namespace apod::cuda {

struct NvtxPayload {
  std::uint64_t schema;
  std::size_t size;
  const void* data;
};
struct NvtxSchemaEntry {
  std::uint64_t flags, type;
  const char *name, *description;
  std::uint64_t array, offset;
  const void *semantics, *reserved;
};
struct NvtxSchema {
  std::uint64_t fields;  ///< a bit for each member that is set
  const char* name;
  std::uint64_t type, flags;
  const NvtxSchemaEntry* entries;
  std::size_t count, static_size, alignment;
  std::uint64_t id;
};
/// A module of an extension, with a slot for each of its functions.
struct NvtxModule {
  struct Segment {
    std::size_t id, slots;
    std::intptr_t* functions;
  };
  std::uint16_t version, size, id, compatibility;
  std::size_t segments;
  const Segment* first;
};

/// May be called from several threads.
class MessageSizes {
 public:
  /// Puts `register_schema` into the slot of a payload module; false for any other.
  static bool attach(const NvtxModule& module,
                     std::uint64_t (*register_schema)(const void* domain, const NvtxSchema*)) {
    if (module.id != 2 || module.compatibility >> 8U != 1 || module.size < sizeof module)
      return false;
    if (module.segments == 0 || module.first == nullptr || module.first->slots == 0) return false;
    module.first->functions[0] = reinterpret_cast<std::intptr_t>(register_schema);
    return true;
  }

  /// The schema's id, and whether its payloads tell a size: a whole number whose name has "bytes".
  std::pair<std::uint64_t, bool> add(const void* domain, const NvtxSchema& schema) {
    constexpr std::uint64_t needed = 1U << 4U | 1U << 5U;  // the entries and their number
    constexpr std::uint64_t has_id = 1U << 8U;
    const std::lock_guard lock(mutex_);
    const auto id = (schema.fields & has_id) != 0 ? schema.id : next_id_++;
    Places places;
    if ((schema.fields & needed) == needed && schema.entries != nullptr) {
      for (std::size_t i = 0; i < std::min(schema.count, most_entries); ++i) {
        const auto& entry = schema.entries[i];
        // Later entries without an offset follow each other as a compiler aligns them.
        if (!is_whole_number(entry) || (i > 0 && entry.offset == 0)) continue;
        if (names(entry, "bytes")) places.bytes = std::min(places.bytes, entry.offset);
        if (names(entry, "communicator"))
          places.communicator = std::min(places.communicator, entry.offset);
      }
    }
    const bool tells = places.bytes != nowhere;
    if (tells) places_[{domain, id}] = places;
    return {id, tells};
  }

  /// A range that begins with payloads, by the clock of the ranges.
  void begin(const void* domain, std::uint64_t thread, std::string name, std::int64_t now_ns,
             const NvtxPayload* payloads, std::size_t count) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; payloads != nullptr && i < std::min(count, most_entries); ++i) {
      const auto found = places_.find({domain, payloads[i].schema});
      if (found == places_.end()) continue;
      auto& waiting = waiting_[thread];
      if (waiting.size() == most_waiting) waiting.pop_front();
      waiting.push_back({std::move(name), now_ns, read(payloads[i], found->second.bytes),
                         read(payloads[i], found->second.communicator)});
      return;
    }
  }

  /// Gives a range its message: the one of its thread and name that began with it. The two times
  /// are taken within one call of NVTX.
  void complete(NvtxRange& range) {
    constexpr std::int64_t most_apart_ns = 100'000;
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(range.thread);
    if (found == waiting_.end() || range.domain.empty()) return;
    auto& waiting = found->second;
    const auto apart = [&](const Message& one) { return std::abs(one.start_ns - range.start_ns); };
    // The range of a message in front may not have been recorded.
    while (waiting.size() > 1 && apart(waiting[1]) < apart(waiting[0])) waiting.pop_front();
    if (waiting.empty() || apart(waiting[0]) > most_apart_ns || waiting[0].name != range.name)
      return;
    range.bytes = waiting[0].bytes;
    range.communicator = waiting[0].communicator;
    waiting.pop_front();
  }

 private:
  static constexpr auto nowhere = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t most_entries = 64;
  static constexpr std::size_t most_waiting = 65'536;

  struct Places {
    std::uint64_t bytes = nowhere, communicator = nowhere;
  };
  struct Message {
    std::string name;
    std::int64_t start_ns;
    std::uint64_t bytes, communicator;
  };

  /// Of 64 bits, in the payload itself: no array, no pointer. The types: long, long long, int64,
  /// size_t.
  static bool is_whole_number(const NvtxSchemaEntry& entry) {
    constexpr std::uint64_t apart = 3U << 1U | 7U << 4U;
    constexpr std::array<std::uint64_t, 7> types{7, 8, 9, 10, 17, 18, 22};
    return (entry.flags & apart) == 0 && std::ranges::find(types, entry.type) != types.end();
  }
  static bool names(const NvtxSchemaEntry& entry, std::string_view word) {
    const std::string_view name = entry.name == nullptr ? "" : entry.name;
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    };
    return !std::ranges::search(name, word, same).empty();
  }
  static std::uint64_t read(const NvtxPayload& payload, std::uint64_t offset) {
    std::uint64_t value = 0;
    constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
    if (payload.data == nullptr || payload.size == unknown || payload.size < sizeof value) return 0;
    if (offset > payload.size - sizeof value) return 0;
    std::memcpy(&value, static_cast<const char*>(payload.data) + offset, sizeof value);
    return value;
  }

  std::mutex mutex_;
  std::map<std::pair<const void*, std::uint64_t>, Places> places_;  ///< by domain and id
  std::unordered_map<std::uint64_t, std::deque<Message>> waiting_;  ///< by thread
  std::uint64_t next_id_ = std::uint64_t{1} << 32U;
};

}  // namespace apod::cuda
