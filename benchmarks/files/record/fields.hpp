#pragma once

/// \file The fields of every record, listed once for both directions. Internal to record/.

#include "benchmarks/base/result.hpp"
#include "benchmarks/files/record/archive.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "kernels/files/kernel_family.hpp"

namespace apod::record {

template <class Archive, Is<file::TextureSpec> T>
void fields(Archive& field, T& t) {
  field("is_linear", t.is_linear);
  field("is_normalized", t.is_normalized);
  field("wraps", t.wraps);
}

template <class Archive, Is<file::LoopSpec> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("begin", t.begin);
  field("end", t.end);
  field("by", t.by);
  field("step", t.step);
}

template <class Archive, Is<file::Argument> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("type", t.type);
  field("role", t.role);
  field("shape", t.shape);
  field("value", t.value);
  field("made", t.made);
  field("formula", t.formula);
  field("has_data", t.has_data);
  field("structure", t.structure);
  field("variable", t.variable);
  field("texture", t.texture);
}

template <class Archive, Is<file::LaunchSpec> T>
void fields(Archive& field, T& t) {
  field("file", t.file);
  field("kernel", t.kernel);
  field("grid", t.grid);
  field("block", t.block);
  field("cluster", t.cluster);
  field("shared", t.shared);
  field("cooperative", t.cooperative);
  field("args", t.args);
  field("loops", t.loops);
}

template <class Archive, Is<file::ReferenceSpec> T>
void fields(Archive& field, T& t) {
  field("kind", t.kind);
  field("launch", t.launch);
  field("workload", t.workload);
  field("outputs", t.outputs);
}

template <class Archive, Is<capture::Parameter> T>
void fields(Archive& field, T& t) {
  field("offset", t.offset);
  field("bytes", t.bytes);
  field("value", t.value);
}

template <class Archive, Is<capture::Window> T>
void fields(Archive& field, T& t) {
  field("address", t.address);
  field("bytes", t.bytes);
  field("place", t.place);
  field("allocation_bytes", t.allocation_bytes);
}

template <class Archive, Is<capture::Variable> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("bytes", t.bytes);
}

template <class Archive, Is<capture::ProgramTime> T>
void fields(Archive& field, T& t) {
  field("launches", t.launches);
  field("median_s", t.median_s);
  field("least_s", t.least_s);
  field("most_s", t.most_s);
}

template <class Archive, Is<capture::CapturedLaunch> T>
void fields(Archive& field, T& t) {
  field("schema", t.schema);
  field("kernel", t.kernel);
  field("launch", t.launch);
  field("grid", t.grid);
  field("block", t.block);
  field("cluster", t.cluster);
  field("shared_bytes", t.shared_bytes);
  field("cooperative", t.cooperative);
  field("carveout", t.carveout);
  field("parameters", t.parameters);
  field("windows", t.windows);
  field("variables", t.variables);
  field("has_ptx", t.has_ptx);
  field("program", t.program);
  field("framework", t.framework);
  field("driver", t.driver);
  field("device", t.device);
  field("compute_capability", t.compute_capability);
  field("date", t.date);
  field("time", t.time);
  field("notes", t.notes);
}

template <class Archive, Is<file::CapturedSpec::Argument> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("parameter", t.parameter);
  field("offset", t.offset);
}

template <class Archive, Is<file::CapturedSpec> T>
void fields(Archive& field, T& t) {
  field("folder", t.folder);
  field("launch", t.launch);
  field("args", t.args);
  field("type", t.type);
}

template <class Archive, Is<file::KernelSpec> T>
void fields(Archive& field, T& t) {
  field("folder", t.folder);
  field("outside", t.outside);
  field.if_any("bounded", t.bounded);
  field("launches", t.launches);
  field.if_any("sources", t.sources);
  field("flags", t.flags);
  field("compiler", t.compiler);
  field("args", t.args);
  field("reference", t.reference);
  field("absolute", t.absolute);
  field("relative", t.relative);
  field("traffic", t.traffic);
  field("axes", t.axes);
  field.if_any("variants", t.variants);
  field.if_any("captured", t.captured);
  field("split", t.split);
}

template <class Archive, Is<file::KernelSketch::Parameter> T>
void fields(Archive& field, T& t) {
  field("text", t.text);
  field("is_pointer", t.is_pointer);
  field("is_const", t.is_const);
  field("type", t.type);
  field("count", t.count);
}

template <class Archive, Is<file::KernelSketch> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("parameters", t.parameters);
  field("sizes", t.sizes);
  field("block", t.block);
  field("most", t.most);
  field("has_types", t.has_types);
}

template <class Archive, Is<file::KernelFile> T>
void fields(Archive& field, T& t) {
  field("spec", t.spec);
}

