"""What is wrong with a study."""


class StudyError(ValueError):
    """A study that cannot be run: the message says where, why, and what would be right."""
