#include "tests/fuzz/harness.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/frame.hpp"
#if __has_include(<boost/property_tree/xml_parser.hpp>)
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#define APOD_CAN_PARSE_XML
#endif

namespace apod::fuzz {
namespace {

namespace fs = std::filesystem;

const os::TemporaryFolder& folder() {
  if (fs::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
  static const os::TemporaryFolder own;
  return own;
}

bool is_json(const std::string& text) {
  return nlohmann::json::accept(text);
}

void check_xml([[maybe_unused]] const std::string& text) {
#ifdef APOD_CAN_PARSE_XML
  std::istringstream in(text);
  boost::property_tree::ptree tree;
  try {
    boost::property_tree::read_xml(in, tree);
  } catch (const boost::property_tree::xml_parser_error& error) {
    expect(false, std::string("XML that does not parse: ") + error.what());
  }
#endif
}

/// Markdown without what stands between backticks, as many at the end as at the beginning.
std::string without_code(const std::string& markdown) {
  std::string rest;
  for (std::size_t at = 0; at < markdown.size();) {
    if (markdown[at] != '`' || (at > 0 && markdown[at - 1] == '\\')) {
      rest += markdown[at++];
      continue;
    }
    const std::size_t length = markdown.find_first_not_of('`', at) - at;
    const std::string fence(length, '`');
    std::size_t end = markdown.find(fence, at + length);
    while (end != std::string::npos && end + length < markdown.size() &&
           markdown[end + length] == '`') {
      end = markdown.find(fence, markdown.find_first_not_of('`', end));
    }
    if (end == std::string::npos) {  // no code: they stand for themselves
      rest += fence;
      at += length;
      continue;
    }
    at = end + length;
  }
  return rest;
}

void check_markdown(const std::string& markdown) {
  static const std::set<std::string> ours{"details>", "/details>", "summary>", "/summary>"};
  const std::string text = without_code(markdown);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::string tag = text.substr(at + 1, text.find('>', at) - at);
    expect(ours.contains(tag), "raw HTML in Markdown: " + text.substr(at, 40));
  }
}

/// GitHub's runner takes "##[" for a command anywhere, "::" where a line begins with it. Only a
/// comparison has commands of its own.
void check_runner_commands(const std::string& text, bool annotates) {
  expect(text.find("##[") == std::string::npos, "a command to the runner: " + text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    const bool ours = annotates && line.starts_with("::error title=");
    expect(ours || line.compare(begin, 2, "::") != 0, "a command to the runner: " + line);
  }
}

}  // namespace

void expect(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "\n== not as it should be: %s\n", what.c_str());
  std::abort();
}

std::string path_of(const std::string& name) {
  return folder().path() + "/" + name;
}

std::string write(const std::string& name, std::string_view content) {
  const std::string path = path_of(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> parts_of(const std::string& input) {
  static const std::string line = "\n=====\n";
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = input.find(line, begin)) != std::string::npos;
       begin = end + line.size()) {
    parts.push_back(input.substr(begin, end - begin));
  }
  parts.push_back(input.substr(begin));
  return parts;
}

void check_shown(const std::string& text, const std::string& input) {
  try {
    (void)nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    expect(false, "broken UTF-8: " + text);
  }
  for (const unsigned char c : text) {
    expect(c >= 0x20 ? c != 0x7f : c == '\n', "a control character: " + std::to_string(c));
  }
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool c1 = text[i] == '\xc2' && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    expect(!c1, "a C1 control character");
  }
  for (const char* mark :
       {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066",
        "\u2067", "\u2068", "\u2069", "\u00ad", "\u200b", "\u2028", "\u2029", "\u2060", "\ufeff"}) {
    expect(text.find(mark) == std::string::npos, "an invisible mark");
  }
  for (const char* internal : {"std::", "basic_string", "vector::", "nlohmann", "json.exception",
                               "YAML::", "bad_alloc", "_M_"}) {
    expect(text.find(internal) == std::string::npos || input.find(internal) != std::string::npos,
           std::string("it speaks of ") + internal + ": " + text);
  }
}

void check_written(const std::string& path, const std::string& input) {
  expect(fs::exists(path), path + " was not written");
  const std::string text = read(path);
  const auto extension = fs::path(path).extension();
  if (extension == ".json") return expect(is_json(text), "JSON that does not parse: " + path);
  if (extension == ".xml") return check_xml(text);
  check_shown(text, input);
  if (extension == ".md") check_markdown(text);
  if (extension == ".svg") check_xml(text);
  // The text of a file opens no element.
  if (extension == ".html") {
    for (const char* element : {"<script", "<style", "<title>", "<main", "</html>"}) {
      const bool titles = std::string_view(element) == "<title>";  // points have them, too
      const auto first = text.find(element);
      expect(first != std::string::npos &&
                 (titles || text.find(element, first + 1) == std::string::npos),
             std::string("not one ") + element + " in " + path);
    }
    for (const char* element : {"<img", "<a href=\"h", "<a href=\"j", "<iframe"}) {
      expect(text.find(element) == std::string::npos, std::string(element) + " in " + path);
    }
  }
}

Said bench(std::vector<std::string> words, const std::string& input) {
  words.insert(words.begin(), "bench");
  const auto& command = cli::find_command(words[1]);
  Said said;
  std::ostringstream out;
  std::ostringstream err;
  auto* const old_out = std::cout.rdbuf(out.rdbuf());
  auto* const old_err = std::cerr.rdbuf(err.rdbuf());
  said.exit_code = cli::run_in_frame(command, words, *command.name == '\0' ? 1 : 2, true);
  std::cout.rdbuf(old_out);
  std::cerr.rdbuf(old_err);
  said.out = std::move(out).str();
  said.err = std::move(err).str();
  static const std::set<int> documented{0, 1, 3, 4, 5};
  expect(documented.contains(said.exit_code), "exit code " + std::to_string(said.exit_code));
  expect(said.exit_code != 1 || !said.err.empty(), "it failed and said nothing");
  const bool annotates = words[1] == "compare";
  check_shown(said.err, input);
  check_runner_commands(said.err, annotates);
  if (!is_json(said.out)) check_shown(said.out, input);
  check_runner_commands(said.out, annotates);
  return said;
}

}  // namespace apod::fuzz
