"""Small chores around text files."""

__version__ = "1.4.0"
