#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/gate.hpp"
#include "kernels/backends/host/stream.hpp"
#include "tests/support/error_code.hpp"

namespace apod {

/// The host backend, opened, with a stream. Shared by the files that test it, one theme each.
class HostBackend : public ::testing::Test {
 protected:
  HostBackend() { host::hold_limit = std::chrono::hours(24); }

  /// Work of this name on the stream, which does nothing.
  void enqueue_nothing(Stream& on, const char* name) {
    host::enqueue(
        on, [] {}, name);
  }

  std::unique_ptr<Backend> backend = Registry::instance().backend(BackendKind::host)->open(0);
  std::unique_ptr<Stream> stream = backend->create_stream("test");
};

}  // namespace apod
