// What a kernel that comes in a file may try to look faster than it is.

#include "benchmarks/run/spot_checks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/support/kernel_file_run.hpp"

namespace apod::run {
namespace {

using namespace test_files;

TEST_F(KernelFileRun, CatchesAWrongAnswer) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[elements - 1] += 1;
      },
      "wrong answer: element 511 of 'y'"));
}

TEST_F(KernelFileRun, CatchesWorkThatIsSkippedOnInputsItHasSeen) {
  float seen = -1;
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        if (call.x[0] != seen) twice(call);
        seen = call.x[0];
      },
      "wrong answer"));
}

TEST_F(KernelFileRun, CatchesWorkThatIsDoneOnlyAtFirst) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        if (call.call < 12) twice(call);
      },
      "invalid: wrong answer"));
}

TEST_F(KernelFileRun, CatchesWorkThatIsLeftOutNowAndThen) {
  // Each check finds half of it, so that one run of about thirty finds none of it.
  int caught = 0;
  for (int i = 0; i < 8; ++i) {
    const auto why = refusal([](const KernelCall& call) {
      if (call.call < 12 || call.call % 2 == 0) twice(call);
    });
    caught += why.find("wrong answer") != std::string::npos;
  }
  EXPECT_GE(caught, 4);
}

TEST_F(KernelFileRun, CatchesAnAnswerFromMemoryForOtherInputs) {
  std::vector<float> kept;
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        if (kept.empty()) {
          twice(call);
          kept.assign(call.y, call.y + elements);
        }
        std::copy(kept.begin(), kept.end(), call.y);
      },
      "invalid: wrong answer for new inputs"));
}

TEST_F(KernelFileRun, CatchesAnAnswerFromMemoryForTheSameInputs) {
  std::map<float, std::vector<float>> kept;
  bool slow = false;
  script_.kernel_seconds = [&](int) { return slow ? 1e-4 : 2e-5; };
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        auto& mine = kept[call.x[0]];
        slow = mine.empty();
        if (slow) {
          kept.clear();
          twice(call);
          kept[call.x[0]].assign(call.y, call.y + elements);
        } else {
          std::copy(mine.begin(), mine.end(), call.y);
        }
      },
      "the kernel keeps results of earlier calls"));
}

TEST_F(KernelFileRun, CatchesAnswersThatAreKeptForAllInputs) {
  std::set<float> seen;
  bool slow = false;
  script_.kernel_seconds = [&](int) { return slow ? 1e-4 : 2e-5; };
  for (const auto cache : {CacheMode::cold, CacheMode::hot}) {
    measure_.cache = cache;
    seen.clear();
    EXPECT_TRUE(refused(
        [&](const KernelCall& call) {
          slow = seen.insert(call.x[0]).second;
          twice(call);
        },
        "the kernel keeps results of earlier calls"));
  }
}

TEST_F(KernelFileRun, CatchesWorkThatKnowsTheInputsOfTheSamples) {
  float usual = -1;
  bool known = false;
  script_.kernel_seconds = [&](int) { return known ? 2e-5 : 1e-4; };
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        if (usual < 0) usual = call.x[0];
        known = call.x[0] == usual;
        twice(call);
      },
      "the kernel recognises the inputs of the samples"));
}

TEST_F(KernelFileRun, CatchesTheSameWithHotCaches) {
  measure_.cache = CacheMode::hot;
  std::map<float, std::vector<float>> kept;
  bool slow = false;
  script_.kernel_seconds = [&](int) { return slow ? 1e-4 : 2e-5; };
  EXPECT_EQ(refusal(twice), "");
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        slow = kept.count(call.x[0]) == 0;
        if (slow) kept.clear();
        twice(call);
        kept[call.x[0]];
      },
      "the kernel keeps results of earlier calls"));
  float usual = -1;
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        if (usual < 0) usual = call.x[0];
        slow = call.x[0] != usual;
        twice(call);
      },
      "the kernel recognises the inputs of the samples"));
}

TEST_F(KernelFileRun, CatchesWorkThatIsDoneOnlyAfterAPause) {
  // Inputs are loaded and outputs are fetched in pauses, which a kernel can tell by a clock.
  bool paused = true;
  float seen = -1;
  bool slow = false;
  script_.on_copy = [&] { paused = true; };
  script_.kernel_seconds = [&](int) { return slow ? 1e-4 : 2e-5; };
  EXPECT_TRUE(refused(
      [&](const KernelCall& call) {
        slow = paused || call.x[0] != seen;
        paused = false;
        seen = call.x[0];
        twice(call);
      },
      "the kernel keeps results of earlier calls"));
}

TEST_F(KernelFileRun, CatchesAnAnswerFromMemoryAfterSomePatience) {
  measure_.min_samples = 400;
  bool slow = false;
  script_.kernel_seconds = [&](int) { return slow ? 1e-4 : 2e-5; };
  for (const auto cache : {CacheMode::cold, CacheMode::hot}) {
    measure_.cache = cache;
    for (int patience = 1; patience <= 8; ++patience) {
      float seen = -1;
      int runs = 0;
      const auto why = refusal([&](const KernelCall& call) {
        runs = call.x[0] == seen ? runs + 1 : 1;
        seen = call.x[0];
        slow = runs <= patience;
        twice(call);
      });
      EXPECT_EQ(why.find("invalid: new inputs take"), 0u)
          << to_string(cache) << ", patience " << patience << ": " << why;
    }
  }
}

