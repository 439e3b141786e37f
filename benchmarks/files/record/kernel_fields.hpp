#pragma once

/// \file
/// The fields of a kernel file's spec. Internal to record/.

#include "benchmarks/files/record/archive.hpp"
#include "kernels/files/kernel_family.hpp"
#include "kernels/files/sketch.hpp"

namespace apod::record {

// The name of a field is the name of the member.

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
}

template <class Archive, Is<file::ReferenceSpec> T>
void fields(Archive& field, T& t) {
  field("kind", t.kind);
  field("launch", t.launch);
  field("workload", t.workload);
  field("outputs", t.outputs);
}

template <class Archive, Is<file::KernelSpec> T>
void fields(Archive& field, T& t) {
  field("folder", t.folder);
  field("outside", t.outside);
  field("launches", t.launches);
  field("flags", t.flags);
  field("args", t.args);
  field("reference", t.reference);
  field("absolute", t.absolute);
  field("relative", t.relative);
  field("traffic", t.traffic);
  field("axes", t.axes);
  field("split", t.split);
}

template <class Archive, Is<file::KernelSketch::Parameter> T>
void fields(Archive& field, T& t) {
  field("text", t.text);
  field("is_pointer", t.is_pointer);
  field("is_const", t.is_const);
  field("type", t.type);
}

template <class Archive, Is<file::KernelSketch> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("parameters", t.parameters);
  field("registers", t.registers);
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

}  // namespace apod::record
