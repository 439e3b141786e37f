#include "benchmarks/base/library_kernels.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "benchmarks/base/text/plain.hpp"

namespace apod {

namespace {

/// As demanglers call a namespace without a name; the last is nsys's.
constexpr std::array<std::string_view, 2> anonymous{"(anonymous namespace)::", "<unnamed>::"};

/// "ck_tile::kentry" of "_ZN7ck_tile6kentryILi...", which was too long to be demangled.
std::string nested_name(std::string_view mangled) {
  std::string name;
  for (mangled.remove_prefix(3);;) {
    std::size_t length = 0;
    const auto [end, error] =
        std::from_chars(mangled.data(), mangled.data() + mangled.size(), length);
    mangled.remove_prefix(static_cast<std::size_t>(end - mangled.data()));
    if (error != std::errc() || length > mangled.size()) return name;
    name.append(name.empty() ? "" : "::").append(mangled.substr(0, length));
    mangled.remove_prefix(length);
  }
}

}  // namespace

std::string without_parameters(const std::string& kernel) {
  if (!kernel.ends_with(')')) return kernel;
  int depth = 0;
  for (std::size_t i = kernel.size(); i-- > 0;) {
    if (kernel[i] == ')') ++depth;
    if (kernel[i] == '(' && --depth == 0) return i > 0 ? kernel.substr(0, i) : kernel;
  }
  return kernel;
}

std::string short_kernel_name(const std::string& name) {
  if (name.starts_with('[')) return name;  // no kernel's own name: "[CUDA graph 3]"
  if (name.starts_with("_ZN") && !nested_name(name).empty()) return nested_name(name);
  std::string plain = name;
  for (const auto unnamed : anonymous) {
    for (auto at = plain.find(unnamed); at != std::string::npos; at = plain.find(unnamed))
      plain.erase(at, unnamed.size());
  }
  plain = without_parameters(plain);
  // Numba's demangled names carry a long mark of their specialisation.
  if (plain.ends_with(']')) plain.erase(std::min(plain.find("[abi:"), plain.size()));
  // What is within template arguments goes, and all up to the last blank outside them.
  std::string result;
  int depth = 0;
  for (const char c : plain) {
    if (c == '>' && depth > 0) {
      --depth;
    } else if (c == '<') {
      ++depth;
    } else if (depth == 0) {
      c == ' ' ? result.clear() : result.push_back(c);
    }
  }
  return result.empty() ? name : result;
}

std::string shape(const std::array<std::uint32_t, 3>& sizes) {
  std::string text = std::to_string(sizes[0]);
  if (sizes[1] > 1 || sizes[2] > 1) text += "x" + std::to_string(sizes[1]);
  if (sizes[2] > 1) text += "x" + std::to_string(sizes[2]);
  return text;
}

namespace {

/// Whether `text` contains `shape` after the letter of a type ("s884"), and not as a part of a
/// longer number.
bool has_shape(std::string_view text, std::string_view shape) {
  for (auto at = text.find(shape); at != std::string_view::npos; at = text.find(shape, at + 1)) {
    const auto end = at + shape.size();
    const bool typed = at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1])) != 0;
    const bool longer =
        end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0;
    if (typed && !longer) return true;
  }
  return false;
}

}  // namespace

TensorCores tensor_cores_by_name(const std::string& kernel) {
  // The shapes (m, n, k) of matrix instructions.
  static constexpr std::array<std::string_view, 7> shapes{"884",   "1688",  "8816",  "16816",
                                                          "16832", "16864", "161616"};
  // CUTLASS writes MmaTensorOp and Simt into its types (from its third version on the instruction,
  // as in MainloopSm90TmaGmma and MainloopSm100TmaUmma), tensorop into its names. Groups of warps
  // work together on matrix instructions alone.
  static constexpr std::array<std::string_view, 11> on_tensor_cores{
      "hmma",     "imma",        "bmma",       "gmma",  "Gmma",          "Umma",
      "tensorop", "MmaTensorOp", "tensor16x8", "nvjet", "_warpgroupsize"};
  static constexpr std::array<std::string_view, 6> on_ordinary_cores{
      "sgemm", "scudnn", "_ffma_", "wgrad_alg0_engine", "dgrad_engine", "Simt"};
  const std::string_view name(kernel);
  const bool shaped =
      std::ranges::any_of(shapes, [&](auto shape) { return has_shape(name, shape); });
  if (shaped || text::holds_any(name, on_tensor_cores)) return TensorCores::used;
  return text::holds_any(name, on_ordinary_cores) ? TensorCores::unused : TensorCores::unknown;
}

std::optional<bool> uses_tensor_cores(const KernelProfile& kernel) {
  const auto& code = kernel.instructions;
  // The tensor pipe executes some half precision too (HFMA2): what is written decides.
  if (code && code->tensor == 0) return false;
  const auto counted = kernel.counters.find("tensor_instructions");
  if (counted != kernel.counters.end()) return counted->second > 0;
  if (code) return true;
  const auto by_name = tensor_cores_by_name(kernel.name);
  if (by_name == TensorCores::unknown) return std::nullopt;
  return by_name == TensorCores::used;
}

