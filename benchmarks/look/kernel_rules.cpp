#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/frameworks.hpp"
#include "benchmarks/look/thresholds.hpp"

// Rules on what the kernels of a program do, by their code and their names. The kernels of one
// cause are taken together, because a program has many small ones.
namespace apod::look {
namespace {

/// Of a step, in the unit of the report's tables; of the device's time without steps.
std::string time_text(const View& view, double time_s) {
  return view.repeats() ? seconds(view.a_step(time_s)) + view.of_a_step()
                        : view.share_of_busy(time_s);
}

/// A warning where kernels take half of a program's steps: else they are not the limit.
Severity severity_of(const View& view) {
  const auto* steps = view.steps;
  const bool limit = steps != nullptr && steps->mean()[StepPart::kernels] >= 0.5 * steps->mean_s();
  return limit ? Severity::warning : Severity::note;
}

/// The share of all time that is saved if `left` of the group's time remains.
double gain_of(const View& view, double time_s, double left) {
  return view.steps == nullptr ? 0 : (1 - left) * view.kernels_alone * time_s / view.span_s;
}

/// "most direct_copy_kernel_cuda in forward".
std::string most_text(const View& view, const KernelProfile& kernel) {
  std::string text = "most " + short_kernel_name(kernel.name);
  if (view.steps == nullptr) return text;
  const auto found = view.steps->launched.find(kernel.name);
  if (found == view.steps->launched.end() || found->second.empty()) return text;
  const auto place =
      std::ranges::max_element(found->second, {}, [](const auto& one) { return one.second; });
  return place->first.empty() ? text : text + " " + place->first;
}

/// Where no instructions are known, the names of library kernels are believed. Gain: all but their
/// time at the tensor rate.
void plain_library_products(View& view) {
  if (!view.has_tensor_cores()) return;
  const auto is_plain = [](const KernelProfile& kernel) {
    return !kernel.instructions && tensor_cores_by_name(kernel.name) == TensorCores::unused;
  };
  const auto group = group_of(view.profile.kernels, is_plain);
  if (group.longest == nullptr || !view.matters(group.time.total_s)) return;
  const bool half = group_of(view.profile.kernels, [&](const KernelProfile& kernel) {
                      return is_plain(kernel) && text::holds_any(kernel.name, {"half", "f16"});
                    }).longest != nullptr;
  const bool has_tf32 = capability(view.device) >= 8;
  const double tensor =
      view.ceilings == nullptr ? 0 : view.ceilings->flops(has_tf32 ? Number::tf32 : Number::fp16);
  const double left = tensor > 0 ? std::min(1.0, view.ceilings->fp32_flops / tensor) : 0;
  const double saved = gain_of(view, group.time.total_s, left);
  view.say(half ? Severity::warning : severity_of(view), "unused-tensor-cores",
           saved > 0 && group.entries > 1 ? "" : without_parameters(group.longest->name),
           "matrix products and convolutions without tensor cores take " +
               time_text(view, group.time.total_s) + " (" +
               plural(group.entries, "kernel", "kernels") + ", recognised by their library names)" +
               (half ? "; some use fp16 data" : ""),
           has_tf32 ? "allow TF32, or use bf16 or fp16 with dimensions and channels that are "
                      "multiples of 8"
                    : "use fp16, with dimensions and channels that are multiples of 8",
           saved);
}

/// By the code where it has arithmetic, else by the name.
bool computes_in_double(const KernelProfile& kernel) {
  const auto& code = kernel.instructions;
  if (code && code->fp32 + code->fp64() > 0) return code->fp64() > code->fp32;
  return is_in_double(kernel.name);
}

/// The time of a block of 512 elements, if it took no longer than in PyTorch's fastest kernel for
/// operands of one layout, which does up to 1024 in a block.
double contiguous_block_s(const View& view) {
  double least_s = std::numeric_limits<double>::max();
  for (const auto& kernel : view.profile.kernels) {
    if (kernel.name.find("at::native::vectorized_elementwise_kernel<") != std::string::npos)
      least_s = std::min(least_s, kernel.time.min_s / std::max(1.0, blocks_of(kernel)) / 2);
  }
  return least_s == std::numeric_limits<double>::max() ? 0 : least_s;
}

/// Gain: the time of the copies. Where they change a layout, PyTorch's kernels for operands of
/// different layouts belong to it, too, with what they take longer than contiguous ones.
void copying_kernels(View& view) {
  const auto& kernels = view.profile.kernels;
  const auto group = group_of(kernels, [](const auto& kernel) { return only_copies(kernel.name); });
  double time_s = group.time.total_s;
  if (group.longest == nullptr || !view.matters(time_s)) return;
  std::string text = "kernels that only copy take " + time_text(view, time_s) + " (" +
                     most_text(view, *group.longest) + ")";
  constexpr std::string_view strided = "at::native::elementwise_kernel<";
  const auto is_strided = [&](const KernelProfile& kernel) {
    return kernel.name.find(strided) != std::string::npos;
  };
  if (is_strided(*group.longest)) {
    const double block_s = contiguous_block_s(view);
    double needed_s = 0;
    const auto others = group_of(kernels, [&](const KernelProfile& kernel) {
      const bool belongs =
          is_strided(kernel) && !only_copies(kernel.name) && !computes_in_double(kernel);
      if (belongs) {
        needed_s += std::min(kernel.time.total_s,
                             block_s * blocks_of(kernel) * static_cast<double>(kernel.time.count));
      }
      return belongs;
    });
    time_s += others.time.total_s - needed_s;
    if (others.longest != nullptr) {
      text += "; elementwise kernels whose operands differ in layout or shape take " +
              time_text(view, others.time.total_s);
      if (needed_s > 0) text += ", at least " + seconds(view.a_step(needed_s)) + " in any layout";
    }
  }
  const auto& advice = advice_for(view.framework);
  const auto name = text::lower(short_kernel_name(group.longest->name));
  view.say(severity_of(view), "copying-kernels", "", text,
           text::holds_any(name, {"catarray", "concat"}) ? advice.concatenating : advice.layout,
           gain_of(view, time_s, 0));
}

/// Whether the name tells a division or a function that takes many times as long in FP64.
bool is_slow_in_double(const KernelProfile& kernel) {
  return text::holds_any(text::lower(kernel.name),
                         {"exp_", "log_", "pow", "div_", "divide", "sin_", "cos_", "tan", "erf",
                          "sqrt", "sigmoid", "softmax", "gelu", "silu"});
}

/// Only our own cases say in which type they were asked to compute. Gain: what FP32 saves at most.
/// It has half of the bytes, and a rate that is at least twice as high.
void double_precision(View& view) {
  if (view.steps == nullptr) return;
  double slow_s = 0;
  const auto group = group_of(view.profile.kernels, [&](const KernelProfile& kernel) {
    const bool belongs = computes_in_double(kernel) && !only_copies(kernel.name);
    if (belongs && is_slow_in_double(kernel)) slow_s += kernel.time.total_s;
    return belongs;
  });
  const double time_s = group.time.total_s;
  if (group.longest == nullptr || !view.matters(time_s)) return;
  const auto [fp32, fp64] = view.fp_rates();
  const double left = fp32 > 0 && fp64 > 0 ? std::min(0.5, fp64 / fp32) : 0;
  view.say(severity_of(view), "fp64-kernels", "",
           "kernels in double precision take " + time_text(view, time_s) + " (" +
               plural(group.entries, "kernel", "kernels") + ", " + most_text(view, *group.longest) +
               ")" +
               (slow_s > 0 ? "; " + time_text(view, slow_s) +
                                 " of this for divisions and functions such as exp"
                           : ""),
           advice_for(view.framework).doubles,
           gain_of(view, time_s - slow_s, left) + gain_of(view, slow_s, 0));
}

}  // namespace

void kernel_rules(View& view) {
  plain_library_products(view);
  copying_kernels(view);
  double_precision(view);
}

}  // namespace apod::look
