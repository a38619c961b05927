// What shipping costs.

const FREE_FROM = 5000;

const ZONES = {
  home: { countries: ['DE'], steps: [[1000, 390], [5000, 590], [20000, 990]] },
  near: { countries: ['AT', 'CH', 'LU', 'NL', 'BE', 'FR', 'DK', 'PL', 'CZ'], steps: [[2000, 990], [20000, 1690]] },
};

export class ShippingError extends Error {}

export function zoneOf(country) {
  const found = Object.values(ZONES).find((z) => z.countries.includes(country));
  if (!found) throw new ShippingError(`no shipping to ${country}`);
  return found;
}

/** Cents for a weight in grams; the goods' amount decides whether it is free. */
export function shippingFor(country, grams, goods) {
  const zone = zoneOf(country);
  if (grams === 0) return 0;
  if (goods >= FREE_FROM) return 0;
  const step = zone.steps.find(([upTo]) => grams <= upTo);
  if (!step) throw new ShippingError(`${grams} g is too heavy`);
  return step[1];
}

/** What is missing until shipping is free; 0 if it is. */
export function missingForFree(goods) {
  return Math.max(0, FREE_FROM - goods);
}
