"""Conversion of quantities."""

from .convert import UnitError, convert, parse

__all__ = ["UnitError", "convert", "parse"]
