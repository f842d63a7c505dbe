"""Studies: one scenario over many values and seeds, in parallel and resumable."""
