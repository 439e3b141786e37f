#pragma once

/// \file
/// What a test's program does on a device that there is not, as CUPTI would tell of it.

extern "C" {

/// A call of the runtime, one of the driver within it, and the kernel that they launch.
void fake_launch(const char* kernel);
/// A kernel whose record comes as complete only when it is forced.
void fake_unfinished_launch();
void fake_push(const char* range);
void fake_pop();
void fake_name_thread(const char* name);
}
