"""What starts an engine: one motion, many motions, their starts and stores."""