/// The name of a case's own parameter: the rest is only for reading the experiment file.
template <class Archive, Is<AxisSpec> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
}

template <class Archive, Is<Tally> T>
void fields(Archive& field, T& t) {
  field("count", t.count);
  field("total_s", t.total_s);
  field("min_s", t.min_s);
  field("max_s", t.max_s);
}

template <class Archive, Is<InstructionMix> T>
void fields(Archive& field, T& t) {
  field("source", t.source);
  field("fp32", t.fp32);
  field("fp64_add", t.fp64_add);
  field("fp64_mul", t.fp64_mul);
  field("fp64_fma", t.fp64_fma);
  field("fp16", t.fp16);
  field("tensor", t.tensor);
  field("conversions_to_fp64", t.conversions_to_fp64);
  field("global_loads", t.global_loads);
  field.if_any("asynchronous_loads", t.asynchronous_loads);
  field("global_stores", t.global_stores);
  field("local_accesses", t.local_accesses);
  field("all", t.all);
}

template <class Archive, Is<Operation> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("direction", t.direction);
  field("shapes", t.shapes);
  field("type", t.type);
  field("flops", t.flops);
  field("bytes", t.bytes);
}

template <class Archive, Is<KernelProfile> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("grid", t.grid);
  field("block", t.block);
  field("registers_per_thread", t.registers_per_thread);
  field("static_shared_bytes", t.static_shared_bytes);
  field("dynamic_shared_bytes", t.dynamic_shared_bytes);
  field("local_bytes", t.local_bytes);
  field("resident_blocks", t.resident_blocks);
  field("limiter", t.limiter);
  field("time", t.time);
  field.if_any("operation", t.operation);
  field.if_any("instructions", t.instructions);
  field.if_any("counters", t.counters);
}

template <class Archive, Is<CopyProfile> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("source", t.source);
  field("target", t.target);
  field("bytes", t.bytes);
  field("synchronous", t.synchronous);
  field.if_any("queued", t.queued);
  field.if_any("queued_s", t.queued_s);
  field.if_any("queued_lost_s", t.queued_lost_s);
  field("time", t.time);
}

template <class Archive, Is<CallProfile> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("driver", t.driver);
  field("time", t.time);
  field.if_any("among_kernels", t.among_kernels);
}

template <class Archive, Is<RangeProfile> T>
void fields(Archive& field, T& t) {
  field("domain", t.domain);
  field("name", t.name);
  field("time", t.time);
}

template <class Archive, Is<Lane> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("what", t.what);
  field("names", t.names);
  field("of", t.of);
  field("start_ns", t.start_ns);
  field("length_ns", t.length_ns);
  field("count", t.count);
  field.if_any("busy_ns", t.busy_ns);
  field.if_any("before_ns", t.before_ns);
  field.if_any("after_ns", t.after_ns);
}

template <class Archive, Is<Profile> T>
void fields(Archive& field, T& t) {
  field("kernels", t.kernels);
  field("copies", t.copies);
  field("calls", t.calls);
  field("ranges", t.ranges);
  field("overheads", t.overheads);
  field.if_any("lanes", t.lanes);
  field.if_any("parts_s", t.parts_s);
}

template <class Archive, Is<NamedTime> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  fields(field, t.time);
}

template <class Archive, Is<ClockRecord> T>
void fields(Archive& field, T& t) {
  field("min_mhz", t.min_mhz);
  field("mean_mhz", t.mean_mhz);
  field("max_mhz", t.max_mhz);
  field("readings", t.readings);
  field("reasons", t.reasons);
  field.if_any("sample_mhz", t.sample_mhz);
}

template <class Archive, Is<Verification> T>
void fields(Archive& field, T& t) {
  field("passed", t.passed);
  field("error", t.error);
  field("tolerance", t.tolerance);
  field("measure", t.measure);
  field("detail", t.detail);
}

template <class Archive, Is<Traffic> T>
void fields(Archive& field, T& t) {
  field("bytes_read", t.bytes_read);
  field("bytes_written", t.bytes_written);
  field("flops_fp32", t.flops_fp32);
  field("flops_fp64", t.flops_fp64);
  field("flops_tensor", t.flops_tensor);
  field.if_any("flops_tf32", t.flops_tf32);  // older files have none
  field.if_any("flops_bf16", t.flops_bf16);  // likewise
  field.if_any("flops_replaced", t.flops_replaced);
  field.if_any("bytes_linked", t.bytes_linked);
  field.if_any("is_product", t.is_product);
}

template <class Archive, Is<FoundCase> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field.if_any("failed", t.failed);
  field("samples_s", t.samples_s);
  field("facts", t.facts);
  field.if_any("kernel_code", t.kernel_code);
  field.if_any("profile", t.profile);
}

