"""Errors of measurements of speed."""


class UnknownWorkload(ValueError):
    """An unknown workload: the message lists the known ones."""
