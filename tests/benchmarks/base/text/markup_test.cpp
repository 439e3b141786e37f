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

// FIPS 180-4's examples, in base 64.
TEST(DigestTest, IsThatOfTheStandard) {
  EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(sha256_base64("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
}

}  // namespace
}  // namespace apod::text
