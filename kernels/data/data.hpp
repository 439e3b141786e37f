#pragma once

/// \file
/// Input data that an experiment's `data:` asks for, made or read.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernels/api/data_spec.hpp"
#include "kernels/api/params.hpp"
#include "kernels/data/array.hpp"

namespace apod {

/// An array read from a file: fp32 values in row-major order. A vector has one row.
struct LoadedArray {
  Shape shape;
  Floats values;
};

/// Reads a .npy or .pgm file; grey values of .pgm are scaled to [0, 1]. Throws std::runtime_error
/// naming the file and what is wrong with it (absent, truncated, another type, Fortran order, a
/// value that is not finite in fp32).
LoadedArray load_array(const std::string& path);

/// The shape of the array that load_array would read, from the file's header and size only. Throws
/// like load_array for everything that these two show.
Shape array_shape(const std::string& path);

/// Why an array of the shape `held` is too small: for `count` values, or for an image of the shape
/// `wanted`. Nothing when it is large enough.
std::optional<std::string> too_small(Shape held, std::int64_t count);
std::optional<std::string> too_small(Shape held, Shape wanted);

/// `count` values of a one-dimensional problem. uniform is [0, 1), normal is N(0, 1). Element i
/// depends only on the seed and on i, so any number of threads makes the same data, and a shorter
/// array is a prefix of a longer one. The last arrays made are kept and shared, up to 2 GiB of
/// them. A file must hold at least `count` values. Throws std::runtime_error otherwise, and if
/// `count` is negative or the host has no memory for it.
std::shared_ptr<const Floats> make_vector(const DataSpec& spec, std::int64_t count);

/// Values `first` and on of make_vector's, for data that is made rather than read from a file.
void make_values(const DataSpec& spec, std::int64_t first, std::span<float> to);

/// A row-major image; a generated one is the vector of rows * cols values. A file must be at least
/// as large on both sides: its centre is cropped. Throws like make_vector.
std::shared_ptr<const Floats> make_image(const DataSpec& spec, Shape shape);

/// Calls body(begin, end) over [0, count), cut into one contiguous part for each hardware thread,
/// and returns when all are done. Of what bodies throw, the first is thrown on. No call for count
/// <= 0.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace apod
