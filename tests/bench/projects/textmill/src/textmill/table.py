"""Records as a plain-text table."""

from .chars import cells, cut


def pad(text, width, right=False):
    """A text filled up with spaces to the width, or cut with an ellipsis."""
    if cells(text) > width:
        text = cut(text, width - 1) + "…"
    fill = " " * (width - cells(text))
    return fill + text if right else text + fill


def is_number(text):
    return bool(text) and text.lstrip("+-").replace(".", "", 1).replace(",", "", 1).isdigit()


def render(records, most=30):
    """Lines of a table; a column of nothing but numbers stands to the right."""
    if not records:
        return []
    header = list(records[0])
    widths, rights = [], []
    for column in header:
        column_cells = [record[column] for record in records]
        widths.append(min(most, max(cells(c) for c in [column, *column_cells])))
        rights.append(all(is_number(c) for c in column_cells if c) and any(column_cells))
    rows = [header] + [[record[column] for column in header] for record in records]
    lines = [
        "  ".join(pad(cell, w, r) for cell, w, r in zip(row, widths, rights)).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines
