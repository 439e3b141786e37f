#include "kernels/api/registry.hpp"

#include <cstring>
#include <stdexcept>

namespace apod {

void Problem::gather(const Chunk& chunk, std::byte* to) const {
  if (chunk.input_bytes == 0) return;
  std::memcpy(to, input().data() + chunk.input_offset, chunk.input_bytes);
}

std::vector<std::byte> Problem::combine(std::span<const std::byte>) const {
  throw std::logic_error("this problem has one pass: there is nothing to combine");
}

Registry& Registry::instance() {
  static Registry registry;
  return registry;
}

void Registry::add(std::unique_ptr<Family> family) {
  std::string name(family->name());
  families_[std::move(name)] = std::move(family);
}

void Registry::add(VariantEntry entry) {
  auto& slot = variants_[{entry.family, entry.name}];
  const auto says_something = [](const VariantEntry& e) { return e.make || e.missing; };
  if (slot.make && !entry.make) return;
  if (says_something(slot) && !says_something(entry)) return;
  slot = std::move(entry);
}

void Registry::add(BackendEntry entry) {
  backends_[entry.kind] = std::move(entry);
}

const Family* Registry::family(std::string_view name) const {
  const auto found = families_.find(name);
  return found == families_.end() ? nullptr : found->second.get();
}

const VariantEntry* Registry::variant(std::string_view family, std::string_view name) const {
  const auto found = variants_.find({std::string(family), std::string(name)});
  return found == variants_.end() ? nullptr : &found->second;
}

const BackendEntry* Registry::backend(BackendKind kind) const {
  const auto found = backends_.find(kind);
  return found == backends_.end() ? nullptr : &found->second;
}

std::vector<const Family*> Registry::families() const {
  std::vector<const Family*> all;
  for (const auto& [name, family] : families_) all.push_back(family.get());
  return all;
}

std::vector<const VariantEntry*> Registry::variants(std::string_view family) const {
  std::vector<const VariantEntry*> all;
  for (const auto& [key, entry] : variants_) {
    if (key.first == family) all.push_back(&entry);
  }
  return all;
}

std::vector<const VariantEntry*> Registry::strays() const {
  std::vector<const VariantEntry*> all;
  for (const auto& [key, entry] : variants_) {
    if (family(key.first) == nullptr) all.push_back(&entry);
  }
  return all;
}

}  // namespace apod
