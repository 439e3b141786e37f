#include "kernels/files/launch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace apod::file {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". Fewer threads and
// less shared memory may be all that a kernel or a device allows; that shows at its launch.
constexpr std::int64_t most_grid_x = (std::int64_t{1} << 31) - 1;
constexpr std::int64_t most_grid = 65535;
constexpr std::int64_t most_block = 1024;
constexpr std::int64_t most_block_z = 64;
constexpr std::int64_t most_cluster = 16;
constexpr std::int64_t most_shared = 227 * 1024;
constexpr std::int64_t most_bytes = std::int64_t{1} << 46;

std::size_t rounded(std::size_t bytes) {
  return (bytes + Layout::granule - 1) / Layout::granule * Layout::granule;
}

template <class Text>
Value evaluate(const Text& text, const Params& params) {
  std::vector<Binding> bindings;
  for (const auto& name : text.expression.names()) {
    const auto* value = params.find(name);
    if (value == nullptr) throw SpecError(text.key, 0, "the case has no axis '" + name + "'");
    bindings.push_back({.value = value_of(*value)});
  }
  try {
    return text.expression.evaluate(bindings);
  } catch (const ExpressionError& error) {
    throw SpecError(text.key, error.at(), error.what());
  }
}

template <class Text>
std::int64_t whole(const Text& text, const Params& params, std::int64_t least, std::int64_t most,
                   const std::string& what) {
  const auto value = evaluate(text, params);
  if (value.kind != Value::Kind::whole)
    throw SpecError(text.key, 0, what + " is " + to_string(value) + ", which is not an integer");
  if (value.whole < least || value.whole > most) {
    throw SpecError(text.key, 0,
                    what + " is " + std::to_string(value.whole) + ", but must be " +
                        std::to_string(least) + " to " + std::to_string(most));
  }
  return value.whole;
}

}  // namespace

std::vector<Parameter> parameters_of(const KernelSpec& spec, const std::vector<std::size_t>& args) {
  std::vector<Parameter> all;
  for (std::size_t i = 0; i < args.size();) {
    const auto& first = spec.args[args[i]];
    Parameter one{.begin = i, .end = i};
    std::size_t alignment = 1;
    do {
      const auto& arg = spec.args[args[one.end]];
      const bool is_address = !arg.shape.empty();
      const auto bytes = is_address ? sizeof(void*) : size_of(arg.type);
      const auto own = !is_address && is_complex(arg.type) ? bytes / 2 : bytes;
      alignment = std::max(alignment, own);
      const auto offset = (one.bytes + own - 1) / own * own;
      one.offsets.push_back(offset);
      one.bytes = offset + bytes;
      ++one.end;
    } while (!first.structure.empty() && one.end < args.size() &&
             spec.args[args[one.end]].structure == first.structure);
    if (!first.structure.empty()) one.bytes = (one.bytes + alignment - 1) / alignment * alignment;
    i = one.end;
    all.push_back(std::move(one));
  }
  return all;
}

Shapes::Shapes(const KernelSpec& spec) : spec_(spec) {
  for (const auto& launch : spec.launches) {
    for (const auto& loop : launch.loops) loop_names_.insert(loop.name);
  }
  for (std::size_t i = 0; i < spec.launches.size(); ++i) {
    const auto prefix = i == 0 ? std::string() : "kernel/" + std::to_string(i) + "/";
    launches_.push_back(texts_of(spec.launches[i], prefix));
    code_names_.merge(template_names(spec.launches[i].kernel));
  }
  for (const auto& variant : spec.variants) code_names_.merge(template_names(variant));
  code_names_.merge(template_names(spec.reference.launch.kernel));
  for (std::size_t a = 0; a < spec.args.size(); ++a) {
    const auto& arg = spec.args[a];
    const auto key = "args/" + arg.name + "/";
    auto& texts = shapes_.emplace_back();
    for (std::size_t i = 0; i < arg.shape.size(); ++i)
      texts.push_back(text(key + "shape/" + std::to_string(i), arg.shape[i], Names::axes));
    if (arg.shape.empty()) texts.push_back(text(key + "value", arg.value, Names::loops));
    if (!arg.formula.empty()) contents_.emplace(a, text(key + "data", arg.formula, Names::scalars));
  }
  for (const auto& [name, said] : spec.traffic)
    traffic_.emplace(name, text("traffic/" + name, said, Names::axes));
  if (spec.reference.kind == ReferenceSpec::Kind::kernel)
    reference_ = texts_of(spec.reference.launch, "reference/");
  if (spec.reference.kind == ReferenceSpec::Kind::formula) {
    for (const auto& [name, said] : spec.reference.outputs)
      outputs_.emplace(name, text("reference/" + name, said, Names::arrays));
  }
  if (!spec.split.empty()) check_split();
}

