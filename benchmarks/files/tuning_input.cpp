#include "benchmarks/files/tuning_input.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "benchmarks/base/text/quantities.hpp"
#include "kernels/files/expression.hpp"

namespace apod::files {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

/// The text with each word replaced.
std::string with_words(const std::string& text,
                       const std::function<std::string(const std::string&)>& word) {
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    const auto is_part = [&](std::size_t at) {
      const auto c = static_cast<unsigned char>(text[at]);
      return std::isalnum(c) != 0 || c == '_';
    };
    auto end = i;
    while (end < text.size() && is_part(end)) ++end;
    if (end == i) {
      made += text[i++];
      continue;
    }
    const auto found = text.substr(i, end - i);
    made += std::isdigit(static_cast<unsigned char>(found.front())) != 0 ? found : word(found);
    i = end;
  }
  return made;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::int64_t whole(const std::string& text, const std::string& where) {
  try {
    const Expression expression(text);
    if (!expression.names().empty())
      refuse(where, "'" + expression.names().front() + "' has no value");
    const auto value = expression.evaluate({});
    if (value.kind == Value::Kind::whole) return value.whole;
  } catch (const ExpressionError& error) {
    refuse(where, "'" + text + "': " + error.what());
  }
  refuse(where, "'" + text + "' is not an integer");
}

/// One reading of such a file.
class TuningProblem {
 public:
  explicit TuningProblem(const Json& document)
      : space_(document.at("ConfigurationSpace")), kernel_(document.at("KernelSpecification")) {}

  Json experiment() {
    if (const auto& language = text(kernel_, "Language"); language != "CUDA")
      refuse("KernelSpecification", "Language " + language + " can't be run; bench runs only CUDA");
    if (kernel_.contains("ReferenceArguments")) {
      refuse("KernelSpecification",
             "bench does not read ReferenceArguments: write an experiment file with a reference");
    }
    Json made;
    made["name"] = text(kernel_, "KernelName");
    made["kernel"] = {{"file", text(kernel_, "KernelFile")}, {"name", text(kernel_, "KernelName")}};
    take_axes(made);
    take_conditions(made);
    take_launch(made);
    for (const auto& argument : kernel_.value("Arguments", Json::array()))
      made["args"].push_back(argument_of(argument));
    made["measure"] = {{"max_time", "100ms"}};
    return made;
  }

 private:
  static std::string text(const Json& from, const char* key) {
    return from.at(key).get<std::string>();
  }

  std::string axis_of(const std::string& name) const {
    const auto found = axes_.find(name);
    return found == axes_.end() ? name : found->second;
  }

  /// An expression of Python as one of ours.
  std::string expression(std::string text, const std::string& where) const {
    if (text.find("//") != std::string::npos) {
      refuse(where,
             "'" + text + "' has '//', which is not allowed in expressions: write floor(a / b)");
    }
    replace_all(text, "**", "^");
    return with_words(text, [&](const std::string& word) {
      return word == "True" ? "true" : word == "False" ? "false" : axis_of(word);
    });
  }

  /// "[1, 2, 4]", "[16*i for i in range(1, 9)]" or "list(range(1, 9))".
  static Json values_of(const std::string& given, const std::string& where) {
    std::string text(text::trimmed(given));
    if (text.starts_with("list(") && text.ends_with(")"))
      text = "[i for i in " + text.substr(5, text.size() - 6) + "]";
    const auto loop = text.find(" for ");
    if (loop == std::string::npos) {
      replace_all(text, "'", "\"");
      const auto list = Json::parse(text, nullptr, false);
      if (!list.is_array() || list.empty()) refuse(where, "its values are not a list: " + given);
      for (const auto& one : list) {
        if (!one.is_number_integer() && !one.is_string())
          refuse(where, "its value " + one.dump() + " must be an integer or a string");
      }
      return list;
    }
    std::istringstream words(text.substr(loop + 5));
    std::string variable;
    std::string in;
    words >> variable >> in >> std::ws;
    std::string range;
    std::getline(words, range);
    const auto end = range.rfind(")]");
    if (!text.starts_with("[") || in != "in" || !range.starts_with("range(") ||
        end == std::string::npos) {
      refuse(where, "its values are Python code: write a list instead: " + given);
    }
    std::vector<std::int64_t> bounds;
    std::istringstream parts(range.substr(6, end - 6));
    for (std::string part; std::getline(parts, part, ',');) bounds.push_back(whole(part, where));
    if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
    if (bounds.size() == 2) bounds.push_back(1);
    if (bounds.size() != 3 || bounds[2] == 0) refuse(where, "its range can't be read: " + given);
    auto each = text.substr(1, loop - 1);
    replace_all(each, "**", "^");
    constexpr std::size_t most = 100'000;
    Json list = Json::array();
    for (auto i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
      if (list.size() == most) refuse(where, "it has too many values");
      list.push_back(whole(with_words(each,
                                      [&](const std::string& word) {
                                        return word == variable ? "(" + std::to_string(i) + ")"
                                                                : word;
                                      }),
                           where));
    }
    if (list.empty()) refuse(where, "it has no value: " + given);
    return list;
  }

  void take_axes(Json& made) {
    auto flags = kernel_.value("CompilerOptions", Json::array());
    std::map<std::string, std::string> names;  // by axis
    for (const auto& one : space_.at("TuningParameters")) {
      const auto name = text(one, "Name");
      const auto where = "TuningParameters: " + name;
      std::string axis;
      for (const unsigned char c : name) axis += static_cast<char>(std::toupper(c));
      if (const auto twice = names.emplace(axis, name); !twice.second)
        refuse(where, "its axis " + axis + " is also the axis of " + twice.first->second);
      axes_[name] = axis;
      if (axis != name) flags.push_back("-D" + name + "=" + axis);
      made["axes"][axis] = values_[name] = values_of(text(one, "Values"), where);
      if (one.contains("Default")) made["baseline"][axis] = one.at("Default");
    }
    if (!flags.empty()) made["kernel"]["flags"] = flags;
  }

