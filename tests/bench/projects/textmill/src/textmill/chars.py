"""What single characters are and what they become."""

import unicodedata

# Letters that Unicode does not take apart, and what people write instead.
SPELLED = {
    "ß": "ss",
    "ẞ": "SS",
    "æ": "ae",
    "Æ": "AE",
    "ø": "o",
    "Ø": "O",
    "œ": "oe",
    "Œ": "OE",
    "đ": "d",
    "Đ": "D",
    "ł": "l",
    "Ł": "L",
    "þ": "th",
    "Þ": "Th",
    "ı": "i",
}


def fold(text):
    """The text in plain ASCII letters: "Łódź" is "Lodz". What has no such form is left as it is."""
    spelled = "".join(SPELLED.get(c, c) for c in text)
    apart = unicodedata.normalize("NFKD", spelled)
    return "".join(c for c in apart if not unicodedata.combining(c))


def cells(text):
    """Cells of a terminal that a text takes: wide letters take two, combining marks none."""
    count = 0
    for char in text:
        if unicodedata.combining(char) or char in "\u200b\u200d\ufe0f":
            continue
        count += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return count


def cut(text, width):
    """The longest beginning of a text that takes no more cells than the width."""
    taken = 0
    for place, char in enumerate(text):
        taken += cells(char)
        if taken > width:
            return text[:place]
    return text
