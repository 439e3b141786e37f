#include "benchmarks/base/stats/body.hpp"

#include <gtest/gtest.h>

#include <random>

namespace apod::stats {
namespace {

std::vector<double> normal_values(std::size_t count, double deviation, double centre = 0) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(centre, deviation);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

Body body_of(const std::vector<double>& values) {
  return stats::body_of(values, std::vector<double>(values.size(), 1e-4));
}

TEST(BodyOf, NormalValuesAreAllOfIt) {
  const auto values = normal_values(100, 0.01);
  EXPECT_EQ(body_of(values).members.size(), 100u);
}

TEST(BodyOf, HeavyTailsAreNoGroup) {
  std::mt19937_64 random(3);
  std::student_t_distribution<double> wild(3);
  int split = 0;
  for (int set = 0; set < 1000; ++set) {
    std::vector<double> values(60);
    for (double& value : values) value = 0.01 * wild(random);
    split += body_of(values).members.size() < values.size() ? 1 : 0;
  }
  EXPECT_LE(split, 3);
}

TEST(BodyOf, AGroupIsApart) {
  for (const std::size_t changed : {4, 15, 29, 35}) {
    auto values = normal_values(60, 0.002);
    for (std::size_t i = 0; i < changed; ++i) values[i] += 0.1;
    const auto body = body_of(values);
    EXPECT_EQ(body.members.size(), 60 - changed);
    EXPECT_EQ(body.members.front(), changed);
    EXPECT_NEAR(body.centre, 0, 0.001);
  }
}

TEST(BodyOf, WhatAllShareIsItsCentre) {
  auto values = normal_values(60, 0.002, 0.15);
  for (std::size_t i = 0; i < 10; ++i) values[i] += 0.1;
  const auto body = body_of(values);
  EXPECT_EQ(body.members.size(), 50u);
  EXPECT_NEAR(body.centre, 0.15, 0.001);
}

TEST(BodyOf, ValuesThatAgreeAreNoCloserThanTheirErrors) {
  std::vector<double> values(60);
  for (std::size_t i = 0; i < 20; ++i) values[i] = 0.005;
  EXPECT_EQ(stats::body_of(values, std::vector<double>(60, 0.004)).members.size(), 60u);
  EXPECT_EQ(body_of(values).members.size(), 40u);
  EXPECT_TRUE(stats::body_of({}, {}).members.empty());
}

}  // namespace
}  // namespace apod::stats
