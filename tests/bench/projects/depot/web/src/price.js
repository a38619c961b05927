// What a parcel costs, while somebody types. The backend's result counts; this one has to be the same.
import { readFileSync } from 'node:fs';

const TARIFFS = new URL('../../shared/tariffs.json', import.meta.url);

const ZONES = {
  domestic: ['DE'],
  europe: ['AT', 'BE', 'CZ', 'DK', 'ES', 'FR', 'IT', 'LU', 'NL', 'PL', 'SE'],
};

export class NotCarried extends Error {}

export function loadTariffs() {
  return JSON.parse(readFileSync(TARIFFS, 'utf8'));
}

export function zoneOf(country) {
  for (const [zone, countries] of Object.entries(ZONES)) {
    if (countries.includes(country.toUpperCase())) return zone;
  }
  throw new NotCarried(`no parcels to ${country}`);
}

export function basePrice(tariff, grams) {
  if (!(grams > 0)) throw new NotCarried('a parcel has a weight');
  const step = tariff.steps.find((s) => grams <= s.grams);
  if (!step) throw new NotCarried(`${grams} g is too heavy`);
  return step.cents;
}

export function surcharges(tariff, size, value) {
  const found = {};
  const [length, width, height] = [...size].sort((a, b) => b - a);
  if (length + 2 * (width + height) > tariff.size_limit) found.size = tariff.size_cents;
  const insured = value - tariff.free_value;
  if (insured > 0) found.insurance = Math.ceil(insured / 100);
  return found;
}

/** Cents for a parcel. */
export function price({ country, grams, size = [30, 20, 10], value = 0 }, tariffs = loadTariffs()) {
  const tariff = tariffs[zoneOf(country)];
  const extra = Object.values(surcharges(tariff, size, value));
  return basePrice(tariff, grams) + extra.reduce((sum, cents) => sum + cents, 0);
}
