#include <gtest/gtest.h>

#include <string>

#include "benchmarks/base/text/quantities.hpp"

namespace apod {
namespace {

TEST(Date, AnInstantCountsFrom1970InUtc) {
  EXPECT_EQ(text::instant_of("1970-01-01"), 0.0);
  EXPECT_EQ(text::instant_of("1970-01-02T00:00"), 86400.0);
  EXPECT_EQ(text::instant_of("2026-05-17T10:00:00+02:00"), 1779004800.0);
  EXPECT_EQ(text::instant_of("2026-05-17T08:00:00Z"), 1779004800.0);
  EXPECT_EQ(text::instant_of("2026-05-17 03:00:00-0500"), 1779004800.0);
  EXPECT_EQ(text::instant_of("2026-05-17T13:30:00.5+0530"), 1779004800.5);
  EXPECT_EQ(text::instant_of("2024-02-29"), 1709164800.0);
  EXPECT_EQ(text::instant_of("05/17/26 08:00:00"), 1779004800.0) << "of the C locale";
  EXPECT_EQ(text::instant_of("12/31/99 00:00:00"), 946598400.0);
}

TEST(Date, WhatIsNoDateIsAbsent) {
  for (const char* text :
       {"", "yesterday", "2026-13-01", "2026-02-29", "2026-00-10", "2026-01-32", "2026-1-1",
        "2026-01-01T24:00:00", "2026-01-01T10:60", "2026-01-01T10:00:61", "2026-01-01T10",
        "2026-01-01T10:00:00+25:00", "2026-01-01 10:00:00 later", " 2026-01-01", "2026/01/01",
        "20260101", "١٩٧٠-٠١-٠١"}) {
    EXPECT_FALSE(text::instant_of(text).has_value()) << text;
  }
  EXPECT_FALSE(text::instant_of("2026-01-01T10:00:00." + std::string(1000000, '1')).has_value());
}

}  // namespace
}  // namespace apod
