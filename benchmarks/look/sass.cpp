#include "benchmarks/look/sass.hpp"

#include <algorithm>
#include <array>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "kernels/api/demangle.hpp"

namespace apod::look {
namespace {

constexpr std::string_view blanks = " \t\r\n";
// No instruction is nearly as long. Input that is not a listing must not fill the memory.
constexpr std::size_t longest_statement = 1 << 16;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

/// Takes the first word off `text`.
std::string_view take_word(std::string_view& text) {
  text = text::trimmed(text);
  const auto word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

bool has(const std::vector<std::string>& parts, std::string_view part) {
  return std::find(parts.begin() + 1, parts.end(), part) != parts.end();
}

/// Does F2F or I2F make a double of something else? The first type it names is what it makes.
bool widens(const std::vector<std::string>& parts) {
  constexpr std::array<std::string_view, 5> types{"F16", "BF16", "F32", "F64", "TF32"};
  std::vector<std::string> found;
  std::copy_if(parts.begin() + 1, parts.end(), std::back_inserter(found),
               [&](std::string_view part) { return is_one_of(part, types); });
  if (found.empty() || found.front() != "F64") return false;
  return parts.front() == "I2F" || (found.size() > 1 && found[1] != "F64");
}

void count_sass(std::string_view instruction, InstructionMix& mix) {
  auto rest = instruction;
  auto opcode = take_word(rest);
  if (opcode == "{") opcode = take_word(rest);  // Maxwell issues two instructions at once
  if (!opcode.empty() && opcode.front() == '@') opcode = take_word(rest);
  if (opcode.empty() || opcode == "NOP") return;
  const auto parts = text::split(opcode, '.');
  const auto base = parts.front();
  ++mix.all;
  constexpr std::array<std::string_view, 9> fp32{"FADD",  "FMUL",    "FFMA",    "FADD2",  "FMUL2",
                                                 "FFMA2", "FADD32I", "FMUL32I", "FFMA32I"};
  constexpr std::array<std::string_view, 6> fp16{"HADD2",     "HMUL2",     "HFMA2",
                                                 "HADD2_32I", "HMUL2_32I", "HFMA2_32I"};
  constexpr std::array<std::string_view, 14> tensor{
      "HMMA",  "IMMA",  "BMMA",  "DMMA",    "QMMA",    "OMMA",    "HGMMA",
      "IGMMA", "BGMMA", "QGMMA", "UTCHMMA", "UTCIMMA", "UTCQMMA", "UTCOMMA"};
  if (is_one_of(base, fp32)) {
    ++mix.fp32;
  } else if (base == "DADD") {
    ++mix.fp64_add;
  } else if (base == "DMUL") {
    ++mix.fp64_mul;
  } else if (base == "DFMA") {
    ++mix.fp64_fma;
  } else if (is_one_of(base, fp16)) {
    // ptxas also writes HFMA2 to set a register (minus zero times zero plus the value), in float
    // kernels too, and HADD2.F32 to widen a half.
    const auto target = rest.find(',');
    const bool sets = base == "HFMA2" && target != std::string_view::npos &&
                      text::trimmed(rest.substr(target + 1)).starts_with("-RZ, RZ,");
    if (!sets && !has(parts, "F32")) ++mix.fp16;
  } else if (is_one_of(base, tensor)) {
    ++mix.tensor;
  } else if ((base == "F2F" || base == "I2F") && widens(parts)) {
    ++mix.conversions_to_fp64;
  } else if (base == "LDG" || base == "LDGSTS" || base == "LD" || base == "UTMALDG") {
    if (base == "LDGSTS" || base == "UTMALDG") ++mix.asynchronous_loads;
    ++mix.global_loads;  // LD: an address whose kind only the run shows, mostly a global one
  } else if (base == "STG" || base == "ST" || base == "UTMASTG") {
    ++mix.global_stores;
  } else if (base == "LDL" || base == "STL") {
    ++mix.local_accesses;
  }
}

/// The instruction of a line of a listing; empty where it has none, such as lines of encodings.
std::string_view sass_instruction(std::string_view line) {
  line = text::trimmed(line);
  if (!line.starts_with("/*")) return {};
  const auto end = line.find("*/");
  if (end == std::string_view::npos || end == 2) return {};
  const auto offset = line.substr(2, end - 2);
  if (offset.find_first_not_of("0123456789abcdef") != std::string_view::npos) return {};
  line.remove_prefix(end + 2);
  return text::trimmed(line.substr(0, line.find(';')));
}

void count_ptx_arithmetic(const std::vector<std::string>& parts, InstructionMix& mix) {
  const auto base = parts.front();
  const auto type = parts.back();
  const bool adds = base == "add" || base == "sub";
  const bool multiplies = base == "mul";
  // The assembler makes several fused multiply-adds of a division or a root.
  constexpr std::array<std::string_view, 6> fuses{"fma", "mad", "div", "rcp", "sqrt", "rsqrt"};
  if (!adds && !multiplies && !is_one_of(base, fuses)) return;
  if (type == "f64") {
    ++(adds ? mix.fp64_add : multiplies ? mix.fp64_mul : mix.fp64_fma);
  } else if (type == "f32" || type == "f32x2") {
    ++mix.fp32;
  } else if (type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2") {
    ++mix.fp16;
  }
}

void count_ptx_access(const std::vector<std::string>& parts, InstructionMix& mix) {
  const auto base = parts.front();
  const auto space = [&](std::string_view name) { return has(parts, name); };
  if (base == "cp") {
    // An asynchronous copy between global and shared memory names its target first.
    const auto first = std::ranges::find_if(parts, [](std::string_view part) {
      return part == "global" || part.starts_with("shared");
    });
    if (!space("global")) return;
    ++(*first == "global" ? mix.global_stores : mix.global_loads);
    if (*first != "global") ++mix.asynchronous_loads;
    return;
  }
  const bool loads = base == "ld" || base == "ldu" || (base == "wmma" && has(parts, "load"));
  const bool stores = base == "st" || (base == "wmma" && has(parts, "store"));
  if (!loads && !stores) return;
  if (space("local")) {
    ++mix.local_accesses;
    return;
  }
  // Without a space: an address whose kind only the run shows, mostly a global one.
  const bool elsewhere = std::any_of(parts.begin() + 1, parts.end(), [](std::string_view part) {
    return part == "const" || part.starts_with("param") || part.starts_with("shared");
  });
  if (!elsewhere) ++(loads ? mix.global_loads : mix.global_stores);
}

void count_ptx(std::string_view statement, InstructionMix& mix) {
  auto rest = statement;
  auto opcode = take_word(rest);
  while (opcode.ends_with(':')) opcode = take_word(rest);  // labels
  if (opcode.starts_with('@')) opcode = take_word(rest);
  if (opcode.empty() || opcode.front() == '.') return;  // a directive
  const auto parts = text::split(opcode, '.');
  const auto base = parts.front();
  ++mix.all;
  if (base == "mma" || (base == "wmma" && has(parts, "mma")) ||
      (base == "wgmma" && has(parts, "mma_async")) || (base == "tcgen05" && has(parts, "mma"))) {
    ++mix.tensor;
  } else if (base == "cvt") {
    const bool widens =
        parts.size() > 2 && parts[parts.size() - 2] == "f64" && parts.back() != "f64";
    if (widens) ++mix.conversions_to_fp64;
  } else {
    count_ptx_arithmetic(parts, mix);
    count_ptx_access(parts, mix);
  }
}

}  // namespace

void Listing::add_line(std::string_view line) {
  const auto text = text::trimmed(line);
  if (text.starts_with("code for ")) {  // begins the machine code for one architecture
    architecture_ = text.substr(text.rfind(' ') + 1);
    in_sass_ = true;
    in_kernel_ = false;
  } else if (text.starts_with("Fatbin ")) {  // begins another part of the program, of either kind
    in_sass_ = in_kernel_ = false;
    depth_ = 0;
    statement_.clear();
  } else if (in_sass_) {
    constexpr std::string_view begin = "Function : ";
    if (text.starts_with(begin)) {
      kernels_.push_back({demangled(std::string(text.substr(begin.size()))), architecture_, {}});
      kernels_.back().mix.source = "SASS";
      in_kernel_ = true;
    } else if (in_kernel_) {
      count_sass(sass_instruction(text), kernels_.back().mix);
    }
  } else if (text.starts_with(".target ") && depth_ == 0) {
    const auto target = text.substr(sizeof(".target ") - 1);
    architecture_ = target.substr(0, target.find_first_of(", \t"));
    if (architecture_.starts_with("sm_")) architecture_.replace(0, 2, "compute");
    statement_.clear();
  } else if (!text.starts_with(".loc") && !text.starts_with(".file")) {  // they have no semicolon
    for (const char c : text.substr(0, text.find("//"))) add_ptx(c);
    add_ptx(' ');
  }
}

void Listing::add_ptx(char c) {
  const bool blank = text::trimmed(statement_).empty();
  if (c == '{') {
    if (depth_++ == 0) {
      begin_ptx_block();
    } else if (!blank) {
      statement_ += c;  // of an operand: a vector, or a list
    }
  } else if (c == '}') {
    depth_ = std::max(depth_ - 1, 0);
    if (depth_ == 0) in_kernel_ = false;
    if (!blank) statement_ += c;
  } else if (c == ';') {
    end_ptx_statement();
  } else if (statement_.size() < longest_statement) {
    statement_ += c;
  }
}

void Listing::begin_ptx_block() {
  constexpr std::string_view entry = ".entry ";
  const auto at = statement_.rfind(entry);
  if (at != std::string::npos) {
    const auto begin = at + entry.size();
    const auto name = statement_.substr(begin, statement_.find_first_of("( ", begin) - begin);
    kernels_.push_back({demangled(name), architecture_, {}});
    kernels_.back().mix.source = "PTX";
    in_kernel_ = true;
  }
  statement_.clear();
}

void Listing::end_ptx_statement() {
  if (in_kernel_ && depth_ > 0) count_ptx(statement_, kernels_.back().mix);
  statement_.clear();
}

}  // namespace apod::look
