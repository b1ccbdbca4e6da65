// The functions of FMI 3.0 for a model in a hole.
#include "shell.hpp"
#include "fmi3.cpp"
