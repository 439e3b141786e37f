#pragma once

#include <gtest/gtest.h>

#include "kernels/api/backend.hpp"

namespace apod {

/// The code of the BackendError that `call` throws; a failure when it throws none.
template <class Call>
BackendError::Code code_of(Call&& call) {
  try {
    call();
  } catch (const BackendError& error) {
    EXPECT_STRNE(error.what(), "");
    return error.code();
  }
  ADD_FAILURE() << "no BackendError was thrown";
  return BackendError::Code::other;
}

}  // namespace apod
