"""Wrapping texts for mails and terminals."""

from .chars import cells, cut


def wrap(text, width=72, indent=""):
    """Lines of a paragraph, none longer than the width.

    The indent stands before every line but the first. A word that does not fit into a line of its
    own is broken.
    """
    room = width - cells(indent)
    if room < 2:
        raise ValueError("the width leaves no room beside the indent")
    words = text.split()
    lines = []
    line = ""
    while words:
        prefix = indent if lines else ""
        free = width - cells(prefix)
        candidate = f"{line} {words[0]}" if line else words[0]
        if cells(candidate) <= free:
            line = candidate
            words.pop(0)
        elif line:
            lines.append(prefix + line)
            line = ""
        else:
            head = cut(words[0], free)
            lines.append(prefix + head)
            words[0] = words[0][len(head):]
    if line:
        lines.append((indent if lines else "") + line)
    return lines


def paragraphs(text):
    """Paragraphs of a text: what stands between empty lines."""
    found = []
    current = []
    for line in text.splitlines():
        if line.strip():
            current.append(line.strip())
        elif current:
            found.append(" ".join(current))
            current = []
    if current:
        found.append(" ".join(current))
    return found


def wrap_text(text, width=72):
    """A text with all its paragraphs wrapped. Items of lists keep their hanging indent."""
    blocks = []
    for paragraph in paragraphs(text):
        indent = "  " if paragraph.startswith(("- ", "* ")) else ""
        blocks.append("\n".join(wrap(paragraph, width, indent)))
    return "\n\n".join(blocks) + ("\n" if blocks else "")
