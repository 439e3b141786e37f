// What is done around a kernel that comes in a file.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

#include "benchmarks/run/compile_check.hpp"
#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/kernel_file_run.hpp"

namespace apod::run {
namespace {

using namespace test_files;

TEST_F(KernelFileRun, MeasuresWhatDoesItsWork) {
  for (const auto scope : {Scope::kernel, Scope::end_to_end}) {
    scope_ = scope;
    const auto measured = run(twice);
    EXPECT_EQ(measured.failed, "");
    EXPECT_GE(measured.samples_s.size(), 2u);
    EXPECT_GE(measured.facts.at("spot_checks"), 5);
    EXPECT_TRUE(measured.verification.passed);
    EXPECT_EQ(measured.traffic.bytes_read, 4.0 * elements);
  }
}

TEST_F(KernelFileRun, DoesEveryPass) {
  using record::Pass;
  for (const auto pass : {Pass::check, Pass::trace, Pass::counters}) {
    EXPECT_EQ(run(twice, pass).failed, "") << to_string(pass);
  }
  const auto compiled = run(twice, Pass::compile);
  EXPECT_EQ(compiled.notes, std::vector<std::string>{"compiled"});
  EXPECT_EQ(script_.captures, 0);
}

TEST_F(KernelFileRun, WhatACaptureLeftOutIsNamedWhereTheDeviceIsLost) {
  const TemporaryFolder folder;
  for (const auto* file : {capture::before_file, capture::changes_file}) {
    folder.write(file, std::string(capture::page, '\1'));
  }
  spec_.folder = folder.path("");
  spec_.outside = true;
  auto& launch = spec_.captured.emplace().launch;
  launch.windows = {{.address = 1 << 21, .bytes = capture::page}};
  launch.notes = {"only 1 page is kept", "only 1 page is kept"};
  auto code = BackendError::Code::sticky;
  const HostKernel fails = [&](const KernelCall&) { throw BackendError(code, "illegal address"); };
  EXPECT_EQ(run(fails).failed, "illegal address; the capture: only 1 page is kept");
  code = BackendError::Code::out_of_memory;
  EXPECT_EQ(run(fails).failed, "illegal address");
}

TEST_F(KernelFileRun, TellsWhatAKernelTakes) {
  const auto sketched = run(twice, record::Pass::sketch);
  EXPECT_EQ(sketched.failed, "");
  ASSERT_EQ(sketched.notes.size(), 1u);
  const auto sketch = record::decode_sketch(sketched.notes.front());
  EXPECT_EQ(sketch.name, "k");
  EXPECT_EQ(sketch.block, (std::vector<std::size_t>{64, 1, 1}));
  ASSERT_EQ(sketch.parameters.size(), 2u);
  EXPECT_EQ(sketch.parameters[0].type, ElementType::f32);
  EXPECT_TRUE(sketch.parameters[0].is_pointer);
  EXPECT_EQ(sketch.parameters[1].text, "Mine");
  EXPECT_EQ(sketch.parameters[1].type, std::nullopt);
}

TEST_F(KernelFileRun, IsCompiledAheadOfManyByThreadsThatAskInTurn) {
  Plan plan;
  for (std::size_t i = 0; i < 16; ++i) {
    plan.experiments.emplace_back().kernel.emplace().spec = spec_;
    auto& c = plan.cases.emplace_back();
    c.experiment = c.index = i;
    c.params.set("size", elements);
  }
  int asked = 0;
  std::atomic<int> at_once = 0;
  int most = 0;
  compile_ahead(plan, registry_, 0, 2, [&] {
    most = std::max(most, ++at_once);
    ++asked;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --at_once;
    return true;  // before there is a worker
  });
  EXPECT_GT(asked, 0);
  EXPECT_EQ(most, 1);
}

TEST_F(KernelFileRun, RestoresWhatIsChangedInPlace) {
  spec_.args[0].role = file::Role::inout;
  spec_.reference.outputs = {{"y", "y + x"}};
  spec_.relative = 1e-6;
  const HostKernel add = [](const KernelCall& call) {
    for (std::int64_t i = 0; i < elements; ++i) call.y[i] += call.x[i];
  };
  EXPECT_EQ(run(add).failed, "");
  measure_.launch = LaunchMode::graph;
  const auto graph = run(add);
  EXPECT_EQ(graph.failed, "");
  EXPECT_EQ(graph.launch, "stream") << "launches in a graph can't be restored in between";
}

TEST_F(KernelFileRun, ChangesInPlaceBetweenUploadAndDownload) {
  spec_.args[0].role = file::Role::inout;
  spec_.reference.outputs = {{"y", "y + x"}};
  spec_.relative = 1e-6;
  spec_.split = "size";
  scope_ = Scope::end_to_end;
  for (const std::int64_t streams : {1, 3}) {
    streams_ = streams;
    const auto measured = run([](const KernelCall& call) {
      for (std::int64_t i = 0; i < call.size; ++i) call.y[i] += call.x[i];
    });
    EXPECT_EQ(measured.failed, "") << streams;
    EXPECT_EQ(measured.facts.at("distinct_streams"), static_cast<double>(streams));
    EXPECT_GE(measured.facts.at("spot_checks"), 5);
  }
}

TEST_F(KernelFileRun, SplitsItsWorkOverStreams) {
  spec_.split = "size";
  scope_ = Scope::end_to_end;
  streams_ = 4;
  std::set<std::int64_t> sizes;
  const auto measured = run([&](const KernelCall& call) {
    sizes.insert(call.size);
    twice(call);
  });
  EXPECT_EQ(measured.failed, "");
  EXPECT_EQ(sizes, (std::set<std::int64_t>{128}));
  EXPECT_EQ(measured.facts.at("upload_bytes"), 4.0 * elements);
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[call.size] = 1;
      },
      "out of bounds, after 'y'"));
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        if (call.call % 4 != 2) twice(call);
      },
      "wrong answer: element 256 of 'y'"));
}

