#pragma once

/// \file
/// The most common family in one line: y[i] = f(x[i]) over an fp32 array. Data, chunks, traffic,
/// reference and tolerance follow from f in fp64; variants compute it in fp32 (MapVariant).

#include <cstddef>
#include <string>

#include "kernels/api/registry.hpp"

namespace apod {

/// y = f(x), its cost, and the error that a correct fp32 result may have.
struct MapFunction {
  double (*value)(double x) = nullptr;  ///< in fp64; called by several threads at once
  double flops = 0;  ///< fp32 operations for each element, an FMA counting as two
  /// Roundings in fp32 that an evaluation may take, one after the other. Eight are four ulps: as
  /// much as CUDA's expf, logf, sinf and tanf may be off, or eight additions and multiplications.
  int roundings = 8;
};

/// The largest error of a correct fp32 result of f at x. A stable evaluation returns f of an x that
/// is off by a few roundings, and rounds the result a few times more (mixed forward-backward
/// stability; Higham 2002, "Accuracy and Stability of Numerical Algorithms", 1.5). With k roundings
/// of the unit u = 2^-24 that is
///   max |f(x (1 +- k u)) - f(x)| + k u |f(x)| + 2^-126
/// where the last term lets a result that is subnormal be flushed to zero.
double map_tolerance(const MapFunction& function, double x);

/// Makes a family of one axis, `size`, and registers it as `name`:
/// `const MapRegistrar family("cube", "x^3 of an fp32 array", {.value = cube, .flops = 2});` A
/// value of the output is right within map_tolerance of f(x), or if it equals f(x) rounded to fp32,
/// which may be an infinity or NaN.
struct MapRegistrar {
  MapRegistrar(std::string name, std::string summary, MapFunction function);
};

/// A variant of such a family.
class MapVariant : public Variant {
 public:
  /// Enqueues y[i] = f(x[i]) for i < count on `stream`; count is at least 1, and both arrays are
  /// aligned to 256 bytes.
  virtual void map(const float* x, float* y, std::size_t count, Stream& stream) const = 0;
  void compute(const Task& task) const final;
};

}  // namespace apod