Shapes::Text Shapes::text(const std::string& key, const std::string& said, Names allowed) const {
  std::optional<Expression> expression;
  try {
    expression.emplace(said);
  } catch (const ExpressionError& error) {
    throw SpecError(key, error.at(), error.what());
  }
  const auto is_known = [&](const std::string& name) {
    const bool is_axis = std::ranges::find(spec_.axes, name, &AxisSpec::name) != spec_.axes.end();
    if (is_axis || allowed == Names::axes) return is_axis;
    if (allowed == Names::loops) return loop_names_.contains(name);
    for (const auto& arg : spec_.args) {
      if (arg.name != name) continue;
      return arg.shape.empty() ||
             (allowed == Names::arrays && (arg.role == Role::in || arg.role == Role::inout));
    }
    return name == "i";
  };
  for (std::size_t i = 0; i < expression->names().size(); ++i) {
    if (is_known(expression->names()[i])) continue;
    std::string known;
    for (const auto& axis : spec_.axes) known += (known.empty() ? "" : ", ") + axis.name;
    throw SpecError(key, expression->place_of_name(i),
                    "'" + expression->names()[i] + "' is not an axis" +
                        (allowed == Names::arrays ? ", a scalar or an input" : "") +
                        (known.empty() ? "; there are no axes" : "; the axes are " + known));
  }
  return {key, std::move(*expression)};
}

Shapes::LaunchTexts Shapes::texts_of(const LaunchSpec& spec, const std::string& prefix) const {
  const auto all = [&](const char* name, const std::vector<std::string>& from) {
    std::vector<Text> all_texts;
    for (std::size_t i = 0; i < from.size(); ++i)
      all_texts.push_back(text(prefix + name + "/" + std::to_string(i), from[i], Names::loops));
    return all_texts;
  };
  LaunchTexts made{
      all("grid", spec.grid), all("block", spec.block), all("cluster", spec.cluster), {}, {}};
  if (!spec.shared.empty())
    made.shared.push_back(text(prefix + "shared", spec.shared, Names::loops));
  for (const auto& loop : spec.loops) {
    const auto key = prefix + "for/" + loop.name;
    made.loops.push_back({loop.name, text(key, loop.begin, Names::loops),
                          text(key, loop.end, Names::loops), text(key, loop.step, Names::loops),
                          loop.by.front()});
  }
  return made;
}

Launch Shapes::launch(const LaunchSpec& spec, const LaunchTexts& texts, const std::string& prefix,
                      const Params& params, bool is_reference) const {
  Launch made{.file = spec.file, .kernel = spec.kernel, .cooperative = spec.cooperative};
  const auto* variant = params.find("variant");
  if (variant != nullptr && !is_reference) {
    const auto name = apod::to_string(*variant);
    if (!names_file(name)) {
      if (spec_.launches.size() > 1) {
        throw SpecError("variant", 0,
                        "variant '" + name + "' is not a file, so bench can't tell which of the " +
                            std::to_string(spec_.launches.size()) + " kernels it means");
      }
      made.kernel = name;
    } else if (spec.file == spec_.launches.front().file) {
      made.file = name;
    }
  }
  // The compiler reads them: an axis word with a line break would be a line of the source.
  const auto check_code = [&](const std::string& key, const std::string& text) {
    const auto why = made.file.ends_with(".cu") ? refused_code(text) : "";
    if (!why.empty()) throw SpecError(key, 0, "'" + text + "' " + why);
  };
  check_code(is_reference ? "reference/name" : "variant", made.kernel);
  const auto used = template_names(made.kernel);
  made.kernel = with_values(made.kernel, params);
  for (const auto& axis : spec_.axes) {
    const bool in_name = code_names_.contains(axis.name) || used.contains(axis.name);
    const auto* value = params.find(axis.name);
    if (value == nullptr) continue;
    if (in_name || is_macro(axis.name)) check_code("axes/" + axis.name, apod::to_string(*value));
    if (is_macro(axis.name) && !in_name)
      made.defines.push_back(axis.name + "=" + apod::to_string(*value));
  }

  const auto dims = [&](const std::vector<Text>& from, const char* what, std::int64_t most_x,
                        std::int64_t most_y, std::int64_t most_z, Launch::Dims& to) {
    static constexpr std::array<const char*, 3> names{"x", "y", "z"};
    const std::array most{most_x, most_y, most_z};
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto said = std::string("the ") + what + (from.size() > 1 ? "'s " : "") +
                        (from.size() > 1 ? names[i] : "");
      to[i] = static_cast<unsigned>(whole(from[i], params, 1, most[i], said));
    }
  };
  dims(texts.grid, "grid", most_grid_x, most_grid, most_grid, made.grid);
  dims(texts.block, "block", most_block, most_block, most_block_z, made.block);
  const auto threads = std::int64_t{made.block[0]} * made.block[1] * made.block[2];
  if (threads > most_block) {
    throw SpecError(texts.block.front().key, 0,
                    "a block of " + std::to_string(threads) + " threads, but the limit is " +
                        std::to_string(most_block));
  }
  if (!texts.cluster.empty()) {
    made.cluster = {1, 1, 1};
    dims(texts.cluster, "cluster", most_cluster, most_cluster, most_cluster, made.cluster);
    for (std::size_t i = 0; i < 3; ++i) {
      if (made.grid[i] % made.cluster[i] == 0) continue;
      throw SpecError(texts.cluster.front().key, 0,
                      "the grid's " + std::to_string(made.grid[i]) +
                          " blocks are not a multiple of the cluster's " +
                          std::to_string(made.cluster[i]));
    }
  }
  if (!texts.shared.empty()) {
    made.shared_bytes = static_cast<unsigned>(
        whole(texts.shared.front(), params, 0, most_shared, "the shared memory, in bytes,"));
  }
  for (std::size_t i = 0; i < spec_.args.size(); ++i) {
    if (spec.args.empty() && spec_.args[i].variable.empty()) made.args.push_back(i);
  }
  for (const auto& name : spec.args) {
    const auto before = made.args.size();
    for (std::size_t i = 0; i < spec_.args.size(); ++i) {
      const auto& arg = spec_.args[i];
      if (arg.name == name || arg.structure == name) made.args.push_back(i);
    }
    if (made.args.size() == before)
      throw SpecError(prefix + "args", 0, "there is no argument '" + name + "'");
  }
  for (const auto a : made.args) {
    if (spec_.args[a].shape.empty() && is_looped(shapes_[a].front()))
      made.scalars[a] = scalar(a, params);
  }
  return made;
}