KernelFamily kernel_family(const std::string& kernel) {
  using enum KernelFamily;
  // The first family with a word that is in the name counts, in small letters: "layer_norm" is no
  // elementwise kernel though PyTorch calls it vectorized, and a convolution is a gemm to cuDNN.
  // Template arguments count only where the name itself is of a general kind:
  // "elementwise_kernel<copy...>".
  using Words = std::vector<std::string_view>;
  static const std::vector<std::pair<KernelFamily, Words>> families{
      {communication,
       {"nccl", "nvshmem", "all_reduce", "allreduce", "all_gather", "reduce_scatter"}},
      {attention, {"flash", "fmha", "attention", "attn_fwd", "attn_bwd"}},
      {optimizer, {"adam", "multi_tensor", "optimizer"}},
      {convolution,
       {"fprop", "dgrad", "wgrad", "conv", "igemm_", "winograd", "nchwtonhwc", "nhwctonchw",
        "fft2d_", "flip_filter"}},
      {normalization,
       {"layer_norm", "layernorm", "rms_norm", "rmsnorm", "batch_norm", "batchnorm", "gammabeta",
        "group_norm", "bn_fw", "bn_bw"}},
      {softmax, {"softmax"}},
      {matrix_product,
       {"gemm", "gemv", "nvjet", "matmul", "cutlass", "splitk", "cijk_", "_dot", "dot_"}},
      {sorting, {"sort", "topk", "scan"}},
      {copying,
       {"catarray", "concat", "copy", "transpose", "gather", "scatter", "index", "embedding",
        "memcpy"}},
      {reduction, {"reduce", "sum", "pool", "triton_red", "triton_per"}},
      {elementwise,
       {"elementwise", "triton_poi", "fusion", "pointwise", "pow", "cupy_", "dropout"}}};
  const auto family_in = [](const std::string& name) {
    for (const auto& [family, words] : families)
      if (text::holds_any(name, words)) return family;
    return other;
  };
  const auto own = family_in(text::lower(short_kernel_name(kernel)));
  const bool general = own == other || own == elementwise || own == reduction ||
                       own == matrix_product || own == optimizer;
  return general ? family_in(text::lower(kernel)) : own;
}

bool only_copies(const std::string& kernel) {
  if (kernel_family(kernel) != KernelFamily::copying) return false;
  // A compiler names what it fused after all operations.
  const auto name = text::lower(kernel);
  return !text::holds_any(name, {"gather", "scatter", "index", "embedding", "triton_", "fus"});
}

bool is_in_double(const std::string& kernel) {
  constexpr std::string_view word = "double";
  const std::string_view name(kernel);
  if (text::holds_any(name,
                      {"float64", "complex128", "_f64", "d884gemm", "dgemm", "zgemm", "_DB_"}))
    return true;
  std::string open;  // brackets around what is looked at
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(') open.push_back(c);
    if ((c == '>' || c == ')') && !open.empty()) open.pop_back();
    if (c != word[0] || !name.substr(i).starts_with(word)) continue;
    const auto is_word = [](char one) {
      return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_';
    };
    const auto before = name.substr(0, i);
    auto behind = name.substr(i + word.size());
    if (!behind.empty() && behind.front() >= '2' && behind.front() <= '4') behind.remove_prefix(1);
    if (!before.empty() && is_word(before.back())) continue;
    if (!behind.empty() && is_word(behind.front())) continue;
    // PyTorch has numbers of the host among the types: std::optional<double>, the rates of Adam.
    const bool is_scalar =
        before.ends_with("optional<") ||
        (before.ends_with(", ") && text::holds_any(name, {"multi_tensor_apply"}));
    const bool is_array =
        behind.starts_with('*') || behind.starts_with(" const*") || behind.starts_with(" *");
    if (is_array || (open.ends_with('<') && !is_scalar) || before.ends_with("lambda(")) return true;
  }
  return false;
}

bool is_library_kernel(const std::string& kernel) {
  static constexpr std::string_view marks[] = {"nccl",         "nvshmem",
                                               "cudnn",        "cublas",
                                               "cutlass",      "sm80_xmma",
                                               "sm90_xmma",    "_xmma_",
                                               "nvjet",        "at::",
                                               "c10::",        "cub::",
                                               "thrust::",     "DelayKernel",
                                               "flash_fwd",    "fmha",
                                               "cufft",        "wgrad_",
                                               "tensorflow::", "Eigen::",
                                               "gemvNSP",      "implicit_convolve",
                                               "Cijk_",        "ck_tile::",
                                               "igemm_"};
  if (text::holds_any(kernel, marks)) return true;
  return tensor_cores_by_name(kernel) != TensorCores::unknown &&
         kernel_family(kernel) != KernelFamily::other;
}

}  // namespace apod
