"""Studies: one scenario over many values and seeds."""