std::vector<Launch> Shapes::launches(const Params& params) const {
  std::vector<Launch> all;
  std::size_t rounds = 0;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const auto prefix = i == 0 ? std::string() : "kernel/" + std::to_string(i) + "/";
    add_launches(spec_.launches[i], launches_[i], prefix, params, 0, rounds, all);
  }
  return all;
}

bool Shapes::is_looped(const Text& text) const {
  const auto& names = text.expression.names();
  return std::ranges::any_of(names, [&](const auto& name) { return loop_names_.contains(name); });
}

void Shapes::add_launches(const LaunchSpec& spec, const LaunchTexts& texts,
                          const std::string& prefix, const Params& params, std::size_t loop,
                          std::size_t& rounds, std::vector<Launch>& to) const {
  if (loop == texts.loops.size()) {
    to.push_back(launch(spec, texts, prefix, params, false));
    return;
  }
  constexpr std::size_t most = 10'000;
  constexpr auto any = std::numeric_limits<std::int64_t>::max() / 4;
  const auto& over = texts.loops[loop];
  const auto begin = whole(over.begin, params, -any, any, "the start of '" + over.name + "'");
  const auto end = whole(over.end, params, -any, any, "the end of '" + over.name + "'");
  const bool multiplies = over.by == '*' || over.by == '/';
  const bool goes_up = over.by == '+' || over.by == '*';
  const auto step =
      whole(over.step, params, multiplies ? 2 : 1, any, "the step of '" + over.name + "'");
  for (auto value = begin; goes_up ? value <= end : value >= end;) {
    // A round makes no launch if its inner loop has no rounds.
    if (to.size() >= most || ++rounds > most * texts.loops.size())
      throw SpecError(over.begin.key, 0, "more than " + std::to_string(most) + " launches");
    auto own = params;
    own.set(over.name, value);
    add_launches(spec, texts, prefix, own, loop + 1, rounds, to);
    if (multiplies && value <= 0) break;
    if (goes_up && value > any / (multiplies ? step : 1)) break;
    value = over.by == '*'   ? value * step
            : over.by == '/' ? value / step
            : over.by == '+' ? value + step
                             : value - step;
  }
}

Launch Shapes::reference(const Params& params) const {
  return launch(spec_.reference.launch, reference_, "reference/", params, true);
}

