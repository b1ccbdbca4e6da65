// The functions of FMI 2.0 for a model in a hole.
#include "shell.hpp"
#include "fmi2.cpp"
