"""Arithmetic with fifty digits: truncated Taylor series, and ranks decided by elimination."""
