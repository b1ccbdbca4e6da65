"""Models from other programs (URDF, MJCF, SymPy's mechanics), and exports of models to other languages (`export`)."""
