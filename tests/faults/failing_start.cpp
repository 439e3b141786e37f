// A system that has no process left: FAILING_START=2 lets the second start of a program fail, in
// each process that starts some. Only if a test asks for it.

#include <dlfcn.h>
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

extern "C" int clone(int (*start)(void*), void* stack, int flags, void* argument, ...) noexcept {
  static std::atomic<int> starts = 0;
  const char* failing = std::getenv("FAILING_START");
  if (failing != nullptr && ++starts == std::atoi(failing)) {
    errno = EAGAIN;
    return -1;
  }
  static auto* const next = reinterpret_cast<decltype(&clone)>(::dlsym(RTLD_NEXT, "clone"));
  return next(start, stack, flags, argument);
}
