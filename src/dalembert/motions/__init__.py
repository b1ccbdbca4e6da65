"""The Python that starts the engine: one motion, many motions, their starts and stores."""
