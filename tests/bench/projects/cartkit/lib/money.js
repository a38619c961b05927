// Amounts are integers of cents.

export class MoneyError extends Error {}

/** Rounds half a cent away from zero, unlike Math.round, which rounds -0.5 to 0. */
export function roundCents(value) {
  const rounded = Math.round(Math.abs(Number(value.toFixed(6))));
  return value < 0 ? 0 - rounded : rounded;
}

/** So many percent of an amount. */
export function percentOf(cents, percent) {
  return roundCents((cents * percent) / 100);
}

/** "1.234,50" or "1234.5" as cents. */
export function parseCents(text) {
  const match = /^\s*(-?)([\d.,' ]*?\d)(?:[.,](\d{1,2}))?\s*$/.exec(text);
  if (!match) throw new MoneyError(`not an amount: ${text}`);
  const [, sign, whole, rest = ''] = match;
  const digits = whole.replace(/[.,' ]/g, '');
  const cents = Number(digits) * 100 + Number(rest.padEnd(2, '0'));
  return sign ? 0 - cents : cents;
}

export function formatCents(cents) {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.floor(Math.abs(cents) / 100);
  return `${sign}${whole}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;
}

/** An amount in parts that are as the weights; the parts add up to the amount. */
export function distribute(cents, weights) {
  const total = weights.reduce((sum, w) => sum + w, 0);
  if (total <= 0) return weights.map(() => 0);
  let given = 0;
  let seen = 0;
  return weights.map((weight) => {
    seen += weight;
    const upTo = roundCents((cents * seen) / total);
    const part = upTo - given;
    given = upTo;
    return part;
  });
}
