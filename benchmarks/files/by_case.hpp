#pragma once

#include <cstddef>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/base/plan.hpp"

namespace apod::files {

/// Records by the index of their case, in its order, while a file is read. They have their own
/// memory, because otherwise they would leave holes between the kept data of very many cases.
template <class Record>
class ByCase {
 public:
  ByCase() = default;
  ByCase(const ByCase&) = delete;
  ByCase& operator=(const ByCase&) = delete;
  ~ByCase() { clear(); }

  /// The record of the case, new if there is none. Throws std::runtime_error for an index that no
  /// case can have.
  Record& operator[](std::size_t index) {
    if (index >= most_cases) {
      throw std::runtime_error("case " + std::to_string(index) + ": the limit is " +
                               std::to_string(most_cases) + " cases");
    }
    if (index >= records_.size()) records_.resize(index + 1);
    auto& record = records_[index];
    if (record == nullptr) {
      record = std::pmr::polymorphic_allocator<>(&memory_).new_object<Record>();
      ++size_;
    }
    return *record;
  }
  /// Null: there is none.
  Record* find(std::size_t index) const {
    return index < records_.size() ? records_[index] : nullptr;
  }
  bool contains(std::size_t index) const { return find(index) != nullptr; }
  std::size_t size() const { return size_; }
  /// Calls `take(index, record)` for each.
  template <class Take>
  void for_each(const Take& take) const {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (records_[i] != nullptr) take(i, *records_[i]);
    }
  }
  void clear() {
    for (auto* record : records_) {
      if (record != nullptr) std::destroy_at(record);
    }
    records_ = {};
    size_ = 0;
    memory_.release();
  }

 private:
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<Record*> records_;  ///< by index; null: none
  std::size_t size_ = 0;
};

}  // namespace apod::files
