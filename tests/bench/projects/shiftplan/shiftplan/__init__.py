"""Rosters for a small team."""

from .roster import Roster, RosterError
from .shifts import Shift

__all__ = ["Roster", "RosterError", "Shift"]
