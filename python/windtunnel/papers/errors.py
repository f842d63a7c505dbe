"""What is wrong with a paper."""


class UnknownPaper(ValueError):
    """A name that no paper has; the message gives the nearest one."""


class PaperError(ValueError):
    """A paper's folder that is not as it should be: the message says what and where."""
