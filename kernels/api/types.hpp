#pragma once

/// \file
/// Enumerations that every layer shares: backends, kinds of memory, scalar types. Pure C++20, no
/// CUDA.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace apod {

/// Where a variant runs. `host` runs on every machine; `cuda` needs a GPU and a CUDA build.
enum class BackendKind : std::uint8_t { host, cuda };

/// Kind of memory. `pageable` and `pinned` are host memory; `device` is the backend's own.
enum class MemoryKind : std::uint8_t { pageable, pinned, device };

/// Type of the numbers that a kernel computes with. tf32 has the range of fp32 and 10 fraction
/// bits, in the 4 bytes of an fp32. (Elements of kernel files: kernels/data/element.hpp.)
enum class Number : std::uint8_t { fp64, fp32, tf32, fp16, bf16 };

/// How the streams of one case are made: `distinct` creates N streams; `aliased` creates one and
/// hands it out N times (the bug of `[stream()] * n`).
enum class StreamPool : std::uint8_t { distinct, aliased };

/// The order in which the work of the chunks is enqueued: `by_chunk` upload, kernels and download
/// of one chunk before those of the next; `uploads_first` the uploads of all chunks before the
/// first kernel, so that no transfer waits for the host to launch.
enum class EnqueueOrder : std::uint8_t { by_chunk, uploads_first };

/// How the kernels of a chunk are launched: one by one, or all of the first pass at once as a graph
/// that was recorded before.
enum class ChunkLaunch : std::uint8_t { kernels, graph };

/// What the caches hold when a sample begins. `cold`: none of its data, and nothing to write back.
/// `flushed`: none of its data, but as many dirty bytes as they can hold, which are written back at
/// the sample's expense, as in NVBench. `hot`: what the previous sample left.
enum class CacheMode : std::uint8_t { cold, flushed, hot };

/// The names of an enumeration, in the order of its values. Specialised once per type; `to_string`
/// and `parse` both use it.
template <class E>
struct EnumNames;

template <>
struct EnumNames<BackendKind> {
  static constexpr std::array<std::string_view, 2> names{"host", "cuda"};
};
template <>
struct EnumNames<MemoryKind> {
  static constexpr std::array<std::string_view, 3> names{"pageable", "pinned", "device"};
};
template <>
struct EnumNames<Number> {
  static constexpr std::array<std::string_view, 5> names{"fp64", "fp32", "tf32", "fp16", "bf16"};
};
template <>
struct EnumNames<CacheMode> {
  static constexpr std::array<std::string_view, 3> names{"cold", "flushed", "hot"};
};
template <>
struct EnumNames<StreamPool> {
  static constexpr std::array<std::string_view, 2> names{"distinct", "aliased"};
};

template <>
struct EnumNames<EnqueueOrder> {
  static constexpr std::array<std::string_view, 2> names{"by_chunk", "uploads_first"};
};

template <>
struct EnumNames<ChunkLaunch> {
  static constexpr std::array<std::string_view, 2> names{"kernels", "graph"};
};

template <class E>
concept NamedEnum = requires {
  EnumNames<E>::names;
};

template <NamedEnum E>
constexpr std::string_view to_string(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

/// The value named `text`, or nothing when no value has that name.
template <NamedEnum E>
constexpr std::optional<E> parse(std::string_view text) {
  for (std::size_t i = 0; i < EnumNames<E>::names.size(); ++i) {
    if (EnumNames<E>::names[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

constexpr bool is_16_bit(Number number) {
  return number == Number::fp16 || number == Number::bf16;
}

/// Bytes of one.
constexpr std::size_t size_of(Number number) {
  return number == Number::fp64 ? 8 : is_16_bit(number) ? 2 : 4;
}

}  // namespace apod
