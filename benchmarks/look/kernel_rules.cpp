#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/frameworks.hpp"
#include "benchmarks/look/switches.hpp"
#include "benchmarks/look/thresholds.hpp"

// Rules on what the kernels of a program do, by their code and their names. The kernels of one
// cause are taken together, because a program has many small ones.
namespace apod::look {
namespace {

/// Kernels of one cause.
struct Group {
  double time_s = 0;
  double kernels = 0;                      ///< different ones
  const KernelProfile* longest = nullptr;  ///< null: none

  bool matters(const Evidence& evidence) const {
    const double busy = busy_s(evidence);
    return longest != nullptr && busy > 0 && time_s >= threshold::matters.value * busy;
  }
};

Group group_of(const Evidence& evidence, const std::function<bool(const KernelProfile&)>& belongs) {
  Group group;
  for (const auto& kernel : evidence.profile.kernels) {
    if (!belongs(kernel)) continue;
    group.time_s += kernel.time.total_s;
    group.kernels += 1;
    if (group.longest == nullptr || kernel.time.total_s > group.longest->time.total_s)
      group.longest = &kernel;
  }
  return group;
}

/// Of a step, in the unit of the report's tables; of the device's time without steps.
std::string time_text(const Evidence& evidence, double time_s) {
  const Counts counts(evidence);
  return evidence.steps != nullptr && evidence.steps->repeats()
             ? seconds(counts.of(time_s)) + counts.text()
             : percent(std::min(1.0, time_s / busy_s(evidence))) + " of the device's time";
}

/// A warning where kernels take half of a program's steps: else they are not the limit.
Severity severity_of(const Evidence& evidence) {
  const auto* steps = evidence.steps;
  const bool limit = steps != nullptr && steps->mean()[StepPart::kernels] >= 0.5 * steps->mean_s();
  return limit ? Severity::warning : Severity::note;
}

/// The share of all time that is saved if `left` of the group's time remains.
double gain_of(const Evidence& evidence, double time_s, double left) {
  const double span = span_s(evidence);
  if (evidence.steps == nullptr || !(span > 0)) return 0;
  return gain(evidence, (1 - left) * kernels_alone(evidence) * time_s / span);
}

/// "most direct_copy_kernel_cuda in forward".
std::string most_text(const Evidence& evidence, const KernelProfile& kernel) {
  std::string text = "most " + short_kernel_name(kernel.name);
  if (evidence.steps == nullptr) return text;
  const auto found = evidence.steps->launched.find(kernel.name);
  if (found == evidence.steps->launched.end() || found->second.empty()) return text;
  const auto place =
      std::ranges::max_element(found->second, {}, [](const auto& one) { return one.second; });
  return place->first.empty() ? text : text + " " + place->first;
}

/// Where no instructions are known, the names of library kernels are believed. Gain: all but their
/// time at the tensor rate.
void plain_library_products(const Evidence& evidence, Findings& found) {
  if (capability(evidence.device) < 7) return;  // it has no tensor cores
  const auto is_plain = [](const KernelProfile& kernel) {
    return !kernel.instructions && tensor_cores_by_name(kernel.name) == TensorCores::unused;
  };
  const auto group = group_of(evidence, is_plain);
  if (!group.matters(evidence)) return;
  const bool half = group_of(evidence, [&](const KernelProfile& kernel) {
                      return is_plain(kernel) && text::holds_any(kernel.name, {"half", "f16"});
                    }).longest != nullptr;
  const bool has_tf32 = capability(evidence.device) >= 8;
  const auto* ceilings = evidence.ceilings;
  const double tensor =
      ceilings == nullptr ? 0 : ceilings->flops(has_tf32 ? Number::tf32 : Number::fp16);
  const double left = tensor > 0 ? std::min(1.0, ceilings->fp32_flops / tensor) : 0;
  const double saved = gain_of(evidence, group.time_s, left);
  found.push_back(
      {"unused-tensor-cores", half ? Severity::warning : severity_of(evidence),
       saved > 0 && group.kernels > 1 ? "" : without_parameters(group.longest->name),
       "matrix products and convolutions without tensor cores take " +
           time_text(evidence, group.time_s) + " (" + plural(group.kernels, "kernel", "kernels") +
           ", recognised by their library names)" + (half ? "; some use fp16 data" : ""),
       has_tf32 ? "allow TF32, or use bf16 or fp16 with dimensions and channels that are multiples "
                  "of 8"
                : "use fp16, with dimensions and channels that are multiples of 8",
       saved});
}

/// By the code where it has arithmetic, else by the name.
bool computes_in_double(const KernelProfile& kernel) {
  const auto& code = kernel.instructions;
  if (code && code->fp32 + code->fp64() > 0) return code->fp64() > code->fp32;
  return is_in_double(kernel.name);
}

/// Gain: the time of the copies. Where they change a layout, PyTorch's kernels for operands of
/// different layouts belong to it: their other ones read vectors.
void copying_kernels(const Evidence& evidence, Findings& found) {
  auto group = group_of(evidence, [](const auto& kernel) { return only_copies(kernel.name); });
  if (!group.matters(evidence)) return;
  std::string text = "kernels that only copy take " + time_text(evidence, group.time_s) + " (" +
                     most_text(evidence, *group.longest) + ")";
  constexpr std::string_view strided = "at::native::elementwise_kernel<";
  const auto is_strided = [&](const KernelProfile& kernel) {
    return kernel.name.find(strided) != std::string::npos;
  };
  if (is_strided(*group.longest)) {
    const auto others = group_of(evidence, [&](const KernelProfile& kernel) {
      return is_strided(kernel) && !only_copies(kernel.name) && !computes_in_double(kernel);
    });
    group.time_s += others.time_s;
    if (others.longest != nullptr) {
      text += "; elementwise kernels whose operands differ in layout or shape take " +
              time_text(evidence, others.time_s);
    }
  }
  const auto& advice = advice_for(evidence.framework);
  const auto name = text::lower(short_kernel_name(group.longest->name));
  found.push_back({"copying-kernels", severity_of(evidence), "", text,
                   std::string(text::holds_any(name, {"catarray", "concat"}) ? advice.concatenating
                                                                             : advice.layout),
                   gain_of(evidence, group.time_s, 0)});
}

/// Only our own cases say in which type they were asked to compute. Gain: what FP32 saves at most.
/// It has half of the bytes, and a rate that is at least twice as high.
void double_precision(const Evidence& evidence, Findings& found) {
  if (evidence.steps == nullptr) return;
  const auto group = group_of(evidence, [](const KernelProfile& kernel) {
    return computes_in_double(kernel) && !only_copies(kernel.name);
  });
  if (!group.matters(evidence)) return;
  const auto* ceilings = evidence.ceilings;
  const bool measured = ceilings != nullptr && ceilings->fp32_flops > 0;
  const double fp32 = measured ? ceilings->fp32_flops : evidence.device.peak_fp32_flops;
  const double fp64 = measured ? ceilings->fp64_flops : evidence.device.peak_fp64_flops;
  const double left = fp32 > 0 && fp64 > 0 ? std::min(0.5, fp64 / fp32) : 0;
  found.push_back({"fp64-kernels", severity_of(evidence), "",
                   "kernels in double precision take " + time_text(evidence, group.time_s) + " (" +
                       plural(group.kernels, "kernel", "kernels") + ", " +
                       most_text(evidence, *group.longest) + ")",
                   std::string(advice_for(evidence.framework).doubles),
                   gain_of(evidence, group.time_s, left)});
}

}  // namespace

void kernel_rules(const Evidence& evidence, Findings& found) {
  if (!on_gpu(evidence)) return;
  plain_library_products(evidence, found);
  copying_kernels(evidence, found);
  double_precision(evidence, found);
}

}  // namespace apod::look
