"""Motions on a graphics processor: C++ written from the record and from the kernels, one motion to a thread."""