std::array<std::byte, 16> Shapes::scalar(std::size_t a, const Params& params) const {
  const auto& arg = spec_.args[a];
  std::array<std::byte, 16> made{};
  const auto value = evaluate(shapes_[a].front(), params);
  const auto& key = shapes_[a].front().key;
  if (value.kind == Value::Kind::word) throw SpecError(key, 0, "a string is not a number");
  const bool is_real = value.kind == Value::Kind::real;
  const bool is_fraction = is_real && is_whole(arg.type);
  const bool fits = is_real || !is_whole(arg.type) ? holds_real(arg.type, value.number())
                                                   : holds(arg.type, value.whole);
  if (is_fraction || !fits) {
    throw SpecError(
        key, 0,
        to_string(value) +
            (is_fraction ? " is not an integer, but '" + arg.name + "' is " : " does not fit ") +
            std::string(apod::to_string(arg.type)));
  }
  is_real ? write_real(arg.type, value.real, made.data())
          : write_whole(arg.type, value.whole, made.data());
  return made;
}

Layout Shapes::layout(const Params& params) const {
  Layout layout;
  layout.output_bytes = Layout::granule;  // the first guard
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto& arg = spec_.args[a];
    auto& place = layout.args.emplace_back();
    if (arg.shape.empty()) {
      // Those that loops change have a value of their own in each launch.
      if (!is_looped(shapes_[a].front())) place.scalar = scalar(a, params);
      continue;
    }
    place.count = 1;
    const auto size = static_cast<std::int64_t>(size_of(arg.type));
    for (const auto& side : shapes_[a]) {
      const auto length = whole(side, params, 1, most_bytes, "a dimension of '" + arg.name + "'");
      place.sides.push_back(length);
      if (__builtin_mul_overflow(place.count, length, &place.count) ||
          place.count > most_bytes / size) {
        throw SpecError(side.key, 0, "'" + arg.name + "' would be larger than 64 TiB");
      }
    }
    place.bytes = static_cast<std::size_t>(place.count * size);
    if (arg.role == Role::in) {
      place.in_input = layout.input_bytes;
      layout.input_bytes += rounded(place.bytes);
    }
    if (is_output(arg)) {
      place.in_output = layout.output_bytes;
      layout.output_bytes += rounded(place.bytes) + Layout::granule;
    }
    if (arg.role == Role::scratch) {
      place.in_scratch = layout.scratch_bytes;
      layout.scratch_bytes += rounded(place.bytes);
    }
  }
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    auto& place = layout.args[a];
    if (spec_.args[a].role != Role::inout || spec_.args[a].shape.empty()) continue;
    place.in_input = layout.input_bytes;
    layout.input_bytes += rounded(place.bytes);
  }
  return layout;
}

void Shapes::add_names(const Text& text, std::set<std::string>& names) {
  names.insert(text.expression.names().begin(), text.expression.names().end());
}

void Shapes::add_names(const LaunchTexts& texts, std::set<std::string>& names) {
  for (const auto* part : {&texts.grid, &texts.block, &texts.cluster, &texts.shared}) {
    for (const auto& text : *part) add_names(text, names);
  }
  for (const auto& loop : texts.loops) {
    for (const auto* text : {&loop.begin, &loop.end, &loop.step}) add_names(*text, names);
  }
}

std::set<std::string> Shapes::all_names() const {
  auto names = problem_names();
  for (const auto& texts : launches_) add_names(texts, names);
  for (const auto& [kind, text] : traffic_) add_names(text, names);
  return names;
}

std::set<std::string> Shapes::problem_names() const {
  std::set<std::string> names{spec_.split};
  for (const auto& texts : shapes_) {
    for (const auto& text : texts) add_names(text, names);
  }
  for (const auto& [arg, text] : contents_) add_names(text, names);
  for (const auto& [name, text] : outputs_) add_names(text, names);
  add_names(reference_, names);
  return names;
}

Traffic Shapes::traffic(const Params& params) const {
  const auto said = [&](const char* name) -> std::optional<double> {
    const auto found = traffic_.find(name);
    if (found == traffic_.end()) return std::nullopt;
    const auto value = evaluate(found->second, params);
    if (!value.is_number() || !(value.number() >= 0) || std::isinf(value.number()))
      throw SpecError(found->second.key, 0, to_string(value) + " is not a valid amount");
    return value.number();
  };
  double read = 0;
  double written = 0;
  const auto places = layout(params);
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto bytes = static_cast<double>(places.args[a].bytes);
    if (is_input(spec_.args[a])) read += bytes;
    if (is_output(spec_.args[a])) written += bytes;
  }
  return {.bytes_read = said("read").value_or(read),
          .bytes_written = said("write").value_or(written),
          .flops_fp32 = said("fp32").value_or(0),
          .flops_fp64 = said("fp64").value_or(0),
          .flops_tensor = said("tensor").value_or(0),
          .flops_tf32 = said("tf32").value_or(0),
          .flops_bf16 = said("bf16").value_or(0)};
}

}  // namespace apod::file
