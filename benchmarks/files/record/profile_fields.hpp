#pragma once

/// \file
/// The fields of a profile; see fields.hpp. Internal to record/.

#include "benchmarks/base/profile.hpp"
#include "benchmarks/files/record/archive.hpp"

namespace apod::record {

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

}  // namespace apod::record
