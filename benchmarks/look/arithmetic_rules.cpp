#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"
#include "kernels/data/product_sides.hpp"

namespace apod::look {
namespace {

/// Floating-point instructions of a kernel: those executed, where they were counted, else those in
/// its code.
struct Arithmetic {
  double fp32 = 0;
  double fp64_add = 0;
  double fp64_mul = 0;
  double fp64_fma = 0;
  double fp16 = 0;               ///< in the code
  double fp32_written = 0;       ///< in the code, for comparison with fp16
  std::optional<bool> tensor;    ///< whether it uses tensor cores, by its code and counters
  const char* source = nullptr;  ///< null: nothing is known
  bool counted = false;

  double fp64() const { return fp64_add + fp64_mul + fp64_fma; }
};

Arithmetic arithmetic_of(const KernelProfile& kernel) {
  Arithmetic found;
  if (kernel.instructions) {
    const auto& mix = *kernel.instructions;
    found.fp32 = static_cast<double>(mix.fp32);
    found.fp64_add = static_cast<double>(mix.fp64_add);
    found.fp64_mul = static_cast<double>(mix.fp64_mul);
    found.fp64_fma = static_cast<double>(mix.fp64_fma);
    found.fp16 = static_cast<double>(mix.fp16);
    found.fp32_written = found.fp32;
    found.source = mix.source == "PTX" ? "in PTX" : "in SASS";
  }
  const auto add = counter(kernel, "dadd");
  const auto mul = counter(kernel, "dmul");
  const auto fma = counter(kernel, "dfma");
  if (add && mul && fma) {
    found.fp64_add = *add;
    found.fp64_mul = *mul;
    found.fp64_fma = *fma;
    found.fp32 = counter(kernel, "fadd").value_or(0) + counter(kernel, "fmul").value_or(0) +
                 counter(kernel, "ffma").value_or(0);
    found.source = "executed";
    found.counted = true;
  }
  if (kernel.instructions || counter(kernel, "tensor_instructions")) {
    found.tensor = uses_tensor_cores(kernel);
    if (found.source == nullptr) found.source = "executed";
  }
  return found;
}

/// "67108864 FP64 adds and no FP64 multiplies executed".
std::string fp64_text(const Arithmetic& arithmetic) {
  const auto some = [](double number, const char* what) {
    return (number > 0 ? count(number) : "no") + std::string(" FP64 ") + what;
  };
  const bool fused = arithmetic.fp64_fma > 0;
  return some(arithmetic.fp64_add, "adds") + (fused ? ", " : " and ") +
         some(arithmetic.fp64_mul, "multiplies") +
         (fused ? " and " + count(arithmetic.fp64_fma) + " fused" : "") + " " + arithmetic.source;
}

/// The gain, where the instructions were counted and the rates are known: the time that FP64
/// instructions would save as FP32, (n / FP64 rate - n / FP32 rate) / span. A rate in instructions
/// per second is half of the rate in FLOP/s, which counts a fused multiply-add as two.
double fp64_gain(const View& view, const KernelProfile& kernel, double executed) {
  const auto [fp32, fp64] = view.fp_rates();
  if (!(fp32 > 0) || !(fp64 > 0)) return 0;
  const double all = executed * static_cast<double>(kernel.time.count);
  return (2 * all / fp64 - 2 * all / fp32) / view.span_s;
}

void fp64_in_fp32(View& view) {
  // Only our own cases say in which type they were asked to compute, and not all of them do.
  if (view.asked == nullptr || view.asked->traffic.flops_fp64 > 0) return;
  if (!(view.asked->traffic.flops() > 0)) return;
  for (const auto& kernel : view.profile.kernels) {
    const auto arithmetic = arithmetic_of(kernel);
    if (arithmetic.source == nullptr || !(arithmetic.fp64() > 0)) continue;
    const double all = arithmetic.fp64() + arithmetic.fp32;
    if (arithmetic.counted && arithmetic.fp64() < threshold::fp64_share.value * all) continue;
    const bool sums = arithmetic.fp64_add > 0 && arithmetic.fp64_mul + arithmetic.fp64_fma == 0;
    // sinf, cosf and tanf contain a multiplication for very large arguments, which are rare.
    const bool may_be_of_sinf = !arithmetic.counted && arithmetic.fp64() == arithmetic.fp64_mul;
    const bool is_rare = kernel.time.total_s < threshold::matters.value * view.busy_s;
    view.say(may_be_of_sinf || is_rare ? Severity::note : Severity::warning, "fp64-in-fp32",
             without_parameters(kernel.name),
             fp64_text(arithmetic) + ", but the case does not ask for FP64",
             sums             ? "floats are added to a double: make the accumulator a float"
             : may_be_of_sinf ? "check with --counters whether FP64 runs: sinf, cosf and "
                                "tanf have FP64 code for very large arguments. If it "
                                "runs, look for double constants (2.0 instead of 2.0f)"
                              : "look for double constants (2.0 instead of 2.0f), double "
                                "variables, and functions such as sqrt instead of sqrtf",
             arithmetic.counted ? fp64_gain(view, kernel, arithmetic.fp64()) : 0);
  }
}

/// A matrix product and the type that was asked for.
struct Product {
  ProductSides sides;
  Number type = Number::fp32;

