// An array or image, as `data: {file: ...}` names it.

#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "kernels/data/data.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_array(const std::string& input) {
  for (const char* name : {"x.npy", "x.pgm"}) {
    const std::string file = write(name, input);
    try {
      const auto shape = array_shape(file);
      const auto array = load_array(file);
      expect(array.shape.rows == shape.rows && array.shape.cols == shape.cols,
             "the header and the array have different shapes");
      expect(array.values.size() == static_cast<std::size_t>(shape.rows * shape.cols),
             "the array is not as large as its shape");
    } catch (const std::runtime_error& error) {
      check_shown(text::printable(error.what()), input);
    }
  }
}
