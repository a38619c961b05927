"""The settings: lines of `name = value`, in sections."""


class KeyfileError(ValueError):
    def __init__(self, line, reason):
        super().__init__(f"line {line}: {reason}")
        self.line = line


def parse(text):
    """Values by section and name. What stands before the first section is in section ""."""
    sections = {"": {}}
    current = sections[""]
    for count, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            if not line.endswith("]"):
                raise KeyfileError(count, "the section's ] is missing")
            current = sections.setdefault(line[1:-1].strip(), {})
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise KeyfileError(count, "neither a section nor a value")
        current[name.strip()] = parse_value(value, count)
    return sections


def parse_value(text, line=0):
    """The text of a value, with its quotes, if it has any, taken off."""
    text = text.strip()
    if not text.startswith('"'):
        return text.split(" #", 1)[0].rstrip()
    end = text.find('"', 1)
    if end < 0:
        raise KeyfileError(line, "the value's closing quote is missing")
    rest = text[end + 1 :].strip()
    if rest and not rest.startswith("#"):
        raise KeyfileError(line, "text after the closing quote")
    return text[1:end]


def format_value(value):
    """How a value is written so that `parse_value` gives it back."""
    if '"' in value:
        raise ValueError("a value can not hold a quote")
    plain = value == value.strip() and " #" not in value and value[:1] != "#"
    return value if plain else f'"{value}"'


def write(sections):
    """The text of sections and their values."""
    rows = []
    for name, values in sections.items():
        if name:
            rows.append(f"[{name}]")
        rows.extend(f"{key} = {format_value(value)}" for key, value in values.items())
        if values or name:
            rows.append("")
    return "\n".join(rows)
