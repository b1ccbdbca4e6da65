"""Many motions of one model: grids and random starts, records, engines, and a store that survives interruptions."""