TEST_F(KernelFileRun, AllowsAClockThatClimbsAfterAPause) {
  bool copied = false;
  float seen = -1;
  int runs = 0;  // since the host looked; loading inputs takes no time
  script_.on_copy = [&] { copied = true; };
  script_.kernel_seconds = [&](int) { return 1e-4 * std::pow(1.25, std::max(0, 4 - runs)); };
  for (const auto cache : {CacheMode::cold, CacheMode::hot}) {
    measure_.cache = cache;
    EXPECT_EQ(refusal([&](const KernelCall& call) {
                runs = copied && call.x[0] == seen ? 1 : runs + 1;
                copied = false;
                seen = call.x[0];
                twice(call);
              }),
              "");
  }
}

TEST_F(KernelFileRun, AllowsAClockThatClimbsForLongWhereItIsKnown) {
  constexpr double full = 1980;
  constexpr double idle = 800;
  measure_.min_samples = 200;
  double mhz = full;
  double work = 1;
  double told = 0;  // 0: the truth
  script_.on_copy = [&] { mhz = idle; };
  script_.kernel_seconds = [&](int) {
    mhz = std::min(full, mhz * 1.1);
    return 1e-4 * work * full / mhz;
  };
  script_.held_mhz = [&] { return told > 0 ? told : mhz; };
  float seen = -1;
  int runs = 0;
  const HostKernel patient = [&](const KernelCall& call) {
    runs = call.x[0] == seen ? runs + 1 : 1;
    seen = call.x[0];
    work = runs <= 8 ? 1.5 : 1;
    twice(call);
  };
  for (const auto cache : {CacheMode::cold, CacheMode::hot}) {
    measure_.cache = cache;
    EXPECT_EQ(refusal(twice), "") << to_string(cache);
    EXPECT_TRUE(refused(patient, "new inputs take"));
    work = 1;
  }
  measure_.cache = CacheMode::cold;
  told = full;
  EXPECT_TRUE(refused(twice, "the kernel recognises the inputs of the samples"))
      << "these times at one clock are a cheat's";
}

Sample at(double mhz, double us) {
  return {.seconds = us * 1e-6, .mhz = mhz};
}

/// The end of what is said, or nothing.
std::string verdict(const std::vector<Sample>& firsts, Sample again, Sample usual) {
  const auto text = why_not_its_work(firsts, again, usual, Scope::kernel);
  return text.substr(text.empty() ? 0 : text.rfind(": ") + 2);
}

TEST(WhyNotItsWork, AMemoryBoundCheatIsFoundBehindAPause) {
  const auto full = at(1980, 100);
  EXPECT_EQ(verdict({at(1980, 130), at(1000, 129)}, full, full),
            "the kernel keeps results of earlier calls");
  EXPECT_EQ(verdict({at(1000, 129), at(1900, 135), at(1980, 140)}, full, full),
            "the kernel keeps results of earlier calls");
  EXPECT_EQ(verdict({at(1980, 130), at(1000, 129)}, at(1980, 130), full),
            "the kernel recognises the inputs of the samples");
  EXPECT_EQ(verdict({at(1980, 131), at(1000, 129)}, at(1000, 129), full),
            "the kernel recognises the inputs of the samples");
  EXPECT_EQ(verdict({at(1000, 129), at(1700, 150)}, full, full),
            "the kernel keeps results of earlier calls")
      << "the nearest clock counts where none is the same";
  EXPECT_EQ(verdict({at(0, 129), at(1980, 130)}, full, full),
            "the kernel keeps results of earlier calls");
  EXPECT_EQ(verdict({at(500, 260)}, full, full), "the kernel keeps results of earlier calls")
      << "half the clock is the most that excuses";
  EXPECT_EQ(verdict({at(1980, 101), at(1980, 180), at(1000, 198)}, full, full), "")
      << "a disturbed one of them, and the clock that explains another";
}

TEST(WhyNotItsWork, AClockThatIsNotKnownIsNoLowClock) {
  const auto again = median_of({at(0, 200), at(1980, 200), at(0, 200), at(1980, 200)});
  EXPECT_EQ(again.mhz, 0) << "most are not known";
  EXPECT_EQ(verdict({at(1980, 200)}, again, at(1980, 100)),
            "the kernel recognises the inputs of the samples");
  const auto known = median_of({at(1980, 200), at(0, 201), at(1970, 202)});
  EXPECT_EQ(known.mhz, 1975);
  EXPECT_DOUBLE_EQ(known.seconds, 201e-6);
  EXPECT_EQ(verdict({at(1980, 200)}, known, at(1980, 100)),
            "the kernel recognises the inputs of the samples");
}

