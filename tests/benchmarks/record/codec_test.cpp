#include "benchmarks/record/codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "benchmarks/record/fields.hpp"
#include "tests/benchmarks/record/member_count.hpp"
#include "tests/benchmarks/report/sample_result.hpp"

namespace apod::report {
namespace {

using testing::member_count;

/// Gives each field a value of its own, none of them a default, and counts the fields of the
/// outermost record.
class Filler {
 public:
  template <class T>
  void operator()(const char*, T& value) {
    ++fields_;
    fill(value);
  }
  template <class T>
  void if_any(const char* name, T& value) {
    (*this)(name, value);
  }
  std::size_t fields() const { return fields_; }

 private:
  template <class T>
  void fill(T& value) {
    if constexpr (std::same_as<T, bool>) {
      value = !value;
    } else if constexpr (std::same_as<T, std::uint8_t>) {
      value = 1;
    } else if constexpr (std::integral<T>) {
      value = static_cast<T>(1000 + ++last_);
    } else if constexpr (std::floating_point<T>) {
      value = ++last_ + 1.0 / 3;  // needs all its digits
    } else if constexpr (std::same_as<T, std::string>) {
      value = "text \"" + std::to_string(++last_) + "\" µ\n|";
    } else if constexpr (NamedEnum<T>) {
      value = static_cast<T>(1);
    } else if constexpr (std::same_as<T, Params>) {
      last_ += 2;
      value.set("z" + std::to_string(last_), std::int64_t{last_});
      value.set("a" + std::to_string(last_), "word " + std::to_string(last_));
    } else if constexpr (Optional<T>) {
      fill(value.emplace());
    } else if constexpr (Map<T>) {
      fill(value["key " + std::to_string(++last_)]);
      fill(value["key " + std::to_string(++last_)]);
    } else if constexpr (array_size<T> > 0) {
      for (auto& element : value) fill(element);
    } else if constexpr (Vector<T>) {
      fill(value.emplace_back());
      fill(value.emplace_back());
    } else {
      Filler inner;
      inner.last_ = last_ + 100;
      report::fields(inner, value);
      last_ = inner.last_;
    }
  }

