#include "benchmarks/files/tuning_input.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace apod::files {
namespace {

/// A problem with these parts replaced.
nlohmann::json problem() {
  return nlohmann::json::parse(R"json({
    "General": {"BenchmarkName": "x"}, "Search": {"Name": "random"},
    "ConfigurationSpace": {
      "TuningParameters": [
        {"Name": "bx", "Type": "int", "Values": "[16*i for i in range(1, 4)]", "Default": 16},
        {"Name": "by", "Type": "int", "Values": "[1, 2]", "Default": 1},
        {"Name": "filter", "Type": "int", "Values": "list(range(3, 9, 2))", "Default": 5},
        {"Name": "way", "Type": "string", "Values": "['fast', 'slow']", "Default": "slow"}],
      "Conditions": [{"Parameters": ["bx"], "Expression": "bx * by**2 <= 64 and not (way == 'slow')"}]
}
, "KernelSpecification" : {
  "Language" : "CUDA",
               "KernelName" : "k",
                              "KernelFile" : "k.cu",
                                             "CompilerOptions" : ["-O3"],
                                                                 "GlobalSizeType" : "CUDA",
                                                                                    "GlobalSize"
      : {"X" : "bx"},
        "LocalSize" : {"X" : "bx", "Y" : "by"},
                      "GridDivX" : [ "bx", "by" ],
                                   "ProblemSize" : [ 4096, "2 * 8" ],
                                                   "SharedMemory" : 1024,
                                                   "Arguments"
      : [
        {
          "Name" : "y",
          "Type" : "float",
          "MemoryType" : "Vector",
          "AccessType" : "WriteOnly",
          "Size" : 10
        },
        {
          "Name" : "x",
          "Type" : "double",
          "MemoryType" : "Vector",
          "AccessType" : "ReadWrite",
          "FillType" : "Random",
          "Size" : "ProblemSize[0] + max(filter) - 1"
        },
        {
          "Name" : "m",
          "Type" : "float",
          "MemoryType" : "Vector",
          "MemType" : "Constant",
          "FillType" : "Constant",
          "FillValue" : 1.5,
          "Size" : "max(filter)"
        },
        {"Name" : "n", "Type" : "int32", "MemoryType" : "Scalar", "FillValue" : 7}
      ]
}
})json");
}

nlohmann::json experiment(const nlohmann::json& given) {
  return nlohmann::json::parse(experiment_of_tuning_input(given.dump())).at("experiments").at(0);
}

TEST(TuningInput, BecomesAnExperiment) {
  EXPECT_TRUE(is_tuning_input(problem().dump()));
  EXPECT_FALSE(is_tuning_input("schema: 1"));
  const auto made = experiment(problem());
  const auto expected = nlohmann::json::parse(R"json({
    "name": "k",
    "kernel": {"file": "k.cu", "name": "k",
               "flags": ["-O3", "-Dbx=BX", "-Dby=BY", "-Dfilter=FILTER", "-Dway=WAY"]},
    "axes": {"BX": [16, 32, 48], "BY": [1, 2], "FILTER": [3, 5, 7], "WAY": ["fast", "slow"]},
    "baseline": {"BX": 16, "BY": 1, "FILTER": 5, "WAY": "slow"},
    "where": ["BX * BY^2 <= 64 and not (WAY == 'slow')"],
    "block": ["BX", "BY", "1"],
    "grid": ["ceil((4096) / ((BX) * (BY)))", "ceil((2 * 8) / (BY))", "1"],
    "shared": "1024",
    "args": [{"name": "y", "type": "f32", "shape": "10", "role": "out"},
             {"name": "x", "type": "f64", "shape": "4102", "role": "inout", "data": "uniform"},
             {"name": "m", "type": "f32", "shape": "7", "variable": "m", "role": "in",
              "data": {"expression": "1.5"}},
             {"name": "n", "type": "i32", "value": "7"}],
    "measure": {
    "max_time" : "100ms"}
})json");
  EXPECT_EQ(made, expected) << made.dump(1);
}

/// What is wrong with the problem after `change`.
std::string refusal(const std::function<void(nlohmann::json&)>& change) {
  auto given = problem();
  change(given);
  try {
    experiment_of_tuning_input(given.dump());
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(TuningInput, NamesWhatItCanNotRead) {
  const auto parameter = [](const std::string& values) {
    return refusal([&](nlohmann::json& given) {
      given["ConfigurationSpace"]["TuningParameters"][0]["Values"] = values;
    });
  };
  EXPECT_EQ(parameter("[f(i) for i in things]"),
            "TuningParameters: bx: its values are Python code: write a list instead: [f(i) for i "
            "in things]");
  EXPECT_EQ(parameter("[0.5, 1.0]"),
            "TuningParameters: bx: its value 0.5 must be an integer or a string");
  EXPECT_EQ(parameter("[i for i in range(3, 3)]"),
            "TuningParameters: bx: it has no value: [i for i in range(3, 3)]");
  const auto kernel = [](const std::string& key, const nlohmann::json& value) {
    return refusal([&](nlohmann::json& given) { given["KernelSpecification"][key] = value; });
  };
  EXPECT_EQ(kernel("Language", "OpenCL"),
            "KernelSpecification: Language OpenCL can't be run; bench runs only CUDA");
  EXPECT_NE(kernel("ReferenceArguments", nlohmann::json::array())
                .find("bench does not read ReferenceArguments"),
            std::string::npos);
  const auto argument = [&](const std::string& key, const nlohmann::json& value) {
    return refusal(
        [&](nlohmann::json& given) { given["KernelSpecification"]["Arguments"][1][key] = value; });
  };
  EXPECT_EQ(argument("Type", "float4"), "Arguments: x: bench can't read the type float4");
  EXPECT_EQ(argument("FillType", "Script"), "Arguments: x: bench can't read FillType Script");
  EXPECT_EQ(argument("MemoryType", "Local"), "Arguments: x: bench can't read MemoryType Local");
  EXPECT_EQ(argument("Size", "filter * 2"), "Arguments: x: 'FILTER' has no value");
  EXPECT_NE(refusal([](nlohmann::json& given) {
              given["ConfigurationSpace"]["Conditions"][0]["Expression"] = "bx // 2 == 1";
            }).find("has '//'"),
            std::string::npos);
  EXPECT_NE(refusal([](nlohmann::json& given) {
              given["ConfigurationSpace"]["TuningParameters"][1]["Name"] = "Bx";
            }).find("its axis BX is also the axis of bx"),
            std::string::npos);
  EXPECT_NE(refusal([](nlohmann::json& given) {
              given.erase("KernelSpecification");
            }).find("KernelSpecification"),
            std::string::npos);
}

}  // namespace
}  // namespace apod::files
