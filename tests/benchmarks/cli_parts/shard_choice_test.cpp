#include <gtest/gtest.h>

#include <map>
#include <string>

#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "tests/support/texts.hpp"

namespace apod::cli {
namespace {

using Variables = std::map<std::string, std::string>;

ShardChoice choice_of(const Variables& variables, const std::optional<Shard>& asked = {}) {
  return choose_shard(asked, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

std::string shard_of(const Variables& variables, const std::optional<Shard>& asked = {}) {
  const auto choice = choice_of(variables, asked);
  return std::to_string(choice.shard.index) + "/" + std::to_string(choice.shard.count) +
         (choice.source.empty() ? "" : " " + choice.source) +
         (choice.local ? " local " + std::to_string(*choice.local) : "");
}

TEST(ShardChoice, IsTheWholeWithoutALauncher) {
  EXPECT_EQ(shard_of({}), "1/1");
}

// What the launchers set, as it was seen on a cluster with Slurm 22.05, Open MPI 4.1 and MPICH 4.0.
TEST(ShardChoice, IsTheRankThatALauncherGave) {
  EXPECT_EQ(shard_of({{"SLURM_PROCID", "3"},
                      {"SLURM_NTASKS", "4"},
                      {"SLURM_LOCALID", "1"},
                      {"SLURM_STEP_ID", "0"}}),
            "4/4 SLURM_PROCID local 1");
  EXPECT_EQ(shard_of({{"OMPI_COMM_WORLD_RANK", "2"},
                      {"OMPI_COMM_WORLD_SIZE", "8"},
                      {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                      {"PMIX_RANK", "2"}}),
            "3/8 OMPI_COMM_WORLD_RANK local 0");
  EXPECT_EQ(shard_of({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "0"}}),
            "1/2 PMI_RANK local 0");
  EXPECT_EQ(shard_of({{"PMIX_RANK", "1"},
                      {"SLURM_PROCID", "1"},
                      {"SLURM_NTASKS", "2"},
                      {"SLURM_LOCALID", "0"},
                      {"SLURM_STEP_ID", "0"}}),
            "2/2 PMIX_RANK local 0");
}

TEST(ShardChoice, OfMpirunInABatchJobSlurmsOwnRankIsNotMeant) {
  EXPECT_EQ(shard_of({{"OMPI_COMM_WORLD_RANK", "5"},
                      {"OMPI_COMM_WORLD_SIZE", "6"},
                      {"SLURM_PROCID", "0"},
                      {"SLURM_NTASKS", "1"},
                      {"SLURM_STEP_ID", "0"}}),
            "6/6 OMPI_COMM_WORLD_RANK");
}

TEST(ShardChoice, ABatchScriptIsNoTask) {
  EXPECT_EQ(shard_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}), "1/1");
  EXPECT_EQ(
      shard_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_STEP_ID", "4294967290"}}),
      "1/1")
      << "the shell of salloc";
}

TEST(ShardChoice, ATaskOfAnArrayIsAPart) {
  const Variables array{{"SLURM_ARRAY_TASK_ID", "6"},
                        {"SLURM_ARRAY_TASK_COUNT", "4"},
                        {"SLURM_ARRAY_TASK_MIN", "2"},
                        {"SLURM_ARRAY_TASK_STEP", "2"}};
  EXPECT_EQ(shard_of(array), "3/4 SLURM_ARRAY_TASK_ID");
  auto ranks = array;
  ranks.insert({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}, {"SLURM_STEP_ID", "0"}});
  EXPECT_EQ(shard_of(ranks), "6/8 SLURM_ARRAY_TASK_ID and SLURM_PROCID");
}

TEST(ShardChoice, AFlagAndAVariableOfOurOwnComeFirst) {
  const Variables rank{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}};
  EXPECT_EQ(shard_of(rank, Shard{2, 5}), "2/5 local 1");
  auto ours = rank;
  ours["APOD_SHARD"] = "1/1";
  EXPECT_EQ(shard_of(ours), "1/1 APOD_SHARD local 1");
}

std::string refusal(const std::string& text) {
  try {
    parse_shard("--shard", text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ShardChoice, WhatMakesNoSenseIsRefused) {
  EXPECT_TRUE(contains(refusal("5/4"), "'5' is not a whole number from 1 to 4"));
  EXPECT_TRUE(contains(refusal("0/4"), "from 1 to 4"));
  EXPECT_TRUE(contains(refusal("4"), "of the form I/N"));
  EXPECT_TRUE(contains(refusal("1/0"), "from 1 to 100000"));
  EXPECT_TRUE(contains(refusal("/"), "whole number"));
  EXPECT_THROW(shard_of({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}), UsageError);
  EXPECT_THROW(shard_of({{"PMI_RANK", "x"}, {"PMI_SIZE", "2"}}), UsageError);
  EXPECT_THROW(shard_of({{"SLURM_ARRAY_TASK_ID", "9"},
                         {"SLURM_ARRAY_TASK_COUNT", "2"},
                         {"SLURM_ARRAY_TASK_MIN", "1"}}),
               UsageError);
  // More shards than there may be, by two numbers each of which may be.
  EXPECT_THROW(shard_of({{"PMI_RANK", "1"},
                         {"PMI_SIZE", "100000"},
                         {"SLURM_ARRAY_TASK_ID", "99999"},
                         {"SLURM_ARRAY_TASK_COUNT", "100000"},
                         {"SLURM_ARRAY_TASK_MIN", "0"}}),
               UsageError);
}

TEST(ShardPath, KeepsTheExtensionAndTheFolder) {
  EXPECT_EQ(shard_path("out/r.json", {2, 8}), "out/r.2-of-8.json");
  EXPECT_EQ(shard_path("r.v2.json", {1, 2}), "r.v2.1-of-2.json");
  EXPECT_EQ(shard_path("r", {1, 2}), "r.1-of-2");
  EXPECT_EQ(shard_path("r.json", {1, 1}), "r.json");
}

}  // namespace
}  // namespace apod::cli