  /// Whether the type is one in which only tensor cores are fast.
  bool wants_tensor_cores() const { return type != Number::fp32; }
};
/// Nothing for a case that is not a matrix product.
std::optional<Product> product_of(const View& view) {
  const auto sides = view.asked == nullptr ? std::nullopt : product_sides(view.asked->params);
  if (!sides) return std::nullopt;
  for (const auto type : {Number::fp16, Number::bf16, Number::tf32}) {
    if (view.asked->traffic.flops(type) > 0) return Product{*sides, type};
  }
  return Product{*sides};
}

/// "m 1001 and k 12 is not a multiple of 8"; empty where all sides are multiples.
std::string odd_sides(const Product& product) {
  const auto& multiple =
      product.type == Number::tf32 ? threshold::tensor_multiple_tf32 : threshold::tensor_multiple;
  const auto& [m, n, k] = product.sides;
  std::string text;
  for (const auto& [name, side] : {std::pair{"m ", m}, {"n ", n}, {"k ", k}}) {
    if (side % static_cast<std::int64_t>(multiple.value) == 0) continue;
    text += (text.empty() ? "" : " and ") + std::string(name) + std::to_string(side);
  }
  return text.empty() ? "" : text + ": not a multiple of " + count(multiple.value);
}

/// What tensor cores save at most: all but the time of the FLOPs at their ceiling. Where the FLOPs
/// are not known, those that FP32 does at its ceiling meanwhile are taken.
double tensor_gain(const View& view, const Weighed& weighed,
                   const std::optional<Product>& product) {
  const bool is_asked = product && product->wants_tensor_cores();
  const auto type = is_asked ? product->type : Number::fp16;
  const double tensor = view.ceilings == nullptr ? 0 : view.ceilings->flops(type);
  if (!(tensor > 0)) return 0;
  const double least = is_asked ? view.asked->traffic.flops(type) / tensor / view.span_s
                                : weighed.share_of_span * view.ceilings->fp32_flops / tensor;
  return weighed.share_of_span - least;
}

/// Gain: unknown where fp32 was asked for.
void unused_tensor_cores(View& view) {
  const auto product = product_of(view);
  // The other kernels of such a case prepare operands, or add up partial results.
  if (std::ranges::any_of(view.kernels, [](const Weighed& weighed) {
        return arithmetic_of(*weighed.kernel).tensor.value_or(false);
      })) {
    return;
  }
  for (const auto& weighed : view.kernels) {
    const auto arithmetic = arithmetic_of(*weighed.kernel);
    if (!arithmetic.tensor) continue;  // nothing is known of its code
    // Half precision alone may mean element by element; matrix products are known by their axes.
    const bool half = arithmetic.fp16 > arithmetic.fp32_written;
    const bool is_fp32 = arithmetic.fp32 > arithmetic.fp64();
    if (!half && !(product && is_fp32)) continue;
    // fp32 may be intended, and then no shape would bring it to the tensor cores.
    const bool meant = half || product->wants_tensor_cores();
    const auto odd = product ? odd_sides(*product) : std::string();
    std::string text = "no matrix instruction " + std::string(arithmetic.source) + ", " +
                       (half ? "arithmetic is fp16" : "arithmetic is fp32");
    if (!odd.empty()) text += "; " + odd;
    const std::string advice =
        !meant ? "if the precision suffices, allow TF32, or compute in fp16 or bf16 with fp32 "
                 "accumulators" +
                     std::string(odd.empty() ? "" : ", with dimensions padded to multiples of 8")
        : half && !odd.empty() ? "pad the shape to multiples of 8"
                               : "use the matrix instructions (wmma, CUTLASS, cuBLAS)" +
                                     std::string(odd.empty() ? "" : ", with a padded shape");
    view.say(meant ? Severity::warning : Severity::note, "unused-tensor-cores", weighed.name, text,
             advice, meant ? tensor_gain(view, weighed, product) : 0);
  }
}

/// No gain: a trace does not show what the shape costs. Where the tensor cores are known to be
/// idle, unused-tensor-cores says so and names the sides.
void unaligned_product(View& view) {
  const auto product = product_of(view);
  if (!product || !product->wants_tensor_cores()) return;
  const auto odd = odd_sides(*product);
  const auto longest = std::ranges::max_element(view.kernels, {}, &Weighed::share);
  if (odd.empty() || longest == view.kernels.end()) return;
  const auto is = [&](bool used) {
    return std::ranges::any_of(view.kernels, [&](const Weighed& weighed) {
      return uses_tensor_cores(*weighed.kernel) == used;
    });
  };
  if (is(false) && !is(true)) return;
  const bool is_slow = is(true) && view.roof && view.in_kernel_scope() &&
                       view.roof->share < near_ceiling &&
                       longest->kernel->time.mean_s() >= threshold::short_operation.value;
  view.say(is_slow ? Severity::warning : Severity::note, "unaligned-product", longest->name,
           odd + (is_slow ? "; " + percent(view.roof->share) + " of the nearest ceiling" : ""),
           "pad the matrices: 16-byte loads need rows that begin at multiples of 16 bytes", 0);
}

}  // namespace

void arithmetic_rules(View& view) {
  fp64_in_fp32(view);
  if (!view.has_tensor_cores()) return;
  unused_tensor_cores(view);
  unaligned_product(view);
}

}  // namespace apod::look
