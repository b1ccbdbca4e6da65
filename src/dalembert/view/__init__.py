"""Animated motions: a scene of drawn bodies, the page that plays it, and the player's own files."""
