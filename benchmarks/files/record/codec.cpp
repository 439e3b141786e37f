#include "benchmarks/files/record/codec.hpp"

#include "benchmarks/files/record/fields.hpp"
#include "benchmarks/files/record/trace_json.hpp"

namespace apod::record {
namespace {

template <class Record>
std::string encode_record(const Record& record) {
  return dump(Writer::write(record));
}

template <class Record>
Record decode_record(std::string_view line, const std::string& what) {
  try {
    Record record;
    Reader::read(parse_bounded(line), record);
    return record;
  } catch (const std::exception& error) {
    throw std::runtime_error("not a " + what + ": " + error.what());
  }
}

}  // namespace

std::string encode(const Measurement& measurement) {
  return encode_record(measurement);
}
std::string encode(const WorkItem& item) {
  return encode_record(item);
}
std::map<std::string, std::string> encode_way(const Experiment& experiment) {
  std::map<std::string, std::string> way{{"scope", std::string(to_string(experiment.scope))}};
  const Json measure = Writer::write(experiment.measure);
  for (const auto& [member, value] : measure.items()) {
    way[member.ends_with("_s") ? member.substr(0, member.size() - 2) : member] = dump(value);
  }
  if (experiment.command) way["command"] = encode_record(*experiment.command);
  if (experiment.kernel) way["kernel"] = encode_record(*experiment.kernel);
  return way;
}
std::string encode(const DeviceFacts& facts) {
  return encode_record(facts);
}

std::string encode(const file::KernelSketch& sketch) {
  return encode_record(sketch);
}

std::string encode(const ProcessPart& part) {
  Json json = Writer::write(part);
  json["trace"] = trace_json(part.trace);
  return dump(json);
}

Measurement decode_measurement(std::string_view line) {
  return decode_record<Measurement>(line, "measurement");
}
WorkItem decode_work_item(std::string_view line) {
  return decode_record<WorkItem>(line, "work item");
}
DeviceFacts decode_device_facts(std::string_view line) {
  return decode_record<DeviceFacts>(line, "device record");
}

file::KernelSketch decode_sketch(std::string_view line) {
  return decode_record<file::KernelSketch>(line, "sketch of a kernel");
}

ProcessPart decode_process_part(std::string_view line) {
  try {
    const Json json = parse_bounded(line);
    ProcessPart part;
    Reader::read(json, part);
    const auto trace = json.find("trace");
    if (trace == json.end()) throw std::runtime_error("trace: missing");
    part.trace = trace_of(*trace);
    return part;
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("not a part of a process's recording: ") + error.what());
  }
}

}  // namespace apod::record
