#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <memory_resource>

namespace apod::files {

/// Records by the index of their case, in its order, while a file is read. They have their own
/// memory, because otherwise they would leave holes between the kept data of very many cases.
template <class Record>
class ByCase {
 public:
  /// Mostly that of the row before again, or the next.
  Record& operator[](std::size_t index) {
    if (last_ != records_.end() && last_->first == index) return last_->second;
    const auto hint = last_ == records_.end() ? last_ : std::next(last_);
    last_ = records_.try_emplace(hint, index);
    return last_->second;
  }
  bool contains(std::size_t index) const { return records_.contains(index); }
  /// Null: there is none.
  Record* find(std::size_t index) {
    const auto found = records_.find(index);
    return found == records_.end() ? nullptr : &found->second;
  }
  std::size_t size() const { return records_.size(); }
  auto begin() { return records_.begin(); }
  auto begin() const { return records_.begin(); }
  auto end() { return records_.end(); }
  auto end() const { return records_.end(); }
  void clear() {
    records_.clear();
    last_ = records_.end();
    memory_.release();
  }

 private:
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::map<std::size_t, Record> records_{&memory_};
  typename std::pmr::map<std::size_t, Record>::iterator last_ = records_.end();
};

}  // namespace apod::files
