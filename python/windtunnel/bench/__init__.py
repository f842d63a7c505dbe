"""Benchmarks: the speed of the simulator, of studies, and of lookups in the tables of routers."""
