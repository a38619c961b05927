"""What a parcel costs."""

import json
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "shared" / "tariffs.json"
ZONES = {
    "domestic": {"DE"},
    "europe": {"AT", "BE", "CZ", "DK", "ES", "FR", "IT", "LU", "NL", "PL", "SE"},
}


class NotCarried(Exception):
    """A parcel that no tariff takes."""


def load(path=PATH):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def zone_of(country):
    """The zone of a country's two letters."""
    for zone, countries in ZONES.items():
        if country.upper() in countries:
            return zone
    raise NotCarried(f"no parcels to {country}")


def girth(width, height):
    return 2 * (width + height)


def base_price(tariff, grams):
    """The price of a weight: of the first step that reaches it."""
    if grams <= 0:
        raise NotCarried("a parcel has a weight")
    for step in tariff["steps"]:
        if grams <= step["grams"]:
            return step["cents"]
    raise NotCarried(f"{grams} g is too heavy")


def surcharges(tariff, size, value):
    """What comes on top: for a size in cm (length, width, height), and for a value in cents."""
    found = {}
    length, width, height = sorted(size, reverse=True)
    if length + girth(width, height) > tariff["size_limit"]:
        found["size"] = tariff["size_cents"]
    insured = value - tariff["free_value"]
    if insured > 0:
        found["insurance"] = -(-insured // 100)
    return found


def price(country, grams, size=(30, 20, 10), value=0, tariffs=None):
    """Cents for a parcel."""
    tariff = (tariffs or load())[zone_of(country)]
    return base_price(tariff, grams) + sum(surcharges(tariff, size, value).values())
