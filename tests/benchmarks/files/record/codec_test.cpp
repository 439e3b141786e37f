#include "benchmarks/files/record/codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <typeinfo>

#include "benchmarks/files/record/fields.hpp"
#include "tests/benchmarks/files/record/member_count.hpp"
#include "tests/benchmarks/show/sample_result.hpp"
#include "tests/support/texts.hpp"

namespace apod::record {
namespace {

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
      record::fields(inner, value);
      last_ = inner.last_;
    }
  }

  std::size_t fields_ = 0;
  int last_ = 0;
};

/// That the list of fields has every member of each record, but for `left_out` of them.
template <class... Records>
void expect_listed(std::size_t left_out = 0) {
  const auto expect = [&]<class Record>(Record record) {
    Filler filler;
    fields(filler, record);
    EXPECT_EQ(filler.fields() + left_out, member_count<Record>()) << typeid(Record).name();
  };
  (expect(Records{}), ...);
}

/// What comes back of a record in which no field has its default.
template <class Record, class Decode>
Record expect_round_trip(Record record, const Decode& decode) {
  Filler filler;
  fields(filler, record);
  const std::string line = encode(record);
  EXPECT_FALSE(contains(line, "\n"));
  const Record back = decode(line);
  EXPECT_EQ(encode(back), line);
  EXPECT_NE(line, encode(Record{}));
  return back;
}

TEST(Codec, KeepsEveryField) {
  expect_listed<Measurement, ClockRecord, Verification, Traffic, Tally, InstructionMix,
                KernelProfile, CopyProfile, CallProfile, RangeProfile, Lane, Profile, DataSpec,
                MeasureSpec, Case, WorkItem, DeviceFacts, Finding, Ceilings, FoundCase, Figure>();
  expect_listed<Experiment>(15);  // what the cases are made of, and how they are judged
  ExpectationOutcome outcome{.rule = "time < 1", .state = RuleState::undecided};
  const auto states = [&] {
    Json fields = Writer::write(outcome);
    return std::pair(fields.at("met"), fields.contains("undecided"));
  };
  EXPECT_EQ(states(), std::pair(Json(false), true)) << "a state is two fields";
  outcome.state = RuleState::met;
  EXPECT_EQ(states(), std::pair(Json(true), false));
  expect_listed<SourcePlace>(1);  // whether it is behind what is meant: for messages alone
  expect_listed<CommandSpec>(1);  // its axes are those of the plan's cases
  const auto m = expect_round_trip(Measurement{}, decode_measurement);
  EXPECT_EQ(m.samples_s.at(1), 7 + 1.0 / 3) << "all digits";
  EXPECT_EQ(m.profile.kernels.size(), 2u);
  const auto item = expect_round_trip(WorkItem{}, decode_work_item);
  EXPECT_EQ(item.experiment.scope, Scope::end_to_end);
  EXPECT_EQ(item.info.params.entries().at(0).first[0], 'z') << "in their order";
  expect_round_trip(DeviceFacts{}, decode_device_facts);
}

TEST(Codec, AnEmptyProfileTakesNoRoom) {
  EXPECT_FALSE(contains(encode(Measurement{}), "profile"));
  Measurement traced;
  traced.profile.kernels.resize(1);
  const std::string line = encode(traced);
  EXPECT_FALSE(contains(line, "instructions"));
  EXPECT_FALSE(contains(line, "counters"));
  EXPECT_FALSE(decode_measurement(line).profile.kernels.at(0).instructions);
}

TEST(Codec, KeepsExtremeNumbersAndHasNoWordForWhatIsNone) {
  Measurement m;
  m.samples_s = {5e-324, 1.7976931348623157e308, 0.1, -0.0, 2.8070000000000003e-05};
  m.pilot_samples = std::numeric_limits<std::uint64_t>::max();
  Measurement back = decode_measurement(encode(m));
  EXPECT_EQ(back.samples_s, m.samples_s);
  EXPECT_EQ(back.pilot_samples, m.pilot_samples);
  m = {};
  m.samples_s = {1, std::numeric_limits<double>::quiet_NaN()};
  m.verification.error = std::numeric_limits<double>::infinity();
  const std::string line = encode(m);
  EXPECT_TRUE(contains(line, "\"samples_s\":[1.0,null]"));
  EXPECT_TRUE(contains(line, "\"error\":null"));
  back = decode_measurement(line);
  EXPECT_TRUE(std::isnan(back.samples_s[1]));
  EXPECT_TRUE(std::isnan(back.verification.error));
}

