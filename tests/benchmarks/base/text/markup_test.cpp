#include "benchmarks/base/text/markup.hpp"

#include <gtest/gtest.h>

namespace apod::text {
namespace {

TEST(MarkupTest, NothingEndsATagOrAnAttribute) {
  EXPECT_EQ(as_markup("<a href=\"x\">&]]>"), "&lt;a href=&quot;x&quot;&gt;&amp;]]&gt;");
}

TEST(MarkupTest, NoLineOfALogIsACommand) {
  EXPECT_EQ(as_markup("::error:: a ::b cub::Sum : c"), "&#58;:error:: a &#58;:b cub::Sum : c");
}

TEST(MarkupTest, WhatXmlHasNoRoomForIsReplaced) {
  EXPECT_EQ(as_markup("a\x1b\xEF\xBF\xBE"), "a\uFFFD\uFFFD");
}

}  // namespace
}  // namespace apod::text
