#include "benchmarks/plan/config/one_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "benchmarks/plan/config/text_check.hpp"

namespace apod::config {
namespace {

SourcePlace place_of_mark(const YAML::Mark& mark) {
  return mark.is_null() ? SourcePlace{} : SourcePlace{mark.line + 1, mark.column + 1};
}

/// Keeps where each document starts, and ends the parsing at the second one.
///
/// What follows a document starts another one, even where it is a comma or a bracket that no
/// document can start with. yaml-cpp before 0.8.1 (its issue 1040) then makes one empty document
/// after the other without reading on. So no document after the first is ever read.
class DocumentStarts : public YAML::EventHandler {
 public:
  struct Second {
    YAML::Mark mark;
  };

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++count_ > 1) throw Second{mark};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int count_ = 0;
};

/// Reports an unclosed quote above the place where the parser stumbled, since that is the cause.
/// False where there is none.
bool add_quote(const YAML::Mark& mark, const std::string& text, Problems& problems) {
  const auto quote = unclosed_quote(text);
  if (!quote || (!mark.is_null() && quote->line > mark.line + 1)) return false;
  problems.add(*quote, "not valid YAML: the quote that opens here is not closed on its line",
               "close it behind the value");
  return true;
}

void add_second(const YAML::Mark& mark, const std::string& text, Problems& problems) {
  if (text.compare(static_cast<std::size_t>(mark.pos), 3, "---") == 0) {
    problems.add(place_of_mark(mark), "a second document begins here",
                 "one file holds one experiment file; remove '---'");
  } else if (!add_quote(mark, text, problems)) {
    problems.add(place_of_mark(mark), "not valid YAML: the text goes on after its end",
                 "look for a comma, bracket or quote too many here and above");
  }
}

}  // namespace

std::optional<YAML::Node> one_document(const std::string& text, Problems& problems) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    if (!parser.HandleNextDocument(starts)) {
      problems.add({}, "is empty", "start with 'schema: 1' and 'experiments:'");
      return std::nullopt;
    }
    try {
      parser.HandleNextDocument(starts);
    } catch (const DocumentStarts::Second& second) {
      add_second(second.mark, text, problems);
      return std::nullopt;
    }
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    if (!add_quote(error.mark, text, problems)) {
      problems.add(place_of_mark(error.mark), "not valid YAML: " + error.msg,
                   "look at the indentation, quotes and brackets here and above");
    }
    return std::nullopt;
  }
}

}  // namespace apod::config