TEST_F(KernelFileRun, KnowsThatAKernelWithoutAReferenceOnlyRepeatsItself) {
  spec_.reference = {};
  EXPECT_EQ(run([](const KernelCall& call) {
              for (std::int64_t i = 0; i < elements; ++i) call.y[i] = 3 * call.x[i];
            }).failed,
            "");
  EXPECT_TRUE(refused(
      [](const KernelCall& call) {
        twice(call);
        call.y[0] = static_cast<float>(call.call);
      },
      "element 0 of 'y'"));
}

TEST_F(KernelFileRun, SaysThatInputsCouldNotBeMadeAnew) {
  spec_.args[1].formula = "i";
  const auto measured = run(twice);
  EXPECT_EQ(measured.failed, "");
  EXPECT_EQ(measured.notes.back(),
            "the inputs come from files or formulas, or are too large to make twice, so all runs "
            "used the same inputs");
}

TEST_F(KernelFileRun, SaysNothingOfInputsWhereThereAreNone) {
  spec_.args[1].role = file::Role::scratch;
  spec_.reference.outputs = {{"y", "2"}};
  const auto measured = run([](const KernelCall& call) { std::fill_n(call.y, elements, 2.0F); });
  EXPECT_EQ(measured.failed, "");
  EXPECT_TRUE(measured.notes.empty()) << measured.notes.front();
}

TEST_F(KernelFileRun, ComparesWithAFunctionOnTheHost) {
  if (std::system("c++ --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no c++";
  const TemporaryFolder folder;
  folder.write("ref.cpp", R"(#include <cstdint>
void twice(float* y, const float* x, double a, std::int16_t n) {
  for (int i = 0; i < n; ++i) y[i] = static_cast<float>(a) * x[i];
})");
  spec_.folder = folder.path();
  spec_.args.push_back({.name = "a", .type = ElementType::f64, .value = "2"});
  spec_.args.push_back({.name = "n", .type = ElementType::i16, .value = "size"});
  spec_.reference = {.kind = file::ReferenceSpec::Kind::host,
                     .launch = {.file = "ref.cpp", .kernel = "twice"}};
  EXPECT_EQ(run(twice, record::Pass::check).failed, "");
  EXPECT_NE(run([](const KernelCall&) {}, record::Pass::check).failed.find("element 0 of 'y'"),
            std::string::npos);
  spec_.reference.launch.kernel = "thrice";
  EXPECT_EQ(
      run(twice, record::Pass::check).failed.find("compiling ref.cpp ended with exit code 1:"), 0u);
  folder.write("ref.cpp",
               "#include <cstdlib>\nvoid thrice(float*, const float*, double, short) { "
               "std::exit(7); }\n");
  EXPECT_EQ(run(twice, record::Pass::check).failed,
            "the reference in ref.cpp ended with exit code 7");
}

}  // namespace
}  // namespace apod::run
