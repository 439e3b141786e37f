#include "benchmarks/show/document.hpp"

#include <iterator>

namespace apod::show {
namespace {

bool is_empty(const Block& block) {
  if (const auto* list = std::get_if<List>(&block)) return list->items.empty();
  if (const auto* entries = std::get_if<Entries>(&block)) return entries->items.empty();
  if (const auto* table = std::get_if<Table>(&block)) return table->rows.empty();
  if (const auto* figure = std::get_if<figure::Figure>(&block)) return figure->empty();
  return false;
}

}  // namespace

void Document::add(Block block) {
  if (!is_empty(block)) blocks.push_back(std::move(block));
}

void Document::append(Document other, int deeper) {
  for (auto& block : other.blocks) {
    if (auto* heading = std::get_if<Heading>(&block)) heading->level += deeper;
  }
  blocks.insert(blocks.end(), std::make_move_iterator(other.blocks.begin()),
                std::make_move_iterator(other.blocks.end()));
}

}  // namespace apod::show
