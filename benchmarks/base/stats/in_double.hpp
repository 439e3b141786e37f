#pragma once

/// \file
/// How Boost's distributions are asked here.

#include <boost/math/policies/policy.hpp>

namespace apod::stats {

/// Without long double, which takes four times as long and gives no better double.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace apod::stats
