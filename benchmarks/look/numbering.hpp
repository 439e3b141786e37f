#pragma once

/// \file
/// Ids that are unique within a process, made unique within a recording. Internal to look/.

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace apod::look {

/// The first process keeps its correlation ids as long as no other one comes along with the same.
class CorrelationNumbers {
 public:
  /// 0, which means unknown, stays 0.
  std::uint32_t number(std::int64_t process, std::uint32_t id) {
    if (id == 0) return 0;
    const auto [group, is_new] = processes_.try_emplace(process, processes_.size());
    if (group->second == 0) {
      // Numbers of the others come from above and those of the first from below.
      return id;
    }
    const auto key = static_cast<std::uint64_t>(group->second) << 32U | id;
    const auto [entry, unseen] = others_.try_emplace(key, next_);
    if (unseen) --next_;
    return entry->second;
  }

 private:
  std::map<std::int64_t, std::size_t> processes_;
  std::unordered_map<std::uint64_t, std::uint32_t> others_;
  std::uint32_t next_ = 0xFFFFFFFF;
};

/// A stream is one of a context of a process. It keeps its number unless another one has it: then
/// it gets 1007 for 7, or 2007, or the least that is free. Threads of processes are numbered in the
/// same way.
class StreamNumbers {
 public:
  std::uint32_t number(std::int64_t process, std::int64_t context, std::uint32_t stream) {
    const auto key = std::tuple(process, context, stream);
    if (key == last_key_ && last_number_ != 0) return last_number_;
    auto found = numbers_.find(key);
    if (found == numbers_.end()) {
      std::uint32_t free = stream;
      for (std::uint32_t k = 1; !taken_.insert(free).second; ++k)
        free = k < 64 ? stream + 1000 * k : next_++;
      found = numbers_.emplace(key, free).first;
    }
    last_key_ = key;
    last_number_ = found->second;
    return last_number_;
  }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::uint32_t>;
  std::map<Key, std::uint32_t> numbers_;
  std::unordered_set<std::uint32_t> taken_;
  std::uint32_t next_ = 1;  ///< all below are taken, but for the default stream's 0
  Key last_key_{};
  std::uint32_t last_number_ = 0;
};

}  // namespace apod::look
