#include "benchmarks/run/launch_threads.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "benchmarks/look/trace/ranges.hpp"
#include "kernels/api/backend.hpp"

namespace apod::run {

LaunchThreads::LaunchThreads(std::size_t count, const std::function<void()>& enter)
    : errors_(count) {
  threads_.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, i] { serve(i); });
    }
    run([&](std::size_t number) {
      trace::name_thread("launcher " + std::to_string(number));
      enter();
    });
  } catch (const std::system_error& error) {
    end();
    throw BackendError(BackendError::Code::other,
                       std::string("threads: the host can't start more: ") + error.what());
  } catch (...) {
    end();
    throw;
  }
}

LaunchThreads::~LaunchThreads() {
  end();
}

void LaunchThreads::end() {
  work_ = nullptr;
  ++round_;
  round_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void LaunchThreads::serve(std::size_t number) {
  for (int round = 0;; ++round) {
    round_.wait(round);
    if (work_ == nullptr) return;
    try {
      (*work_)(number);
    } catch (...) {
      errors_[number] = std::current_exception();
    }
    if (--working_ == 0) working_.notify_one();
  }
}

void LaunchThreads::run(const std::function<void(std::size_t)>& work) {
  work_ = &work;
  working_ = static_cast<int>(threads_.size());
  ++round_;
  round_.notify_all();
  for (int left = working_; left > 0; left = working_) working_.wait(left);
  std::exception_ptr first;
  for (auto& error : errors_) {
    const auto thrown = std::exchange(error, nullptr);
    if (!first) first = thrown;
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace apod::run