  std::size_t fields_ = 0;
  int last_ = 0;
};

/// `left_out`: members that the list of fields leaves out on purpose.
template <class Record, class Decode>
Record expect_round_trip(const Decode& decode, std::size_t left_out = 0) {
  Record record;
  Filler filler;
  fields(filler, record);
  EXPECT_EQ(filler.fields() + left_out, member_count<Record>()) << "a member is not listed";
  const std::string line = record::encode(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Record back = decode(line);
  EXPECT_EQ(record::encode(back), line);
  EXPECT_NE(line, record::encode(Record{}));
  return record;
}

TEST(Codec, MeasurementKeepsEveryField) {
  const auto m = expect_round_trip<Measurement>(record::decode_measurement);
  const Measurement back = record::decode_measurement(record::encode(m));
  EXPECT_EQ(back.case_index, m.case_index);
  EXPECT_EQ(back.case_id, m.case_id);
  EXPECT_EQ(back.process, m.process);
  EXPECT_EQ(back.failed, m.failed);
  EXPECT_EQ(back.stage, m.stage);
  EXPECT_EQ(back.samples_s, m.samples_s);
  EXPECT_EQ(back.device_samples_s, m.device_samples_s);
  EXPECT_EQ(back.throttled, m.throttled);
  EXPECT_EQ(back.pilot_samples, m.pilot_samples);
  EXPECT_EQ(back.precision_reachable, m.precision_reachable);
  EXPECT_EQ(back.launch, m.launch);
  EXPECT_EQ(back.launches_per_sample, m.launches_per_sample);
  EXPECT_EQ(back.wall_s, m.wall_s);
  EXPECT_EQ(back.verification.error, m.verification.error);
  EXPECT_EQ(back.traffic.flops_fp64, m.traffic.flops_fp64);
  EXPECT_EQ(back.clock.reasons, m.clock.reasons);
  ASSERT_EQ(back.phases.size(), 2u);
  EXPECT_EQ(back.phases[1].max_s, m.phases[1].max_s);
  EXPECT_EQ(back.facts, m.facts);
  EXPECT_EQ(back.kernel_code, m.kernel_code);
  EXPECT_EQ(back.notes, m.notes);
  ASSERT_EQ(back.profile.kernels.size(), 2u);
  EXPECT_EQ(back.profile.kernels[1].grid, m.profile.kernels[1].grid);
  EXPECT_EQ(back.profile.kernels[1].instructions->tensor,
            m.profile.kernels[1].instructions->tensor);
  EXPECT_EQ(back.profile.kernels[1].counters, m.profile.kernels[1].counters);
  EXPECT_EQ(back.profile.copies[0].time.max_s, m.profile.copies[0].time.max_s);
  EXPECT_EQ(back.profile.overheads.size(), 2u);
}

TEST(Codec, AnEmptyProfileTakesNoRoom) {
  EXPECT_EQ(record::encode(Measurement{}).find("profile"), std::string::npos);
  Measurement traced;
  traced.profile.kernels.resize(1);
  const std::string line = record::encode(traced);
  EXPECT_EQ(line.find("instructions"), std::string::npos);
  EXPECT_EQ(line.find("counters"), std::string::npos);
  EXPECT_FALSE(record::decode_measurement(line).profile.kernels.at(0).instructions);
}

TEST(Codec, ADamagedProfileIsNamed) {
  Measurement traced;
  traced.profile.kernels.resize(2);
  record::Json json = record::Json::parse(record::encode(traced));
  const auto complaint = [&] {
    try {
      record::decode_measurement(json.dump());
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  json["profile"]["kernels"][1]["grid"] = {1, 2};
  EXPECT_EQ(complaint(), "not a measurement: profile: kernels: [1]: grid: not 3 elements");
  json["profile"]["kernels"][1]["grid"] = {1, 2, -1};
  EXPECT_EQ(complaint(),
            "not a measurement: profile: kernels: [1]: grid: [2]: integer out of range");
  json["profile"]["kernels"][1]["grid"] = "1x1x1";
  EXPECT_EQ(complaint(), "not a measurement: profile: kernels: [1]: grid: not an array");
  json["profile"] = nullptr;
  EXPECT_EQ(complaint(), "not a measurement: profile: not an object");
}

TEST(Codec, WorkItemKeepsEveryField) {
  const auto item = expect_round_trip<record::WorkItem>(record::decode_work_item);
  const record::WorkItem back = record::decode_work_item(record::encode(item));
  EXPECT_EQ(back.info.params, item.info.params) << "order and types of the axes";
  EXPECT_EQ(back.info.baseline, item.info.baseline);
  EXPECT_EQ(back.experiment.scope, Scope::end_to_end);
  EXPECT_EQ(back.experiment.data, item.experiment.data);
  EXPECT_EQ(back.experiment.measure.graph_launches, item.experiment.measure.graph_launches);
  EXPECT_EQ(back.device, item.device);
}

TEST(Codec, DeviceFactsKeepEveryField) {
  expect_round_trip<DeviceFacts>(record::decode_device_facts);
}

TEST(Codec, EveryNestedRecordIsListedWhole) {
  const auto count = [](auto record) {
    Filler filler;
    fields(filler, record);
    return filler.fields();
  };
  EXPECT_EQ(count(PhaseTime{}), member_count<PhaseTime>());
  EXPECT_EQ(count(ClockRecord{}), member_count<ClockRecord>());
  EXPECT_EQ(count(Verification{}), member_count<Verification>());
  EXPECT_EQ(count(Traffic{}), member_count<Traffic>());
  EXPECT_EQ(count(Tally{}), member_count<Tally>());
  EXPECT_EQ(count(InstructionMix{}), member_count<InstructionMix>());
  EXPECT_EQ(count(KernelProfile{}), member_count<KernelProfile>());
  EXPECT_EQ(count(CopyProfile{}), member_count<CopyProfile>());
  EXPECT_EQ(count(CallProfile{}), member_count<CallProfile>());
  EXPECT_EQ(count(RangeProfile{}), member_count<RangeProfile>());
  EXPECT_EQ(count(Profile{}), member_count<Profile>());
  EXPECT_EQ(count(DataSpec{}), member_count<DataSpec>());
  EXPECT_EQ(count(MeasureSpec{}), member_count<MeasureSpec>());
  EXPECT_EQ(count(Case{}), member_count<Case>());
  EXPECT_EQ(count(ExperimentPlan{}) + 1, member_count<ExperimentPlan>()) << "expectations are not";
  EXPECT_EQ(count(SourcePlace{}), member_count<SourcePlace>());
  EXPECT_EQ(count(ExpectationOutcome{}), member_count<ExpectationOutcome>());
}

TEST(Codec, HasNoWordForWhatIsNoNumber) {
  Measurement m;
  m.samples_s = {1, std::numeric_limits<double>::quiet_NaN()};
  m.verification.error = std::numeric_limits<double>::infinity();
  const std::string line = record::encode(m);
  EXPECT_NE(line.find("\"samples_s\":[1.0,null]"), std::string::npos) << line;
  EXPECT_NE(line.find("\"error\":null"), std::string::npos) << line;
  const Measurement back = record::decode_measurement(line);
  EXPECT_TRUE(std::isnan(back.samples_s[1]));
  EXPECT_TRUE(std::isnan(back.verification.error));
}

TEST(Codec, KeepsExtremeNumbers) {
  Measurement m;
  m.samples_s = {5e-324, 1.7976931348623157e308, 0.1, -0.0, 2.8070000000000003e-05};
  m.pilot_samples = std::numeric_limits<std::uint64_t>::max();
  const Measurement back = record::decode_measurement(record::encode(m));
  EXPECT_EQ(back.samples_s, m.samples_s);
  EXPECT_EQ(back.pilot_samples, m.pilot_samples);
}

TEST(Codec, TextThatIsNoUtf8IsReplacedAndDoesNotThrow) {
  Measurement m;
  m.failed = testing::hostile;
  m.facts["\xff"] = 1;
  const Measurement back = record::decode_measurement(record::encode(m));
  EXPECT_NE(back.failed.find("\uFFFD"), std::string::npos);
  EXPECT_NE(back.failed.find("\x1b[31mred\x01"), std::string::npos) << "controls are escaped";
  EXPECT_EQ(back.facts.count("\uFFFD"), 1u);
}

TEST(Codec, UnknownFieldsArePassedOver) {
  std::string line = record::encode(Measurement{});
  line.insert(1, "\"from_a_newer_program\":[1,{}],");
  EXPECT_NO_THROW(record::decode_measurement(line));
}

/// The reason that decoding `line` gives.
std::string refusal(const std::string& line) {
  try {
    record::decode_measurement(line);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(CodecRefuses, EveryPrefixOfALine) {
  Measurement m;
  m.case_id = "a/b";
  m.samples_s = {1, 2};
  const std::string line = record::encode(m);
  for (std::size_t length = 0; length < line.size(); ++length) {
    EXPECT_NE(refusal(line.substr(0, length)), "") << line.substr(0, length);
  }
  EXPECT_EQ(refusal(line), "");
  EXPECT_NE(refusal(line + "x"), "");
}

/// A line with the value of `key` replaced.
std::string with(const char* key, const char* value) {
  record::Json json = record::Json::parse(record::encode(Measurement{}));
  json[key] = record::Json::parse(value);
  return json.dump();
}

TEST(CodecRefuses, WrongTypesAndSaysWhere) {
  EXPECT_EQ(refusal("[]"), "not a measurement: not an object");
  EXPECT_EQ(refusal("{}"), "not a measurement: case_index: missing");
  EXPECT_EQ(refusal(with("process", "\"0\"")), "not a measurement: process: not an integer");
  EXPECT_EQ(refusal(with("process", "1.5")), "not a measurement: process: not an integer");
  EXPECT_EQ(refusal(with("stage", "7")), "not a measurement: stage: not a string");
  EXPECT_EQ(refusal(with("samples_s", "[1,\"x\"]")),
            "not a measurement: samples_s: [1]: not a number");
  EXPECT_EQ(refusal(with("samples_s", "{}")), "not a measurement: samples_s: not an array");
  EXPECT_EQ(refusal(with("precision_reachable", "1")),
            "not a measurement: precision_reachable: not true or false");
  EXPECT_EQ(refusal(with("clock", "null")), "not a measurement: clock: not an object");
  EXPECT_EQ(refusal(with("facts", "{\"a\":[]}")), "not a measurement: facts: a: not a number");
}

TEST(CodecRefuses, NumbersOutOfRange) {
  EXPECT_EQ(refusal(with("process", "2147483648")),
            "not a measurement: process: integer out of range");
  EXPECT_EQ(refusal(with("case_index", "-1")),
            "not a measurement: case_index: integer out of range");
  EXPECT_EQ(refusal(with("throttled", "[256]")),
            "not a measurement: throttled: [0]: integer out of range");
  std::string line = record::encode(Measurement{});
  const std::string wall = "\"wall_s\":0.0";
  line.replace(line.find(wall), wall.size(), "\"wall_s\":1e999");
  EXPECT_NE(refusal(line), "");
}

TEST(CodecRefuses, DeepNestingWithoutExhaustingTheStack) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string line;
    for (int i = 0; i < 1'000'000; ++i) line += bracket;
    EXPECT_EQ(refusal(line), "not a measurement: nested too deeply");
  }
}

TEST(CodecRefuses, UnknownWords) {
  record::Json json = record::Json::parse(record::encode(record::WorkItem{}));
  json["experiment"]["scope"] = "galaxy";
  EXPECT_THROW(record::decode_work_item(json.dump()), std::runtime_error);
  json = record::Json::parse(record::encode(record::WorkItem{}));
  json["info"]["params"] = {{"size", 1.5}};
  EXPECT_THROW(record::decode_work_item(json.dump()), std::runtime_error);
  EXPECT_THROW(record::decode_device_facts("null"), std::runtime_error);
}

}  // namespace
}  // namespace apod::report
