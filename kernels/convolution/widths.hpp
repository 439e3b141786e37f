#pragma once

/// \file
/// For which widths of the mask kernels are compiled. For .cu files only.

#include <type_traits>

namespace apod::convolution {

/// Loops unroll only if their length is known, and each width takes long to compile. A mask between
/// two widths takes the kernel of the wider one, with zeros around it.
template <int... widths>
struct Widths {
  /// launch(std::integral_constant<int, w>{}) for the narrowest w that a mask fits in; false if
  /// there is none.
  template <class Launch>
  static bool launch(int width, const Launch& launch) {
    bool found = false;
    (void)((width <= widths && (launch(std::integral_constant<int, widths>{}), found = true)) ||
           ...);
    return found;
  }
};
/// The widths of configs/convolution_masks.yaml; fewer for variants that have fewer there.
using StudiedWidths = Widths<3, 5, 7, 9, 11, 13, 17, 21, 25, 31>;
using FewWidths = Widths<3, 5, 7, 9, 13, 17, 25, 31>;

}  // namespace apod::convolution