template <class Archive, Is<SampleQuantiles> T>
void fields(Archive& field, T& t) {
  field("samples", t.samples);
  field("throttled", t.throttled);
  field("p25_s", t.p25_s);
  field("median_s", t.median_s);
  field("p75_s", t.p75_s);
  field("p99_s", t.p99_s);
  field.if_any("device_median_s", t.device_median_s);
}

template <class Archive, Is<Measurement> T>
void fields(Archive& field, T& t) {
  field("case_index", t.case_index);
  field("case_id", t.case_id);
  field("process", t.process);
  field("failed", t.failed);
  field("stage", t.stage);
  field("samples_s", t.samples_s);
  field("device_samples_s", t.device_samples_s);
  field("throttled", t.throttled);
  field.if_any("launch_phases", t.launch_phases);
  field.if_any("quantiles", t.quantiles);
  field("pilot_samples", t.pilot_samples);
  field("precision_reachable", t.precision_reachable);
  field("launch", t.launch);
  field("launches_per_sample", t.launches_per_sample);
  field("wall_s", t.wall_s);
  field("verification", t.verification);
  field("traffic", t.traffic);
  field("clock", t.clock);
  field("phases", t.phases);
  field("facts", t.facts);
  field("kernel_code", t.kernel_code);
  field.if_any("profile", t.profile);
  field("notes", t.notes);
  field.if_any("machine", t.machine);
  field.if_any("found", t.found);
}

template <class Archive, Is<DataSpec> T>
void fields(Archive& field, T& t) {
  field("kind", t.kind);
  field("seed", t.seed);
  field("file", t.file);
}

template <class Archive, Is<MeasureSpec> T>
void fields(Archive& field, T& t) {
  field("precision", t.precision);
  field("max_time_s", t.max_time_s);
  field("warmup_s", t.warmup_s);
  field("timeout_s", t.timeout_s);
  field("processes", t.processes);
  field("max_processes", t.max_processes);
  field("budget_s", t.budget_s);
  field("min_samples", t.min_samples);
  field("max_samples", t.max_samples);
  field("graph_launches", t.graph_launches);
  field("cache", t.cache);
  field("launch", t.launch);
  field("clocks", t.clocks);
  field("threshold", t.threshold);
  field("trace", t.trace);
  field.if_any("counters", t.counters);  // older files have none
  field.if_any("metrics", t.metrics);
  field.if_any("energy", t.energy);
  field.if_any("exclusive", t.exclusive);
}

template <class Archive, Is<Figure> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("where", t.where);
  field("unit", t.unit);
}

/// Axes are left out: they serve the reading of the experiment file.
template <class Archive, Is<CommandSpec> T>
void fields(Archive& field, T& t) {
  field("words", t.words);
  field("env", t.env);
  field("cwd", t.cwd);
  field("setup", t.setup);
  field("cleanup", t.cleanup);
  field("exit", t.exit);
  field("match", t.match);
  field("output", t.output);
  field("reads", t.reads);
  field("figures", t.figures);
  field.if_any("cases", t.cases);
  field.if_any("case_name", t.case_name);
}

/// What the cases share, but expectations and what cases are made from: parent and plan have them.
template <class Archive, Is<Experiment> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("workload", t.workload);
  field("scope", t.scope);
  field("data", t.data);
  field("measure", t.measure);
  field("swept", t.swept);
  field.if_any("weight", t.weight);
  field.if_any("command", t.command);
  field.if_any("kernel", t.kernel);
}

template <class Archive, Is<Case> T>
void identity_fields(Archive& field, T& t) {
  field("index", t.index);
  field("experiment", t.experiment);
  field("id", t.id);
  field("variant", t.variant);
  field("params", t.params);
  field("backend", t.backend);
  field("baseline", t.baseline);
  field.if_any("answers", t.answers);
}

template <class Archive, Is<Case> T>
void fields(Archive& field, T& t) {
  identity_fields(field, t);
  field("skip", t.skip);
  field.if_any("wanted", t.wanted);
}

template <class Archive, Is<WorkItem> T>
void fields(Archive& field, T& t) {
  field("info", t.info);
  field("experiment", t.experiment);
  field("process", t.process);
  field("pass", t.pass);
  field("profile_runs", t.profile_runs);
  field("device", t.device);
  field.if_any("pci_address", t.pci_address);
  field("keep_trace", t.keep_trace);
}

