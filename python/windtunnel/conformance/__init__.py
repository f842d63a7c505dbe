"""Conformance: whether a controller, or TCP, does what its specification says, case by case."""
