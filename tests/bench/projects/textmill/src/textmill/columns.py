"""Columns: choosing, renaming, sorting."""

from .chars import fold


class NoSuchColumn(KeyError):
    def __init__(self, name, known):
        super().__init__(name)
        self.name = name
        self.known = known

    def __str__(self):
        return f"no column {self.name!r}; there are {', '.join(self.known)}"


def find(name, header):
    """A column by its name; if there is none, by the name without case and accents."""
    if name in header:
        return name
    wanted = fold(name).casefold()
    for column in header:
        if fold(column).casefold() == wanted:
            return column
    raise NoSuchColumn(name, header)


def select(records, names):
    """The records with these columns only, in this order, under their own names."""
    if not records:
        return []
    header = list(records[0])
    chosen = [find(name, header) for name in names]
    return [{column: record[column] for column in chosen} for record in records]


def rename(records, names):
    """The records with other names for some columns."""
    if not records:
        return []
    header = list(records[0])
    new = {find(old, header): name for old, name in names.items()}
    return [{new.get(column, column): cell for column, cell in r.items()} for r in records]


def sort(records, name, reverse=False):
    """The records in the order of a column: as numbers if all of them are, else as text."""
    if not records:
        return []
    column = find(name, list(records[0]))
    try:
        keyed = [(float(record[column].replace(",", ".")), record) for record in records]
    except ValueError:
        keyed = [(fold(record[column]).casefold(), record) for record in records]
    return [record for _, record in sorted(keyed, key=lambda k: k[0], reverse=reverse)]
