"""Models from elsewhere: URDF, MJCF, and SymPy's own mechanics."""
