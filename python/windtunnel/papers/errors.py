"""Errors of papers."""


class UnknownPaper(ValueError):
    """An unknown paper; the message suggests the nearest name."""


class PaperError(ValueError):
    """An invalid folder of a paper: the message says what is wrong, and where."""