TEST(Codec, TextThatIsNoUtf8IsReplacedAndDoesNotThrow) {
  Measurement m;
  m.failed = show::hostile;
  m.facts["\xff"] = 1;
  const Measurement back = decode_measurement(encode(m));
  EXPECT_TRUE(contains(back.failed, "\uFFFD"));
  EXPECT_TRUE(contains(back.failed, "\x1b[31mred\x01")) << "controls are escaped";
  EXPECT_EQ(back.facts.count("\uFFFD"), 1u);
}

TEST(Codec, UnknownFieldsArePassedOver) {
  std::string line = encode(Measurement{});
  line.insert(1, "\"from_a_newer_program\":[1,{}],");
  EXPECT_NO_THROW(decode_measurement(line));
}

/// The reason that decoding `line` gives.
std::string refusal(const std::string& line) {
  return error_of([&] { decode_measurement(line); });
}

TEST(CodecRefuses, EveryPrefixOfALine) {
  Measurement m;
  m.case_id = "a/b";
  m.samples_s = {1, 2};
  const std::string line = encode(m);
  for (std::size_t length = 0; length < line.size(); ++length) {
    EXPECT_NE(refusal(line.substr(0, length)), "") << line.substr(0, length);
  }
  EXPECT_EQ(refusal(line), "");
  EXPECT_NE(refusal(line + "x"), "");
}

TEST(CodecRefuses, WrongTypesAndSaysWhere) {
  EXPECT_EQ(refusal("[]"), "not a measurement: not an object");
  EXPECT_EQ(refusal("{}"), "not a measurement: case_index: missing");
  Measurement traced;
  traced.profile.kernels.resize(2);
  const Json good = Json::parse(encode(traced));
  const struct {
    const char* pointer;
    const char* value;
    const char* reason;
  } table[] = {
      {"/process", "\"0\"", "process: not an integer"},
      {"/process", "1.5", "process: not an integer"},
      {"/process", "2147483648", "process: integer out of range"},
      {"/case_index", "-1", "case_index: integer out of range"},
      {"/throttled", "[256]", "throttled: [0]: integer out of range"},
      {"/stage", "7", "stage: not a string"},
      {"/samples_s", "[1,\"x\"]", "samples_s: [1]: not a number"},
      {"/samples_s", "{}", "samples_s: not an array"},
      {"/precision_reachable", "1", "precision_reachable: not a boolean"},
      {"/clock", "null", "clock: not an object"},
      {"/facts", "{\"a\":[]}", "facts: a: not a number"},
      {"/profile", "null", "profile: not an object"},
      {"/profile/kernels/1/grid", "[1,2]", "profile: kernels: [1]: grid: not 3 elements"},
      {"/profile/kernels/1/grid", "[1,2,-1]",
       "profile: kernels: [1]: grid: [2]: integer out of range"},
      {"/profile/kernels/1/grid", "\"1x1x1\"", "profile: kernels: [1]: grid: not an array"},
  };
  for (const auto& [pointer, value, reason] : table) {
    Json json = good;
    json[Json::json_pointer(pointer)] = Json::parse(value);
    EXPECT_EQ(refusal(json.dump()), "not a measurement: " + std::string(reason));
  }
  std::string line = encode(Measurement{});
  const std::string wall = "\"wall_s\":0.0";
  line.replace(line.find(wall), wall.size(), "\"wall_s\":1e999");
  EXPECT_NE(refusal(line), "");
}

TEST(CodecRefuses, DeepNestingWithoutExhaustingTheStack) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string line;
    for (int i = 0; i < 1'000'000; ++i) line += bracket;
    EXPECT_EQ(refusal(line), "not a measurement: is nested too deeply");
  }
}

TEST(CodecRefuses, UnknownWords) {
  Json json = Json::parse(encode(WorkItem{}));
  json["experiment"]["scope"] = "galaxy";
  EXPECT_THROW(decode_work_item(json.dump()), std::runtime_error);
  json = Json::parse(encode(WorkItem{}));
  json["info"]["params"] = {{"size", 1.5}};
  EXPECT_THROW(decode_work_item(json.dump()), std::runtime_error);
  EXPECT_THROW(decode_device_facts("null"), std::runtime_error);
}

}  // namespace
}  // namespace apod::record
