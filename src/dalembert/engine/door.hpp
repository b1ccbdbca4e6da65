// The prefix of every function of the C interface.
#pragma once

#if defined(_WIN32)
#define DOOR extern "C" __declspec(dllexport)
#else
#define DOOR extern "C" __attribute__((visibility("default")))
#endif