  void take_conditions(Json& made) {
    for (const auto& one : space_.value("Conditions", Json::array()))
      made["where"].push_back(expression(text(one, "Expression"), "Conditions"));
  }

  /// Blocks: the problem's size by what a block does of it, or GlobalSize.
  void take_launch(Json& made) {
    const auto& local = kernel_.at("LocalSize");
    const char* const sides[]{"X", "Y", "Z"};
    std::vector<std::string> problem;
    if (kernel_.contains("ProblemSize")) {
      const auto& size = kernel_.at("ProblemSize");
      for (const auto& side : size.is_array() ? size : Json::array({size}))
        problem.push_back(side.is_string() ? expression(side, "ProblemSize") : side.dump());
    }
    for (std::size_t d = 0; d < 3; ++d) {
      const auto side =
          local.contains(sides[d]) ? expression(text(local, sides[d]), "LocalSize") : "1";
      made["block"].push_back(side);
      std::string blocks = "1";
      const auto divisors = kernel_.value(std::string("GridDiv") + sides[d], Json::array());
      if (d < problem.size()) {
        std::string by;
        for (const auto& one : divisors)
          by += (by.empty() ? "" : " * ") + ("(" + expression(one, "GridDiv") + ")");
        blocks = "ceil((" + problem[d] + ") / (" + (by.empty() ? side : by) + "))";
      } else if (problem.empty() && kernel_.at("GlobalSize").contains(sides[d])) {
        blocks = expression(text(kernel_.at("GlobalSize"), sides[d]), "GlobalSize");
        if (kernel_.value("GlobalSizeType", "CUDA") != "CUDA")
          blocks = "ceil((" + blocks + ") / (" + side + "))";
      }
      made["grid"].push_back(blocks);
    }
    problem_ = problem;
    if (const auto shared = kernel_.value("SharedMemory", std::int64_t{0}); shared > 0)
      made["shared"] = std::to_string(shared);
  }

  /// "(ProblemSize[0] + max(filter_width) - 1)": its value.
  std::int64_t size_of(const Json& size, const std::string& where) const {
    if (size.is_number_integer()) return size.get<std::int64_t>();
    auto text = size.get<std::string>();
    for (std::size_t d = 0; d < problem_.size(); ++d)
      replace_all(text, "ProblemSize[" + std::to_string(d) + "]", "(" + problem_[d] + ")");
    for (const auto& [name, values] : values_) {
      if (!values.front().is_number_integer()) continue;
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      replace_all(text, "max(" + name + ")", most->dump());
      replace_all(text, "min(" + name + ")", least->dump());
    }
    return whole(expression(text, where), where);
  }

  Json argument_of(const Json& given) const {
    static const std::map<std::string, std::string> types{
        {"bool", "bool"},  {"int8", "i8"},   {"uint8", "u8"},   {"int16", "i16"},
        {"uint16", "u16"}, {"int32", "i32"}, {"uint32", "u32"}, {"int64", "i64"},
        {"uint64", "u64"}, {"half", "f16"},  {"float", "f32"},  {"double", "f64"}};
    const auto name = given.value("Name", "argument" + std::to_string(++unnamed_));
    const auto where = "Arguments: " + name;
    const auto type = types.find(text(given, "Type"));
    if (type == types.end()) refuse(where, "bench can't read the type " + text(given, "Type"));
    Json made{{"name", name}, {"type", type->second}};
    const auto memory = text(given, "MemoryType");
    const auto fill = given.value("FillType", "Constant");
    if (fill != "Constant" && fill != "Random") refuse(where, "bench can't read FillType " + fill);
    const auto value = given.contains("FillValue") ? given.at("FillValue") : Json(0);
    if (memory == "Scalar") {
      made["value"] = value.dump();
      return made;
    }
    if (memory != "Vector" && memory != "Symbol")
      refuse(where, "bench can't read MemoryType " + memory);
    made["shape"] = std::to_string(size_of(given.at("Size"), where));
    if (memory == "Symbol" || given.value("MemType", "") == "Constant") made["variable"] = name;
    const auto access = given.value("AccessType", "ReadOnly");
    made["role"] = access == "WriteOnly" ? "out" : access == "ReadWrite" ? "inout" : "in";
    if (access == "WriteOnly") return made;
    if (fill == "Random") {
      made["data"] = "uniform";
    } else {
      made["data"] = {{"expression", value.dump()}};
    }
    return made;
  }

  const Json& space_;
  const Json& kernel_;
  std::map<std::string, std::string> axes_;  ///< of parameters
  std::map<std::string, Json> values_;
  std::vector<std::string> problem_;
  mutable int unnamed_ = 0;
};

}  // namespace

bool is_tuning_input(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string::npos && text[begin] == '{' &&
         text.find("\"ConfigurationSpace\"") != std::string::npos;
}

std::string experiment_of_tuning_input(const std::string& text) {
  try {
    const auto document = Json::parse(text);
    const Json experiments{{"schema", 1}, {"experiments", {TuningProblem(document).experiment()}}};
    return experiments.dump(1);
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("the tuning problem (T1) can't be read: ") + error.what());
  }
}

}  // namespace apod::files
