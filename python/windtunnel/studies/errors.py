"""Errors of studies."""


class StudyError(ValueError):
    """A study that cannot be run: the message says where, why, and how to fix it."""
