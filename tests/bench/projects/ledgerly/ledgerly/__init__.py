"""Books of a very small business."""

from .book import Book, BookError
from .money import format_amount, parse_amount

__all__ = ["Book", "BookError", "format_amount", "parse_amount"]
__version__ = "0.9.2"
