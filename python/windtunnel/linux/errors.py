"""Errors of kernels."""


class KernelError(ValueError):
    """A kernel cannot be built or found; the message says why, and what would help."""
