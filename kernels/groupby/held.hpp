#pragma once

/// \file
/// The rows of one key that a thread holds back. For .cu files only.

namespace apod::groupby {

/// Rows of a frequent key are added in the thread's registers, so that not all threads wait for
/// that key's cell: a key that comes twice in a row is held until another one does. Rows of other
/// keys go straight to the table.
///
/// With many keys no lane of a warp sees one again. If that is known, a single row is `put` sooner,
/// which pays if `put` is short (`vote`).
template <class T, bool vote>
class Held {
 public:
  /// put(key, count, sum) adds to the table.
  template <class Put>
  __device__ void add(int key, float value, const Put& put) {
    if (key == key_) {
      ++count_;
      sum_ += value;
      return;
    }
    const bool again = key == last_;
    last_ = key;
    if constexpr (vote) {
      // Whichever lanes happen to vote together, the sums are the same.
      if (!__any_sync(__activemask(), again)) {
        put(key, 1U, static_cast<T>(value));
        return;
      }
    }
    int put_key = key;
    unsigned put_count = 1;
    T put_sum = value;
    if (again) {
      swap(put_key, key_);
      swap(put_count, count_);
      swap(put_sum, sum_);
    }
    put(put_key, put_count, put_sum);
  }

  template <class Put>
  __device__ void put_rest(const Put& put) const {
    if (count_ > 0) put(key_, count_, sum_);
  }

 private:
  template <class U>
  __device__ static void swap(U& a, U& b) {
    const U c = a;
    a = b;
    b = c;
  }

  int key_ = 0;    ///< of the held rows; at first none of key 0, which `add` may put
  int last_ = -1;  ///< the last other key
  unsigned count_ = 0;
  T sum_ = 0;
};

}  // namespace apod::groupby