TEST(WhyNotItsWork, AsksForMoreTimeAndMoreCycles) {
  const auto why = [](Sample first, Sample again, Sample usual) {
    return verdict({first}, again, usual);
  };
  EXPECT_EQ(why(at(1980, 120), at(1980, 100), at(1980, 100)), "") << "within the tolerance";
  EXPECT_EQ(why(at(1980, 130), at(1980, 100), at(1980, 100)),
            "the kernel keeps results of earlier calls");
  EXPECT_EQ(why(at(1980, 130), at(1980, 130), at(1980, 100)),
            "the kernel recognises the inputs of the samples");
  EXPECT_EQ(why(at(990, 200), at(1650, 120), at(1980, 100)), "") << "equal in cycles";
  EXPECT_EQ(why(at(990, 260), at(1980, 100), at(1980, 100)),
            "the kernel keeps results of earlier calls");
  EXPECT_EQ(why(at(990, 260), at(990, 260), at(1980, 100)),
            "the kernel recognises the inputs of the samples");
  EXPECT_EQ(why(at(1980, 100), at(1980, 100), at(1200, 100)), "") << "it waits for memory";
  EXPECT_EQ(why(at(0, 200), at(0, 200), at(1980, 100)),
            "the kernel recognises the inputs of the samples")
      << "no clock is known";
  EXPECT_EQ(why_not_its_work({at(0, 140)}, at(0, 140), at(0, 100), Scope::end_to_end), "");
}

TEST_F(KernelFileRun, RefusesAToleranceThatLetsZerosPass) {
  const HostKernel zeros = [](const KernelCall& call) {
    std::fill(call.y, call.y + call.size, 0.0F);
  };
  EXPECT_TRUE(refused(zeros, "wrong answer: element 0 of 'y'"));
  spec_.absolute = 3;
  EXPECT_TRUE(refused(
      zeros, "the tolerance is as large as the values of 'y': an output of zeros would pass"));
  spec_.args[1].formula = "0";  // then zeros are right
  EXPECT_EQ(refusal(zeros), "");
}

TEST_F(KernelFileRun, CatchesAnInputThatIsMadeEasier) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        const_cast<float*>(call.x)[3] = 0;
        call.y[3] = 0;
      },
      "wrong answer"));
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        if (call.call == 30) const_cast<float*>(call.x)[0] = 0;
      },
      "invalid: the kernel changed a read-only input"));
}

TEST_F(KernelFileRun, CatchesWritesOutOfBounds) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[elements] = 1;
      },
      "out of bounds, after 'y'"));
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[-1] = 1;
      },
      "out of bounds, before 'y'"));
}

TEST_F(KernelFileRun, CatchesAnAnswerKeptInScratchMemory) {
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        // Its mark from the last run is gone each time, so it would have to do the work.
        if (call.scratch[0] == 42) return;
        if (call.call < 12) twice(call);
        call.scratch[0] = 42;
      },
      "wrong answer"));
}

TEST_F(KernelFileRun, CatchesTimesThatTheDeviceCantHave) {
  // 2 KiB read at 1 GB/s take 2 us.
  script_.kernel_seconds = [](int) { return 1e-6; };
  spec_.traffic = {{"read", "2048"}};
  EXPECT_TRUE(refused(twice, "is less than"));
  script_.kernel_seconds = [](int) { return 5e-6; };
  EXPECT_EQ(refusal(twice), "");
  spec_.traffic = {{"read", "1e6"}};
  EXPECT_TRUE(refused(twice, "'traffic' is too large"));
}

TEST_F(KernelFileRun, GivesNoRateWhereNobodySaidTheTrafficAndItCantBe) {
  script_.kernel_seconds = [](int) { return 1e-6; };
  const auto measured = run(twice);
  EXPECT_EQ(measured.failed, "");
  EXPECT_EQ(measured.traffic.bytes_read, 0);
  EXPECT_TRUE(std::any_of(measured.notes.begin(), measured.notes.end(), [](const auto& note) {
    return note.find("uses only a part") != std::string::npos;
  }));
  script_.kernel_seconds = [](int) { return 5e-6; };
  EXPECT_GT(run(twice).traffic.bytes_read, 0);
}

TEST(LeastSeconds, CountsWhatCachesCannotHold) {
  DeviceFacts device;
  device.peak_memory_bytes_per_s = 1e9;
  device.peak_fp32_flops = 1e9;
  device.l2_bytes = 1000;
  const Traffic traffic{.bytes_read = 3000, .bytes_written = 500, .flops_fp32 = 100};
  EXPECT_DOUBLE_EQ(least_seconds(traffic, device, CacheMode::cold), 3e-6);
  EXPECT_DOUBLE_EQ(least_seconds(traffic, device, CacheMode::hot), 2.5e-6);
  EXPECT_DOUBLE_EQ(least_seconds({.flops_fp32 = 5000}, device, CacheMode::cold), 5e-6);
  EXPECT_EQ(least_seconds(traffic, {}, CacheMode::cold), 0);
}

}  // namespace
}  // namespace apod::run
