#include <gtest/gtest.h>

#include <sstream>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/session_progress.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(ProgressInALog, HasAPlainLineForTheFirstAndTheLastOfManyShortCases) {
  std::ostringstream out;
  {
    cli::Progress progress(out, false, 80, 100, 10);
    for (int i = 1; i <= 100; ++i) {
      progress.running("case" + std::to_string(i), "sample");
      progress.finished("case" + std::to_string(i), "12.3 us");
    }
  }
  const std::string text = out.str();
  EXPECT_EQ(text.find("[  1/100] case1: 12.3 us\n"), 0u) << text;
  EXPECT_TRUE(contains(text, "[100/100] case100: 12.3 us\n"));
  EXPECT_FALSE(contains(text, "\x1b"));
  EXPECT_FALSE(contains(text, "\r"));
  EXPECT_LT(count(text, "\n"), 10u) << "at most one line a second";
}

TEST(ProgressInALog, LooksLikeTheEndOnlyThere) {
  std::ostringstream out;
  cli::Progress progress(out, false, 80, 1, 1);
  progress.expect(1, 12);
  progress.finished("a", "1.0 ms");
  progress.expect(12, 12);
  for (int i = 0; i < 11; ++i) progress.finished("a", "1.0 ms");
  EXPECT_EQ(out.str(), "[ 1 of at most 12] a: 1.0 ms\n[12/12] a: 1.0 ms\n");
}

TEST(ProgressOnATerminal, LooksLikeTheEndOnlyThere) {
  std::ostringstream out;
  cli::Progress progress(out, true, 120, 4, 400 * 3600);
  progress.expect(4, 40);
  progress.running("a/b", "setup");
  EXPECT_TRUE(contains(out.str(), "0 of at most 40  400 h 00 min or more left  setup  a/b"));
  progress.expect(4, cli::Progress::any_number);
  for (int i = 0; i < 4; ++i) progress.finished("a/b", "1.0 ms");
  EXPECT_TRUE(contains(out.str(), " 4 so far  1.0 ms  a/b"));
}

TEST(ProgressInALog, PrintsEveryMessage) {
  std::ostringstream out;
  cli::Progress progress(out, false, 80, 2, 1);
  progress.message("one");
  progress.message("two\x1b[2J");
  EXPECT_EQ(out.str(), "one\ntwo\uFFFD[2J\n");
}

TEST(ProgressOnATerminal, TheBarAndTheCaseGiveWayToTheOutcome) {
  for (const int width : {60, 80}) {
    std::ostringstream out;
    cli::Progress progress(out, true, width, 3, 60);
    progress.finished("normalize/grid_stride/size:100000000/host_memory:pinned",
                      "12.34 us (7 samples)");
    EXPECT_TRUE(contains(out.str(), "left  12.34 us (7 samples)  nor")) << width << out.str();
    EXPECT_TRUE(contains(out.str(), "pinned")) << "cut in its middle";
  }
}

TEST(ProgressOnATerminal, WhatAllCasesShareGivesWayBeforeWhatTellsThemApart) {
  const auto id = [](int streams) {
    return "a_long_name_of_an_experiment/grid_stride/size:100000000/streams:" +
           std::to_string(streams) + "/host_memory:pinned/compute_repeats:50";
  };
  std::ostringstream out;
  cli::Progress progress(out, true, 80, 3, 60);
  progress.tell_apart({id(1), id(2)});
  progress.finished(id(2), "12.34 us (7 samples)");
  EXPECT_TRUE(contains(out.str(), "streams:2")) << out.str();
}

TEST(ProgressOnATerminal, RewritesOneLineThatFits) {
  for (const int width : {20, 40, 80, 200}) {
    std::ostringstream out;
    {
      cli::Progress progress(out, true, width, 3, 60);
      progress.running("a/very/long/case/id/" + std::string(300, 'x'), "setup");
      for (int i = 0; i < 3; ++i) progress.finished("case\nwith a break", "1.0 ms");
    }
    std::string text = out.str();
    EXPECT_FALSE(contains(text, "\n"));
    const std::string clear = "\r\x1b[2K";
    EXPECT_EQ(count(text, clear), 5u) << "four drawn, the last one cleared";
    EXPECT_EQ(text.substr(text.size() - clear.size()), clear);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = std::min(text.find(clear, at), text.size());
      EXPECT_LT(text::display_width(text.substr(at, next - at)), static_cast<std::size_t>(width));
      at = next + clear.size();
    }
  }
}

TEST(ProgressOnATerminal, ShowsCountAndTimeLeft) {
  std::ostringstream out;
  // Long enough that the moments that pass in between do not show.
  cli::Progress progress(out, true, 120, 4, 400 * 3600);
  progress.running("a/b", "setup");
  EXPECT_TRUE(contains(out.str(), "0/4  400 h 00 min left  setup  a/b"));
  out.str("");
  for (int i = 0; i < 4; ++i) progress.finished("a/b", "1.0 ms");
  EXPECT_TRUE(contains(out.str(), "4/4  0.0 s left  1.0 ms  a/b"));
}

TEST(ProgressOnATerminal, MessagesStandAboveTheBar) {
  std::ostringstream out;
  cli::Progress progress(out, true, 80, 1, 1);
  progress.running("a", "setup");
  out.str("");
  progress.message("a case failed");
  EXPECT_EQ(out.str(), "\r\x1b[2Ka case failed\n");
}

TEST(Progress, IsQuietOnceClosed) {
  std::ostringstream out;
  cli::Progress progress(out, true, 80, 2, 1);
  progress.close();
  out.str("");
  progress.running("a", "setup");
  progress.finished("a", "done");
  progress.close();
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, ToleratesAnEmptyRunAndMoreStepsThanAnnounced) {
  for (const bool terminal : {false, true}) {
    std::ostringstream out;
    cli::Progress progress(out, terminal, 0, 0, 0);
    progress.running("a", "setup");
    progress.finished("a", "done");
    progress.finished("b", "done");
    EXPECT_NE(out.str(), "");
  }
}

TEST(Progress, AQuietOneShowsNothing) {
  std::ostringstream out;
  {
    cli::Progress progress(out, true, 80, 2, 1, true);
    progress.expect(3, 4);
    progress.running("a", "sample");
    progress.tick();
    progress.message("said");
    progress.finished("a", "1 us");
  }
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace apod::show
