"""From the bytes of a file to rows."""

import codecs
import csv
import io

MARKS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]


class ReadError(ValueError):
    """A file that can not be read as a table."""


def decode(data):
    """Text of bytes. A mark at the beginning decides; then UTF-8 is tried, then Windows-1252."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data.decode(encoding)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def delimiter_of(text):
    """The character between cells: the most frequent of three in the first line, outside quotes."""
    first = text.lstrip("\r\n").split("\n", 1)[0]
    quoted = False
    counts = {",": 0, ";": 0, "\t": 0}
    for char in first:
        if char == '"':
            quoted = not quoted
        elif char in counts and not quoted:
            counts[char] += 1
    best = max(counts, key=counts.get)
    return best if counts[best] else ","


def read_rows(data):
    """All rows of a file as lists of cells; rows without any text are left out."""
    text = decode(data)
    if "\0" in text:
        raise ReadError("the file is binary")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text))
    rows = [[cell.strip() for cell in row] for row in reader]
    return [row for row in rows if any(row)]


def read_records(data):
    """Rows as dictionaries by the header. Short rows are filled up, long ones are an error."""
    rows = read_rows(data)
    if not rows:
        return []
    header = rows[0]
    if len(set(header)) != len(header):
        raise ReadError("two columns have the same name")
    records = []
    for count, row in enumerate(rows[1:], start=2):
        if len(row) > len(header):
            raise ReadError(f"row {count} has {len(row)} cells, the header {len(header)}")
        records.append(dict(zip(header, row + [""] * (len(header) - len(row)))))
    return records
