#include "kernels/backends/cuda/injected/message_sizes.hpp"

#include <gtest/gtest.h>

namespace apod::cuda {
namespace {

constexpr std::uint64_t size_type = 22;
constexpr std::uint64_t uint64_type = 18;
constexpr std::uint64_t int_type = 5;
constexpr std::uint64_t known_fields = 1U << 4U | 1U << 5U | 1U << 8U;
const int domains[2]{};

struct AllReduce {
  std::uint64_t communicator;
  std::size_t bytes;
  int operation;
};

NvtxSchemaEntry entry(std::uint64_t type, const char* name, std::uint64_t offset) {
  return {0, type, name, nullptr, 0, offset, nullptr, nullptr};
}

class MessageSizesTest : public testing::Test {
 protected:
  MessageSizesTest() {
    const NvtxSchemaEntry entries[]{entry(uint64_type, "NCCL communicator ID", 0),
                                    entry(size_type, "Message size [bytes]", 8),
                                    entry(int_type, "Root", 16)};
    EXPECT_EQ(add(entries, 3, 1 << 24), (std::pair<std::uint64_t, bool>(1 << 24, true)));
  }

  std::pair<std::uint64_t, bool> add(const NvtxSchemaEntry* entries, std::size_t count,
                                     std::uint64_t id, std::uint64_t fields = known_fields) {
    return sizes_.add(domains, {fields, "", 1, 0, entries, count, 0, 0, id});
  }
  void begin(const NvtxPayload& payload, std::int64_t now_ns = 1000,
             const char* name = "ncclAllReduce") {
    sizes_.begin(domains, 7, name, now_ns, &payload, 1);
  }
  NvtxRange completed(std::int64_t start_ns, const char* name = "ncclAllReduce",
                      std::uint32_t thread = 7) {
    NvtxRange range{"NCCL", name, start_ns, start_ns + 10, thread};
    sizes_.complete(range);
    return range;
  }

  MessageSizes sizes_;
  const AllReduce message_{42, 4096, 0};
  const NvtxPayload payload_{1 << 24, sizeof message_, &message_};
};

TEST_F(MessageSizesTest, AreThoseOfTheRangeThatBeganWithThem) {
  begin(payload_);
  EXPECT_EQ(completed(1100, "ncclAllReduce", 8).bytes, 0) << "another thread";
  EXPECT_EQ(completed(1100, "ncclGroupEnd").bytes, 0) << "another name";
  EXPECT_EQ(completed(900'000'000).bytes, 0) << "another time";
  const auto range = completed(1100);
  EXPECT_EQ(range.bytes, 4096);
  EXPECT_EQ(range.communicator, 42);
  EXPECT_EQ(completed(1200).bytes, 0) << "each once";
}

TEST_F(MessageSizesTest, AreFoundAlthoughARangeBeforeWasNotRecorded) {
  const AllReduce next{42, 8192, 0};
  begin(payload_, 1000);
  begin({1 << 24, sizeof next, &next}, 50'000);
  EXPECT_EQ(completed(49'990).bytes, 8192);
}

TEST_F(MessageSizesTest, OfOlderNcclHaveNoCommunicator) {
  const NvtxSchemaEntry entries[]{entry(size_type, "Message size [bytes]", 0),
                                  entry(int_type, "Peer rank", 8)};
  EXPECT_TRUE(add(entries, 2, 99).second);
  const std::size_t bytes = 12;
  begin({99, sizeof bytes, &bytes});
  const auto range = completed(1000);
  EXPECT_EQ(range.bytes, 12);
  EXPECT_EQ(range.communicator, 0);
}

TEST_F(MessageSizesTest, AreNotReadBeyondAPayloadNorFromOtherSchemas) {
  constexpr auto unknown = static_cast<std::size_t>(-1);
  for (const auto& payload :
       {NvtxPayload{1 << 24, 12, &message_}, NvtxPayload{1 << 24, 0, &message_},
        NvtxPayload{1 << 24, 32, nullptr}, NvtxPayload{5, 32, &message_},
        NvtxPayload{1 << 24, unknown, &message_}}) {
    begin(payload);
    EXPECT_EQ(completed(1000).bytes, 0);
    sizes_.begin(domains, 7, "ncclAllReduce", 1000, nullptr, 1);
    sizes_.begin(domains + 1, 7, "ncclAllReduce", 1000, &payload_, 1);
    EXPECT_EQ(completed(1000).bytes, 0) << "another domain";
  }
}

TEST_F(MessageSizesTest, NeedASchemaThatTellsThem) {
  constexpr std::uint64_t pointer = 1U << 1U;
  auto there = entry(size_type, "bytes", 0);
  there.flags = pointer;
  const NvtxSchemaEntry unusable[]{entry(int_type, "bytes", 0), entry(size_type, "count", 0),
                                   entry(size_type, nullptr, 8), there};
  EXPECT_FALSE(add(unusable, 4, 99).second);
  EXPECT_FALSE(add(nullptr, 4, 99).second);
  const auto usable = entry(size_type, "Size in BYTES", 0);
  EXPECT_TRUE(add(&usable, 1, 99).second);
  EXPECT_FALSE(add(&usable, 1, 99, 1U << 8U).second) << "the fields are not set";
  const auto first = add(&usable, 1, 0, 1U << 4U | 1U << 5U).first;
  EXPECT_GE(first, std::uint64_t{1} << 32U) << "an id of ours";
  EXPECT_NE(add(&usable, 1, 0, 1U << 4U | 1U << 5U).first, first);
}

TEST(MessageSizesModule, IsThatOfPayloads) {
  std::intptr_t functions[2]{};
  const NvtxModule::Segment segment{0, 2, functions};
  const auto on_schema = [](const void*, const NvtxSchema*) { return std::uint64_t{0}; };
  const NvtxModule payloads{3, 48, 2, 0x0103, 1, &segment};
  for (auto other :
       {NvtxModule{3, 48, 1, 0x0103, 1, &segment}, NvtxModule{3, 48, 2, 0x0203, 1, &segment},
        NvtxModule{3, 8, 2, 0x0103, 1, &segment}, NvtxModule{3, 48, 2, 0x0103, 0, nullptr},
        NvtxModule{3, 48, 2, 0x0103, 1, nullptr}}) {
    EXPECT_FALSE(MessageSizes::attach(other, on_schema));
  }
  EXPECT_EQ(functions[0], 0);
  EXPECT_TRUE(MessageSizes::attach(payloads, on_schema));
  EXPECT_NE(functions[0], 0);
  EXPECT_EQ(functions[1], 0);
}

}  // namespace
}  // namespace apod::cuda
