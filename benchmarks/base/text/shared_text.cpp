#include "benchmarks/base/text/shared_text.hpp"

#include <mutex>
#include <shared_mutex>
#include <unordered_set>

namespace apod::text {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

struct Pool {
  std::shared_mutex mutex;
  std::unordered_set<std::string, Hash, std::equal_to<>> texts;  // whose elements never move
};

/// Never destroyed, so that texts outlive whatever has them.
Pool& pool() {
  static auto* const all = new Pool;
  return *all;
}

}  // namespace

SharedText::SharedText(std::string_view text) {
  static const std::string nothing;
  if (text.empty()) {
    text_ = &nothing;
    return;
  }
  auto& all = pool();
  {
    const std::shared_lock reading(all.mutex);
    const auto found = all.texts.find(text);
    if (found != all.texts.end()) {
      text_ = &*found;
      return;
    }
  }
  const std::unique_lock writing(all.mutex);
  text_ = &*all.texts.emplace(text).first;
}

}  // namespace apod::text
