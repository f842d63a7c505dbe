"""Simulations that have a known outcome: one file a family of laws."""
