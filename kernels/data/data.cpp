#include "kernels/data/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <new>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "kernels/data/array_cache.hpp"
#include "kernels/data/random.hpp"

namespace apod {
namespace {

using SharedValues = std::shared_ptr<const Floats>;

/// Most host memory for kept arrays. A sweep over variants asks for the same array again and again;
/// a sweep over sizes would otherwise keep every size.
constexpr std::int64_t kept_bytes = std::int64_t{2} << 30;

constexpr std::int64_t bytes_of(std::int64_t count) {
  return count * static_cast<std::int64_t>(sizeof(float));
}

/// [0, 1): 24 bits are all that an fp32 mantissa holds, so nothing is rounded up to 1.
float uniform(std::uint64_t bits) {
  return static_cast<float>(bits >> 40) * 0x1p-24f;
}

/// N(0, 1) by the transform of Box and Muller (Ann. Math. Statist. 29, 1958). It makes two values
/// of two uniforms; one is dropped, so that elements are independent.
float normal(std::uint64_t bits) {
  const auto radius_bits = static_cast<double>(bits >> 32);
  const auto angle_bits = static_cast<double>(bits & 0xffffffffu);
  const auto in_0_1 = static_cast<float>((radius_bits + 1) * 0x1p-32);  // never 0: log is finite
  const auto angle = static_cast<float>(angle_bits * 0x1p-32 * 2 * std::numbers::pi);
  return std::sqrt(-2 * std::log(in_0_1)) * std::cos(angle);
}

Floats generate(const DataSpec& spec, std::int64_t count) {
  Floats values(static_cast<std::size_t>(count));
  parallel_for(count, [&](std::int64_t begin, std::int64_t end) {
    make_values(spec, begin,
                std::span(values).subspan(static_cast<std::size_t>(begin),
                                          static_cast<std::size_t>(end - begin)));
  });
  return values;
}

/// The first `count` values of the file.
Floats first_values(const std::string& path, std::int64_t count) {
  LoadedArray array = load_array(path);
  if (const auto reason = too_small(array.shape, count)) {
    throw std::runtime_error(path + ": " + *reason + "; choose a smaller size or a larger file");
  }
  array.values.resize(static_cast<std::size_t>(count));
  return std::move(array.values);
}

/// The centre of the file's image.
Floats centre(const std::string& path, Shape wanted) {
  const LoadedArray image = load_array(path);
  if (const auto reason = too_small(image.shape, wanted)) {
    throw std::runtime_error(path + ": " + *reason + "; choose a smaller size or a larger image");
  }
  const std::int64_t top = (image.shape.rows - wanted.rows) / 2;
  const std::int64_t left = (image.shape.cols - wanted.cols) / 2;
  Floats values;
  values.reserve(static_cast<std::size_t>(wanted.rows * wanted.cols));
  for (std::int64_t row = 0; row < wanted.rows; ++row) {
    const auto begin = image.values.begin() + (top + row) * image.shape.cols + left;
    values.insert(values.end(), begin, begin + wanted.cols);
  }
  return values;
}

/// What tells one array from another.
struct Key {
  DataSpec spec;
  std::optional<Shape> image;                 ///< of a file's image; generated images are vectors
  std::int64_t count = 0;                     ///< number of values
  std::filesystem::file_time_type written{};  ///< of a file: a new version is another array
  friend bool operator==(const Key&, const Key&) = default;
};

Key key_of(const DataSpec& spec, std::optional<Shape> image, std::int64_t count) {
  Key key{spec, std::nullopt, count};
  if (spec.kind == DataSpec::Kind::file) {
    key.image = image;
    std::error_code absent;  // the reader says it better
    key.written = std::filesystem::last_write_time(spec.file, absent);
  }
  return key;
}

SharedValues make_array(const DataSpec& spec, std::optional<Shape> image, std::int64_t count) {
  static ArrayCache<Key> cache(kept_bytes);
  try {
    return cache.get(key_of(spec, image, count), bytes_of(count), [&] {
      if (spec.kind != DataSpec::Kind::file) return generate(spec, count);
      return image ? centre(spec.file, *image) : first_values(spec.file, count);
    });
  } catch (const std::bad_alloc&) {
    throw std::runtime_error("the host has no memory for " + std::to_string(count) +
                             " values of 4 bytes; choose a smaller size");
  }
}

/// Sizes whose bytes can be counted; throws std::runtime_error for others.
void check_count(std::int64_t count) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / bytes_of(1);
  if (count >= 0 && count <= most) return;
  throw std::runtime_error("no array can have " + std::to_string(count) + " values");
}

}  // namespace

std::optional<std::string> too_small(Shape held, std::int64_t count) {
  const std::int64_t values = held.rows * held.cols;
  if (values >= count) return std::nullopt;
  return "holds " + std::to_string(values) + " values; the problem needs " + std::to_string(count);
}

std::optional<std::string> too_small(Shape held, Shape wanted) {
  if (held.rows >= wanted.rows && held.cols >= wanted.cols) return std::nullopt;
  return "is " + to_string(held) + " (rows x columns), but the problem needs " + to_string(wanted);
}

void make_values(const DataSpec& spec, std::int64_t first, std::span<float> to) {
  const RandomBits random(spec.seed);
  const auto fill = [&](auto value_of) {
    for (auto& value : to) value = value_of(first++);
  };
  switch (spec.kind) {
    case DataSpec::Kind::ones:
      return fill([](std::int64_t) { return 1.0f; });
    case DataSpec::Kind::uniform:
      return fill([&](std::int64_t i) { return uniform(random[i]); });
    case DataSpec::Kind::normal:
      return fill([&](std::int64_t i) { return normal(random[i]); });
    case DataSpec::Kind::file:
      throw std::logic_error("data from a file is read, not generated");
  }
}

SharedValues make_vector(const DataSpec& spec, std::int64_t count) {
  check_count(count);
  return make_array(spec, std::nullopt, count);
}

SharedValues make_image(const DataSpec& spec, Shape shape) {
  if (shape.rows < 0 || shape.cols < 0 ||
      (shape.cols > 0 && shape.rows > std::numeric_limits<std::int64_t>::max() / shape.cols)) {
    throw std::runtime_error("no image can be " + to_string(shape));
  }
  check_count(shape.rows * shape.cols);
  return make_array(spec, shape, shape.rows * shape.cols);
}

void parallel_for(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (count <= 0) return;
  const std::int64_t machine = std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
  const std::int64_t parts = std::min(machine, count);
  const auto begin_of = [&](std::int64_t part) {
    return count / parts * part + std::min(part, count % parts);
  };

  std::mutex mutex;
  std::exception_ptr error;
  const auto run = [&](std::int64_t part) {
    try {
      body(begin_of(part), begin_of(part + 1));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    std::int64_t next = 1;
    try {
      for (; next < parts; ++next) threads.emplace_back(run, next);
    } catch (const std::system_error&) {
      // No more threads are allowed here; the calling thread does their work.
    }
    run(0);
    for (; next < parts; ++next) run(next);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace apod
