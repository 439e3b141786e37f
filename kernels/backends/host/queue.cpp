#include "kernels/backends/host/queue.hpp"

#include <pthread.h>

#include <system_error>
#include <utility>

#include "kernels/backends/host/stream.hpp"

namespace apod::host {

Queue::Queue(std::string_view name, std::uint32_t number, std::shared_ptr<Recorder> recorder)
    : number_(number), recorder_(std::move(recorder)) {
  try {
    thread_ = std::thread([this] { work_off(); });
  } catch (const std::system_error& error) {
    throw BackendError(BackendError::Code::other,
                       std::string("a host stream needs a thread: ") + error.what());
  }
  if (!name.empty())
    pthread_setname_np(thread_.native_handle(), std::string(name.substr(0, 15)).c_str());
}

Queue::~Queue() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  filled_.notify_one();
  thread_.join();
}

void Queue::push(Item item) {
  {
    const std::lock_guard lock(mutex_);
    if (capture_) {
      capture_->items.push_back(std::move(item));
      return;
    }
    items_.push_back(std::move(item));
    ++pushed_;
  }
  filled_.notify_one();
}

void Queue::synchronize() {
  std::unique_lock lock(mutex_);
  if (capture_) {
    capture_->spoiled = true;
    throw BackendError(BackendError::Code::unsupported,
                       "a captured host stream can't be waited for");
  }
  const auto target = pushed_;
  ++waiters_;
  advanced_.wait(lock, [&] { return done_ >= target; });
  --waiters_;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

bool Queue::capturing() const {
  const std::lock_guard lock(mutex_);
  return capture_.has_value();
}

void Queue::begin_capture() {
  const std::lock_guard lock(mutex_);
  if (capture_) {
    throw BackendError(BackendError::Code::unsupported,
                       "this host stream is being captured already");
  }
  capture_ = Capture{};
}

std::optional<std::vector<Item>> Queue::end_capture() {
  const std::lock_guard lock(mutex_);
  auto capture = std::exchange(capture_, std::nullopt);
  if (!capture || capture->spoiled) return std::nullopt;
  return std::move(capture->items);
}

void Queue::run(const Item& item) const {
  if (!item.label || !recorder_->on()) {
    item.work();
    return;
  }
  auto activity = *item.label;
  activity.stream = number_;
  activity.start_ns = now_ns();
  item.work();
  activity.end_ns = now_ns();
  recorder_->add(std::move(activity));
}

void Queue::work_off() {
  std::unique_lock lock(mutex_);
  for (;;) {
    filled_.wait(lock, [&] { return closing_ || !items_.empty(); });
    if (items_.empty()) return;
    auto item = std::move(items_.front());
    items_.pop_front();
    const bool dropped = error_ != nullptr;
    lock.unlock();
    std::exception_ptr error;
    if (!dropped) {
      try {
        run(item);
      } catch (...) {
        error = std::current_exception();
      }
    }
    item = {};  // what the work owned goes before a waiter is told that it is done
    lock.lock();
    if (error) error_ = error;
    ++done_;
    if (waiters_ > 0) advanced_.notify_all();
  }
}

void enqueue(Stream& stream, std::function<void()> work, std::string name) {
  Activity label;
  label.kind = Activity::Kind::kernel;
  label.name = std::move(name);
  queue(stream).push({std::move(work), std::move(label)});
}

}  // namespace apod::host
