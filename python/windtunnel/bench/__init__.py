"""Benchmarks: the speed of the simulator, and the runs per second of a study."""
