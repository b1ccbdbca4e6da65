"""Accelerations body by body, after Kane."""
