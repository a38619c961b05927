// The tax that prices contain.
import { roundCents } from './money.js';

export const RATES = { standard: 19, reduced: 7, none: 0 };

/** The tax in a gross amount. */
export function taxIn(gross, rate) {
  return roundCents((gross * rate) / (100 + rate));
}

/** Gross, tax and net for each rate; `parts` are [rate's name, gross] pairs. */
export function taxTable(parts) {
  const sums = new Map();
  for (const [name, gross] of parts) sums.set(name, (sums.get(name) ?? 0) + gross);
  return [...sums]
    .sort(([a], [b]) => RATES[b] - RATES[a])
    .map(([name, gross]) => {
      const tax = taxIn(gross, RATES[name]);
      return { name, rate: RATES[name], gross, tax, net: gross - tax };
    });
}