template <class Archive, Is<DeviceFacts> T>
void fields(Archive& field, T& t) {
  field("backend", t.backend);
  field("index", t.index);
  field("name", t.name);
  field("uuid", t.uuid);
  field("driver_version", t.driver_version);
  field("runtime_version", t.runtime_version);
  field("compute_capability", t.compute_capability);
  field.if_any("pci_address", t.pci_address);
  field.if_any("pinned_to", t.pinned_to);
  field("multiprocessors", t.multiprocessors);
  field("max_threads_per_multiprocessor", t.max_threads_per_multiprocessor);
  field("memory_bytes", t.memory_bytes);
  field("memory_free_bytes", t.memory_free_bytes);
  field("l2_bytes", t.l2_bytes);
  field("peak_memory_bytes_per_s", t.peak_memory_bytes_per_s);
  field("peak_fp32_flops", t.peak_fp32_flops);
  field("peak_fp64_flops", t.peak_fp64_flops);
  field("peak_transfer_bytes_per_s", t.peak_transfer_bytes_per_s);
  field("max_sm_clock_mhz", t.max_sm_clock_mhz);
  field("power_limit_w", t.power_limit_w);
  field("timer_tick_s", t.timer_tick_s);
  field("ecc", t.ecc);
  field("mig", t.mig);
  field("notes", t.notes);
}

template <class Archive, Is<MultiprocessorLimits> T>
void fields(Archive& field, T& t) {
  field("registers", t.registers);
  field("shared_bytes", t.shared_bytes);
  field("warps", t.warps);
  field("blocks", t.blocks);
  field("threads_per_warp", t.threads_per_warp);
  field("compute_major", t.compute_major);
}

template <class Archive, Is<TracedDevice> T>
void fields(Archive& field, T& t) {
  field("facts", t.facts);
  field("limits", t.limits);
}

template <class Archive, Is<NamedThread> T>
void fields(Archive& field, T& t) {
  field("thread", t.thread);
  field("name", t.name);
}

/// All but the trace, which is a table.
template <class Archive, Is<ProcessPart> T>
void fields(Archive& field, T& t) {
  field("process", t.process);
  field("program", t.program);
  field("clock_ns", t.clock_ns);
  field("last", t.last);
  field("devices", t.devices);
  field("threads", t.threads);
}

template <class Archive, Is<Ceilings> T>
void fields(Archive& field, T& t) {
  field("gpu", t.gpu);
  field("driver", t.driver);
  field("cuda", t.cuda);
  field("power_limit_w", t.power_limit_w);
  field("date", t.date);
  field("commit", t.commit);
  field("read_bytes_per_s", t.read_bytes_per_s);
  field("copy_bytes_per_s", t.copy_bytes_per_s);
  field("fp32_flops", t.fp32_flops);
  field("fp64_flops", t.fp64_flops);
  field("tensor_fp16_flops", t.tensor_fp16_flops);
  field("tensor_tf32_flops", t.tensor_tf32_flops);
  field.if_any("tensor_bf16_flops", t.tensor_bf16_flops);  // older files have none
  field("h2d_pageable_bytes_per_s", t.h2d_pageable_bytes_per_s);
  field("h2d_pinned_bytes_per_s", t.h2d_pinned_bytes_per_s);
  field("d2h_pageable_bytes_per_s", t.d2h_pageable_bytes_per_s);
  field("d2h_pinned_bytes_per_s", t.d2h_pinned_bytes_per_s);
  field.if_any("both_ways_bytes_per_s", t.both_ways_bytes_per_s);  // older files have none
  field("launch_s", t.launch_s);
  field.if_any("links", t.links);
  field.if_any("file", t.file);
}

template <class Archive, Is<Link> T>
void fields(Archive& field, T& t) {
  field("to", t.to);
  field("from", t.from);
  field("one_way_bytes_per_s", t.one_way_bytes_per_s);
  field("both_ways_bytes_per_s", t.both_ways_bytes_per_s);
}

template <class Archive, Is<Finding> T>
void fields(Archive& field, T& t) {
  field("id", t.id);
  field("severity", t.severity);
  field("subject", t.subject);
  field("evidence", t.evidence);
  field("advice", t.advice);
  field("gain", t.gain);
}

template <class Archive, Is<SourcePlace> T>
void fields(Archive& field, T& t) {
  field("line", t.line);
  field("column", t.column);
}

template <class Archive, Is<ExpectationOutcome> T>
void fields(Archive& field, T& t) {
  field("case_index", t.case_index);
  field("rule", t.rule);
  field("observed", t.observed);
  bool met = t.state == RuleState::met;
  field("met", met);
  bool undecided = t.state == RuleState::undecided;
  field.if_any("undecided", undecided);  // older files have none
  if constexpr (!std::is_const_v<T>)
    t.state = met ? RuleState::met : undecided ? RuleState::undecided : RuleState::missed;
  field("place", t.place);
}

}  // namespace apod::record
