"""Conserved quantities: searched for in a chosen span, decided by ranks, proved in high precision."""
