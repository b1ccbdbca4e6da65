"""Models from elsewhere (URDF, MJCF, SymPy's own mechanics), and models taken along to other languages (`export`)."""
